"""Memories elsewhere of other kinds: chunks alone, links alone, several repositories; read in this
process, from folders."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from agents import ClaudeSession
from helpers import GitRepo
from memory import Memory
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

from funes_git.chunk import chunks
from funes_git.commands.opened import asked_of
from funes_git.errors import FunesError, MemoryBusy
from funes_git.forget import forget
from funes_git.git import Repo
from funes_git.link import engine
from funes_git.models import DEFAULT, Models
from funes_git.recall import Recall, Stages
from funes_git.remotes.huberrors import Conflict
from funes_git.remotes.names import parse, parse_many
from funes_git.remotes.objects import StorePlace
from funes_git.remotes.places import place_of
from funes_git.remotes.plain import CUT, joined
from funes_git.remotes.tables import Difference
from funes_git.store import differences
from funes_git.store.catalog import Catalog
from funes_git.store.changes import StoredTurn
from funes_git.store.lance import LanceMemory
from funes_git.store.lanceclient import connected
from funes_git.store.lock import FileLock
from funes_git.store.recovery import changes_of
from funes_git.store.shared import SharedMemory
from funes_git.store.stores import Stores
from funes_git.store.vectors import VectorIndex
from funes_git.sync.meeting import Meeting
from funes_git.why.target import why
from funes_git_parsers.base import Block, Turn

TEXT = pa.utf8()
FUNES = pa.schema(
    [
        *((name, TEXT) for name in ("id", "text", "session_id", "workdir", "turn_uuid")),
        *(("parent_uuid", TEXT), ("seq", pa.int64())),
        *((name, TEXT) for name in ("ts", "role", "block_type", "tool_name", "source_path")),
        *(("block_idx", pa.int64()), ("split_idx", pa.int64())),
        ("vector", pa.list_(pa.float32(), 4)),
        *(("harness", TEXT), ("repo", TEXT)),
    ],
    metadata={"embedding_model": "acme/model"},
)
LONG = "Because the cache must be bounded, we evict the least recently used keys.\n" * 60


def quiet(_: str) -> None:
    pass


def asked(repo: GitRepo, memory: Path) -> Repo:
    return asked_of(Repo.discover(repo.path), str(memory), quiet)


def said(uuid: str, seq: int, role: str, *blocks: Block) -> Turn:
    return Turn("s-1", uuid, seq, 1_767_000_000.0 + seq, role, "claude_code", blocks)  # type: ignore[arg-type]


def funes_memory(folder: Path) -> None:
    """As huggingface/funes publishes it: seventeen columns, one table, nothing else."""
    turns = [
        said("t-0", 0, "user", Block("text", "Why do we bound the cache?")),
        said("t-1", 1, "assistant", Block("text", LONG), Block("tool_use", '{"x": 1}', "Read")),
        said("t-2", 2, "tool", Block("tool_result", " ".join(map(str, range(3000))), None)),
    ]
    rows = [
        {
            **dict.fromkeys(FUNES.names, ""),
            "id": chunk.id,
            "text": chunk.text,
            "session_id": turn.session_id,
            "turn_uuid": turn.turn_uuid,
            "seq": turn.seq,
            "ts": "2025-12-29T09:20:00.000Z",
            "role": turn.role,
            "block_type": chunk.block_type,
            "tool_name": chunk.tool or "",
            "block_idx": chunk.block_idx,
            "split_idx": chunk.split_idx,
            "vector": [1.0, 0.0, 0.0, 0.0] if chunk.prose else None,
            "harness": "claude",
            "repo": "acme/widget",
        }
        for turn in turns
        for chunk in chunks(turn)
    ]
    table = pa.Table.from_pylist(rows, FUNES)
    connected(folder).create_table("chunks", table, on_bad_vectors="null")


def test_a_memory_of_funes_itself_is_searched_and_shown(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit("first")
    funes_memory(tmp_path / "funes")
    other = asked(repo, tmp_path / "funes")
    with Catalog.open(other.layout.catalog) as catalog:
        found = Recall(other, catalog, Models({})).search(
            "why bound the cache", stages=Stages(meaning=False, reading=0)
        )
        assert found.hits[0].prompt == "Why do we bound the cache?"
        view = catalog.turn("s-1", "t-1")
        assert view is not None
        assert [block.text for block in view.turn.blocks] == [LONG.strip(), '{"x": 1}']
        assert view.turn.exchange == "t-0"
        result = catalog.turn("s-1", "t-2")
        assert result is not None
        assert CUT in result.turn.blocks[0].text  # of a long result the ends are all there is
    assert not (repo.path / ".git/funes").exists()


@pytest.mark.parametrize("text", [LONG, "short", "a" * 5000, "one\n" * 1000, "ä ö\n\n" * 700])
def test_pieces_are_joined_again(text: str) -> None:
    turn = said("t", 0, "assistant", Block("text", text))
    pieces = [chunk.text for chunk in chunks(turn)]
    whole = joined(pieces)
    assert len(pieces) == 1 or len(pieces) > 2
    assert "".join(whole.split()) == "".join(text.split())


def exported(repo: GitRepo, folder: Path) -> None:
    """The repository's memory, pushed to a folder."""
    place = place_of(parse(str(folder)))
    place.create(private=True)
    Meeting(Repo.discover(repo.path), place, lambda *_: None).push()


