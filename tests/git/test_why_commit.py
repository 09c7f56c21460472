"""`why COMMIT`: who wrote what share of each file, and who made the commit."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock, CodexSession
from helpers import GitRepo
from memory import Memory

from funes_git.errors import UnknownTarget
from funes_git.git import process
from funes_git.told import Shares

THREE = "def limits_of_cache():\n    entries_at_most = 4096\n    return entries_at_most\n"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def base(repo: GitRepo, clock: Clock) -> GitRepo:
    repo.write("docs.md", "# Docs\n")
    repo.commit("start", date=clock.now)
    clock.tick(60)
    return repo


@pytest.fixture
def claude(base: GitRepo, hermetic: Path, clock: Clock) -> ClaudeSession:
    session = ClaudeSession(base, hermetic, clock)
    session.prompt("Write down the limits of the cache in a module of their own, please")
    return session


@pytest.fixture
def memory(base: GitRepo) -> Memory:
    return Memory(base)


def shares(memory: Memory, rev: str = "HEAD") -> Shares:
    found = memory.why(rev).shares
    assert found is not None
    return found


def parts(memory: Memory, rev: str = "HEAD") -> dict[str, list[tuple[int, str, str | None]]]:
    """File → (lines, session or kind, level) of each of its parts."""
    return {
        file.path: [
            (p.lines, p.link.session_id if p.link else p.kind, p.link.level if p.link else None)
            for p in file.parts
        ]
        for file in shares(memory, rev).files
    }


def test_each_turn_and_person_has_its_share_of_each_file(
    base: GitRepo, hermetic: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.write("limits.py", THREE)
    base.write("limits.py", THREE + "\n\n# a remark that was typed by a person\n")
    codex = CodexSession(base, hermetic, clock)
    codex.prompt("Tell the reader of the docs about the limits")
    codex.patch("docs.md", "# Docs\n", "# Docs\n\nThe cache keeps at most 4096 entries.\n")
    sha = base.commit("limits", date=clock.tick(60))
    memory.sync()
    assert parts(memory) == {
        "docs.md": [(1, codex.id, "lines")],
        "limits.py": [(3, claude.id, "lines"), (1, "human", None)],
    }
    found = shares(memory)
    assert [(f.added, f.removed, f.status) for f in found.files] == [
        (1, 0, "modified"),
        (4, 0, "added"),
    ]
    assert (found.commit.sha, found.made) == (sha, None)


def test_the_session_that_made_the_commit_is_named(
    base: GitRepo, hermetic: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    codex = CodexSession(base, hermetic, clock)
    codex.prompt("Write the limits down, please")
    codex.add("limits.py", THREE)
    clock.tick(60)
    claude.bash("git add -A && git commit -qm limits && git rev-parse HEAD")
    memory.sync()
    made = shares(memory).made
    assert made is not None
    assert (made.session_id, made.proof) == (claude.id, "printed")
    assert parts(memory) == {"limits.py": [(3, codex.id, "lines")]}


def test_what_a_command_wrote_and_what_was_removed(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.bash("python3 -c 'print(list(range(40)))' > generated.txt")
    claude.bash("git rm -q docs.md")
    base.commit("generate", date=clock.tick(60))
    memory.sync()
    assert parts(memory) == {
        "docs.md": [(0, claude.id, "ran")],
        "generated.txt": [(1, "unknown", None)],
    }
    assert [(f.status, f.removed) for f in shares(memory).files] == [("deleted", 1), ("added", 0)]


def test_lines_that_only_a_command_may_have_written_are_not_known_anywhere(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.bash("python3 -c 'print(list(range(40)))' > generated.txt")
    sha = base.commit("generate", date=clock.tick(60))
    memory.sync()
    found = memory.why(sha)
    assert found.shares is not None
    (file,) = found.shares.files
    assert [(p.lines, p.kind, p.link, p.reason) for p in file.parts] == [
        (1, "unknown", None, "ran")
    ]
    assert [(a.link.session_id, a.link.level) for a in found.answers] == [(claude.id, "ran")]
    for target in ("generated.txt:1", "generated.txt"):
        (gap,) = memory.why(target).unexplained
        assert (gap.kind, gap.reason) == ("unknown", "ran")
    (row,) = memory.blame("generated.txt")
    assert (row.kind, row.session_id) == ("unknown", None)


def test_a_line_committed_hours_after_its_sessions_is_not_of_a_time_without_sessions(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.read("docs.md")
    claude.write("limits.py", THREE)
    base.write("limits.py", THREE + "\n\n# a remark that nobody knows of\n")
    base.commit("limits", date=clock.tick(2 * 3600))
    base.write("docs.md", "# Docs, by whom?\n")
    base.commit("docs", date=clock.tick(3600))
    base.write("docs.md", "# Docs, much later\n")
    base.commit("later", date=clock.tick(90 * 86400))
    memory.sync()

    def gap(target: str, at: str = "HEAD") -> tuple[str, str | None]:
        (found,) = memory.why(target, at).unexplained
        return found.kind, found.reason

    assert gap("limits.py:6") == ("unknown", "not-matched")
    assert parts(memory, "HEAD~2")["limits.py"][1:] == [(1, "unknown", None)]
    assert gap("docs.md:1", "HEAD~1") == ("unknown", "no-edit")
    assert gap("docs.md:1") == ("unknown", "no-session")


def test_a_commit_of_a_person_and_one_of_nobody_known(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.read("docs.md")
    base.write("docs.md", "# Docs, by hand\n")
    base.commit("by hand", date=clock.tick(60))
    base.write("docs.md", "# Docs, much later\n")
    base.commit("later", date=clock.tick(90 * 86400))
    memory.sync()
    assert parts(memory, "HEAD~1") == {"docs.md": [(1, "human", None)]}
    assert parts(memory) == {"docs.md": [(1, "unknown", None)]}


def test_a_commit_that_was_rewritten_answers_by_what_it_has_become(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.write("limits.py", THREE)
    old = base.commit("limits", date=clock.tick(60))
    memory.sync()
    stamp = f"{int(clock.tick(30))} +0000"
    base.git("commit", "-q", "--amend", "-m", "Limits", env={"GIT_COMMITTER_DATE": stamp})
    new = base.git("rev-parse", "HEAD")
    memory.sync()
    (answer,) = memory.why(new).answers
    assert [(s.old, s.new, s.how) for s in answer.link.chain] == [(old, new, "amend")]
    base.git("reflog", "expire", "--expire=now", "--all")
    base.git("gc", "-q", "--prune=now")
    for name in (old, old[:9]):
        found = memory.why(name)
        assert [a.link.turn_uuid for a in found.answers] == [turn]
        assert found.shares is not None
        assert (found.shares.commit.sha, found.shares.became[-1].new) == (new, new)
    with pytest.raises(UnknownTarget):
        memory.why("0123456789")


def test_a_large_file_of_nobody_is_told_quickly(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.read("docs.md")
    base.write("vendor.txt", "".join(f"vendored line number {n}\n" for n in range(5000)))
    base.commit("vendor", date=clock.tick(60))
    memory.sync()
    assert parts(memory) == {"vendor.txt": [(5000, "human", None)]}


def test_the_number_of_git_processes_does_not_grow_with_the_files(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    def started() -> int:
        before = process.started
        memory.why("HEAD")
        return process.started - before

    claude.write("limits.py", THREE)
    base.commit("one", date=clock.tick(60))
    memory.sync()
    one = started()
    for n in range(10):
        claude.write(f"limits_{n}.py", THREE.replace("4096", str(n)))
    base.commit("ten", date=clock.tick(60))
    memory.sync()
    assert len(shares(memory).files) == 10
    assert started() == one
