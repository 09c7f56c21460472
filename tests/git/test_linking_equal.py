"""Equal lines that two edits put at two places of one file: each is the edit's that put it there,
whichever edit is the newer."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory
from scenario import commit

from funes_git.link.explain import explain

CHECK = """\
    if is_below_the_skills_folder(path):
        skipped_paths.append(path)
        count_the_skipped_path(path)
        remember_why(path, "it belongs to a skill")

"""

LINKS, IMAGES = "def collect_the_links(text):\n", "def collect_the_images(text):\n"

BODY = """\
    found = []
    for line in lines_of(text):
        found += paths_on(line)
    path = resolve_the_path(found)

    if was_seen_before(path):
        return None
    return path
"""
"""What follows both heads: three lines on each side of the check are the same."""


def insert(session: ClaudeSession, path: str, head: str, body: str, marks: str = "") -> str:
    """The agent puts CHECK into the function with this head; the turn."""
    session.prompt(f"Skip what belongs to skills in {head}")
    first = body.split("\n\n")[0] + "\n\n"
    return session.edit(path, head + first, head + marks + first + CHECK)


def turns(memory: Memory, path: str, text: str = "skipped_paths.append(path)") -> list[str | None]:
    """The turns that are named for each of the lines with this text, from above."""
    return [line.turn_uuid for line in memory.blame(path) if line.text.strip() == text]


@pytest.mark.parametrize("order", [(LINKS, IMAGES), (IMAGES, LINKS)])
@pytest.mark.parametrize("sessions", [1, 2])
def test_each_edit_has_the_lines_that_stand_between_its_neighbours(
    base: GitRepo,
    home: Path,
    clock: Clock,
    claude: ClaudeSession,
    memory: Memory,
    order: tuple[str, str],
    sessions: int,
) -> None:
    """The lines above the check are the same in both functions, the line below is not."""
    other = BODY.replace("\n\n    if", "\n\n    # each image once\n    if")
    above = "".join(f"# by hand, {n}\n" for n in range(200))
    base.write("paths.py", LINKS + BODY + "\n\n" + IMAGES + other)
    commit(base, clock, "collect")
    by = {LINKS: claude, IMAGES: ClaudeSession(base, home, clock) if sessions == 2 else claude}
    found = {head: insert(by[head], "paths.py", head, BODY) for head in order}
    base.write("paths.py", above + (base.path / "paths.py").read_text())
    commit(base, clock, "skip, below a long remark")
    memory.sync()
    assert turns(memory, "paths.py") == [found[LINKS], found[IMAGES]]
    with memory.catalog() as catalog:
        parts = explain(memory.repo, catalog, "HEAD").parts
    lost = {p.link.turn_uuid: p.runner_up.lost for p in parts if p.link and p.runner_up}
    assert lost == {found[order[0]]: "elsewhere", found[order[1]]: "older"}


@pytest.mark.parametrize("order", [(LINKS, IMAGES), (IMAGES, LINKS)])
@pytest.mark.parametrize("anchored", [False, True])
def test_between_equal_neighbours_each_edit_has_the_lines_nearest_to_where_it_was(
    base: GitRepo,
    clock: Clock,
    claude: ClaudeSession,
    memory: Memory,
    order: tuple[str, str],
    anchored: bool,
) -> None:
    """Where the file has grown above, that is told from the other lines of the edit."""
    base.write("paths.py", LINKS + BODY + "\n\n" + IMAGES + BODY)
    commit(base, clock, "collect")
    marks = {
        head: f"    # {head[4:-1]} leaves out\n    # skills, see {n}\n" + "    pass\n" * 6
        for n, head in enumerate(order)
    }
    found = {
        head: insert(claude, "paths.py", head, BODY, marks[head] if anchored else "")
        for head in order
    }
    if anchored:
        above = "".join(f"# by hand, {n}\n" for n in range(200))
        base.write("paths.py", above + (base.path / "paths.py").read_text())
    commit(base, clock, "skip")
    memory.sync()
    assert turns(memory, "paths.py") == [found[LINKS], found[IMAGES]]


def test_of_two_edits_the_commit_shows_the_one_whose_place_it_has(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """One of two equal hunks is staged: it is not the newer edit's, which is committed next."""
    other = BODY.replace("\n\n    if", "\n\n    # each image once\n    if")
    base.write("paths.py", LINKS + BODY + "\n\n" + IMAGES + other)
    commit(base, clock, "collect")
    first = insert(claude, "paths.py", LINKS, BODY)
    half = (base.path / "paths.py").read_text()
    second = insert(claude, "paths.py", IMAGES, BODY)
    whole = (base.path / "paths.py").read_text()
    base.write("paths.py", half)
    commit(base, clock, "links")
    base.write("paths.py", whole)
    commit(base, clock, "images")
    memory.sync()
    assert turns(memory, "paths.py") == [first, second]


@pytest.mark.parametrize("sessions", [1, 2])
def test_of_two_sessions_neither_is_named_where_order_and_distance_disagree(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory, sessions: int
) -> None:
    """Nothing tells the two places apart but where they were, and the file has grown above."""
    base.write("paths.py", LINKS + BODY + "\n\n" + IMAGES + BODY)
    commit(base, clock, "collect")
    other = ClaudeSession(base, home, clock) if sessions == 2 else claude
    first = insert(claude, "paths.py", LINKS, BODY)
    second = insert(other, "paths.py", IMAGES, BODY)
    above = "".join(f"# by hand, {n}\n" for n in range(200))
    base.write("paths.py", above + (base.path / "paths.py").read_text())
    commit(base, clock, "skip, below a long remark")
    memory.sync()
    found = turns(memory, "paths.py")
    assert found == [None, None] if sessions == 2 else set(found) == {first, second}


def test_a_line_removed_here_is_not_gone_from_the_file_that_this_one_was_copied_from(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """Both files were once one, and each has such a line: the agent's stands in the other."""
    said = "    logger.info('the request is finished')\n"
    head = "def handle_the_request(request):\n"
    base.write("first.py", head + BODY)
    commit(base, clock, "handle")
    base.git("mv", "first.py", "second.py")
    commit(base, clock, "rename")
    base.git("checkout", "HEAD~1", "--", "first.py")
    commit(base, clock, "and keep the first")
    claude.prompt("Say when it is done")
    claude.edit("first.py", head, head + said + CHECK)
    commit(base, clock, "say it")
    base.write("second.py", head + said + BODY)
    commit(base, clock, "say it here too, by hand")
    claude.prompt("Not in the second")
    claude.edit("second.py", said, "")
    commit(base, clock, "say it once")
    base.write("second.py", head + said + BODY)
    commit(base, clock, "by hand again")
    memory.sync()
    assert turns(memory, "second.py", said.strip()) == [None]
    assert turns(memory, "first.py", said.strip()) != [None]
