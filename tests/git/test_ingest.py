"""Indexing: real repositories, real session files, the real scanner and the real stores."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest
from agents import ClaudeSession, CodexSession
from helpers import GitRepo
from planted import Maker

from funes_git import config, discovery, ingest, redact
from funes_git.errors import FunesError, NoSessions, UsageError
from funes_git.git import Repo
from funes_git.ingest import IndexReport
from funes_git.linehash import exact_hash
from funes_git.pool import Pool
from funes_git.skips import Skip
from funes_git.store.catalog import Catalog
from funes_git.store.stores import Stores


@pytest.fixture
def project(repo: GitRepo) -> GitRepo:
    repo.write("src/a.py", "one = 1\ntwo = 2\n")
    repo.commit("first")
    return repo


def index(repo: GitRepo, *paths: Path, **options: object) -> IndexReport:
    found = Repo.discover(repo.path)
    with Stores.open(found.layout, write=True) as stores:
        return ingest.index(found, stores, paths=paths, **options)  # type: ignore[arg-type]


def catalog(repo: GitRepo) -> Catalog:
    return Catalog.open(Repo.discover(repo.path).layout.catalog)


def edits(repo: GitRepo) -> list[tuple[str, str]]:
    """Path and session of every stored edit."""
    with catalog(repo) as stored:
        paths = sorted(stored.all_edit_paths())
        return sorted((row.path, row.session_id) for row in stored.edits_at(paths))


def texts(repo: GitRepo) -> list[str]:
    """The text of every stored block, in the order of the sessions."""
    with catalog(repo) as stored:
        found = []
        for session_id, *_ in stored.session_spans():
            seen = {row.turn_uuid for row in stored.chunk_rows(0, 10_000)}
            for turn_uuid in seen:
                if view := stored.turn(session_id, turn_uuid):
                    found += [block.text for block in view.turn.blocks]
        return sorted(found)


def everything_stored(repo: GitRepo) -> bytes:
    """All that the memory holds, decompressed where the catalog compresses."""
    root = Repo.discover(repo.path).layout.root
    raw = b"".join(path.read_bytes() for path in root.rglob("*") if path.is_file())
    return raw + "\n".join(texts(repo)).encode()


def test_turns_edits_and_chunks_are_stored_once(project: GitRepo, hermetic: Path) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("Make two three")
    claude.says("I will change it.")
    claude.edit("src/a.py", "two = 2", "two = 3")
    codex = CodexSession(project, hermetic)
    codex.prompt("Add b")
    codex.add("src/b.py", "bee = 1\n")
    report = index(project)
    assert (report.sessions, report.edits, report.skipped_records) == (2, 2, 0)
    assert report.turns >= 6
    assert report.chunks >= 6
    assert report.sources_read == 2
    assert edits(project) == [("src/a.py", claude.id), ("src/b.py", codex.id)]
    again = index(project)
    assert (again.sessions, again.turns, again.edits, again.chunks) == (0, 0, 0, 0)
    assert again.sources_read == 0


def test_a_session_that_grew_adds_only_what_is_new(project: GitRepo, hermetic: Path) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("first words")
    index(project)
    claude.says("second words")
    report = index(project)
    assert (report.sessions, report.turns, report.chunks) == (0, 1, 1)
    assert texts(project) == ["first words", "second words"]


def test_sessions_of_other_folders_stay_out(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    other = GitRepo(tmp_path / "other")
    ClaudeSession(other, hermetic).prompt("not here")
    nested = GitRepo(project.path / "vendor")
    ClaudeSession(nested, hermetic).prompt("nor in the repository inside")
    report = index(project)
    assert (report.sources_found, report.sources_read, report.turns) == (2, 0, 0)
    assert index(other).turns == 1


def test_an_edit_from_another_folder_brings_its_prompt_and_chain_and_nothing_else(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    other = GitRepo(tmp_path / "other")
    claude = ClaudeSession(other, hermetic)
    claude.prompt("something about the other")
    claude.says("done with the other")
    claude.prompt("now fix the project")
    claude.says("I go there")
    claude.edit(str(project.path / "src/a.py"), "two = 2", "two = 3")
    claude.says("fixed")
    claude.prompt("back to the other")
    report = index(project)
    assert edits(project) == [("src/a.py", claude.id)]
    words = [text for text in texts(project) if str(project.path) not in text]
    assert words == ["I go there", "now fix the project"]
    assert (report.edits, report.turns) == (1, 4)  # with the call and its result


def test_the_prompt_is_found_when_the_edit_comes_in_a_later_read(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    claude = ClaudeSession(GitRepo(tmp_path / "other"), hermetic)
    claude.prompt("zero")
    claude.edit(str(project.path / "src/a.py"), "one = 1", "one = 7")
    claude.prompt("change the project")
    claude.says("soon")
    index(project)
    assert "change the project" not in texts(project)
    claude.edit(str(project.path / "src/a.py"), "two = 2", "two = 3")
    index(project)
    assert {"change the project", "soon"} <= set(texts(project))


def test_edits_outside_the_repository_are_turns_but_no_edits(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    nested = GitRepo(project.path / "vendor")
    claude = ClaudeSession(project, hermetic)
    claude.prompt("write here and there")
    claude.write(str(tmp_path / "elsewhere.txt"), "x\n")
    claude.write(str(nested.path / "lib.py"), "y\n")
    claude.write(".git/info/exclude", "z\n")
    claude.write("here.py", "w\n")
    index(project)
    assert edits(project) == [("here.py", claude.id)]


def test_a_worktree_is_the_repository(project: GitRepo, hermetic: Path) -> None:
    project.git("worktree", "add", "-q", ".worktrees/x")
    claude = ClaudeSession(project, hermetic, cwd=project.path / ".worktrees/x")
    claude.prompt("in a worktree")
    claude.edit("src/a.py", "two = 2", "two = 3")
    project.git("worktree", "remove", "--force", ".worktrees/x")
    index(project)
    assert edits(project) == [("src/a.py", claude.id)]


@pytest.mark.parametrize("seen", [True, False], ids=["indexed before", "never indexed"])
def test_a_renamed_checkout_keeps_its_sessions(
    project: GitRepo, hermetic: Path, seen: bool
) -> None:
    if seen:
        index(project)
    claude = ClaudeSession(project, hermetic)
    claude.prompt("before the move")
    claude.edit("src/a.py", "two = 2", "two = 3")
    stranger = ClaudeSession(GitRepo(project.path.with_name("stranger")), hermetic)
    stranger.prompt("of a project that is gone as well")
    stranger.write("lib/z.py", "z\n")
    shutil.rmtree(stranger.repo.path)
    project.path = project.path.rename(project.path.with_name("renamed"))
    index(project)
    assert edits(project) == [("src/a.py", claude.id)]


def test_adopted_sessions_belong_whatever_folder_they_ran_in(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    elsewhere = GitRepo(tmp_path / "container" / "checkout")
    elsewhere.write("src/a.py", "one = 1\ntwo = 2\n")
    home = tmp_path / "other home"
    claude = ClaudeSession(elsewhere, home, cwd=elsewhere.path / "src")
    claude.prompt("from another machine")
    claude.edit("a.py", "two = 2", "two = 3")
    claude.write(str(elsewhere.path / "new.py"), "n\n")
    shutil.rmtree(elsewhere.path)
    assert index(project, home).turns == 0
    report = index(project, home, adopt=True)
    assert report.sessions == 1
    assert edits(project) == [("new.py", claude.id), ("src/a.py", claude.id)]
    assert index(project, home, adopt=True).sources_read == 0
    # it stays adopted when it grows, also without the flag
    claude.cwd = elsewhere.path
    claude.cwd.mkdir(parents=True)
    claude.prompt("one more thing")
    assert index(project, home).turns == 1


def test_adopting_into_an_empty_repository_takes_the_folder_as_root(
    repo: GitRepo, tmp_path: Path
) -> None:
    elsewhere = GitRepo(tmp_path / "elsewhere")
    home = tmp_path / "other home"
    CodexSession(elsewhere, home).add("lib/x.py", "x\n")
    index(repo, home, adopt=True)
    assert [path for path, _ in edits(repo)] == ["lib/x.py"]


def begun_elsewhere(tmp_path: Path) -> tuple[GitRepo, Path, ClaudeSession]:
    """A checkout, the home of its sessions, and one that began in a folder of it."""
    elsewhere, home = GitRepo(tmp_path / "elsewhere"), tmp_path / "other home"
    claude = ClaudeSession(elsewhere, home, cwd=elsewhere.path / "web")
    claude.cwd.mkdir()
    claude.prompt("start in a folder of the checkout")
    claude.write(str(elsewhere.path / "lib" / "new.py"), "new = 1\n")
    return elsewhere, home, claude


def test_an_adopted_session_names_the_same_files_however_often_it_was_read(
    project: GitRepo, tmp_path: Path
) -> None:
    """Where its checkout was shows when it edits files of the history, or these are committed."""
    elsewhere, home, claude = begun_elsewhere(tmp_path)
    index(project, home, adopt=True)
    assert edits(project) == []  # it could be any folder
    elsewhere.write("src/a.py", "one = 1\n")
    claude.edit(str(elsewhere.path / "src" / "a.py"), "one = 1", "one = 2")
    index(project, home)
    both = [("lib/new.py", claude.id), ("src/a.py", claude.id)]
    assert edits(project) == both
    claude.write(str(elsewhere.path / "lib" / "more.py"), "more = 1\n")
    index(project, home)
    assert edits(project) == sorted([*both, ("lib/more.py", claude.id)])


def test_adopting_again_finds_the_checkout_by_what_was_committed_since(
    project: GitRepo, tmp_path: Path
) -> None:
    _, home, claude = begun_elsewhere(tmp_path)
    index(project, home, adopt=True)
    assert edits(project) == []
    project.write("lib/new.py", "new = 1\n")
    project.commit("what the session wrote")
    index(project, home, adopt=True)
    assert edits(project) == [("lib/new.py", claude.id)]
    assert index(project, home, adopt=True).sources_read == 0


def test_only_sessions_are_taken_from_a_folder(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    claude = ClaudeSession(project, tmp_path / "backup")
    claude.prompt("kept elsewhere")
    folder = claude.file.parent
    (folder / "notes.md").write_text("# notes\n")
    (folder / "data.jsonl").write_text('{"a": 1}\n')
    (folder / "empty.jsonl").write_text("")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(2000))
    report = index(project, tmp_path / "backup")
    assert (report.sources_found, report.turns) == (1, 1)
    assert index(project, claude.file).turns == 0


def test_nothing_to_take_says_where_it_looked(project: GitRepo, tmp_path: Path) -> None:
    with pytest.raises(NoSessions, match=str(tmp_path / "nowhere")):
        index(project, tmp_path / "nowhere")


def test_compressed_sessions_are_read(project: GitRepo, hermetic: Path) -> None:
    import zstandard

    codex = CodexSession(project, hermetic)
    codex.prompt("compressed words")
    packed = codex.file.with_name(codex.file.name + ".zst")
    packed.write_bytes(zstandard.compress(codex.file.read_bytes()))
    codex.file.unlink()
    assert index(project).sessions == 1
    assert "compressed words" in texts(project)


def test_a_damaged_compressed_session_is_named_and_the_others_are_read(
    project: GitRepo, hermetic: Path
) -> None:
    codex = CodexSession(project, hermetic)
    codex.prompt("whole")
    broken = codex.file.with_name("rollout-2026-01-01T00-00-00-broken.jsonl.zst")
    broken.write_bytes(b"no zstandard at all")
    report = index(project)
    assert [path for path, _ in report.unreadable] == [broken]
    assert report.sessions == 1


def test_a_bad_record_is_skipped_counted_and_named_by_its_line(
    project: GitRepo, hermetic: Path
) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("good")
    with claude.file.open("a") as out:
        out.write('{"bad": the words of a session\n')
    claude.says("good, too")
    report = index(project)
    assert (report.skipped_records, report.turns) == (1, 2)
    assert report.skipped == (Skip("not valid JSON", 1, (f"{claude.file}:2",)),)
    log = Repo.discover(project.path).layout.log.read_text()
    assert f"{claude.file}:2: not valid JSON" in log
    assert "the words" not in log
    assert index(project).skipped_records == 0


def test_a_resumed_copy_of_a_session_is_stored_once(project: GitRepo, hermetic: Path) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("make it three")
    claude.edit("src/a.py", "two = 2", "two = 3")
    records = claude.file.read_text()
    copy = claude.file.with_name("0b8f6d3c-6f0e-4e0b-9f5e-2f9b7c1d4a11.jsonl")
    copy.write_text(records.replace(claude.id, copy.stem))
    os.utime(copy, (claude.clock.now + 9, claude.clock.now + 9))
    os.utime(claude.file, (claude.clock.now, claude.clock.now))
    claude_turns = records.count("\n")
    resumed = ClaudeSession(project, hermetic)
    resumed.id, resumed.file, resumed.last = copy.stem, copy, claude.last
    resumed.says("resumed words")
    os.utime(copy, (claude.clock.now + 9, claude.clock.now + 9))
    report = index(project)
    assert report.turns == claude_turns + 1
    assert edits(project) == [("src/a.py", claude.id)]


def retracted(repo: GitRepo) -> list[str]:
    """The texts of the turns that were taken back."""
    with catalog(repo) as stored:
        names = stored.rows(
            "SELECT s.session_id, t.turn_uuid FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE t.retracted ORDER BY t.seq"
        )
        views = [stored.turn(*name) for name in names]
        return [view.turn.blocks[0].text for view in views if view and view.retracted]


def current(repo: GitRepo) -> list[str]:
    """The texts that can be found."""
    with catalog(repo) as stored:
        return sorted(row.text for row in stored.chunk_rows(0, 10_000) if not row.gone)


@pytest.mark.parametrize("agent", [ClaudeSession, CodexSession])
def test_records_that_are_removed_from_a_session_file_are_taken_back(
    project: GitRepo, hermetic: Path, agent: type[ClaudeSession] | type[CodexSession]
) -> None:
    session = agent(project, hermetic)
    session.prompt("First question")
    session.says("first answer")
    session.prompt("Second question")
    session.says("second answer")
    whole = session.file.read_text()
    index(project)
    everything = current(project)
    assert retracted(project) == []

    lines = [line for line in whole.splitlines(keepends=True) if "econd answer" not in line]
    session.file.write_text("".join(lines))
    assert index(project).turns == 0
    assert retracted(project) == ["second answer"]
    assert "second answer" not in current(project)
    with Stores.open(Repo.discover(project.path).layout, write=True, repair=True) as stores:
        stores.reindex()
    assert retracted(project) == ["second answer"]

    session.file.write_text("")  # nobody takes a whole session back so
    index(project)
    assert retracted(project) == ["second answer"]
    session.file.write_text(whole)  # the file was cut only for a while
    index(project)
    assert (retracted(project), current(project)) == ([], everything)
    session.says("third answer")
    index(project)
    assert (retracted(project), len(current(project))) == ([], len(everything) + 1)
    with Stores.open(Repo.discover(project.path).layout, write=True, repair=True) as stores:
        stores.reindex()
    assert (retracted(project), len(current(project))) == ([], len(everything) + 1)


def test_what_was_taken_back_stays_so_when_the_file_is_read_again(
    project: GitRepo, hermetic: Path
) -> None:
    codex = CodexSession(project, hermetic)
    codex.prompt("First question")
    codex.says("first answer")
    codex.prompt("Second question")
    codex.says("second answer")
    record = {"type": "thread_rolled_back", "num_turns": 1}
    codex.append({"timestamp": codex.clock.iso, "type": "event_msg", "payload": record})
    index(project)
    before = retracted(project)
    assert "second answer" in before
    codex.file.write_text(codex.file.read_text().replace("first answer", "another answer"))
    index(project)
    assert retracted(project) == before
    assert "another answer" in current(project)


@pytest.mark.parametrize("title", ['say "f00-1"', '"', 'it ends in ""', "back\\\\", '\\"a\\"'])
def test_what_a_parser_remembers_is_searched_for_secrets_whatever_it_quotes(
    project: GitRepo, hermetic: Path, title: str
) -> None:
    token = Maker(6).checked("ghp_")
    claude = ClaudeSession(project, hermetic)
    claude.prompt("Two words")
    for text in (title, f"{title} {token} {title}"):
        record = {"type": "custom-title", "customTitle": text, "sessionId": claude.id}
        claude.append(record)
        claude.call("Later", {"command": f"{text} 0f-1", "title": title}, text, {"stdout": title})
        index(project)
    use = {"type": "tool_use", "id": "call-1", "name": "Bash", "input": {"command": title + token}}
    claude.record("assistant", {"id": "m", "role": "assistant", "content": [use]})
    index(project)  # the call waits for its result
    assert token.encode() not in everything_stored(project)
    with catalog(project) as stored:
        (state,) = stored.states()
        assert json.loads(state.cursor)["title"] == f"{title} [REDACTED:github-token] {title}"


def test_secrets_in_ids_are_stored_nowhere_and_ids_still_tie_records(
    project: GitRepo, hermetic: Path
) -> None:
    maker = Maker(4)
    secrets = [maker.checked("ghp_") for _ in range(6)]
    session, prompt, message, call, head, commit = secrets
    claude = ClaudeSession(project, hermetic)
    claude.id = session
    claude.record("user", {"role": "user", "content": "Make two three"}, uuid=prompt)
    claude.last = prompt
    use = {"type": "tool_use", "id": call, "name": "Edit", "input": {}}
    use["input"] = {
        "file_path": str(project.path / "src/a.py"),
        "old_string": "two = 2",
        "new_string": "two = 3",
    }
    claude.record("assistant", {"id": message, "role": "assistant", "content": [use]})
    result = {"type": "tool_result", "tool_use_id": call, "content": "done"}
    claude.record("user", {"role": "user", "content": [result]})
    codex = CodexSession(project, hermetic)
    codex.prompt("Add b")
    lines = [json.loads(line) for line in codex.file.read_text().splitlines()]
    for record in lines:
        record["payload"].setdefault("git", {}).update(commit_hash=head)
    lines.append(
        {
            "timestamp": codex.clock.iso,
            "type": "response_item",
            "payload": {"type": "ghost_snapshot", "ghost_commit": {"parent": commit}},
        }
    )
    codex.file.write_text("".join(json.dumps(record) + "\n" for record in lines))
    codex.prompt("Add c")
    report = index(project)
    assert (report.sessions, report.edits) == (2, 1)
    raw = everything_stored(project)
    assert [secret for secret in secrets if secret.encode() in raw] == []
    with catalog(project) as stored:
        (row,) = stored.edits_at(["src/a.py"])
        assert row.session_id.startswith("redacted-")
        edit = stored.turn(row.session_id, row.turn_uuid)
        assert edit is not None
        assert (edit.turn.parent_uuid or "").startswith("redacted-")
        asked = stored.turn(row.session_id, str(edit.turn.parent_uuid))
    assert asked is not None
    assert asked.turn.blocks[0].text == "Make two three"
    again = index(project)
    assert (again.sessions, again.turns, again.edits) == (0, 0, 0)
    claude.says("More of it")
    assert index(project).turns == 1


def test_a_session_whose_path_holds_a_secret_is_not_read(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    token = Maker(4).checked("ghp_")
    claude = ClaudeSession(project, hermetic)
    claude.file = tmp_path / token / "session.jsonl"
    claude.prompt("Make two three")
    report = index(project, claude.file)
    assert (report.turns, [reason for _, reason in report.unreadable]) == (
        0,
        ["its path holds a secret: rename it"],
    )
    assert token not in str(report.unreadable)
    claude.file = hermetic / ".claude" / "projects" / "x" / f"{token}.jsonl"
    claude.prompt("Make it three")
    assert index(project).turns == 0
    assert token.encode() not in everything_stored(project)
    assert token.encode() not in config.user_layout().discovery.read_bytes()


def test_secrets_are_stored_nowhere_and_their_lines_prove_nothing(
    project: GitRepo, hermetic: Path
) -> None:
    """LINKING.md case 34."""
    maker = Maker(3)
    token, password, key = maker.checked("ghp_"), maker.some(24), maker.key("ec")
    in_path, in_title = maker.checked("gho_"), maker.checked("ghs_")
    claude = ClaudeSession(project, hermetic)
    claude.append({"type": "summary", "summary": f"title {in_title}", "leafUuid": "x"})
    claude.append({"type": "custom-title", "customTitle": in_title, "sessionId": claude.id})
    claude.prompt(f"use {token} please")
    claude.bash(f"echo {token} '{json.dumps({'password': password})}'")
    claude.write(f"keys/{in_path}.py", "x = 1\n")
    claude.write(
        "conf.py", f'first = 1\nDB_PASSWORD = "{password}"\nKEY = """\n{key}\n"""\nlast = 2\n'
    )
    project.git("checkout", "-q", "-b", f"fix-{in_path}")
    claude.says("on a branch")
    project.git("add", "-A")
    claude.bash(f"git commit -q -m 'add {token}' && git log -1 --format='[x %h] %s'")
    report = index(project)
    assert report.redactions >= 5
    raw = everything_stored(project)
    body = key.splitlines()[1]
    for secret in (token, password, in_path, in_title, body):
        assert secret.encode() not in raw
    assert b"[REDACTED:github-token]" in raw
    with catalog(project) as stored:
        (row,) = stored.edits_at(["conf.py"])
        keys = {line.exact: line.pos for line in row.added}
        record = stored.edit(row.edit_id)
    kept = {"first = 1": 1, 'KEY = """': 3, "last = 2": len(key.splitlines()) + 5}
    for text, pos in kept.items():
        assert keys[exact_hash(text)] == pos
    assert exact_hash(f'DB_PASSWORD = "{password}"') not in keys
    assert not {exact_hash(line) for line in key.splitlines()} & keys.keys()
    assert record
    assert "+last = 2" in record.diff
    assert "REDACTED" in record.diff


