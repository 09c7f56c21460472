"""Real sessions of each agent with the repository that they left: `why` names the turn.

`tests/data/<agent>/home` is what the agent wrote, `repo.bundle` what git kept. The agents ran in
`/home/dev/agents/<folder>`: that path is replaced by the clone's wherever it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers import GitRepo
from memory import Memory

from funes_git.model import Answer

DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True)
class Case:
    """One agent's session: where it ran, and the turns behind three lines."""

    agent: str
    folder: str
    edit: str
    """The turn that changed `app.py`."""
    write: str
    """The turn that wrote `test_app.py`."""
    shell: str
    """The turn whose command wrote `README.md`."""


CASES = (Case("pi", "/home/dev/agents/repo-pi", "1d74b1e4", "b892d722", "bfabe286"),)
PROMPT = "Make greet return hello, test it and commit."
SECOND = "Second prompt: write a readme."


@pytest.fixture(params=CASES, ids=lambda case: case.agent)
def case(request: pytest.FixtureRequest) -> Case:
    assert isinstance(request.param, Case)
    return request.param


@pytest.fixture
def memory(case: Case, repo: GitRepo, hermetic: Path) -> Memory:
    """The repository with everything that the agent wrote, indexed and linked."""
    repo.git("pull", "-q", str(DATA / case.agent / "repo.bundle"), "HEAD")
    top = DATA / case.agent / "home"
    for file in (path for path in top.rglob("*") if path.is_file()):
        copy = hermetic / file.relative_to(top)
        copy.parent.mkdir(parents=True, exist_ok=True)
        moved = file.read_bytes().replace(case.folder.encode(), str(repo.path).encode())
        copy.write_bytes(moved)
    memory = Memory(repo)
    memory.sync()
    return memory


def answer(memory: Memory, target: str) -> Answer:
    (found,) = memory.why(target).answers
    return found


def test_an_edit_answers_for_its_line(case: Case, memory: Memory) -> None:
    found = answer(memory, "app.py:2")
    assert (found.link.harness, found.link.turn_uuid) == (case.agent, case.edit)
    assert (found.link.level, found.prompt) == ("exact", PROMPT)


def test_a_new_file_answers_for_its_lines(case: Case, memory: Memory) -> None:
    found = answer(memory, "test_app.py:4")
    assert (found.link.turn_uuid, found.link.level) == (case.write, "exact")


def test_a_command_answers_for_what_it_wrote(case: Case, memory: Memory) -> None:
    found = answer(memory, "README.md:1")
    assert (found.link.turn_uuid, found.prompt) == (case.shell, SECOND)
