"""What a bot committed is a bot's in every answer, never a person's."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory

from funes_git.render import agent, history, json
from funes_git.render.page import Page
from funes_git.render.why import why

NEXT = "- the next release, which has no number yet"
NOTES = f"# Changelog\n\n- the release that a person wrote\n{NEXT}\n"
RELEASED = NOTES.replace(NEXT, "- 0.15.1, the release of today")


@pytest.fixture
def memory(repo: GitRepo, hermetic: Path) -> Memory:
    """A release by a bot, at a time when a session is at work that has no part in it."""
    clock = Clock()
    repo.write("CHANGELOG.md", NOTES)
    repo.commit("start", date=clock.now)
    claude = ClaudeSession(repo, hermetic, clock)
    claude.prompt("Write the first module of the package, please")
    claude.write("first.py", "first_module = 'of the package'\n")
    repo.commit("first", date=clock.tick(60))
    repo.write("CHANGELOG.md", RELEASED)
    stamp = f"{int(clock.tick(60))} +0000"
    env = {"GIT_AUTHOR_NAME": "cipherbox-release[bot]", "GIT_COMMITTER_DATE": stamp}
    repo.git("commit", "-qam", "release", env=env)
    found = Memory(repo)
    found.sync()
    return found


def test_a_bots_lines_commit_and_deletion(memory: Memory) -> None:
    assert memory.log("-1")[0].reason == "bot"
    commit = memory.why("HEAD")
    for found in (memory.why("CHANGELOG.md:4"), commit, memory.deleted(NEXT)):
        (gap,) = found.unexplained
        assert (gap.kind, gap.reason) == ("bot", "bot")
        assert json.why(found)["unexplained"][0]["kind"] == "bot"
    assert commit.shares is not None
    assert [part.kind for file in commit.shares.files for part in file.parts] == ["bot"]


@pytest.mark.parametrize(
    ("chosen", "people", "agents"),
    [
        ("line", "Line 4: a bot committed this", "line 4: bot ·"),
        ("commit", "100 %  a bot", "100 % a bot"),
        ("deleted", "  deleted by a bot", "deleted by a bot"),
        ("chain", "changed by a bot", "changed by a bot"),
    ],
)
def test_a_bot_is_named_in_words(memory: Memory, chosen: str, people: str, agents: str) -> None:
    found = {
        "line": lambda: memory.why("CHANGELOG.md:4"),
        "commit": lambda: memory.why("HEAD"),
        "deleted": lambda: memory.deleted(NEXT),
        "chain": lambda: memory.chain("CHANGELOG.md:4"),
    }[chosen]()
    assert people in "\n".join(why(Page(80), found))
    assert agents in "\n".join(agent.why(found))


def test_a_bots_line_in_blame(memory: Memory) -> None:
    rows = memory.blame("CHANGELOG.md")
    assert [row.kind == "bot" for row in rows] == [False, False, False, True]
    assert json.blame("CHANGELOG.md", rows)["lines"][3]["author"]["kind"] == "bot"
    assert "cipherbox-release[bot], bot " in list(history.blame(Page(80), rows))[3]
    assert "line 4 · bot ·" in "\n".join(agent.blame("CHANGELOG.md", rows))
