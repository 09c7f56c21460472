"""The catalog: what is written can be read, twice is once, and readers are never in the way."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from store_data import T0, chunk_id, chunks_of, edit, rich_batch, state, turn

from funes_git import chunk
from funes_git.errors import FormatTooNew, FunesError, MemoryBusy, MemoryMissing, UnknownTarget
from funes_git.layout import Layout
from funes_git.model import Batch, LineKey, Link, LinkedCommit, Reason
from funes_git.store.catalog import Catalog
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.changes import Changes
from funes_git.store.database import StoreDamaged
from funes_git.store.lock import FileLock
from funes_git.store.migrate import migrate, version
from funes_git.store.records import HookEvent, Totals
from funes_git.store.schema import MIGRATIONS
from funes_git_parsers.base import Block, Retraction, Session, Spawn, Turn


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "catalog.sqlite"


def store(path: Path, *batches: Batch) -> None:
    with CatalogWriter.open(path) as catalog:
        for batch in batches:
            changes = Changes()
            changes.add(batch)
            catalog.prune(changes)
            catalog.apply(changes, {})


def dump(path: Path) -> list[str]:
    with sqlite3.connect(path) as db:
        found = list(db.iterdump())
    db.close()
    return [line for line in found if "sqlite_stat1" not in line]


def test_turn_comes_back_as_it_was(path: Path) -> None:
    batch = rich_batch()
    store(path, batch)
    with Catalog.open(path) as catalog:
        for expected in batch.turns:
            view = catalog.turn("s1", expected.turn_uuid)
            assert view is not None
            assert view.turn == expected
            assert view.retracted == (expected.turn_uuid == "s1-t4")
        assert catalog.turn("s1", "nothing") is None


def test_edit_comes_back_as_it_was(path: Path) -> None:
    batch = rich_batch()
    store(path, batch)
    with Catalog.open(path) as catalog:
        for expected in batch.edits:
            assert catalog.edit(expected.edit_id) == expected
        (row,) = catalog.edits_at(["src/cache.py"])
        assert row.added == list(batch.edits[0].added)
        assert row.removed == [LineKey(0, 7, 8)]
        assert list(row.flat_removed) == [0, 7, 8]
        assert (row.session_id, row.turn_uuid, row.harness) == ("s1", "s1-t1", "claude_code")
        assert [e.path for e in catalog.edits_named(["née.md"])] == ["docs/née.md"]
        assert catalog.all_edit_paths() == {"src/cache.py", "docs/née.md"}
        view = catalog.turn("s1", "s1-t1")
        assert view is not None
        assert view.edits == (batch.edits[0],)


def test_storing_a_batch_twice_changes_nothing(path: Path) -> None:
    store(path, rich_batch())
    before = dump(path)
    store(path, rich_batch())
    assert dump(path) == before


def test_chunks_come_back_with_their_turn(path: Path) -> None:
    batch = rich_batch()
    store(path, batch)
    with Catalog.open(path) as catalog:
        rows = {c.id: c for c in catalog.chunk_rows(0, 100)}
        assert set(rows) == {c.id for c in batch.chunks}
        for chunk in batch.chunks:
            row = rows[chunk.id]
            if chunk.turn_uuid == "s1-t4":
                assert row.gone
                continue
            assert (row.text, row.files, row.prose) == (chunk.text, chunk.files, chunk.prose)
            assert (row.turn_uuid, row.block_idx) == (chunk.turn_uuid, chunk.block_idx)
        ids = [c.id for c in batch.chunks]
        assert set(catalog.chunks_by_id(ids)) == {i for i in ids if not rows[i].gone}
        wanted = chunk_id("s1", "s1-t1", 0, 0)
        assert wanted in catalog.chunks_without_vector([("s1", "s1-t1")])


def test_a_passage_behind_a_label_is_stored_by_its_place(path: Path) -> None:
    body = "first line\n" + "x" * 2000
    blocks = (
        Block("tool_use", '{"command":"ls"}', tool="Bash"),
        Block("tool_result", body, tool="Bash"),
        Block("tool_result", "[tool_result] said again", tool="Bash"),
    )
    t = turn("s1", 1, blocks=blocks)
    cut = chunk.chunks(t, ("src/cache.py",))
    store(path, Batch(turns=[t], chunks=cut))
    with Catalog.open(path) as catalog:
        assert [row.text for row in catalog.chunk_rows(0, 10)] == [c.text for c in cut]
        assert [row.files for row in catalog.chunk_rows(0, 10)] == [("src/cache.py",)] * len(cut)
        assert catalog.rows("SELECT count(*), count(text), count(label) FROM chunks") == [(4, 0, 3)]


def test_what_many_turns_say_is_stored_once(path: Path) -> None:
    store(path, Batch(turns=[turn("s1", n, "a", parent_uuid=f"s1-t{n - 1}") for n in range(5)]))
    with Catalog.open(path) as catalog:
        assert catalog.rows("SELECT name FROM names ORDER BY 1") == [
            ("/home/ada/widget",),
            ("assistant",),
            ("main",),
            ("s1-t0",),
        ]
        said = "SELECT turn_uuid, parent_uuid, role, exchange, branch, model FROM turns ORDER BY id"
        assert catalog.rows(said) == [
            (f"s1-t{n}", f"s1-t{n - 1}", "assistant", "s1-t0", "main", None) for n in range(5)
        ]


def test_a_catalog_of_format_3_is_read_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(path)) as db:
        migrate(db, MIGRATIONS[:3], "the catalog")
        db.executescript(
            """INSERT INTO meta VALUES ('identity', 'as before');
            INSERT INTO sessions (id, session_id, harness) VALUES (1, 's1', 'claude_code');
            INSERT INTO turns (id, session, turn_uuid, seq, role, parent_uuid, exchange, branch,
              workdir, digest) VALUES (3, 1, 't1', 1, 'user', 'gone', 't1', 'main', '/home/w', 7),
              (5, 1, 't2', 2, 'assistant', 't1', 't1', 'main', '/home/w', 8);
            INSERT INTO bodies VALUES (3, '[["text","Cache it"]]'), (5, '[["tool_use","ls","Sh"]]');
            INSERT INTO chunks (id, chunk_id, turn, block, split, block_type, tool, prose, vector,
              gone, files, start, length, text) VALUES
              (9, '0123456789abcdef', 5, 0, 0, 'tool_use', 'Sh', 0, 0, 0, '["a.py"]', 0, 16,
              '[tool_use Sh] ls');
            INSERT INTO events VALUES ('e0', 'reflog', 1.0, 'x', NULL, NULL, '[]', '');
            INSERT INTO events VALUES ('e1', 'reflog', 1.5, NULL, NULL, 'main', '[]', 'amended');
            DELETE FROM events WHERE id = 'e0';"""
        )
    with FileLock.take(Layout(path.parent).write_lock), monkeypatch.context() as hasty:
        hasty.setattr("funes_git.store.catalog.WAIT", 0.0)
        with pytest.raises(MemoryBusy):
            Catalog.open(path)
    with Catalog.open(path) as catalog:
        first, second = (turn for turn, _, _ in catalog.turns_of("s1"))
        assert (first.parent_uuid, second.parent_uuid) == ("gone", "t1")
        said = (second.role, second.branch, second.workdir, second.exchange)
        assert said == ("assistant", "main", "/home/w", "t1")
        (row,) = catalog.chunk_rows(0, 10)
        assert (row.rowid, row.text, row.files) == (9, "[tool_use Sh] ls", ("a.py",))
        assert [(n, event.id) for n, event in catalog.heard_events(0)] == [(2, "e1")]
        assert catalog.setting("identity") == "as before"
    with closing(sqlite3.connect(path)) as db:
        assert version(db) == len(MIGRATIONS)


def test_an_older_catalog_that_cannot_be_written_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(path)) as db:
        migrate(db, MIGRATIONS[:3], "the catalog")
    before = path.read_bytes()
    Layout(path.parent).write_lock.mkdir()  # even root cannot lock a folder for writing
    with pytest.raises(MemoryMissing, match="cannot be brought up to date"):
        Catalog.open(path)
    assert path.read_bytes() == before


def test_what_is_free_is_given_back_and_no_number_changes(path: Path) -> None:
    def numbers(catalog: Catalog) -> list[tuple[object, ...]]:
        tables = {"chunks": "id", "named_turns": "id", "edits": "id", "events": "n"}
        return [row for table, n in tables.items()
                for row in catalog.rows(f"SELECT {n} FROM {table} ORDER BY 1")]  # fmt: skip

    event = HookEvent("e2", "reflog", T0)
    store(path, rich_batch())
    with CatalogWriter.open(path) as writer:
        writer.add_events([HookEvent("e1", "reflog", T0), event])
        writer.db.execute("DELETE FROM events WHERE id = 'e1'")
        before = numbers(writer)
        writer.shrink()
        size = path.stat().st_size
        t = turn("s2", 0, *(hashlib.sha256(b"%d" % n).hexdigest() * 3 for n in range(3000)))
        writer.apply(Changes.of(Batch(turns=[t])), {})
        writer.db.execute("DELETE FROM bodies WHERE length(data) > 10000")
        writer.db.execute("DELETE FROM named_turns WHERE turn_uuid = 's2-t0'")
        writer.shrink()
        assert numbers(writer) == before
    assert path.stat().st_size < size + 20_000


def test_turn_stored_again_replaces_its_blocks_and_chunks(path: Path) -> None:
    first = turn("s1", 1, "one", "two", "three")
    second = replace(first, blocks=first.blocks[:2])
    store(path, Batch(turns=[first], chunks=chunks_of(first)))
    with Catalog.open(path) as catalog:
        newest = catalog.newest_chunk()
    store(path, Batch(turns=[second], chunks=chunks_of(second)))
    with Catalog.open(path) as catalog:
        view = catalog.turn("s1", "s1-t1")
        assert view is not None
        assert view.turn == second
        changed = catalog.chunk_rows(newest, 100)
        assert {c.id: c.gone for c in changed} == {
            chunk_id("s1", "s1-t1", 0, 0): False,
            chunk_id("s1", "s1-t1", 1, 0): False,
            chunk_id("s1", "s1-t1", 2, 0): True,
        }
        assert catalog.totals().chunks == 2


def test_chunks_that_are_at_hand_are_those_that_were_stored(path: Path) -> None:
    batches = [rich_batch("s1"), rich_batch("s2"), rich_batch("s1"), rich_batch("s3")]
    batches[2].turns[0] = replace(batches[2].turns[0], model="another")
    for batch in batches[:3]:
        batch.retractions = []
    at_hand = []
    with CatalogWriter.open(path) as catalog:
        for batch in batches:
            before = catalog.newest_chunk()
            changes = Changes.of(batch)
            catalog.prune(changes)
            catalog.apply(changes, {})
            at_hand.append(len(catalog.recent))
            rows = [catalog.chunk_rows(before, 100), catalog.chunk_rows(before + 2, 2)]
            assert all(c.new for c in catalog.recent)
            rows = [[replace(c, new=False) for c in part] for part in rows]
            catalog.recent = ()
            assert rows == [catalog.chunk_rows(before, 100), catalog.chunk_rows(before + 2, 2)]
    count = len(batches[0].chunks)
    # not where a turn was stored before, nor where one is taken back
    assert at_hand == [count, count, 0, 0]


def test_prune_names_what_a_new_version_of_a_turn_lost(path: Path) -> None:
    first = turn("s1", 1, "one", "two")
    second = replace(first, blocks=first.blocks[:1])
    store(path, Batch(turns=[first], chunks=chunks_of(first)))
    changes = Changes()
    changes.add(Batch(turns=[second], chunks=chunks_of(second)))
    with CatalogWriter.open(path) as catalog:
        stale = catalog.prune(changes)
    assert stale.chunks == [chunk_id("s1", "s1-t1", 1, 0)]
    assert stale.blocks == [("s1", "s1-t1", 1)]


def test_retraction_takes_chunks_out_of_search_until_the_turn_comes_again(path: Path) -> None:
    t = turn("s1", 1, "a wrong idea")
    store(path, Batch(turns=[t], chunks=chunks_of(t), edits=[edit("s1", 1, "a.py")]))
    with Catalog.open(path) as catalog:
        newest = catalog.newest_chunk()
    store(path, Batch(retractions=[Retraction("s1", "s1-t1")]))
    with Catalog.open(path) as catalog:
        assert all(c.gone for c in catalog.chunk_rows(newest, 10))
        assert catalog.chunks_by_id([chunk_id("s1", "s1-t1", 0, 0)]) == {}
        assert catalog.pending_vectors(10) == []
        view = catalog.turn("s1", "s1-t1")
        assert view is not None
        assert view.retracted
        assert catalog.edits_at(["a.py"])[0].retracted
    longer = replace(t, blocks=(*t.blocks, *t.blocks))
    again = Batch(turns=[longer], chunks=chunks_of(longer))
    again.retractions.append(Retraction("s1", "s1-t1"))
    store(path, again)
    with Catalog.open(path) as catalog:
        assert all(c.gone for c in catalog.chunk_rows(newest, 10))
    store(path, Batch(turns=[t], chunks=chunks_of(t)))
    with Catalog.open(path) as catalog:
        assert list(catalog.chunks_by_id([chunk_id("s1", "s1-t1", 0, 0)]))
        assert not catalog.edits_at(["a.py"])[0].retracted


def test_retraction_that_comes_before_its_turn_holds(path: Path) -> None:
    store(path, Batch(retractions=[Retraction("s1", "s1-t1")]))
    with Catalog.open(path) as catalog:
        assert catalog.turn("s1", "s1-t1") is None
        assert catalog.totals() == Totals()
    t = turn("s1", 1, "wrong")
    store(path, Batch(turns=[t], chunks=chunks_of(t)))
    with Catalog.open(path) as catalog:
        view = catalog.turn("s1", "s1-t1")
        assert view is not None
        assert view.retracted


def test_edit_is_seen_once_its_turn_is_known(path: Path) -> None:
    store(path, Batch(edits=[edit("s1", 1, "a.py")]))
    with Catalog.open(path) as catalog:
        assert catalog.edits_at(["a.py"]) == []
        assert catalog.session_spans() == []
    store(path, Batch(turns=[turn("s1", 1, "now")]))
    with Catalog.open(path) as catalog:
        (row,) = catalog.edits_at(["a.py"])
        assert row.harness == "claude_code"


def test_prompt_of_a_subagent_is_the_prompt_that_started_it(path: Path) -> None:
    batch = rich_batch()
    spawns, batch.spawns = batch.spawns, []
    store(path, batch)
    with Catalog.open(path) as catalog:
        opening = catalog.prompt_of("s1", "s1-t6")
        assert opening is not None
        assert (opening.turn_uuid, opening.is_prompt) == ("s1-t5", False)
        assert catalog.prompt_of("s1", "nothing") is None
    store(path, Batch(spawns=spawns))
    with Catalog.open(path) as catalog:
        prompt = catalog.prompt_of("s1", "s1-t6")
        assert prompt is not None
        assert (prompt.turn_uuid, prompt.is_prompt) == ("s1-t0", True)
        turns = [("s1", "s1-t0"), ("s1", "s1-t5"), ("child", "s1-t0"), ("s1", "nothing")]
        assert catalog.prompts_among(turns) == {("s1", "s1-t0")}


def test_prompt_of_a_subagent_with_a_session_of_its_own(path: Path) -> None:
    child = turn("child", 3, "working", exchange=None)
    store(path, rich_batch(), Batch(turns=[child]))
    with Catalog.open(path) as catalog:
        assert catalog.prompt_of("child", "child-t3") is None
    store(path, Batch(spawns=[Spawn("s1", "s1-t1", "child"), Spawn("child", "child-t3", "child")]))
    with Catalog.open(path) as catalog:
        prompt = catalog.prompt_of("child", "child-t3")
        assert prompt is not None
        assert prompt.turn_uuid == "s1-t0"


def test_what_an_agent_gave_to_its_sub_agent_is_a_task(path: Path) -> None:
    child = [
        turn("child", 0, "Look for docs", role="user"),
        turn("child", 1, role="user", blocks=(Block("text", "be nice", scaffold="reminder"),)),
        turn("child", 2, "A person said this", role="user", is_prompt=True),
        turn("child", 3, "working"),
    ]
    store(path, rich_batch(), Batch(turns=child))
    with Catalog.open(path) as catalog:
        assert [v.turn.turn_uuid for v in catalog.window("s1", "s1-t5", 9) if v.task] == ["s1-t5"]
        assert not any(view.task for view in catalog.window("s1", "s1-t0", 9))
        assert not catalog.is_task("child", "child-t0")  # nothing says that it is a sub-agent
    store(path, Batch(spawns=[Spawn("s1", "s1-t1", "child")]))
    with Catalog.open(path) as catalog:
        found = [v.turn.turn_uuid for v in catalog.window("child", "child-t0", 9) if v.task]
        assert found == ["child-t0"]
        assert catalog.is_task("child", "child-t0")
        assert not catalog.is_task("child", "nothing")
    alone = [turn("alone", 0, "Look for docs", role="user"), turn("alone", 1, "Done")]
    session = Session("alone", "opencode", parent_session_id="gone")  # what started it is not here
    store(path, Batch(sessions=[session], turns=alone))
    with Catalog.open(path) as catalog:
        assert catalog.is_task("alone", "alone-t0")
        assert not catalog.is_task("alone", "alone-t1")


def test_the_task_of_a_sub_agent_comes_after_what_the_harness_said(path: Path) -> None:
    rules = (Block("text", "# AGENTS.md instructions", scaffold="agents-md"),)
    child = [
        turn("child", 0, role="user", blocks=rules),
        turn("child", 1, "Look for docs", role="user"),
        turn("child", 2, "working"),
    ]
    store(path, rich_batch(), Batch(turns=child, spawns=[Spawn("s1", "s1-t1", "child")]))
    with Catalog.open(path) as catalog:
        task = catalog.task_of("child", "child-t2")
        assert task is not None
        assert task.turn_uuid == "child-t1"


def test_the_task_of_a_sub_agent_whose_parent_is_not_here(path: Path) -> None:
    def session(name: str, *, is_prompt: bool) -> Batch:
        turns = [
            turn(name, 0, "working", exchange=None),
            turn(name, 1, "Look for docs", role="user", is_prompt=is_prompt),
            turn(name, 2, "working", exchange=None),
            turn(name, 3, "Done", exchange=f"{name}-t1"),
        ]
        return Batch(sessions=[Session(name, "codex", parent_session_id="gone")], turns=turns)

    store(path, rich_batch(), session("child", is_prompt=False), session("fork", is_prompt=True))
    with Catalog.open(path) as catalog:
        task = catalog.task_of("child", "child-t2")
        assert task is not None
        assert task.turn_uuid == "child-t1"
        assert catalog.task_of("child", "child-t3") is None, "it follows from a prompt"
        assert catalog.task_of("fork", "fork-t0") is None, "what comes later is a prompt"
        assert catalog.task_of("s1", "s1-t1") is None


def test_before_gives_the_same_exchange_newest_first(path: Path) -> None:
    store(path, rich_batch())
    with Catalog.open(path) as catalog:
        assert _uuids(catalog.before("s1", "s1-t3", 9)) == ["s1-t2", "s1-t1", "s1-t0"]
        assert _uuids(catalog.before("s1", "s1-t3", 1)) == ["s1-t2"]
        assert _uuids(catalog.before("s1", "s1-t6", 9)) == ["s1-t5"]
        assert _uuids(catalog.before("s1", "s1-t4", 1)) == ["s1-t3"]
        assert catalog.before("s1", "nothing", 9) == []


def test_before_leaves_out_what_was_taken_back(path: Path) -> None:
    store(path, rich_batch(), Batch(turns=[turn("s1", 7, "right")]))
    with Catalog.open(path) as catalog:
        assert _uuids(catalog.before("s1", "s1-t7", 2)) == ["s1-t3", "s1-t2"]


def _uuids(turns: list[Turn]) -> list[str]:
    return [t.turn_uuid for t in turns]


def test_window_stays_on_the_thread(path: Path) -> None:
    store(path, rich_batch())
    with Catalog.open(path) as catalog:
        around = [v.turn.turn_uuid for v in catalog.window("s1", "s1-t3", 2)]
        assert around == ["s1-t1", "s1-t2", "s1-t3", "s1-t4"]
        assert catalog.window("s1", "nothing", 2) == []


def test_ids_are_found_by_prefix_unless_ambiguous(path: Path) -> None:
    store(path, rich_batch("abc-1"), rich_batch("abc-2"), rich_batch("abc-22"))
    with Catalog.open(path) as catalog:
        assert catalog.find_session("abc-1") == "abc-1"
        assert catalog.find_session("abc-2") == "abc-2"
        with pytest.raises(UnknownTarget, match="abc-1, abc-2, abc-22"):
            catalog.find_session("abc")
        with pytest.raises(UnknownTarget, match="no session"):
            catalog.find_session("b")
        with pytest.raises(UnknownTarget, match="no session"):
            catalog.find_session("%")
        assert catalog.find_turn("abc-1", "abc-1-t3") == "abc-1-t3"
        with pytest.raises(UnknownTarget, match="could be any"):
            catalog.find_turn("abc-1", "abc-1-t")
        with pytest.raises(UnknownTarget, match="no turn"):
            catalog.find_turn("abc-1", "abc-2-t1")


def test_session_keeps_what_was_known(path: Path) -> None:
    store(path, rich_batch(), Batch(sessions=[Session("s1", "claude_code", version="2.1")]))
    with Catalog.open(path) as catalog:
        row = catalog.session("s1")
        assert row is not None
        assert (row.session.title, row.session.version) == ("Cache the parser", "2.1")
        assert (row.first_ts, row.last_ts, row.turns, row.edits) == (T0, T0 + 6, 7, 2)
        assert row.source_path == str(state("s1").source.path)
        assert catalog.source_of("s1") == state("s1").source.path
        assert catalog.session("other") is None
        assert catalog.session_spans() == [("s1", "claude_code", T0, T0 + 6)]


def test_a_long_cursor_is_kept_small_and_read_as_it_was(path: Path) -> None:
    long = state("s3", cursor="0123456789ab" * 5_000)
    with CatalogWriter.open(path) as writer:
        writer.apply(Changes.of(Batch(state=long)), {})
    with Catalog.open(path) as catalog:
        assert catalog.state_of(long.source) == long
        assert long in catalog.states()
        stored = catalog.rows("SELECT length(cursor) FROM sources ORDER BY 1")
        assert stored[-1][0] < 2_000


def test_cursor_and_copies_are_known(path: Path) -> None:
    store(path, rich_batch())
    with Catalog.open(path) as catalog:
        assert catalog.state_of(state("s1").source) == state("s1", skipped=2)
        assert catalog.state_of(state("s2").source) is None
        assert catalog.states() == [state("s1", skipped=2)]
        assert catalog.holders("claude_code", ["s1-t1"]) == {"s1-t1": "s1"}
        assert catalog.holders("codex", ["s1-t1"]) == {}


def test_printed_commits_are_listed(path: Path) -> None:
    store(path, rich_batch())
    with Catalog.open(path) as catalog:
        assert catalog.printed() == [
            ("abc1234", "s1", "s1-t2", None, "commit", T0 + 2),
            ("def5678", "s1", "s1-t2", None, "amend", T0 + 2),
        ]


def test_stats_count_everything(path: Path) -> None:
    store(path, rich_batch("s1"), rich_batch("s2"))
    with CatalogWriter.open(path) as catalog:
        catalog.mark_vectors([chunk_id("s1", "s1-t0", 0, 0)], {"indexed_at": "12.5"})
        catalog.note_error(3.0, "disk full")
        stats = catalog.stats()
        assert stats.totals == Totals(2, 14, 4, 16, 12, 1, 2, 4)
        assert stats.agents == {"claude_code": (2, 14)}
        assert (stats.sources, stats.first_ts, stats.last_ts) == (2, T0, T0 + 6)
        assert (stats.indexed_at, stats.last_error) == (12.5, (3.0, "disk full"))
        catalog.note_error(4.0, None)
        assert catalog.stats().last_error is None


def test_pending_vectors_are_prose_without_one(path: Path) -> None:
    store(path, rich_batch())
    with CatalogWriter.open(path) as catalog:
        pending = dict(catalog.pending_vectors(100))
        assert pending[chunk_id("s1", "s1-t0", 0, 0)] == "Please cache the parser"
        assert chunk_id("s1", "s1-t2", 0, 0) not in pending
        catalog.mark_vectors([*pending], {})
        assert catalog.pending_vectors(100) == []
        assert (catalog.totals().vectors, catalog.pending_count()) == (len(pending), 0)


def commit(sha: str, reason: Reason | None = None) -> LinkedCommit:
    return LinkedCommit(sha, ("1" * 40, "2" * 40), 10.0, reason, added=3, explained=1)


def link(sha: str, turn_uuid: str, **more: object) -> Link:
    values: dict[str, object] = {
        "commit": sha,
        "session_id": "s1",
        "turn_uuid": turn_uuid,
        "harness": "claude_code",
        "relation": "wrote",
        "content": "lines",
        "proof": "none",
        "level": "lines",
        "score": 2.5,
        "path": "src/cache.py",
        "lines": ((1, 3), (7, 7)),
        "edit_id": "e",
        **more,
    }
    return Link(**values)  # type: ignore[arg-type]


def test_links_are_replaced_by_commit(path: Path) -> None:
    store(path, rich_batch())
    a, b = "a" * 40, "b" * 40
    first, weak = link(a, "s1-t1"), link(a, "s1-t3", level="weak", score=0.1)
    other = link(b, "s1-t3", relation="removed", path=None, lines=())
    with CatalogWriter.open(path) as catalog:
        (row,) = catalog.edits_at(["src/cache.py"])
        rows = [commit(a), commit(b), commit("c" * 40, "no-edit")]
        claims = [(row.id, 1, "added", a), (row.id, 0, "added", a), (row.id, -1, "removed", b)]
        catalog.replace_links(rows, [first, weak, other], claims)
        catalog.replace_links([commit(b)], [other], [(row.id, 2, "removed", b)])
    with Catalog.open(path) as catalog:
        assert catalog.links_of([a, b, "c" * 40]) == {a: [first, weak], b: [other]}
        assert sorted(catalog.claims_of([row.id])) == [
            (row.id, 0, "added", a),
            (row.id, 1, "added", a),
            (row.id, 2, "removed", b),
        ]
        assert catalog.commits_of_turns([("s1", "s1-t1"), ("s1", "s1-t3"), ("s2", "s1-t1")]) == {
            ("s1", "s1-t1"): [a],
            ("s1", "s1-t3"): [b],
        }
        assert catalog.turns_of_commits([a]) == [("s1", "s1-t1", a)]
        assert catalog.known_commits() == {a, b, "c" * 40}
        assert catalog.linked_commits([a, "d" * 40]) == {a: commit(a)}
        stats = catalog.stats()
        assert stats.links == {"lines": 2, "weak": 1}
        assert (stats.commits, stats.linked_commits, stats.unlinked) == (3, 2, {"no-edit": 1})
        view = catalog.turn("s1", "s1-t1")
        assert view is not None
        assert view.commits == (a,)
    with CatalogWriter.open(path) as catalog:
        catalog.put({"linked_tips": a})
        catalog.forget_links([a])
        assert catalog.known_commits() == {b, "c" * 40}
        assert catalog.links_of([a]) == {}
        assert catalog.claims_of([row.id]) == [(row.id, 2, "removed", b)]
        assert catalog.setting("linked_tips") is None, "so that they are linked again"
        catalog.forget_links([b, "c" * 40])
        assert catalog.known_commits() == set()
        assert catalog.claims_of([row.id]) == []


def test_commits_are_given_parents_first(path: Path) -> None:
    with CatalogWriter.open(path) as catalog:
        catalog.replace_links([commit("b" * 40), commit("a" * 40)], [], [])
        assert [sha for sha, _ in catalog.commit_parents()] == ["b" * 40, "a" * 40]


def test_commits_of_an_exchange_are_those_of_its_turns(path: Path) -> None:
    store(path, rich_batch())
    with CatalogWriter.open(path) as catalog:
        links = [link("a" * 40, "s1-t1"), link("b" * 40, "s1-t3", level="weak")]
        catalog.replace_links([commit("a" * 40), commit("b" * 40)], links, [])
        keys = [("s1", "s1-t0"), ("s1", "s1-t5"), ("s2", "s1-t0")]
        assert catalog.commits_of_exchanges(keys) == {("s1", "s1-t0"): ["a" * 40]}


def test_hook_events_are_stored_once(path: Path) -> None:
    pairs = (("1" * 40, "2" * 40),)
    event = HookEvent("e1", "post-rewrite", 5.0, sha="2" * 40, rewrites=pairs, detail="amend")
    with CatalogWriter.open(path) as catalog:
        catalog.add_events([event])
        catalog.add_events([event])
        assert catalog.hook_events() == [event]
        assert catalog.rewrites() == [("1" * 40, "2" * 40, 5.0)]


def test_generation_grows_with_what_linking_reads(path: Path) -> None:
    store(path, rich_batch())
    with Catalog.open(path) as catalog:
        first = catalog.generation()
    store(path, rich_batch())
    store(path, Batch(state=state("s9")))
    with Catalog.open(path) as catalog:
        assert catalog.generation() == first
    store(path, rich_batch("s2"))
    with Catalog.open(path) as catalog:
        assert catalog.generation() > first


def test_missing_catalog_says_what_to_do(path: Path) -> None:
    with pytest.raises(MemoryMissing) as caught:
        Catalog.open(path)
    assert caught.value.hint == "git funes init"


def test_catalog_that_was_deleted_beside_a_memory_can_be_rebuilt(path: Path) -> None:
    (path.parent / "memory").mkdir()
    with pytest.raises(StoreDamaged) as caught:
        Catalog.open(path)
    assert caught.value.hint == "git funes reindex"


def test_catalog_that_is_being_created_is_missing(path: Path) -> None:
    path.touch()
    with pytest.raises(MemoryMissing, match="being created"):
        Catalog.open(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")
    with pytest.raises(MemoryMissing, match="being created"):
        Catalog.open(path)
    db.close()


def test_newer_catalog_is_refused(path: Path) -> None:
    store(path, rich_batch())
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=99")
    db.close()
    for opener in (Catalog, CatalogWriter):
        with pytest.raises(FormatTooNew) as caught:
            opener.open(path)
        assert "upgrade" in (caught.value.hint or "")


def read_all(path: Path) -> None:
    with Catalog.open(path) as catalog:
        catalog.turn("s1", "s1-t1")
        catalog.chunk_rows(0, 100)
        catalog.stats()


@pytest.mark.parametrize("damage", ["garbage", "truncated", "text"])
def test_damaged_catalog_is_reported_with_the_remedy(path: Path, damage: str) -> None:
    store(path, rich_batch(), rich_batch("s2"))
    data = path.read_bytes()
    path.write_bytes(
        {
            "garbage": data[:4096] + b"\xa5" * (len(data) - 4096),
            "truncated": data[: len(data) // 2],
            "text": b"not a database at all" * 500,
        }[damage]
    )
    with pytest.raises(StoreDamaged) as caught:
        read_all(path)
    assert caught.value.hint == "git funes reindex"


def test_reader_sees_the_old_state_while_a_writer_writes(path: Path) -> None:
    store(path, rich_batch())
    with CatalogWriter.open(path) as writer, writer.transaction():
        writer.db.execute("DELETE FROM named_turns")
        with Catalog.open(path) as catalog:
            assert catalog.turn("s1", "s1-t1") is not None


def test_reading_leaves_nothing_behind(path: Path) -> None:
    store(path, rich_batch())
    before = path.read_bytes()
    with Catalog.open(path) as catalog:
        catalog.stats()
        with pytest.raises(FunesError):
            catalog.rows("DELETE FROM named_turns")
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == before


READ = "from pathlib import Path; import sys; from funes_git.store.catalog import Catalog;"
READ += "print(Catalog.open(Path(sys.argv[1])).totals().turns)"


def test_read_only_file_system_can_be_read(path: Path) -> None:
    store(path, rich_batch())
    mount = f"mount --bind {path.parent} {path.parent} && mount -o remount,ro,bind {path.parent}"
    script = f'{mount} && ! touch {path.parent}/x 2>/dev/null && exec "$0" -c "$1" "$2"'
    unshare = shutil.which("unshare")
    command = [unshare or "unshare", "-rm", "sh", "-c", script, sys.executable, READ, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if unshare is None or "mount" in done.stderr or "unshare" in done.stderr:
        pytest.skip("this machine lets nobody mount")
    assert done.stdout == "7\n", done.stderr


def test_read_only_folder_can_be_read() -> None:
    demote = "import os; os.getuid() or os.setuid(65534);"
    with TemporaryDirectory() as folder:  # not tmp_path: others may not enter that
        path = Path(folder) / "catalog.sqlite"
        store(path, rich_batch())
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        command = [sys.executable, "-c", READ.replace("print", demote + "print"), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        names = [p.name for p in Path(folder).iterdir()]
        Path(folder).chmod(0o755)
    assert done.stdout == "7\n", done.stderr
    assert names == ["catalog.sqlite"]


def test_files_are_private(path: Path) -> None:
    with CatalogWriter.open(path) as catalog:
        catalog.put({"x": "y"})
        modes = {p.name: p.stat().st_mode & 0o777 for p in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}


def test_importing_the_catalog_imports_nothing_heavy() -> None:
    code = "import sys, json, funes_git.store.catalog; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert not loaded & {"lancedb", "pyarrow", "numpy", "hashlib", "subprocess", "tempfile"}