def test_links_that_a_memory_came_with_are_its_word(
    repo: GitRepo, tmp_path: Path, hermetic: Path
) -> None:
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Cap the cache")
    claude.write("cache.py", "LIMIT_OF_CACHE = 128\n")
    repo.commit("Cap", date=claude.clock.tick(60))
    repo.write("hand.py", "BY_HAND = 1\n")
    repo.commit("By hand", date=claude.clock.tick(60))
    Memory(repo).sync()
    exported(repo, tmp_path / "share")
    whole = asked(repo, tmp_path / "share")
    with Stores.open(whole.layout, write=True) as stores:
        assert len(stores.catalog.attributions(whole.resolve("HEAD~1"))) == 1
    shutil.rmtree(tmp_path / "share/edits.lance")  # so that nothing shows the lines
    linked = asked(repo, tmp_path / "share")
    assert linked.layout.root != whole.layout.root
    found = {}
    for each in (whole, linked):
        with Stores.open(each.layout, write=True) as stores:
            engine.catch_up(each, stores.writer)
            (link,) = stores.catalog.links_of([each.resolve("HEAD~1")]).popitem()[1]
            found[each] = (link.session_id, link.level, link.source)
            answer = why(each, stores.catalog, "cache.py:1", cwd=repo.path)
            (gap,) = why(each, stores.catalog, "hand.py:1", cwd=repo.path).unexplained
            assert (gap.kind, gap.reason) == ("unknown", "not-in-memory")
    assert found[whole] == (claude.id, "lines", "own")
    assert found[linked] == (claude.id, "imported", "memory")
    assert answer.unexplained[0].detail.startswith(f"the memory says that session {claude.id}")


def test_names() -> None:
    cwd = Path("/x")
    kinds = {
        "local": ("local", "", None),
        "acme/widget": ("hub", "acme/widget", None),
        "acme/widget@v1.2/rc": ("hub", "acme/widget", "v1.2/rc"),
        "hf://datasets/acme/widget@main": ("hub", "acme/widget", "main"),
        "https://huggingface.co/datasets/acme/widget": ("hub", "acme/widget", None),
        "./acme/widget": ("folder", "/x/acme/widget", None),
        "/mnt/a": ("folder", "/mnt/a", None),
        "file:///mnt/a": ("folder", "/mnt/a", None),
        "a.funes": ("file", "/x/a.funes", None),
        "s3://bucket/a/": ("store", "s3://bucket/a", None),
        "gs://bucket": ("store", "gs://bucket", None),
    }
    for text, expected in kinds.items():
        name = parse(text, cwd)
        assert (name.kind, name.where, name.revision) == expected, text
    slugs = {parse(text, cwd).slug for text in kinds}
    assert len(slugs) == len(kinds) - 2  # two are there twice
    assert [name.kind for name in parse_many("local,acme/widget, local")] == ["local", "hub"]
    for text in ("", "word", "http://x/y", "s3://", "acme/..", "hf://models/a/b"):
        with pytest.raises(Exception, match="no memory can be called"):
            parse(text, cwd)
    assert json.dumps(sorted(slugs)).isascii()


