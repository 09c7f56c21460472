"""A line is a person's only where nothing speaks against it."""

from __future__ import annotations

from pathlib import Path

from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory
from scenario import commit

from funes_git.ingest import index
from funes_git.link.engine import catch_up
from funes_git.store.stores import Stores

ONE_LINE = "total = add_all(first_amount, second_amount, third_amount, rounding=None)\n"
BROKEN_UP = """total = add_all(
    first_amount, second_amount,
    third_amount, rounding=None,
)
checked_by_hand = total > 0
"""


def test_what_a_formatter_broke_up_is_nobodys(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.write("sums.py", ONE_LINE)
    base.write("sums.py", BROKEN_UP)
    commit(base, clock, "sums, formatted")
    memory.sync()
    gaps = memory.why("sums.py:1-5").unexplained
    assert [(gap.lines, gap.kind, gap.reason) for gap in gaps] == [
        (((1, 3),), "unknown", "relaid"),
        (((4, 5),), "human", "not-matched"),
    ]


def test_an_edit_after_the_commit_says_nothing_of_it(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.write("sums.py", BROKEN_UP)
    commit(base, clock, "sums by hand")
    clock.tick(600)
    claude.edit("sums.py", "checked_by_hand = total > 0\n", ONE_LINE)
    memory.sync()
    said = {line.text.strip(): line.kind for line in memory.blame("sums.py", "HEAD")}
    assert said["first_amount, second_amount,"] == "human"


def test_hours_after_the_last_turn_no_session_covers_the_time(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.says("Done for today.")
    clock.tick(1800)
    base.write("soon.py", "written_soon = True\n")
    commit(base, clock, "soon")
    clock.tick(3 * 3600)
    base.write("late.py", "written_late = True\n")
    commit(base, clock, "late")
    memory.sync()
    assert [(gap.kind, gap.reason) for gap in memory.why("soon.py:1").unexplained] == [
        ("human", "no-edit")
    ]
    assert [(gap.kind, gap.reason) for gap in memory.why("late.py:1").unexplained] == [
        ("unknown", "no-session")
    ]


def test_a_session_tells_nothing_of_what_was_committed_before_it_began(
    base: GitRepo, clock: Clock, hermetic: Path, memory: Memory
) -> None:
    base.write("early.py", "written_early = True\n")
    early = commit(base, clock, "early")
    clock.tick(45 * 60)
    session = ClaudeSession(base, hermetic, clock)
    session.prompt("Where are we?")
    session.says("At the beginning.")
    base.write("during.py", "written_during = True\n")
    commit(base, clock, "during")
    memory.sync()
    assert [(gap.kind, gap.reason) for gap in memory.why("early.py:1").unexplained] == [
        ("unknown", "no-session")
    ]
    assert [entry.reason for entry in memory.log("-1", early)] == ["no-session"]
    assert [gap.kind for gap in memory.why("during.py:1").unexplained] == ["human"]


def test_named_sessions_tell_of_their_time_and_of_none_after_it(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.says("Nothing to do here.")
    base.write("soon.py", "written_soon = True\n")
    commit(base, clock, "before the last turn")
    clock.tick(10)
    claude.says("Goodbye.")
    clock.tick(10)
    base.write("later.py", "written_later = True\n")
    commit(base, clock, "after it")
    with Stores.open(memory.repo.layout, write=True) as stores:
        index(memory.repo, stores, paths=[claude.file], adopt=True)
        catch_up(memory.repo, stores.writer)
    assert [gap.reason for gap in memory.why("soon.py:1").unexplained] == ["no-edit"]
    assert [gap.reason for gap in memory.why("later.py:1").unexplained] == ["not-read-yet"]


def test_a_line_that_an_agent_took_out_and_wrote_again_is_not_removed_by_it_later(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.write("sums.py", f"first = 1\n{ONE_LINE}")
    claude.edit("sums.py", ONE_LINE, "total = 0\n")
    clock.tick(60)
    claude.edit("sums.py", "total = 0\n", ONE_LINE)
    commit(base, clock, "sums")
    clock.tick(60)
    base.write("sums.py", "first = 1\nanother_total_by_hand = 2\n")
    by_hand = commit(base, clock, "by hand")
    memory.sync()
    assert memory.links(by_hand) == []


def test_a_session_that_goes_on_covers_what_was_committed_between(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.says("Enough for now.")
    clock.tick(5 * 3600)
    base.write("between.py", "written_between = True\n")
    between = commit(base, clock, "between")
    memory.sync()
    clock.tick(5 * 3600)
    claude.says("On it again.")
    memory.sync()
    [daily] = [entry.reason for entry in memory.log("-1", between)]
    memory.relink()
    assert daily == memory.log("-1", between)[0].reason == "no-edit"
