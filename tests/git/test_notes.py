"""Links as git notes, and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory
from scenario import EVICT, GET, commit

from funes_git import notes
from funes_git.errors import FunesError
from funes_git.imports.run import ImportReport, run
from funes_git.link.engine import catch_up
from funes_git.model import Link
from funes_git.store.stores import Stores


def link(path: str | None, *lines: tuple[int, int], turn: str = "t1") -> Link:
    return Link(
        "c" * 40, "s1", turn, "codex", "wrote", "lines", "none", "lines", 1.0, path, lines
    )  # fmt: skip


def noted(memory: Memory) -> int:
    """Write the notes; how many changed."""
    with memory.catalog() as catalog:
        return notes.write(memory.repo, catalog)


def imported(memory: Memory) -> ImportReport:
    with Stores.open(memory.repo.layout, write=True) as stores:
        report = run(memory.repo, stores, "notes")
        catch_up(memory.repo, stores.writer)
    return report


@pytest.mark.parametrize(
    "path", ["src/a.py", 'a "quoted" name', "a b:c", "-", "caf\u00e9", "line\nfeed", "\\", "a:1-2"]
)
def test_what_a_note_says_is_read_back(path: str) -> None:
    links = [link(path, (1, 3), (7, 7)), link(None), link("b.py", turn="t 2")]
    rows = notes.text(links)
    assert len(rows) == 2
    assert all(row.isascii() and len(row.split(" ")) % 3 == 0 for row in rows)
    back = {(n.turn_uuid, n.path, n.lines) for row in rows for n in notes.parse(row)}
    assert back == {
        ("t1", path, ((1, 3), (7, 7))),
        ("t1", None, ()),
        ("t 2", "b.py", ()),
    }


@pytest.mark.parametrize("row", ["", "a remark by hand", 'x "', "a b c d", '"\\ud800" b c d e f g'])
def test_what_is_no_line_of_ours_says_nothing(row: str) -> None:
    assert notes.parse(row) == []


def test_notes_show_ids_and_lines_and_no_text(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = claude.edit("cache.py", GET, EVICT)
    sha = commit(base, clock, "evict")
    memory.sync()
    assert noted(memory) == 1
    shown = base.git("log", "-1", "--notes=funes", "--format=%N")
    assert shown.strip() == f"claude_code {claude.id} {turn} lines wrote cache.py:7-11"
    assert base.git("log", "--notes=funes", "--format=%N", f"{sha}~1").strip() == ""
    assert noted(memory) == 0
    assert base.git("rev-list", "--count", notes.REF) == "1"


def test_notes_follow_the_links_and_leave_what_others_wrote(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    claude.edit("cache.py", GET, EVICT)
    sha = commit(base, clock, "evict")
    memory.sync()
    other = "codex s-of-another-machine t1 lines wrote docs.md:1"
    base.git("notes", "--ref=funes", "add", "-m", other, sha)
    base.git(
        "notes",
        "--ref=funes",
        "add",
        "-m",
        f"claude_code {claude.id} gone lines wrote x:1",
        "HEAD~1",
    )
    assert noted(memory) == 2
    rows = base.git("notes", "--ref=funes", "show", sha).splitlines()
    assert (len(rows), other in rows) == (2, True)
    assert [row.split()[1] for row in base.git("notes", "--ref=funes", "list").splitlines()] == [
        sha
    ]


def test_notes_of_another_machine_are_imported(
    base: GitRepo,
    home: Path,
    clock: Clock,
    claude: ClaudeSession,
    memory: Memory,
    tmp_path: Path,
) -> None:
    turn = claude.edit("cache.py", GET, EVICT)
    sha = commit(base, clock, "evict")
    memory.sync()
    noted(memory)
    (home / ".claude").rename(tmp_path / "away")
    folder = tmp_path / "clone"
    base.git("clone", "-q", f"file://{base.path}", str(folder))
    clone = Memory(GitRepo.at(folder))
    clone.sync()
    with pytest.raises(FunesError, match="looked for notes in refs/notes/funes"):
        imported(clone)
    GitRepo.at(folder).git("fetch", "-q", "origin", "refs/notes/*:refs/notes/*")
    report = imported(clone)
    assert (report.attributions, report.new_attributions) == (1, 1)
    (found,) = clone.links(sha)
    assert (found.level, found.source, found.turn_uuid) == ("imported", "notes", turn)
    assert (found.path, found.lines) == ("cache.py", ((7, 11),))
    assert imported(clone).new_attributions == 0
    assert clone.blame("cache.py")[8].session_id is None, "another's word answers no line"
    assert noted(clone) == 0


def test_notes_are_written_only_on_request(
    base: GitRepo,
    clock: Clock,
    claude: ClaudeSession,
    memory: Memory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from funes_git.git import Repo

    assert not notes.wanted(memory.repo)
    base.git("config", "funes.notes", "true")
    assert notes.wanted(Repo.discover(base.path))
    base.git("config", "funes.notes", "false")
    assert not notes.wanted(Repo.discover(base.path))
    monkeypatch.setenv("FUNES_GIT_NOTES", "1")
    assert notes.wanted(Repo.discover(base.path))