def vectors(repo: Repo, seed: float) -> dict[str, list[float]]:
    """Give every chunk that lacks one a vector, as the worker does."""
    made = {}
    with Stores.open(repo.layout, write=True) as stores:
        for number, (chunk, _) in enumerate(stores.catalog.pending_vectors(100)):
            made[chunk] = [seed, *([float(number)] * 383)]
        if made:
            stores.set_vectors(list(made), list(made.values()), DEFAULT)
    return made


def stored_vectors(repo: Repo) -> dict[str, list[float]]:
    with Stores.open(repo.layout) as stores:
        return {
            i: list(v) for ids, rows in stores.vectors() for i, v in zip(ids, rows, strict=True)
        }


def test_vectors_travel_also_when_they_are_made_later(
    repo: GitRepo, tmp_path: Path, hermetic: Path
) -> None:
    def turns() -> None:
        claude = ClaudeSession(repo, hermetic)
        claude.prompt("Cap the cache")
        claude.says("An LRU bound keeps hot keys.")
        repo.commit("Cap", date=claude.clock.tick(60))

    turns()
    memory = Memory(repo)
    memory.sync()
    exported(repo, tmp_path / "share")
    made = vectors(memory.repo, 1.0)
    turns()
    memory.sync()
    exported(repo, tmp_path / "share")
    made |= vectors(memory.repo, 2.0)
    exported(repo, tmp_path / "share")
    assert len(made) > 3
    other = GitRepo(tmp_path / "other")
    other.git("pull", "-q", str(repo.path), "main")
    there = Repo.discover(other.path)
    Meeting(there, place_of(parse(str(tmp_path / "share"))), lambda *_: None).pull()
    assert stored_vectors(there) == made
    index = VectorIndex.open(there.layout.vectors)
    assert index is not None
    assert index.count == len(made)
    with Catalog.open(there.layout.catalog) as catalog:
        assert catalog.totals().vectors == catalog.totals().prose == len(made)
    read = asked(other, tmp_path / "share")
    found = VectorIndex.open(read.layout.vectors)
    assert found is not None
    assert found.count == len(made)


def test_what_changed_on_one_side_is_taken_and_on_both_is_kept(
    repo: GitRepo, tmp_path: Path, hermetic: Path
) -> None:
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Cap the cache")
    repo.commit("Cap", date=claude.clock.tick(60))
    memory = Memory(repo)
    memory.sync()
    exported(repo, tmp_path / "share")
    other = GitRepo(tmp_path / "other")
    other.git("pull", "-q", str(repo.path), "main")
    there = Repo.discover(other.path)
    place = place_of(parse(str(tmp_path / "share")))
    Meeting(there, place, lambda *_: None).pull()

    def say(at: Repo, text: str) -> None:
        """The agent's message grows, or a scrub takes something out of it."""
        with Stores.open(at.layout, write=True) as stores:
            changes = changes_of(stores.lance(), [claude.id])
            ((key, stored),) = changes.turns.items()
            turn = replace(stored.turn, blocks=(Block("text", text),))
            changes.turns[key] = StoredTurn(turn, stored.source_path)
            changes.turns[key].chunks = chunks(turn)
            stores.take(changes)

    def texts(at: Repo) -> list[str]:
        with Catalog.open(at.layout.catalog) as catalog:
            return [b.text for t, _, _ in catalog.turns_of(claude.id) for b in t.blocks]

    say(memory.repo, "short " * 400)
    exported(repo, tmp_path / "share")
    say(memory.repo, "shorter")
    exported(repo, tmp_path / "share")
    Meeting(there, place, lambda *_: None).push()  # it knows nothing newer
    assert texts(there) == texts(memory.repo) == ["shorter"]
    with Catalog.open(there.layout.catalog) as catalog:
        assert catalog.totals().chunks == 1  # those of the longer text are gone
    rows = LanceMemory.open(tmp_path / "share").table("chunks").count_rows()
    assert rows == 1
    say(memory.repo, "ours")
    say(there, "theirs")
    exported(repo, tmp_path / "share")
    Meeting(there, place, lambda *_: None).push()
    assert texts(there) == ["theirs"]
    exported(repo, tmp_path / "share")
    assert texts(memory.repo) == ["theirs"]  # whoever came last is heard, and both agree


