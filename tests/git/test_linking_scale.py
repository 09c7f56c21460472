"""What a new commit and a question cost must not grow with the history, nor with the sessions."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory
from scenario import commit

from funes_git.ingest import index
from funes_git.link.engine import catch_up
from funes_git.store.stores import Stores

SMALL = ("sessions", "s", "files", "meta", "unsettled", "rewrites")
"""Tables, and what queries call them, that may be read whole: a row a session at most."""

FEW = ("edits_old_path", "edits_created", "sources_changed", "events_picked")
"""Indexes that may be: they hold the edits that moved a file, or made one, are read in part,
or are told by a reflog alone."""


@contextmanager
def asked(db: sqlite3.Connection) -> Iterator[list[str]]:
    """The statements that are run inside."""
    found: list[str] = []
    db.set_trace_callback(found.append)
    yield found
    db.set_trace_callback(None)


def scans(catalog: Path, statements: list[str]) -> set[str]:
    """The statements that read a table whole, by what SQLite says of them where tables are big: it
    must not know that here they are small."""
    copy = catalog.with_name("copy.sqlite")
    with closing(sqlite3.connect(catalog)) as db, closing(sqlite3.connect(copy)) as other:
        db.backup(other)
        with suppress(sqlite3.OperationalError):
            other.execute("DELETE FROM sqlite_stat1")
        other.commit()
    with closing(sqlite3.connect(copy)) as db:
        return set(_scans(db, statements))


def _scans(db: sqlite3.Connection, statements: list[str]) -> Iterator[str]:
    for sql in dict.fromkeys(statements):
        if sql.split(None, 1)[0] in ("SELECT", "UPDATE", "DELETE"):
            for *_, plan in db.execute(f"EXPLAIN QUERY PLAN {sql}"):
                words = plan.split()
                whole = words[0] == "SCAN" and words[1] not in SMALL and not {*FEW} & {*words}
                if whole and "CONSTANT ROW" not in plan:
                    yield f"{plan}: {sql}"


@pytest.fixture
def story(base: GitRepo, clock: Clock, home: Path, memory: Memory) -> None:
    """A history that has grown with its sessions."""
    for n in range(4):
        session = ClaudeSession(base, home, clock)
        session.prompt(f"Step {n}")
        session.write(f"step{n}.py", f"step_number_{n} = 'of the agent'\n")
        base.write("hand.md", f"By hand {n}, and by nobody else.\n" * (n + 1))
        commit(base, clock, f"step {n}")
        memory.sync()


def test_a_new_commit_is_linked_without_a_table_being_read_whole(
    story: None, base: GitRepo, clock: Clock, memory: Memory
) -> None:
    base.write("hand.md", "Something else by hand.\n")
    base.write("new.md", "A file that nobody knows.\n")
    commit(base, clock, "one more")
    with (
        Stores.open(memory.repo.layout, write=True) as stores,
        asked(stores.writer.db) as statements,
    ):
        assert catch_up(memory.repo, stores.writer).commits == 1
    assert not scans(memory.repo.layout.catalog, statements)


@pytest.mark.parametrize("target", ["step1.py:1", "hand.md:1", "hand.md:5"])
def test_a_line_is_answered_without_a_table_being_read_whole(
    target: str, story: None, base: GitRepo, memory: Memory
) -> None:
    from funes_git.why.target import why

    base.write("hand.md", "By hand 3, and by nobody else.\n" * 4 + "Not committed yet.\n")
    with memory.catalog() as catalog, asked(catalog.db) as statements:
        why(memory.repo, catalog, target, cwd=memory.path)
        catalog.unread()
    assert not scans(memory.repo.layout.catalog, statements)


def test_new_turns_are_linked_without_a_table_being_read_whole(
    story: None, base: GitRepo, home: Path, clock: Clock, memory: Memory
) -> None:
    clock.tick(48 * 3600)
    session = ClaudeSession(base, home, clock)
    session.write("late.py", "late_line = 'of the agent'\n")
    sha = commit(base, clock, "late")
    with Stores.open(memory.repo.layout, write=True) as stores:
        index(memory.repo, stores)
        with asked(stores.writer.db) as statements:
            assert catch_up(memory.repo, stores.writer).commits == 1
    assert [link.session_id for link in memory.links(sha)] == [session.id]
    assert not scans(memory.repo.layout.catalog, statements)


def test_a_commit_of_a_wrong_clock_is_linked_again_by_a_late_session(
    base: GitRepo, home: Path, clock: Clock, memory: Memory
) -> None:
    """A later commit claims to be older than the turns, so git would not look behind it."""
    memory.sync()
    session = ClaudeSession(base, home, clock)
    session.write("early.py", "early_line = 'of the agent'\n")
    sha = commit(base, clock, "early")
    away = home / "away"
    shutil.move(str(home / ".claude"), str(away))
    base.write("hand.md", "By hand.\n")
    base.commit("wrong clock", date=clock.now - 90 * 24 * 3600)
    memory.sync()
    assert memory.links(sha) == []
    shutil.move(str(away), str(home / ".claude"))
    memory.sync()
    assert [link.session_id for link in memory.links(sha)] == [session.id]
