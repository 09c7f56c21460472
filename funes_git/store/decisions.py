"""decisions.sqlite: what people decided and what hooks reported. Truth: nothing else can tell it.

Standard library only. It is small, and backed up before its format changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from funes_git.errors import FunesError, MemoryMissing
from funes_git.store.database import (
    Database,
    StoreDamaged,
    connect_readonly,
    connect_writable,
    translated,
)
from funes_git.store.forgotten import Forgotten, Kind
from funes_git.store.links import event_from, event_values
from funes_git.store.migrate import check, migrate, version
from funes_git.store.records import HookEvent

VERSION_1 = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE events (
  n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, hook TEXT NOT NULL,
  at REAL NOT NULL, sha TEXT, worktree TEXT, branch TEXT, rewrites TEXT NOT NULL,
  detail TEXT NOT NULL);
"""
VERSION_2 = """
CREATE TABLE reviews (
  session_id TEXT NOT NULL, exchange TEXT NOT NULL, digest TEXT NOT NULL, verdict TEXT NOT NULL,
  at REAL NOT NULL, PRIMARY KEY (session_id, exchange)) WITHOUT ROWID;
"""
VERSION_3 = """
CREATE TABLE forgotten (
  kind TEXT NOT NULL, value TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (kind, value))
  WITHOUT ROWID;
"""
MIGRATIONS = (VERSION_1, VERSION_2, VERSION_3)
WITH_FORGOTTEN = 3
"""The format since which it is kept what is to be forgotten."""
EVENT = """INSERT OR IGNORE INTO events (id, hook, at, sha, worktree, branch, rewrites, detail)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""


class Decisions(Database):
    """The decisions of one repository, open for writing. A context manager."""

    @classmethod
    def open(cls, path: Path, migrations: tuple[str, ...] = MIGRATIONS) -> Self:
        """Open for writing, created or migrated as needed. The caller holds the writer lock.

        Before a migration the file is copied to `decisions.sqlite.format-N`, N being the old
        format. Raises FormatTooNew. A damaged file is never replaced: its error says so.
        """
        db: sqlite3.Connection | None = None
        try:
            db = connect_writable(path, wal=False)
            migrate(db, migrations, "decisions.sqlite", lambda old: _backup(path, old))
        except BaseException as error:
            if db:
                db.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise _told(translated(error, path)) from error
            raise
        return cls(db, path)

    def add_events(self, events: Iterable[HookEvent]) -> None:
        """Keep what hooks reported; events that are known change nothing."""
        with self.transaction():
            self.db.executemany(EVENT, (event_values(e) for e in events))

    def events(self, after: int = 0) -> list[tuple[int, HookEvent]]:
        """(number, event) of the events numbered after `after`, in the order they came."""
        rows = self.rows(
            "SELECT n, id, hook, at, sha, worktree, branch, rewrites, detail FROM events"
            " WHERE n > ? ORDER BY n",
            (after,),
        )
        return [(row[0], event_from(row[1:])) for row in rows]

    def reviews(self, session_id: str) -> dict[str, tuple[str, str]]:
        """Exchange → (digest of what was looked at, verdict) of a session's exchanges that a person
        decided about."""
        rows = self.rows(
            "SELECT exchange, digest, verdict FROM reviews WHERE session_id = ?", (session_id,)
        )
        return {exchange: (digest, verdict) for exchange, digest, verdict in rows}

    def every_review(self) -> list[tuple[str, str, str, str]]:
        """Session, exchange, digest and verdict of everything that a person decided."""
        return list(
            self.rows("SELECT session_id, exchange, digest, verdict FROM reviews ORDER BY 1, 2")
        )

    def review(self, session_id: str, digests: Mapping[str, str], verdict: str, at: float) -> None:
        """Keep what a person decided about exchanges, given with the digests of what they hold."""
        with self.transaction():
            self.db.executemany(
                "INSERT OR REPLACE INTO reviews VALUES (?, ?, ?, ?, ?)",
                ((session_id, key, digest, verdict, at) for key, digest in digests.items()),
            )

    def forgotten(self) -> Forgotten:
        """What people want forgotten."""
        return Forgotten.of(self.rows("SELECT kind, value FROM forgotten"))

    def forgotten_spans(self) -> list[tuple[float, float]]:
        """The times, in seconds since the epoch, of what was forgotten: first and last."""
        rows = self.rows("SELECT value FROM forgotten WHERE kind = 'span' ORDER BY value")
        return [(float(first), float(last)) for first, last in (row[0].split() for row in rows)]

    def forget(self, what: Iterable[tuple[Kind, str]], at: float) -> None:
        """Keep what is to be forgotten: a session's id, a time, a pattern of paths."""
        with self.transaction():
            self.db.executemany(
                "INSERT OR IGNORE INTO forgotten VALUES (?, ?, ?)", ((*each, at) for each in what)
            )

    def setting(self, name: str) -> str | None:
        """A setting made by a person, or None."""
        row = self.one("SELECT value FROM settings WHERE name = ?", (name,))
        return row[0] if row else None

    def put(self, name: str, value: str | None) -> None:
        """Make a setting; None removes it."""
        with self.transaction():
            if value is None:
                self.db.execute("DELETE FROM settings WHERE name = ?", (name,))
            else:
                self.db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))


def forgotten_in(path: Path) -> Forgotten:
    """What people want forgotten, by the file at `path` as it lies: reading it needs no lock.
    Nothing where there is no file yet. Raises FormatTooNew, FunesError."""
    try:
        db = connect_readonly(path)
    except MemoryMissing:
        return Forgotten()
    with Decisions(db, path) as found:
        check(version(db), len(MIGRATIONS), "decisions.sqlite")
        return found.forgotten() if version(db) >= WITH_FORGOTTEN else Forgotten()


def _told(error: FunesError) -> FunesError:
    if isinstance(error, StoreDamaged):  # truth cannot be rebuilt, so do not propose it
        return FunesError(error.message, hint="move the file away, or put a backup in its place")
    return error


def _backup(path: Path, old: int) -> None:
    """Copy the file as it is, with SQLite's own backup, which sees a whole state."""
    source = sqlite3.connect(path)
    target = connect_writable(path.with_name(f"{path.name}.format-{old}"), wal=False)
    try:
        source.backup(target)
    finally:
        target.close()
        source.close()