def test_a_broken_scanner_stores_nothing(
    project: GitRepo, hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ClaudeSession(project, hermetic).prompt("words")
    redact.shared.cache_clear()
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", None)
    with pytest.raises(FunesError, match="scanner"):
        index(project)
    redact.shared.cache_clear()
    with catalog(project) as stored:
        assert stored.totals().turns == 0


def test_chunks_name_the_files_that_their_turn_worked_on(project: GitRepo, hermetic: Path) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("look and change")
    claude.read("src/a.py")
    claude.edit("src/a.py", "two = 2", "two = 3")
    index(project)
    with catalog(project) as stored:
        files = {(row.block_type, row.tool): row.files for row in stored.chunk_rows(0, 100)}
    assert files["text", None] == ()
    for tool in ("Read", "Edit"):
        assert files["tool_use", tool] == files["tool_result", tool] == ("src/a.py",)


def test_a_file_moved_out_of_the_repository_is_deleted_in_it(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("move it away")
    claude.bash(f"mv src/a.py {tmp_path}/away.py")
    index(project)
    with catalog(project) as stored:
        (row,) = stored.edits_at(["src/a.py"])
    assert (row.operation, row.path) == ("delete", "src/a.py")


def test_an_unchanged_session_is_not_opened_again(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    other = GitRepo(tmp_path / "other")
    claude = ClaudeSession(other, hermetic)
    claude.prompt("elsewhere")
    assert index(project).turns == 0
    # the same size and time: what it says now cannot be known without opening it
    stat = claude.file.stat()
    same_length = str(project.path).ljust(len(str(other.path)), "/")
    claude.file.write_text(claude.file.read_text().replace(str(other.path), same_length))
    os.utime(claude.file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert index(project).turns == 0
    os.utime(claude.file, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert index(project).turns == 1


@pytest.mark.parametrize("damage", [b"no database", b""])
def test_a_broken_discovery_cache_is_made_anew(
    project: GitRepo, hermetic: Path, damage: bytes
) -> None:
    ClaudeSession(project, hermetic).prompt("words")
    index(project)
    cache = config.user_layout().discovery
    size = cache.stat().st_size
    cache.write_bytes(damage)
    ClaudeSession(project, hermetic).prompt("more words")
    assert index(project).turns == 1
    index(project)
    assert cache.stat().st_size == size


def test_a_locked_discovery_cache_is_done_without(project: GitRepo, hermetic: Path) -> None:
    ClaudeSession(project, hermetic).prompt("words")
    index(project)
    ClaudeSession(project, hermetic).prompt("more words")
    lock = sqlite3.connect(config.user_layout().discovery)
    lock.execute("BEGIN EXCLUSIVE")
    assert index(project).turns == 1
    lock.close()


def test_other_processes_read_the_same(
    project: GitRepo, hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = []
    for number in range(5):
        claude = ClaudeSession(project, hermetic)
        claude.prompt(f"task {number}")
        claude.write(f"file{number}.py", f"value = {number}\n")
        sessions.append((f"file{number}.py", claude.id))
    broken = sessions[2][1]
    (file,) = hermetic.rglob(f"{broken}.jsonl")
    with file.open("a") as out:
        out.write("{bad\n")
    monkeypatch.setattr(ingest, "MANY_BYTES", 0)
    monkeypatch.setattr(ingest, "processors", lambda: 4)
    report = index(project)
    assert (report.sessions, report.edits, report.skipped_records) == (5, 5, 1)
    assert edits(project) == sorted(sessions)
    assert index(project).turns == 0


def test_a_reading_process_that_dies_is_an_error(
    project: GitRepo, hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        ClaudeSession(project, hermetic).prompt(f"task {number}")
    monkeypatch.setattr(ingest, "MANY_BYTES", 0)
    monkeypatch.setattr(ingest, "processors", lambda: 4)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(FunesError, match="has ended"):
        index(project)


def test_an_interrupted_run_leaves_what_was_written_and_the_next_completes_it(
    project: GitRepo, hermetic: Path
) -> None:
    """LINKING.md case 38."""
    for number in range(3):
        claude = ClaudeSession(project, hermetic)
        claude.prompt(f"task {number}")
        os.utime(claude.file, (number, number))
    found = Repo.discover(project.path)
    with Stores.open(found.layout, write=True) as stores:

        def interrupt(done: int, total: int, size: int) -> None:
            if done == 2:
                stores.flush()
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ingest.index(found, stores, progress=interrupt)
    assert texts(project) == ["task 0", "task 1"]
    assert index(project).turns == 1


def test_an_interrupt_is_not_for_the_processes_that_read(project: GitRepo) -> None:
    with Pool(Repo.discover(project.path), [], 1) as pool:
        assert os.getpgid(pool._children[0]._process.pid) != os.getpgid(0)


def test_progress_counts_sources_and_bytes(project: GitRepo, hermetic: Path) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("words")
    told: list[tuple[int, int, int]] = []
    index(project, progress=lambda *args: told.append(args))
    assert told == [(0, 1, 0), (1, 1, claude.file.stat().st_size)]


def test_one_agent_alone_can_be_read(project: GitRepo, hermetic: Path) -> None:
    ClaudeSession(project, hermetic).prompt("of claude")
    CodexSession(project, hermetic).prompt("of codex")
    assert index(project, agents=["claude"]).sessions == 1
    assert texts(project) == ["of claude"]
    with pytest.raises(UsageError, match="nobody"):
        index(project, agents=["nobody"])


def test_the_overview_counts_sessions_by_agent(project: GitRepo, hermetic: Path) -> None:
    ClaudeSession(project, hermetic).prompt("a")
    ClaudeSession(project, hermetic).prompt("b")
    CodexSession(project, hermetic).prompt("c")
    overview = discovery.overview(Repo.discover(project.path))
    assert overview == [("Claude Code", 2), ("Codex", 1)]
    assert hermetic / ".claude" / "projects" in discovery.looked_in(["claude"])
