"""Which exchanges stand behind commits."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock, CodexSession
from helpers import GitRepo
from memory import Memory

from funes_git.publish import draft, select
from funes_git.publish.part import Part
from funes_git.publish.span import resolve
from funes_git.store.decisions import Decisions
from funes_git.store.lance import LanceMemory
from funes_git.store.lock import FileLock

TABLE = "def table(rows):\n    return sorted(rows, key=len)[:4096]\n"


@pytest.fixture
def memory(repo: GitRepo, hermetic: Path) -> Memory:
    """A session that asks for two things, of which a sub-agent does the second; and one of another
    agent that only talks."""
    clock = Clock()
    repo.write("README.md", "# widget\n")
    repo.commit("Start", date=clock.now)
    repo.git("tag", "v1.0.0")
    claude = ClaudeSession(repo, hermetic, clock)
    claude.prompt("What is a widget, by the way?")
    claude.says("A small thing.")
    claude.prompt("Write the table, with help")
    child = claude.subagent("Write table.py")
    child.thinks("Sorted by length it shall be.")
    child.write("table.py", TABLE)
    claude.bash("git add -A && git commit -qm 'Add the table' && git rev-parse HEAD")
    codex = CodexSession(repo, hermetic, clock)
    codex.prompt("Is it any good?")
    found = Memory(repo)
    found.sync()
    return found


def drafted(memory: Memory, scope: draft.Scope = "exchanges") -> draft.Draft:
    with memory.catalog() as catalog:
        lance = LanceMemory.open(memory.repo.layout.memory)
        return draft.make(memory.repo, catalog, lance, resolve(memory.repo, "HEAD"), scope=scope)


def texts(part: Part) -> list[str]:
    return [b.text for s in part.turns for b in s.turn.blocks if b.type in ("text", "thinking")]


def test_the_prompt_of_a_sub_agents_work_comes_with_it(memory: Memory) -> None:
    (one,) = drafted(memory).candidates
    assert "Write the table, with help" in texts(one.part)
    assert "Sorted by length it shall be." in texts(one.part)
    assert "What is a widget, by the way?" not in texts(one.part)
    assert len(one.part.exchanges) == 1
    assert one.prompt == "Write the table, with help"
    assert [edit.path for edit in one.part.edits] == ["table.py"]
    assert {link.level for link in one.part.links} <= select.LEVELS


def test_whole_sessions_where_that_is_asked_for(memory: Memory) -> None:
    (one,) = drafted(memory, "sessions").candidates
    assert "What is a widget, by the way?" in texts(one.part)
    assert len(one.part.exchanges) == 2


def test_what_is_decided_holds_for_the_same_words(memory: Memory) -> None:
    first = drafted(memory, "sessions")
    (one,) = first.candidates
    layout = memory.repo.layout
    with FileLock.take(layout.write_lock), Decisions.open(layout.decisions) as decisions:
        draft.recall(first, decisions)
        assert one.verdict == "pending"
        draft.decide(decisions, one, "excluded", one.part.exchanges[:1])
        draft.decide(decisions, one, "included", one.part.exchanges[1:])
        assert one.verdict == "partly"
        (chosen,) = first.chosen()
        assert "What is a widget, by the way?" not in texts(chosen.part)
        later = drafted(memory)  # the second exchange alone: it was looked at
        draft.recall(later, decisions)
        assert [each.verdict for each in later.candidates] == ["included"]