@pytest.mark.slow
def test_many_pushes_leave_few_files(repo: GitRepo, tmp_path: Path, hermetic: Path) -> None:
    memory = Memory(repo)
    claude = ClaudeSession(repo, hermetic)
    for number in range(30):
        claude.prompt(f"Question {number}")
        repo.commit("first", date=claude.clock.tick(60))
        memory.sync()
        exported(repo, tmp_path / "share")
    with Catalog.open(memory.repo.layout.catalog) as catalog:
        turns = catalog.totals().turns
    share = LanceMemory.open(tmp_path / "share")
    assert share.table("blocks").count_rows() == turns == 30
    assert len(list((tmp_path / "share").rglob("*"))) < 150
    for table in (tmp_path / "share").glob("*.lance"):
        assert len(list((table / "_versions").glob("*.manifest"))) == 1


def test_the_end_of_a_session_pushes_where_a_memory_is_bound(
    repo: GitRepo, tmp_path: Path, hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FUNES_GIT_WORKER_DELAY", "0")
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Cap the cache")
    repo.commit("Cap", date=claude.clock.tick(60))
    memory = Memory(repo)
    memory.sync()
    share = tmp_path / "share"
    layout = memory.repo.layout

    def ends(kind: str) -> str:
        layout.spool.mkdir(exist_ok=True)
        (layout.spool / "1.event").write_bytes(b"funes-git event 1\0kind=%s\0end\0" % kind.encode())
        subprocess.run(
            [sys.executable, "-m", "funes_git.worker", str(memory.repo.common_dir)],
            check=True,
            timeout=120,
        )
        with Catalog.open(layout.catalog) as catalog:
            error = catalog.stats().last_error
        return error[1] if error else ""

    repo.git("config", "funes.memory", str(share))
    repo.git("config", "funes.push", "off")
    assert ends("session-end") == ""
    repo.git("config", "--unset", "funes.push")
    assert f"push: FunesError: there is no folder {share}" in ends("session-end")
    share.mkdir()
    assert ends("turn-end") == ""
    assert not any(share.iterdir())
    assert ends("session-end") == ""
    assert LanceMemory.open(share).table("blocks").count_rows() == 1


def test_an_object_store_is_a_place(repo: GitRepo, tmp_path: Path, hermetic: Path) -> None:
    """Through the interface that S3 and Google's stores have too; the store itself is a folder."""
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Cap the cache")
    repo.commit("Cap", date=claude.clock.tick(60))
    memory = Memory(repo)
    memory.sync()
    bucket = tmp_path / "bucket"
    bucket.mkdir()
    name = parse("s3://bucket/widget")
    place = StorePlace(name, SubTreeFileSystem(str(bucket), LocalFileSystem()))
    (bucket / "photos").mkdir()
    (bucket / "photos/sea.jpg").write_bytes(b"blue")
    with pytest.raises(FunesError, match="s3://bucket/widget holds photos, and no memory"):
        Meeting(memory.repo, place, lambda *_: None).push()
    with pytest.raises(FunesError, match="holds photos, and no memory"):
        place.create(private=True)
    shutil.rmtree(bucket / "photos")
    assert place.head() == ""
    assert Meeting(memory.repo, place, lambda *_: None).push().given == 1
    claude.says("An LRU bound keeps hot keys.")
    memory.sync()
    assert Meeting(memory.repo, place, lambda *_: None).push().given == 1
    assert Meeting(memory.repo, place, lambda *_: None).push().given == 0
    other = GitRepo(tmp_path / "other")
    other.git("pull", "-q", str(repo.path), "main")
    there = Repo.discover(other.path)
    assert Meeting(there, place, lambda *_: None).pull().taken.turns == 2
    assert list((bucket / ".funes-lock").iterdir()) == []
    version = place.head()
    nothing = Difference({}, [])
    with pytest.raises(Conflict, match="was changed meanwhile"):
        place.commit(nothing, "0" * 40, "late")
    (bucket / ".funes-lock/other.json").write_text(json.dumps({"at": time.time()}))
    with pytest.raises(Conflict, match="somebody else is writing"):
        place.commit(nothing, version, "at once")
    (bucket / ".funes-lock/other.json").write_text(json.dumps({"at": time.time() - 3600}))
    assert place.commit(nothing, version, "after one that was killed") == version


def test_of_several_repositories_each_asks_for_its_own(
    repo: GitRepo, tmp_path: Path, hermetic: Path
) -> None:
    other = GitRepo(tmp_path / "gadget")
    sessions = {}
    for one in (repo, other):
        claude = ClaudeSession(one, hermetic)
        claude.prompt(f"Cap the cache of {one.path.name}")
        one.commit(f"Cap {one.path.name}", date=claude.clock.tick(60))
        sessions[one] = claude.id
        memory = Memory(one)
        memory.sync()
        place = place_of(parse(str(tmp_path / "share")))
        place.create(private=True)
        Meeting(memory.repo, place, lambda *_: None, strangers=True).push()
        with Catalog.open(memory.repo.layout.catalog) as catalog:
            assert catalog.totals().sessions == 1  # nothing of the other was taken
    assert LanceMemory.open(tmp_path / "share").table("sessions").count_rows() == 2

    def known(repo: GitRepo) -> set[str]:
        read = asked(repo, tmp_path / "share")
        with Catalog.open(read.layout.catalog) as catalog:
            found = Recall(read, catalog, Models({})).search(
                "cap cache", stages=Stages(meaning=False, reading=0)
            )
        return {hit.session_id for hit in found.hits}

    for one in (repo, other):
        assert known(one) == {sessions[one]}
    third = GitRepo(tmp_path / "third")
    third.commit("third")
    assert known(third) == set(sessions.values())


def test_one_process_meets_a_memory_at_a_time(
    repo: GitRepo, tmp_path: Path, hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Cap the cache")
    memory = Memory(repo)
    memory.sync()
    exported(repo, tmp_path / "share")
    (folder,) = memory.repo.layout.remotes.iterdir()
    monkeypatch.setattr("funes_git.sync.meeting.WAIT", 0.1)
    with FileLock.take(folder / "lock"), pytest.raises(MemoryBusy):
        exported(repo, tmp_path / "share")
    exported(repo, tmp_path / "share")


def two_sessions(repo: GitRepo, home: Path) -> tuple[Memory, list[str]]:
    """A memory, and the ids of its sessions."""
    sessions = []
    for number in range(2):
        claude = ClaudeSession(repo, home)
        claude.prompt(f"Cap the cache {number}")
        repo.commit(f"Cap {number}", date=claude.clock.tick(60))
        sessions.append(claude.id)
    memory = Memory(repo)
    memory.sync()
    return memory, sessions


def test_what_was_forgotten_is_taken_out_and_does_not_come_back(
    repo: GitRepo, tmp_path: Path, hermetic: Path
) -> None:
    memory, sessions = two_sessions(repo, hermetic)
    exported(repo, tmp_path / "share")
    with Stores.open(memory.repo.layout, write=True) as stores:
        forget(memory.repo, stores, [("session", sessions[0])])
    Meeting(memory.repo, place_of(parse(str(tmp_path / "share"))), lambda *_: None).pull()
    with Catalog.open(memory.repo.layout.catalog) as catalog:
        assert catalog.totals().sessions == 1
    exported(repo, tmp_path / "share")
    share = LanceMemory.open(tmp_path / "share")
    for table, column in (("sessions", "id"), ("blocks", "session_id"), ("chunks", "session_id")):
        rows = share.table(table).search().select([column]).to_list()
        assert {row[column] for row in rows} == {sessions[1]}


def test_what_was_taken_out_there_is_not_given_again(
    repo: GitRepo, tmp_path: Path, hermetic: Path
) -> None:
    memory, sessions = two_sessions(repo, hermetic)
    share = tmp_path / "share"
    exported(repo, share)

    def there() -> set[str]:
        return set(LanceMemory.open(share).ids("sessions"))

    differences.drop_sessions(SharedMemory.open(share), sessions[:1])
    for number in range(2):
        with Stores.open(memory.repo.layout, write=True) as stores:
            changes = changes_of(stores.lance(), sessions)
            for key, stored in changes.turns.items():
                turn = replace(stored.turn, blocks=(Block("text", f"Again {number}"),))
                changes.turns[key] = StoredTurn(turn, stored.source_path)
            stores.take(changes)
        exported(repo, share)
        assert there() == {sessions[1]}
    shutil.rmtree(share)  # and made anew it is given everything
    exported(repo, share)
    assert there() == set(sessions)
