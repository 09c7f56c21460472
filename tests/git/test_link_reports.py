"""`link --coverage` and `link --explain`: how much is tied to turns, and on what evidence."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock, CodexSession
from helpers import GitRepo
from memory import Memory

from funes_git.errors import UnknownTarget
from funes_git.link.explain import THRESHOLDS, Explanation, explain
from funes_git.link.survey import Survey, survey
from funes_git.render import linking
from funes_git.render.page import Page

START = "".join(f"line number {n} of the file\n" for n in range(1, 8))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def base(repo: GitRepo, clock: Clock) -> GitRepo:
    repo.write("notes.py", START)
    repo.commit("start", date=clock.now - 500_000)
    return repo


@pytest.fixture
def claude(base: GitRepo, hermetic: Path, clock: Clock) -> ClaudeSession:
    session = ClaudeSession(base, hermetic, clock)
    session.prompt("Put some lines of the notes file into other words, please")
    return session


@pytest.fixture
def memory(base: GitRepo) -> Memory:
    return Memory(base)


def surveyed(memory: Memory, *revs: str) -> Survey:
    with memory.catalog() as catalog:
        return survey(memory.repo, catalog, revs)


def explained(memory: Memory, rev: str) -> Explanation:
    with memory.catalog() as catalog:
        return explain(memory.repo, catalog, rev)


def said(found: Explanation) -> str:
    return "\n".join(linking.explanation(Page(120), found))


def test_commits_and_lines_are_counted_by_level_and_by_reason(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("notes.py", "line number 3 of the file\n", "the third, as the agent put it\n")
    base.write("notes.py", (base.path / "notes.py").read_text() + "and one by hand\n")
    base.commit("agent and person", date=clock.tick(30))
    base.write("other.py", "by_hand_alone = 1\nand_one_more = 2\n")
    base.commit("by hand", date=clock.tick(30))
    memory.sync()
    found = surveyed(memory)
    assert (found.commits, found.lines) == (3, 7 + 2 + 2)
    assert (found.linked, found.linked_lines) == ({"lines": 1}, {"lines": 1})
    assert found.unlinked == {"no-session": 1, "no-edit": 1}
    assert +found.unlinked_lines == {"no-session": 7, "not-matched": 1, "no-edit": 2}
    assert surveyed(memory, "HEAD~1..HEAD").unlinked == {"no-edit": 1}
    rows = list(linking.survey(Page(120), found))
    assert rows[0] == "1 of 3 commits of HEAD and 1 of 11 added lines tied to turns"
    advice = rows[rows.index("to improve it:") + 1 :]
    assert [row.split()[0] for row in advice] == ["no-session", "no-edit", "not-matched"]
    assert advice[0].split()[1:5] == ["git", "funes", "index", "--adopt"]
    found.unlinked_lines["not-distinctive"] = 1
    rows = list(linking.survey(Page(120), found, "HEAD~1..HEAD"))
    assert " of HEAD~1..HEAD and " in rows[0]
    for name in ("not-matched", "not-distinctive"):  # of the same command
        assert f"  {name:<15}  git funes recall QUERY   (what sessions said about it)" in rows
    del found.unlinked_lines["not-distinctive"]
    told = linking.survey_json(found)
    assert told["levels"]["lines"] == {"commits": 1, "lines": 1}
    assert told["reasons"]["no-session"]["next"].startswith("git funes index --adopt")


def test_the_survey_says_what_has_no_advice(base: GitRepo, memory: Memory, clock: Clock) -> None:
    base.git("commit", "-q", "--allow-empty", "-m", "empty")
    memory.sync()
    assert linking.survey_json(surveyed(memory, "HEAD~1..HEAD"))["reasons"] == {
        "empty": {"commits": 1, "lines": 0, "next": None}
    }


def test_a_link_is_explained_by_its_lines_and_the_runner_up(
    base: GitRepo, hermetic: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    codex = CodexSession(base, hermetic, clock)
    codex.prompt("Put the third line into other words")
    codex.patch("notes.py", "line number 3 of the file\n", "the third, as an agent put it\n")
    base.git("checkout", "-q", "notes.py")
    clock.tick(60)
    turn = claude.edit(
        "notes.py",
        "line number 3 of the file\n",
        "the third, as an agent put it\nwith one more after it\n}\n",
    )
    sha = base.commit("third", date=clock.tick(30))
    memory.sync()
    found = explained(memory, sha)
    (part,) = found.parts
    assert part.link is not None
    assert part.link.turn_uuid == turn
    assert [(e.number, e.weight) for e in part.lines] == [(3, 1.0), (4, 1.0), (5, 0.0)]
    assert part.weight == part.link.score == 2.0
    assert part.runner_up is not None
    assert (part.runner_up.harness, part.runner_up.lines, part.runner_up.lost) == (
        "codex",
        1,
        "less",
    )
    assert "rarest: line 3 (1.00), line 4 (1.00), line 5 (0.00)" in said(found)
    assert "runner-up: Codex" in said(found)
    assert linking.explanation_json(found)["thresholds"] == THRESHOLDS


def test_what_is_not_believed_is_named_with_its_nearest_edit(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.write("notes.py", START.replace("line number 3 of the file\n", "x = 1\n"))
    sha = base.commit("by hand", date=clock.tick(30))
    clock.tick(300)
    claude.edit("notes.py", "x = 1\n", "the third line, after the commit\nx = 1\nx = 2\n")
    claude.edit("notes.py", "x = 2\n", "x = 1\n")
    memory.sync()
    (part,) = explained(memory, sha).parts
    assert part.link is None
    assert part.runner_up is not None
    assert part.runner_up.lost == "later"
    assert "no edit explains 1 line weighs" in said(explained(memory, sha))


def test_an_unlinked_commit_is_explained_by_its_reason(base: GitRepo, memory: Memory) -> None:
    memory.sync()
    found = explained(memory, "HEAD")
    assert found.reason == "no-session"
    assert "no link: no indexed session covers this time" in said(found)
    with pytest.raises(UnknownTarget):
        explained(memory, "nothing")


def test_a_derived_link_names_the_commit_that_it_came_of(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("notes.py", "line number 3 of the file\n", "the third, as the agent put it\n")
    old = base.commit("third", date=clock.tick(30))
    base.git("commit", "-q", "--amend", "-m", "the third line")
    memory.sync()
    found = explained(memory, "HEAD")
    assert f"the commit was amended from {old[:7]}" in said(found)
    assert surveyed(memory).linked == {"derived": 1}
