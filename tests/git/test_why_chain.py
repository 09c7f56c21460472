"""`why --chain`: every turn and every person that shaped a line, newest first."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock, CodexSession
from helpers import GitRepo
from memory import Memory

from funes_git.errors import UsageError
from funes_git.git import process

TEXT = "".join(f"line number {n} of the file\n" for n in range(1, 8))
FIRST = "the third line holds the limit: 128 entries"
SECOND = "the third line holds the limit: 256 entries"
THIRD = "the third line holds the limit: 512 entries"

Told = tuple[str | None, str, str, str]


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
    session = ClaudeSession(base, hermetic, clock)
    session.prompt("Write the limit of the cache into the third line of the notes, please")
    return session


@pytest.fixture
def memory(base: GitRepo) -> Memory:
    return Memory(base)


def told(memory: Memory, target: str = "notes.py:3", at: str | None = None) -> list[Told]:
    """(commit, what, who: a turn or a kind, how it was found) of each stage."""
    return [
        (
            stage.commit.sha if stage.commit else None,
            stage.what,
            stage.answer.link.turn_uuid if stage.answer else stage.kind,
            stage.via,
        )
        for stage in memory.chain(target, at).chain
    ]


def by_hand(base: GitRepo, clock: Clock, old: str, new: str, path: str = "notes.py") -> str:
    """A person changes a line and commits it."""
    text = (base.path / path).read_text()
    assert old in text
    base.write(path, text.replace(old, new))
    return base.commit(f"by hand: {new}", date=clock.tick(60))


def test_every_turn_that_shaped_a_line_newest_first(
    base: GitRepo, hermetic: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    start = base.git("rev-parse", "HEAD")
    one = claude.edit("notes.py", "line number 3 of the file", FIRST)
    first = base.commit("128", date=clock.tick(60))
    codex = CodexSession(base, hermetic, clock)
    codex.prompt("Make it 256, please")
    codex.patch("notes.py", FIRST, SECOND)
    second = base.commit("256", date=clock.tick(60))
    by_hand(base, clock, "line number 1", "the first line, changed by hand")
    memory.sync()
    (two,) = [link.turn_uuid for link in memory.links(second)]
    assert told(memory) == [
        (second, "wrote", two, "git"),
        (first, "wrote", one, "git"),
        (start, "wrote", "human", "git"),
    ]
    stage = memory.chain("notes.py:3").chain[0]
    assert (stage.added, stage.removed) == ((SECOND,), (FIRST,))
    assert stage.answer is not None
    assert stage.answer.prompt == "Make it 256, please"


def test_case_7_a_later_change_by_hand_stands_on_top_of_the_turn(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit("notes.py", "line number 3 of the file", FIRST)
    sha = base.commit("128", date=clock.tick(60))
    hand = by_hand(base, clock, FIRST, SECOND)
    memory.sync()
    assert told(memory)[:2] == [(hand, "wrote", "human", "git"), (sha, "wrote", turn, "git")]


@pytest.mark.parametrize("typed", ["nothing of the words is left", SECOND])
def test_case_6_a_line_rewritten_before_the_commit_stands_on_top_of_the_turn(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, typed: str
) -> None:
    block = f"def limits_of_cache():\n    # {FIRST}\n    return entries_of_cache\n"
    turn = claude.edit("notes.py", "line number 3 of the file\n", block)
    base.write("notes.py", (base.path / "notes.py").read_text().replace(f"# {FIRST}", f"# {typed}"))
    sha = base.commit("limits", date=clock.tick(60))
    memory.sync()
    assert told(memory, "notes.py:4")[:2] == [
        (sha, "wrote", "human", "git"),
        (sha, "wrote", turn, "place"),
    ]
    assert memory.chain("notes.py:4").chain[1].added == (f"    # {FIRST}",)
    assert told(memory, "notes.py:5")[0] == (sha, "wrote", turn, "git")


def test_a_single_line_that_a_person_changed_before_the_commit_is_known_by_its_likeness(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit("notes.py", "line number 3 of the file", FIRST)
    hand = by_hand(base, clock, FIRST, SECOND)
    memory.sync()
    stages = memory.chain("notes.py:3").chain
    assert told(memory)[:2] == [(hand, "wrote", "human", "git"), (hand, "wrote", turn, "likeness")]
    assert stages[1].answer is not None
    assert stages[1].answer.link.level == "weak"


def test_what_a_person_wrote_alone_stands_on_nothing(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("notes.py", "line number 3 of the file", FIRST)
    base.commit("128", date=clock.tick(60))
    hand = by_hand(base, clock, "line number 6 of the file", "something else entirely, by hand")
    memory.sync()
    assert told(memory, "notes.py:6")[0][:3] == (hand, "wrote", "human")
    assert {row[3] for row in told(memory, "notes.py:6")} == {"git"}


def test_drafts_that_the_session_replaced_before_the_commit(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    one = claude.edit("notes.py", "line number 3 of the file", FIRST)
    two = claude.edit("notes.py", FIRST, SECOND)
    three = claude.edit("notes.py", SECOND, THIRD)
    sha = base.commit("512", date=clock.tick(60))
    memory.sync()
    assert told(memory)[:3] == [
        (sha, "wrote", three, "git"),
        (sha, "wrote", two, "edit"),
        (sha, "wrote", one, "edit"),
    ]
    assert [a.link.turn_uuid for a in memory.chain("notes.py:3").answers] == [three, two, one]


def test_through_renames(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    one = claude.edit("notes.py", "line number 3 of the file", FIRST)
    first = base.commit("128", date=clock.tick(60))
    (base.path / "lib").mkdir()
    base.git("mv", "notes.py", "lib/limits.py")
    base.commit("move", date=clock.tick(60))
    two = claude.edit("lib/limits.py", FIRST, SECOND)
    second = base.commit("256", date=clock.tick(60))
    memory.sync()
    assert told(memory, "lib/limits.py:3")[:2] == [
        (second, "wrote", two, "git"),
        (first, "wrote", one, "git"),
    ]


def test_a_squash_shows_the_turns_that_its_commits_had(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    one = claude.edit("notes.py", "line number 3 of the file", FIRST)
    base.commit("128", date=clock.tick(60))
    two = claude.edit("notes.py", FIRST, SECOND)
    base.commit("256", date=clock.tick(60))
    base.git("checkout", "-q", "main")
    base.git("merge", "-q", "--squash", "topic")
    squashed = base.commit("squashed", date=clock.tick(60))
    base.git("branch", "-q", "-D", "topic")
    memory.sync()
    assert [row[:3] for row in told(memory)][:2] == [
        (squashed, "wrote", two),
        (squashed, "wrote", one),
    ]


def test_a_revert_and_its_revert_are_stages_of_the_same_lines(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    new = "one more line about the limit of the cache: 128\n"
    turn = claude.edit(
        "notes.py", "line number 3 of the file\n", f"line number 3 of the file\n{new}"
    )
    first = base.commit("128", date=clock.tick(60))
    env = {"GIT_COMMITTER_DATE": f"{int(clock.tick(60))} +0000"}
    base.git("revert", "--no-edit", "HEAD", env=env)
    revert = base.git("rev-parse", "HEAD")
    env = {"GIT_COMMITTER_DATE": f"{int(clock.tick(60))} +0000"}
    base.git("revert", "--no-edit", "HEAD", env=env)
    again = base.git("rev-parse", "HEAD")
    memory.sync()
    assert told(memory, "notes.py:4") == [
        (again, "wrote", turn, "git"),
        (revert, "removed", "human", "again"),
        (first, "wrote", turn, "again"),
    ]


def test_a_format_only_commit_that_is_listed_is_no_turns(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit("notes.py", "line number 3 of the file", "limit( 'third', 128 )")
    first = base.commit("128", date=clock.tick(60))
    formatted = by_hand(base, clock, "limit( 'third', 128 )", "limit('third', 128)")
    base.write(".git-blame-ignore-revs", f"{formatted}  # format only\n")
    memory.sync()
    assert [row[:3] for row in told(memory)][:2] == [
        (formatted, "formatted", "human"),
        (first, "wrote", turn),
    ]


def test_lines_that_are_not_committed_yet_come_first(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    one = claude.edit("notes.py", "line number 3 of the file", FIRST)
    first = base.commit("128", date=clock.tick(60))
    two = claude.edit("notes.py", FIRST, SECOND)
    base.write("notes.py", "typed above\nand more\n" + (base.path / "notes.py").read_text())
    memory.sync()
    assert told(memory, "notes.py:5")[:2] == [
        (None, "wrote", two, "git"),
        (first, "wrote", one, "git"),
    ]
    assert told(memory, "notes.py:1") == [(None, "wrote", "uncommitted", "git")]
    assert told(memory, at="HEAD")[0] == (first, "wrote", one, "git")
    claude.write("new.py", "a_new_file_of_this_session = True\n")
    memory.sync()
    assert [row[0] for row in told(memory, "new.py:1")] == [None]


def test_a_range_from_which_lines_were_removed(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit("notes.py", "line number 3 of the file\nline number 4 of the file\n", "")
    sha = base.commit("drop two", date=clock.tick(60))
    memory.sync()
    stages = memory.chain("notes.py:2-3").chain
    assert told(memory, "notes.py:2-3")[0] == (sha, "removed", turn, "git")
    assert stages[0].removed == ("line number 3 of the file", "line number 4 of the file")


def test_a_chain_needs_lines(base: GitRepo, memory: Memory) -> None:
    memory.sync()
    for target in ("notes.py", "HEAD"):
        with pytest.raises(UsageError, match="--chain follows lines"):
            memory.chain(target)


def test_the_number_of_git_processes_does_not_grow_with_the_chain(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    def started() -> int:
        before = process.started
        memory.chain("notes.py:3")
        return process.started - before

    claude.edit("notes.py", "line number 3 of the file", FIRST)
    base.commit("128", date=clock.tick(60))
    memory.sync()
    one = started()
    for n in range(10):
        claude.edit("notes.py", "the third line", f"the third line ({n})")
        base.commit(f"once more: {n}", date=clock.tick(60))
    memory.sync()
    assert len(told(memory)) == 12
    assert started() == one


def test_a_large_file_that_a_person_rewrote_is_followed_in_time(
    base: GitRepo, claude: ClaudeSession, clock: Clock, memory: Memory
) -> None:
    text = "".join(f"the_value_{n} = compute_something_of({n})\n" for n in range(3000))
    turn = claude.write("big.py", text)
    base.write("big.py", text.replace("something", "anything"))
    base.commit("by hand", date=clock.tick(60))
    memory.sync()
    stages = memory.chain("big.py:1-3000").chain
    assert [stage.kind for stage in stages] == ["human", "agent"]
    assert stages[0].commit is not None
    near = memory.chain("big.py:7").chain[1]
    assert near.answer is not None
    assert (near.via, near.answer.link.turn_uuid) == ("likeness", turn)


@pytest.mark.slow
def test_equal_lines_of_a_large_edit_are_told_apart_in_time(
    base: GitRepo, claude: ClaudeSession, clock: Clock, memory: Memory
) -> None:
    text = "".join(f"value = compute_something_of({n % 7}, {n})\n" for n in range(20000))
    claude.write("big.py", text)
    base.commit("big", date=clock.tick(60))
    memory.sync()
    (answer,) = memory.why("big.py:1-20000").answers
    assert answer.asked_rows == tuple((n, n + 1) for n in range(20000))
