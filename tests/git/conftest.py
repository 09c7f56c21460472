"""The cast of the linking scenarios: a repository, its clock, an agent at work and the memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory
from scenario import CACHE


@pytest.fixture
def home(hermetic: Path) -> Path:
    return hermetic


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def base(repo: GitRepo, clock: Clock) -> GitRepo:
    """A repository whose first commit a person made."""
    repo.write("cache.py", CACHE)
    repo.write("docs.md", "# Docs\n")
    repo.commit("start", date=clock.now)
    clock.tick(60)
    return repo


@pytest.fixture
def memory(base: GitRepo) -> Memory:
    return Memory(base)


@pytest.fixture
def claude(base: GitRepo, home: Path, clock: Clock) -> ClaudeSession:
    session = ClaudeSession(base, home, clock)
    session.prompt("Add eviction to the cache")
    session.says("I will evict the oldest entry, as dicts keep insertion order.")
    return session
