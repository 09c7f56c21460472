"""A line that says little is an agent's where the commit shows what the edit did besides."""

from __future__ import annotations

from pathlib import Path

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


SAID, SKIP = "    logger.info('the request is finished')\n", "        continue\n"
FIRST, SECOND = "answer = find_the_answer(request)\n", "keep_the_answer(request, answer)\n"
THIRD = "forget_the_request(request)\n"
START = "def handle_the_request(request):\n    return None\n"


@pytest.mark.parametrize(
    ("written", "committed"),
    [
        # everyone writes it, and only the line above is the agent's
        (SKIP, f"{START}{SKIP}by_hand = 1\n"),
        # it stands near the agent's lines, and twice in the file
        (f"{FIRST}{SECOND}{SAID}", f"{SAID}{START}{FIRST}{SECOND}by_hand = 1\n{SAID}by_hand = 2\n"),
        # it stands where the agent's line stood, between other lines
        (f"{FIRST}{SAID}{SECOND}", f"{SAID}{START}{FIRST}by_hand = 1\n{SAID}by_hand = 2\n{SECOND}"),
        # the agent wrote it twice, and neither time there
        (f"{SAID}{FIRST}{SAID}{SECOND}", f"{START}{SAID}by_hand = 1\n"),
    ],
)
def test_a_line_that_says_not_whose_it_is_is_only_the_edits_between_its_lines(
    base: GitRepo,
    clock: Clock,
    claude: ClaudeSession,
    memory: Memory,
    written: str,
    committed: str,
) -> None:
    base.write("serve.py", START + THIRD)
    commit(base, clock, "serve")
    claude.prompt("Find the answer, and keep it")
    claude.edit("serve.py", f"    return None\n{THIRD}", f"    return None\n{written}{THIRD}")
    base.write("serve.py", committed)
    commit(base, clock, "by hand")
    memory.sync()
    said = {(line.text.strip(), line.kind) for line in memory.blame("serve.py")}
    both = {(text.strip(), "agent") for text in (FIRST, SECOND) if text in committed}
    assert {(text, kind) for text, kind in said if kind == "agent"} == both


@pytest.mark.parametrize("by", ["person", "session"])
def test_a_line_that_stood_here_before_any_edit_wrote_it(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory, by: str
) -> None:
    """It stands below the line that the agent put it below, and is back above its old one."""
    base.write("serve.py", f"{FIRST}{SAID}{SECOND}" if by == "person" else FIRST + SECOND)
    commit(base, clock, "serve")
    if by == "session":
        other = ClaudeSession(base, home, clock)
        other.prompt("Say it")
        other.edit("serve.py", FIRST, FIRST + SAID)
        commit(base, clock, "say it")
    claude.prompt("Not so loud")
    claude.edit("serve.py", SAID, "quiet = 1\n")
    commit(base, clock, "quiet")
    claude.edit("serve.py", f"quiet = 1\n{SECOND}", f"{SAID}{THIRD}")
    base.write("serve.py", f"{FIRST}{SAID}{SECOND}")
    commit(base, clock, "by hand")
    memory.sync()
    found = {line.text.strip(): line.session_id for line in memory.blame("serve.py")}
    assert found[SAID.strip()] != claude.id
