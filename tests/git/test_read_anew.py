"""Sessions that a parser has read before it got better are read again by the next `index`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import notes_agent
import pytest
from agents import ClaudeSession
from helpers import GitRepo
from imports import imported, orphan
from memory import Memory

import funes_git_parsers
from funes_git import forget, ingest
from funes_git.git import Repo
from funes_git.ingest import IndexReport
from funes_git.progress import Progress
from funes_git.store.stores import Stores
from funes_git_parsers import claude as claude_parser
from funes_git_parsers.base import Item, Opener, Restart, Source, Turn

EDIT = {"path": "src/a.py", "old": "one = 1", "new": "one = 7"}


@pytest.fixture
def project(repo: GitRepo) -> GitRepo:
    repo.write("src/a.py", "one = 1\n")
    repo.commit("first")
    return repo


@pytest.fixture
def memory(project: GitRepo) -> Memory:
    return Memory(project)


def index(repo: GitRepo, *paths: Path, adopt: bool = False) -> IndexReport:
    found = Repo.discover(repo.path)
    with Stores.open(found.layout, write=True) as stores:
        return ingest.index(found, stores, paths=paths, adopt=adopt)


def turns(memory: Memory, session_id: str) -> dict[str, bool]:
    """Words of each turn of a session → whether it was taken back."""
    with memory.catalog() as catalog:
        found = list(catalog.turns_of(session_id))
    return {turn.blocks[0].text: retracted for turn, retracted, _ in found}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Source]:
    """What Claude's parser has read."""
    original, found = claude_parser.read, []

    def counted(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
        found.append(source)
        return original(source, cursor, open_file)

    monkeypatch.setattr(claude_parser, "read", counted)
    return found


def test_once_and_nothing_is_lost_or_told_where_it_yields_the_same(
    project: GitRepo,
    hermetic: Path,
    memory: Memory,
    read: list[Source],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("Seven, please")
    claude.edit("src/a.py", "one = 1", "one = 7")
    sha = project.commit("seven", date=claude.clock.tick(60))
    gone = ClaudeSession(project, hermetic)
    gone.prompt("forget this")
    memory.sync()
    with Stores.open(memory.repo.layout, write=True) as stores:
        forget.forget(memory.repo, stores, [("session", gone.id)])
    memory.sync()
    links = memory.links(sha)
    assert links
    read.clear()
    monkeypatch.setattr(claude_parser, "REVISION", 2, raising=False)
    report = index(project)
    assert {source.path for source in read} == {claude.file, gone.file}
    assert (report.sessions, report.turns, report.edits, report.chunks) == (0, 0, 0, 0)
    assert memory.links(sha) == links
    assert not any(turns(memory, claude.id).values())
    assert turns(memory, gone.id) == {}
    read.clear()
    index(project)
    assert read == []
    claude.says("It is done.")
    assert index(project).turns == 1


def test_what_it_finds_now_is_added_and_what_it_no_longer_yields_is_marked(
    project: GitRepo, hermetic: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("Seven, please")
    claude.says("noise")
    claude.says("Done.")
    index(project)
    original = claude_parser.read

    def better(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
        for item in original(source, cursor, open_file):
            if isinstance(item, Turn) and item.blocks[0].text != "noise":
                yield replace(item, model="m-2")
            elif not isinstance(item, Turn):
                yield item

    monkeypatch.setattr(claude_parser, "read", better)
    monkeypatch.setattr(claude_parser, "REVISION", 2, raising=False)
    assert index(project).turns == 0
    assert turns(memory, claude.id) == {"Seven, please": False, "noise": True, "Done.": False}
    with memory.catalog() as catalog:
        assert {
            turn.model for turn, taken_back, _ in catalog.turns_of(claude.id) if not taken_back
        } == {"m-2"}


@pytest.mark.parametrize("nonsense", ["two", None, -1, 10**12])
def test_a_revision_that_is_none_stops_nothing(
    project: GitRepo, hermetic: Path, monkeypatch: pytest.MonkeyPatch, nonsense: object
) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("Seven, please")
    monkeypatch.setattr(claude_parser, "REVISION", nonsense, raising=False)
    assert index(project).turns == 1
    claude.says("Done.")
    assert index(project).turns == 1


def test_an_adopted_session_stays_adopted(
    project: GitRepo, tmp_path: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "other"
    claude = ClaudeSession(GitRepo(tmp_path / "elsewhere"), home)
    claude.repo.write("src/a.py", "one = 1\n")
    claude.prompt("Seven, please")
    claude.edit("src/a.py", "one = 1", "one = 7")
    assert index(project, home, adopt=True).edits == 1
    monkeypatch.setattr(claude_parser, "REVISION", 3, raising=False)
    assert index(project, home).edits == 0
    claude.edit("src/a.py", "one = 7", "one = 8")
    assert index(project, home).edits == 1


def test_what_was_imported_is_imported_again(
    project: GitRepo,
    hermetic: Path,
    memory: Memory,
    read: list[Source],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("Seven, please")
    folder = "0b/6dc504670c/0"
    about = f'{{"session_id": "{claude.id}", "agent": "Claude Code"}}'.encode()
    text = claude.file.read_bytes()
    claude.file.unlink()
    orphan(
        project,
        "refs/heads/entire/checkpoints/v1",
        {f"{folder}/metadata.json": about, f"{folder}/full.jsonl": text},
    )
    assert imported(memory, "entire").added.turns == 1
    read.clear()
    assert imported(memory, "entire").read == 0
    monkeypatch.setattr(claude_parser, "REVISION", 2, raising=False)
    report = imported(memory, "entire")
    assert (report.read, bool(read), report.added.turns) == (1, True, 0)
    assert imported(memory, "entire").read == 0


def test_one_session_of_a_database_that_is_read_anew_takes_none_of_the_others_back(
    project: GitRepo, hermetic: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = notes_agent.read

    def restarted(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
        if cursor:
            yield Restart()
        yield from original(source, None, open_file)

    monkeypatch.setattr(notes_agent, "read", restarted)
    monkeypatch.setitem(funes_git_parsers.PARSERS, notes_agent.NAME, notes_agent)  # type: ignore[arg-type]
    database = hermetic / ".notes" / "notes.db"
    for name in ("one", "two"):
        notes_agent.write(database, name, project.path, [("user", f"go {name}", 1.0, EDIT)])
    index(project)
    notes_agent.write(database, "one", project.path, [("user", "go on", 2.0, None)])
    index(project)
    assert turns(memory, "one") == {"go one": False, "go on": False}
    assert turns(memory, "two") == {"go two": False}


@pytest.mark.parametrize(
    "progress",
    [
        Progress(""),
        Progress('{"offset": 3}'),
        Progress("7", revision=12),
        Progress("[1, 2]", 2, adopted=True),
        Progress("x y", adopted=True, checkouts=("/w [a] b", "/w")),
    ],
)
def test_progress_is_kept_as_one_text(progress: Progress) -> None:
    assert Progress.load(progress.dump()) == progress


@pytest.mark.parametrize("cursor", ['{"a": 1}', "12", "abc", "[1, 2", "[" * 100_000])
def test_what_earlier_versions_kept_of_an_adopted_session(cursor: str) -> None:
    found = Progress.load(f"adopted {cursor}")
    assert (found.adopted, found.checkouts, found.cursor) == (True, (), cursor)
    assert Progress.load(cursor) == Progress(cursor)
