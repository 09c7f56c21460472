"""What this repository and a memory elsewhere had when they last met: which turns, and in which
content, so that what changed on either side since is found without comparing texts.

SQLite, standard library only. Derived: without it the next meeting takes what is missing on either
side, and overwrites nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, Self

from funes_git.store.changes import Key
from funes_git.store.database import Database, connect_writable, private_folder, translated
from funes_git.store.migrate import migrate

VERSION_1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE turns (
  session TEXT NOT NULL, turn TEXT NOT NULL, ours INTEGER, theirs INTEGER,
  PRIMARY KEY (session, turn)) WITHOUT ROWID;
"""


class Met(NamedTuple):
    """What a turn was on both sides when they last met; None where it was missing."""

    ours: int | None
    theirs: int | None


class State(Database):
    """The state between this repository and one memory. A context manager."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open, created as needed. Raises FormatTooNew, StoreDamaged."""
        private_folder(path.parent)
        db: sqlite3.Connection | None = None
        try:
            db = connect_writable(path, wal=False)
            migrate(db, (VERSION_1,), path.name)
        except BaseException as error:
            if db:
                db.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise translated(error, path) from error
            raise
        return cls(db, path)

    @property
    def version(self) -> str | None:
        """The memory's version when they last met; None if they never did."""
        row = self.one("SELECT value FROM meta WHERE key = 'version'")
        return row[0] if row else None

    def met(self) -> dict[Key, Met]:
        """Every turn that either side had."""
        rows = self.rows("SELECT session, turn, ours, theirs FROM turns")
        return {(row[0], row[1]): Met(row[2], row[3]) for row in rows}

    def save(self, version: str, ours: Mapping[Key, int | None], theirs: Mapping[Key, int]) -> None:
        """Keep what both sides have now."""
        keys: Iterable[Key] = ours.keys() | theirs.keys()
        with self.transaction():
            self.db.execute("DELETE FROM turns")
            self.db.executemany(
                "INSERT INTO turns VALUES (?, ?, ?, ?)",
                ((*key, ours.get(key), theirs.get(key)) for key in keys),
            )
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('version', ?)", (version,))
