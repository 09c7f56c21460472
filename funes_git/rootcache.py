"""Which folders each session file touched: one cache per user, for all repositories (SQLite).

Only a cache: where it is locked, broken or of another version, files are read instead. Keyed by
harness, path and key of a source, valid for one size and modification time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeAlias

from funes_git_parsers.base import Source

VERSION = 2
"""Of the tables, and of what the parsers find: what another one wrote is not believed."""
SCHEMA = """
CREATE TABLE roots (harness TEXT, path TEXT, key TEXT, size INT, mtime INT, roots TEXT,
    PRIMARY KEY (harness, path, key)) WITHOUT ROWID;
CREATE TABLE verdicts (place TEXT, harness TEXT, path TEXT, key TEXT, size INT, mtime INT,
    inside INT, PRIMARY KEY (place, harness, path, key)) WITHOUT ROWID;
"""

Key: TypeAlias = tuple[str, str, str]
Verdict: TypeAlias = tuple[int, int, bool]
"""Size and modification time that it was made for, and whether the source is of the repository."""


def key_of(source: Source) -> Key:
    """What a source is known by."""
    return source.harness, str(source.path), source.key


class RootCache:
    """The cache at one path. Nothing here raises."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_locked = False

    def verdicts(self, place: str) -> dict[Key, Verdict]:
        """What was found for the repository that `place` stands for."""
        try:
            with closing(self._open()) as db:
                rows = db.execute(
                    "SELECT harness, path, key, size, mtime, inside FROM verdicts WHERE place = ?",
                    (place,),
                )
                return {(h, p, k): (size, mtime, bool(yes)) for h, p, k, size, mtime, yes in rows}
        except (sqlite3.Error, OSError) as error:
            self._mend(error)
            return {}

    def roots(self, source: Source) -> set[str] | None:
        """The folders and paths of a source, if they are known for its size and time."""
        try:
            with closing(self._open()) as db:
                row = db.execute(
                    "SELECT roots FROM roots WHERE harness = ? AND path = ? AND key = ?"
                    " AND size = ? AND mtime = ?",
                    (*key_of(source), source.size, source.mtime_ns),
                ).fetchone()
                return None if row is None else set(json.loads(row[0]))
        except (sqlite3.Error, OSError, ValueError) as error:
            self._mend(error)
            return None

    def save(
        self,
        place: str,
        roots: Iterable[tuple[Source, set[str]]],
        verdicts: Iterable[tuple[Source, bool]],
    ) -> None:
        """Keep what was found."""
        try:
            with closing(self._open()) as db, db:
                db.executemany(
                    "INSERT OR REPLACE INTO roots VALUES (?, ?, ?, ?, ?, ?)",
                    ((*key_of(s), s.size, s.mtime_ns, json.dumps(sorted(r))) for s, r in roots),
                )
                db.executemany(
                    "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?)",
                    ((place, *key_of(s), s.size, s.mtime_ns, yes) for s, yes in verdicts),
                )
        except (sqlite3.Error, OSError) as error:
            self._mend(error)

    def forget(self, gone: Iterable[Key]) -> None:
        """Drop sources that are no longer there."""
        with suppress(sqlite3.Error, OSError), closing(self._open()) as db, db:
            for table in ("roots", "verdicts"):
                db.executemany(
                    f"DELETE FROM {table} WHERE harness = ? AND path = ? AND key = ?", gone
                )

    def _open(self) -> sqlite3.Connection:
        if self._is_locked:
            raise sqlite3.OperationalError("locked")  # waited for once: that is enough
        self._path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self._path, timeout=0.5)
        try:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                with db:
                    db.execute("BEGIN IMMEDIATE")
                    for (name,) in db.execute(
                        "SELECT name FROM sqlite_master WHERE type = 'table'"
                    ).fetchall():
                        db.execute(f"DROP TABLE {name}")
                    for statement in SCHEMA.split(";"):
                        db.execute(statement)
                    db.execute(f"PRAGMA user_version = {VERSION}")
        except BaseException:
            db.close()
            raise
        return db

    def _mend(self, error: Exception) -> None:
        """Start anew where the file is no good; a lock passes by itself."""
        if isinstance(error, sqlite3.OperationalError):
            self._is_locked = True
            return
        if isinstance(error, OSError):
            return
        with suppress(OSError):
            self._path.unlink()
