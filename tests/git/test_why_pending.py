"""`why` and `blame` of what is not committed yet: answered from the sessions, by the same rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory

from funes_git.git import process
from funes_git.model import Why

TEXT = "".join(f"line number {n} of the file\n" for n in range(1, 8))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def base(repo: GitRepo, clock: Clock) -> GitRepo:
    repo.write("notes.py", TEXT)
    repo.commit("start", date=clock.now)
    clock.tick(60)
    return repo


@pytest.fixture
def claude(base: GitRepo, hermetic: Path, clock: Clock) -> ClaudeSession:
    return ClaudeSession(base, hermetic, clock)


@pytest.fixture
def memory(base: GitRepo) -> Memory:
    return Memory(base)


def told(found: Why) -> list[tuple[str, str | None, str]]:
    """(turn, commit, level) of each answer."""
    return [
        (a.link.turn_uuid, a.commit.sha if a.commit else None, a.link.level) for a in found.answers
    ]


@pytest.mark.parametrize("staged", [False, True])
def test_a_line_of_the_working_tree_is_the_live_sessions(
    base: GitRepo, claude: ClaudeSession, memory: Memory, staged: bool
) -> None:
    claude.prompt("Make the third line shine in the notes file, please")
    turn = claude.edit("notes.py", "line number 3 of the file", "the third, and it shines like day")
    base.write("notes.py", (base.path / "notes.py").read_text() + "typed by a person just now\n")
    if staged:
        base.git("add", "notes.py")
    memory.sync()
    assert told(memory.why("notes.py:3")) == [(turn, None, "lines")]
    (gap,) = memory.why("notes.py:8").unexplained
    assert (gap.kind, gap.commit) == ("uncommitted", None)
    by_line = {row.number: (row.turn_uuid, row.commit) for row in memory.blame("notes.py")}
    assert by_line[3] == (turn, None)
    assert by_line[8] == (None, None)
    assert by_line[1][1] is not None


@pytest.mark.parametrize("added", [False, True])
def test_a_new_file_that_git_does_not_know_yet(
    base: GitRepo, claude: ClaudeSession, memory: Memory, added: bool
) -> None:
    claude.prompt("Write a module that holds the limits of the cache, please")
    turn = claude.write("limits.py", "entries_at_most = 4096\nbytes_at_most = 1 << 30\n")
    if added:
        base.git("add", "-N", "limits.py")
    memory.sync()
    assert told(memory.why("limits.py:2")) == [(turn, None, "lines")]
    assert told(memory.why("limits.py")) == [(turn, None, "lines")]
    assert memory.who("limits.py") == {
        "entries_at_most = 4096": claude.id,
        "bytes_at_most = 1 << 30": claude.id,
    }


def test_a_file_moved_since_the_last_commit(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Make the third line shine in the notes file, please")
    first = claude.edit("notes.py", "line number 3 of the file", "the third, and it shines")
    base.commit("shine", date=clock.tick(30))
    second = claude.edit("notes.py", "line number 5 of the file", "the fifth, and it glows")
    base.git("mv", "notes.py", "moved.py")
    memory.sync()
    who = {row.number: row.turn_uuid for row in memory.blame("moved.py")}
    assert (who[3], who[5], who[1]) == (first, second, None)


def test_what_is_left_of_a_commit_in_parts_is_still_the_turns(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Change the first and the last line of the notes file, please")
    first = claude.edit("notes.py", "line number 1 of the file", "the first line, changed by day")
    base.git("add", "notes.py")
    last = claude.edit("notes.py", "line number 7 of the file", "the last line, changed by night")
    base.commit("first part", date=clock.tick(600), add=False)
    memory.sync()
    assert [turn for turn, commit, _ in told(memory.why("notes.py:1")) if commit] == [first]
    assert told(memory.why("notes.py:7")) == [(last, None, "lines")]


def test_a_line_typed_again_after_it_was_committed_and_removed_is_nobodys(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Say something about the cache at the end of the notes file")
    claude.edit("notes.py", "line number 7 of the file", "the cache holds 4096 entries at most")
    with_line = (base.path / "notes.py").read_text()
    base.commit("say", date=clock.tick(30))
    base.write("notes.py", TEXT)
    base.commit("take it out by hand", date=clock.tick(30))
    base.write("elsewhere.py", "the cache holds 4096 entries at most\n")
    memory.sync()
    assert memory.who("elsewhere.py") == {"the cache holds 4096 entries at most": "unknown"}
    base.write("notes.py", with_line)
    assert memory.blame("notes.py")[6].commit is None


def test_a_repository_without_a_commit(repo: GitRepo, hermetic: Path, clock: Clock) -> None:
    claude = ClaudeSession(repo, hermetic, clock)
    claude.prompt("Write a module that holds the limits of the cache, please")
    turn = claude.write("limits.py", "entries_at_most = 4096\nbytes_at_most = 1 << 30\n")
    memory = Memory(repo)
    memory.sync()
    assert told(memory.why("limits.py:1")) == [(turn, None, "lines")]


def test_binary_and_empty_files_of_the_working_tree_stop_nothing(
    base: GitRepo, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("Read the notes")
    claude.read("notes.py")
    (base.path / "picture.bin").write_bytes(b"\0\1\2\n\xff")
    base.write("empty.py", "")
    memory.sync()
    assert memory.blame("picture.bin") == []
    assert memory.blame("empty.py") == []


def test_the_number_of_git_processes_does_not_grow_with_the_changes(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    def started(target: str) -> int:
        before = process.started
        memory.why(target)
        return process.started - before

    claude.prompt("Change some lines of the notes file, please, one after the other")
    claude.edit("notes.py", "line number 1 of the file", "the first line, changed by day")
    memory.sync()
    one = started("notes.py")
    for n in range(2, 8):
        claude.edit("notes.py", f"line number {n} of the file", f"line {n}, changed by night")
        base.write(f"other{n}.py", f"other_file = {n}\n")
    memory.sync()
    assert started("notes.py") <= one
