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
    """One agent's session: where it ran, what it was asked, and the turns behind three lines."""

    agent: str
    folder: str
    prompt: str
    edit: str
    """The turn that changed `app.py`."""
    write: str = ""
    """The turn that wrote `test_app.py`."""
    shell: str = ""
    """The turn whose command wrote `README.md`."""
    printed: str = ""
    """The commit that the session printed, where its repository was not kept."""
    date: float = 0
    """When that commit was made."""


CASES = (
    Case(
        agent="pi",
        folder="/home/dev/agents/repo-pi",
        prompt="Make greet return hello, test it and commit.",
        edit="1d74b1e4",
        write="b892d722",
        shell="bfabe286",
    ),
    Case(
        agent="gemini",
        folder="/home/dev/agents/repo-gem",
        prompt="Make greet return hello and commit.",
        edit="f2400ce3-781f-41d3-965f-85a58bc2606e",
        printed="a93d17a",
        date=1796014675,
    ),
    Case(
        agent="qwen",
        folder="/home/dev/agents/repo-qwen",
        prompt="Make greet return hello and commit.",
        edit="258286d1-6910-473a-bec7-3cf01e74a823",
        printed="c09eed4",
        date=1796015747,
    ),
    Case(
        agent="copilot",
        folder="/home/dev/agents/repo-cop",
        prompt="Make greet return hello and commit.",
        edit="18f010bf-309f-4a88-8e4b-930f70cbe023",
        printed="063b85f",
        date=1796014921,
    ),
    Case(
        agent="droid",
        folder="/home/dev/agents/repo-droid",
        prompt="Make greet return hello and commit.",
        edit="00000000-0000-4000-8000-000000000103",
        printed="a1b2c3d",
        date=1796018405,
    ),
)
SECOND = "Second prompt: write a readme."
BEFORE = 'def greet():\n    return "hi"\n'
AFTER = 'def greet():\n    return "hello"\n'


@pytest.fixture(params=CASES, ids=lambda case: case.agent)
def case(request: pytest.FixtureRequest) -> Case:
    assert isinstance(request.param, Case)
    return request.param


def history(case: Case, repo: GitRepo) -> str:
    """The repository after the session. Where it was not kept, one like it: then the id that its
    commit has instead of the printed one."""
    if not case.printed:
        repo.git("pull", "-q", str(DATA / case.agent / "repo.bundle"), "HEAD")
        return ""
    repo.write("app.py", BEFORE)
    repo.commit("init", date=case.date - 3600)
    repo.write("app.py", AFTER)
    return repo.commit("Make greet say hello", date=case.date)[:7]


@pytest.fixture
def memory(case: Case, repo: GitRepo, hermetic: Path) -> Memory:
    """The repository with everything that the agent wrote, indexed and linked."""
    made = history(case, repo)
    top = DATA / case.agent / "home"
    for file in (path for path in top.rglob("*") if path.is_file()):
        copy = hermetic / file.relative_to(top)
        copy.parent.mkdir(parents=True, exist_ok=True)
        moved = file.read_bytes().replace(case.folder.encode(), str(repo.path).encode())
        copy.write_bytes(moved.replace(case.printed.encode(), made.encode()) if made else moved)
    memory = Memory(repo)
    memory.sync()
    return memory


def answer(memory: Memory, target: str) -> Answer:
    (found,) = memory.why(target).answers
    return found


def test_an_edit_answers_for_its_line(case: Case, memory: Memory) -> None:
    found = answer(memory, "app.py:2")
    assert (found.link.harness, found.link.turn_uuid) == (case.agent, case.edit)
    assert (found.link.level, found.prompt) == ("exact", case.prompt)


def test_a_fork_that_is_read_first_leaves_the_prompt_to_be_found(
    repo: GitRepo, hermetic: Path
) -> None:
    """The copies in a fork are the same turns, and stored once."""
    case = CASES[0]
    history(case, repo)
    memory = Memory(repo)
    original, fork = sorted((DATA / "pi" / "home").rglob("*.jsonl"))
    for session in (fork, original):
        copy = hermetic / session.relative_to(DATA / "pi" / "home")
        copy.parent.mkdir(parents=True, exist_ok=True)
        moved = session.read_bytes().replace(case.folder.encode(), str(repo.path).encode())
        copy.write_bytes(moved)
        memory.sync()
    assert answer(memory, "app.py:2").prompt == case.prompt


@pytest.mark.parametrize("case", [c for c in CASES if c.write], ids=lambda c: c.agent)
def test_a_new_file_answers_for_its_lines(case: Case, memory: Memory) -> None:
    found = answer(memory, "test_app.py:4")
    assert (found.link.turn_uuid, found.link.level) == (case.write, "exact")


@pytest.mark.parametrize("case", [c for c in CASES if c.shell], ids=lambda c: c.agent)
def test_a_command_answers_for_what_it_wrote(case: Case, memory: Memory) -> None:
    found = answer(memory, "README.md:1")
    assert (found.link.turn_uuid, found.prompt) == (case.shell, SECOND)
