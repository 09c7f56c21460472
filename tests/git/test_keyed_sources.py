"""Indexing agents that keep all of their sessions in one database."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import notes_agent
import pytest
from agents import ClaudeSession, CodexSession
from helpers import GitRepo

import funes_git_parsers
from funes_git import ingest
from funes_git.git import Repo
from funes_git.ingest import IndexReport
from funes_git.store.catalog import Catalog
from funes_git.store.stores import Stores
from funes_git_parsers.base import Item, Opener, Retraction, Session, Source

EDIT = {"path": "src/a.py", "old": "one = 1", "new": "one = 7"}


@pytest.fixture
def project(repo: GitRepo) -> GitRepo:
    repo.write("src/a.py", "one = 1\n")
    repo.commit("first")
    return repo


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the sessions that are read, while the agent is among the known ones."""
    read, keys = notes_agent.read, []

    def counted(source: Source, cursor: str | None, open_file: Opener) -> list[Item]:
        keys.append(source.key)
        return list(read(source, cursor, open_file))

    monkeypatch.setattr(notes_agent, "read", counted)
    monkeypatch.setitem(funes_git_parsers.PARSERS, notes_agent.NAME, notes_agent)  # type: ignore[arg-type]
    return keys


def index(repo: GitRepo, *paths: Path) -> IndexReport:
    found = Repo.discover(repo.path)
    with Stores.open(found.layout, write=True) as stores:
        return ingest.index(found, stores, paths=paths)


def edited(repo: GitRepo) -> set[tuple[str, str]]:
    """Session and path of every stored edit."""
    with Catalog.open(Repo.discover(repo.path).layout.catalog) as stored:
        return {(e.session_id, e.path) for e in stored.edits_at(sorted(stored.all_edit_paths()))}


def test_sessions_of_several_repositories_lie_in_one_database(
    project: GitRepo, hermetic: Path, tmp_path: Path, reads: list[str]
) -> None:
    other = GitRepo(tmp_path / "other")
    database = hermetic / ".notes" / "notes.db"
    notes_agent.write(database, "ours", project.path, [("user", "go", 1.0, EDIT)])
    notes_agent.write(database, "theirs", other.path, [("user", "go", 1.0, EDIT)])
    notes_agent.write(database, "nobody's", "/gone/away", [("user", "go", 1.0, EDIT)])
    report = index(project)
    assert (report.sources_found, report.sources_read, report.unreadable) == (3, 1, ())
    assert edited(project) == {("ours", "src/a.py")}
    index(other)
    assert edited(other) == {("theirs", "src/a.py")}
    assert reads == ["ours", "theirs"]


def test_only_sessions_that_changed_are_read_again(
    project: GitRepo, hermetic: Path, reads: list[str]
) -> None:
    database = hermetic / ".notes" / "notes.db"
    for name in ("one", "two"):
        notes_agent.write(database, name, project.path, [("user", name, 1.0, None)])
    assert index(project).turns == 2
    reads.clear()
    notes_agent.write(database, "two", project.path, [("agent", "more", 2.0, EDIT)])
    notes_agent.write(database, "three", project.path, [("user", "new", 3.0, None)])
    report = index(project)
    assert (report.sessions, report.turns, report.sources_read) == (1, 2, 2)
    assert sorted(reads) == ["three", "two"]
    assert edited(project) == {("two", "src/a.py")}
    reads.clear()
    assert index(project).turns == 0
    assert reads == []


def test_a_session_that_was_deleted_is_kept(
    project: GitRepo, hermetic: Path, reads: list[str]
) -> None:
    database = hermetic / ".notes" / "notes.db"
    for name in ("one", "two"):
        notes_agent.write(database, name, project.path, [("user", name, 1.0, EDIT)])
    index(project)
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("DELETE FROM messages WHERE session = 'one'")
    index(project)
    assert edited(project) == {("one", "src/a.py"), ("two", "src/a.py")}


def test_a_database_that_is_no_good_is_named_and_the_others_are_read(
    project: GitRepo, hermetic: Path, reads: list[str]
) -> None:
    database = hermetic / ".notes" / "notes.db"
    database.parent.mkdir()
    database.write_text("version https://git-lfs.github.com/spec/v1\n")
    ClaudeSession(project, hermetic).prompt("words")
    report = index(project)
    assert report.unreadable == ((database, "a Git LFS pointer stands in its place"),)
    assert report.turns == 1


def test_a_database_is_taken_from_where_it_lies(
    project: GitRepo, tmp_path: Path, reads: list[str]
) -> None:
    database = tmp_path / "backup" / "copy.db"
    notes_agent.write(database, "ours", project.path, [("user", "go", 1.0, EDIT)])
    notes_agent.write(database, "theirs", "/elsewhere", [("user", "go", 1.0, EDIT)])
    report = index(project, database)
    assert (report.sources_found, report.sessions) == (2, 1)
    assert edited(project) == {("ours", "src/a.py")}


def test_a_folder_may_hold_files_of_several_agents(
    project: GitRepo, tmp_path: Path, reads: list[str]
) -> None:
    backup = tmp_path / "backup"
    ClaudeSession(project, backup).prompt("of Claude")
    CodexSession(project, backup).prompt("of Codex")
    notes_agent.write(backup / "n.db", "ours", project.path, [("user", "of Notes", 1.0, None)])
    shutil.copy(backup / "n.db", backup / "again.db")
    (backup / "other.db").write_bytes(b"SQLite format 3\x00" + bytes(100))
    (backup / "n.db-wal").write_bytes(b"")
    report = index(project, backup)
    assert (report.sources_found, report.sessions, report.unreadable) == (4, 3, ())


@pytest.mark.parametrize("part", ["discover", "roots", "read", "claim", "sessions"])
def test_a_parser_that_fails_is_named_and_stops_no_other(
    project: GitRepo,
    hermetic: Path,
    reads: list[str],
    monkeypatch: pytest.MonkeyPatch,
    part: str,
) -> None:
    database = hermetic / ".notes" / "notes.db"
    notes_agent.write(database, "ours", project.path, [("user", "go", 1.0, EDIT)])
    claude = ClaudeSession(project, hermetic)
    claude.prompt("words")

    def fail(*args: object) -> list[Item]:
        raise KeyError("what the session said")

    # a session's file is claimed where a path is given, and discovered where none is
    paths = [hermetic] if part in ("claim", "sessions") else []
    with monkeypatch.context() as broken:
        broken.setattr(notes_agent, part, fail)
        report = index(project, *paths)
    assert report.turns == 1
    assert {reason for _, reason in report.unreadable} == {"its parser failed (KeyError)"}
    assert index(project, *paths).turns == 1


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("discover", ["no source"]),
        ("discover", [Source("notes", Path("x"), 1, 10**30)]),
        ("read", ["no item"]),
        ("read", [Session("s", "notes"), Retraction("s", None)]),  # type: ignore[arg-type]
    ],
)
def test_a_parser_that_says_nonsense_is_named_and_stops_no_other(
    project: GitRepo,
    hermetic: Path,
    reads: list[str],
    monkeypatch: pytest.MonkeyPatch,
    part: str,
    said: list[object],
) -> None:
    database = hermetic / ".notes" / "notes.db"
    notes_agent.write(database, "ours", project.path, [("user", "go", 1.0, EDIT)])
    ClaudeSession(project, hermetic).prompt("words")
    monkeypatch.setattr(notes_agent, part, lambda *args: said)
    report = index(project)
    assert report.turns == 1
    assert all("its parser failed" in reason for _, reason in report.unreadable)
    assert len(report.unreadable) == 1
