"""`git funes import` of what nobody has checked: refs and files come with a clone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from agents import ClaudeSession
from helpers import GitRepo
from imports import imported, note, orphan
from memory import Memory

AT = 1_767_000_000.0
BRANCH = "refs/heads/entire/checkpoints/v1"


def checkpoint(name: str, session_id: str, transcript: bytes) -> dict[str, bytes]:
    folder = f"{name[:2]}/{name[2:]}/0"
    about = {"session_id": session_id, "agent": "Claude Code"}
    return {f"{folder}/metadata.json": json.dumps(about).encode()} | {
        f"{folder}/full.jsonl": transcript
    }


@pytest.fixture
def transcript(repo: GitRepo, hermetic: Path) -> bytes:
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Cap the cache")
    claude.write("cache.py", "LIMIT_OF_CACHE = 128\n")
    data = claude.file.read_bytes()
    claude.file.unlink()
    return data


@pytest.mark.parametrize(
    "session_id", ["../../../../up", "/tmp/x", "nul\0", "x" * 5000, "\ud800", ".", "..", "a/../b"]
)
def test_a_session_id_names_no_place_outside(
    repo: GitRepo,
    transcript: bytes,
    session_id: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if session_id.startswith("/"):
        session_id = str(tmp_path / "absolute")
    repo.commit("Cap", date=AT)
    orphan(repo, BRANCH, checkpoint("0b6dc504670c", session_id, transcript))
    written: list[Path] = []
    write = Path.write_bytes
    monkeypatch.setattr(
        Path, "write_bytes", lambda path, data: written.append(path) or write(path, data)
    )
    memory = Memory(repo)
    assert imported(memory, "entire").read == 1
    (path,) = written
    assert Path(os.path.normpath(path)).is_relative_to(memory.repo.layout.imported / "entire")
    assert not memory.repo.layout.imported.exists()


def test_a_trailer_with_control_characters_is_only_a_trailer(
    repo: GitRepo, transcript: bytes
) -> None:
    first = repo.commit("first", date=AT)
    message = f"Cap\n\nEntire-Checkpoint: 0b6dc504670c\nEntire-Checkpoint: \x1e{first}\x1fx\x1fy"
    second = repo.commit(message, date=AT + 60)
    orphan(repo, BRANCH, checkpoint("0b6dc504670c", "5c7d5c23", transcript))
    memory = Memory(repo)
    assert imported(memory, "entire").attributions == 1
    assert {link.commit for link in memory.links(second)} == {second}


@pytest.mark.parametrize(
    ("source", "ref", "text"),
    [
        ("git-ai", "ai", 'a.py\n  s_1 LINES\n---\n{"sessions": {"s_1": {}}}'),
        ("notes", "funes", "claude_code s t exact wrote a.py:LINES,\u00b2"),
    ],
)
def test_lines_that_no_file_has_are_left_out(
    repo: GitRepo, source: str, ref: str, text: str
) -> None:
    repo.write("a.py", "ALPHA = 1\nBETA = 2\n")
    sha = repo.commit("first", date=AT)
    lines = f"2,1-{10**11},{'9' * 5000},0,9-3,\u0663"
    note(repo, ref, sha, text.replace("LINES", lines))
    memory = Memory(repo)
    imported(memory, source)
    assert {link.lines for link in memory.links(sha)} == {((2, 2),)}


def test_no_claim_of_lines_makes_reading_slow(repo: GitRepo) -> None:
    repo.write("a.py", "ALPHA = 1\n")
    sha = repo.commit("first", date=AT)
    rows = [f"claude_code s{n} t exact wrote a.py:{n}-{10**6 - n}" for n in range(1, 300)]
    note(repo, "funes", sha, "\n".join(rows))
    memory = Memory(repo)
    imported(memory, "notes")
    with memory.catalog() as catalog:
        assert catalog.lines_by_level([sha])[sha]["imported"] == 10**6 - 1


def test_an_id_in_our_notes_can_be_stored(repo: GitRepo) -> None:
    sha = repo.commit("first", date=AT)
    note(repo, "funes", sha, 'claude_code "a\\ud800b" t exact wrote -')
    memory = Memory(repo)
    imported(memory, "notes")
    assert [link.session_id for link in memory.links(sha)] == ["a\ufffdb"]


def record(revision: str, path: str) -> str:
    ranges = [{"start_line": 1, "end_line": 1}, {"start_line": 1, "end_line": 10**11}]
    talk = {"url": "conv-1", "contributor": {"type": "ai"}, "ranges": ranges}
    about = {"timestamp": "2025-12-29T09:20:01Z", "vcs": {"revision": revision}}
    return json.dumps({**about, "files": [{"path": path, "conversations": [talk]}]})


@pytest.mark.parametrize("path", ["a\x01b.py", "tail\n.py", "\nhead.py", "plain.py"])
def test_records_of_agent_trace_speak_of_files_with_any_name(repo: GitRepo, path: str) -> None:
    first = repo.commit("first", date=AT)
    repo.commit("empty", date=AT + 30)
    repo.write(path, "ALPHA = 1\n")
    second = repo.commit("alpha", date=AT + 60)
    repo.write(".agent-trace/traces.jsonl", record(first, path))
    memory = Memory(repo)
    imported(memory, "agent-trace")
    assert [(link.path, link.lines) for link in memory.links(second)] == [(path, ((1, 1),))]


@pytest.mark.parametrize(
    ("source", "name"),
    [("agent-trace", ".agent-trace/x.jsonl"), ("specstory", ".specstory/history/x.md")],
)
def test_only_regular_files_are_read(repo: GitRepo, source: str, name: str) -> None:
    repo.commit("first", date=AT)
    path = repo.write(name, "")
    path.unlink()
    path.symlink_to("/dev/zero")
    os.mkfifo(path.with_stem("pipe"))
    path.with_stem("regular").write_text("words\n")
    report = imported(Memory(repo), source)
    skipped = {skip.reason: skip.count for skip in report.skips}
    assert skipped.pop("not a regular file") == 2
    assert report.found + sum(skipped.values()) == 1


def test_a_name_too_long_for_the_disk_is_told_and_costs_nothing_else(repo: GitRepo) -> None:
    text = b"<!-- Generated by SpecStory -->\n\n_**User (2025-12-29 09:00:00Z)**_\n\nHi\n"
    files = {f".specstory/history/{name}.md": text for name in ("a" * 300, "b")}
    repo.git("update-ref", "HEAD", orphan(repo, "refs/heads/other", files))
    report = imported(Memory(repo), "specstory")
    assert report.read == 1
    assert [reason for _, reason in report.unreadable] == ["File name too long"]


def test_what_a_killed_import_left_goes_with_the_next_writer(repo: GitRepo) -> None:
    repo.commit("first", date=AT)
    memory = Memory(repo)
    left = memory.repo.layout.imported / "entire" / "5c7d5c23" / "0b6dc504670c.jsonl"
    left.parent.mkdir(parents=True)
    left.write_text("what somebody said")
    memory.sync()
    assert not memory.repo.layout.imported.exists()
