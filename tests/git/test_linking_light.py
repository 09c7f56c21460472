"""A line that says little is an agent's where the commit shows what the edit did besides."""

from __future__ import annotations

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory
from scenario import commit

HEAD = "import os\n\nlimit = 3\n"
REST = "\n".join(f"step_{n} = run_the_step({n})" for n in range(9)) + "\n"


def kinds(memory: Memory, path: str) -> dict[str, str]:
    """Who wrote each line of a file, by its text."""
    return {line.text: line.kind for line in memory.blame(path)}


@pytest.mark.parametrize(("kept", "kind"), [("", "agent"), ("limit = 3\n", "unknown")])
def test_a_line_that_a_person_moved_goes_with_the_one_that_it_replaced(
    base: GitRepo,
    clock: Clock,
    claude: ClaudeSession,
    memory: Memory,
    kept: str,
    kind: str,
) -> None:
    """But not where that one stays: then it may as well be a person's."""
    base.write("steps.py", HEAD + REST)
    commit(base, clock, "steps")
    claude.prompt("Only two at once")
    claude.edit("steps.py", "limit = 3", "most = 2")
    base.write("steps.py", f"import os\n\n{kept}{REST}most = 2\n")
    commit(base, clock, "two at once")
    memory.sync()
    assert kinds(memory, "steps.py")["most = 2"] == kind


def test_the_one_line_of_a_file_is_replaced(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.write("version.txt", "release 1.4\n")
    commit(base, clock, "version")
    claude.prompt("The next version")
    claude.edit("version.txt", "release 1.4", "release 1.5")
    commit(base, clock, "next")
    memory.sync()
    assert kinds(memory, "version.txt") == {"release 1.5": "agent"}


def test_the_line_that_a_new_file_began_with(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.prompt("A place for the limits")
    claude.write("limits.py", "most = 2\n")
    base.write("limits.py", "import os\n" + REST + "most = 2\n" + REST.upper())
    commit(base, clock, "limits")
    memory.sync()
    assert kinds(memory, "limits.py")["most = 2"] == "agent"


def test_a_line_comes_back_between_the_lines_that_it_stood_between(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """Most of the edit that wrote it never came back."""
    claude.prompt("The steps")
    claude.write("steps.py", HEAD + REST)
    commit(base, clock, "steps")
    base.write("steps.py", "first = 1\nlimit = 3\nlast = 9\n")
    commit(base, clock, "by hand")
    base.write("steps.py", "first = 1\nlast = 9\n")
    commit(base, clock, "no limit")
    base.git("revert", "--no-edit", "HEAD")
    memory.sync()
    assert kinds(memory, "steps.py")["limit = 3"] == "agent"
