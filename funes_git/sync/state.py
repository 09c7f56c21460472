"""What this repository and a memory elsewhere had when they last met: which turns, and in which
content, so that what changed on either side since is found without comparing texts.

SQLite, standard library only. Derived: without it the next meeting takes what is missing on either
side, and overwrites nothing. What either side has now, and what is to become of it, lies in tables
that SQLite keeps in a file of its own while they meet, so that a million turns take no memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from operator import xor
from pathlib import Path
from typing import Literal, Self, TypeAlias

from funes_git.store.changes import Key
from funes_git.store.database import Database, connect_writable, private_folder, translated
from funes_git.store.differences import Mark
from funes_git.store.migrate import migrate

VERSION_1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE turns (
  session TEXT NOT NULL, turn TEXT NOT NULL, ours INTEGER, theirs INTEGER,
  PRIMARY KEY (session, turn)) WITHOUT ROWID;
"""
"""`turns` has what a turn was on both sides when they last met; null where it was missing."""
KEY = "session TEXT NOT NULL, turn TEXT NOT NULL, PRIMARY KEY (session, turn)"
NOW = f"""
PRAGMA temp_store = FILE;
PRAGMA cache_size = -8192;
CREATE TEMP TABLE ours (mark INTEGER NOT NULL, {KEY}) WITHOUT ROWID;
CREATE TEMP TABLE theirs (mark INTEGER NOT NULL, {KEY}) WITHOUT ROWID;
CREATE TEMP TABLE others (session TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE kept ({KEY}) WITHOUT ROWID;
CREATE TEMP TABLE wanted ({KEY}) WITHOUT ROWID;
CREATE TEMP TABLE sent ({KEY}) WITHOUT ROWID;
CREATE TEMP TABLE gone ({KEY}) WITHOUT ROWID;
CREATE TEMP TABLE next (ours INTEGER, theirs INTEGER, {KEY}) WITHOUT ROWID;
"""
"""What either side has now; sessions there of other repositories; which turns stay as they are
here, being changed here, which are taken, given, and taken out there for being forgotten."""
_MEET = "LEFT JOIN turns m USING (session, turn) LEFT JOIN theirs t USING (session, turn)"
_NEWS = "m.ours IS NOT o.mark"
_IS_KEPT = "EXISTS (SELECT 1 FROM kept k WHERE k.session = {0}.session AND k.turn = {0}.turn)"
KEEP = f"""INSERT INTO kept SELECT o.session, o.turn FROM ours o {_MEET}
  WHERE {_NEWS} AND (m.turn IS NOT NULL OR t.turn IS NULL)"""
WANT = f"""INSERT INTO wanted SELECT t.session, t.turn FROM theirs t
  LEFT JOIN turns m USING (session, turn) LEFT JOIN ours o USING (session, turn)
  WHERE m.theirs IS NOT t.mark AND (o.turn IS NULL OR m.turn IS NOT NULL)
  AND t.session NOT IN (SELECT session FROM others) AND NOT {_IS_KEPT.format("t")}"""
SEND = f"""INSERT INTO sent SELECT o.session, o.turn FROM ours o {_MEET}
  WHERE {_NEWS} AND (t.turn IS NOT NULL OR m.theirs IS NULL)"""
"""What was taken out there is not given again, whatever becomes of it here."""
NEXT = f"""INSERT INTO next (session, turn, ours, theirs)
  SELECT a.session, a.turn,
    CASE WHEN o.turn IS NULL OR {_IS_KEPT.format("a")} THEN m.ours ELSE o.mark END AS here,
    coalesce(t.mark, m.theirs) AS there
  FROM (SELECT session, turn FROM ours UNION SELECT session, turn FROM theirs) a
  LEFT JOIN ours o USING (session, turn) {_MEET} WHERE here NOT NULL OR there NOT NULL"""
LOST = """SELECT session, turn FROM turns m WHERE ours NOT NULL AND theirs NOT NULL AND NOT EXISTS
  (SELECT 1 FROM ours o WHERE o.session = m.session AND o.turn = m.turn)"""
ONLY_THERE = """SELECT session, turn FROM theirs t WHERE NOT EXISTS
  (SELECT 1 FROM ours o WHERE o.session = t.session AND o.turn = t.turn)"""
_LEFT = """DELETE FROM theirs WHERE EXISTS
  (SELECT 1 FROM gone g WHERE g.session = theirs.session AND g.turn = theirs.turn)"""
EMPTIED = """SELECT DISTINCT session FROM gone EXCEPT SELECT session FROM theirs ORDER BY 1"""
Side: TypeAlias = Literal["ours", "theirs"]
Some: TypeAlias = Literal["ours", "theirs", "wanted", "sent", "gone"]


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
            db.create_function("exclusive", 2, xor, deterministic=True)
            db.executescript(NOW)
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

    # --- what either side has now

    def see(self, side: Side, marks: Iterable[Mark], sessions: Sequence[str] | None = None) -> None:
        """Take in what one side has now, of all sessions or of some: numbers that are together the
        mark of a turn."""
        with self.transaction():
            if sessions is None:
                self.db.execute(f"DELETE FROM {side}")
            else:
                gone = ((each,) for each in sessions)
                self.db.executemany(f"DELETE FROM {side} WHERE session = ?", gone)
            self.db.executemany(
                f"INSERT INTO {side} (session, turn, mark) VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET mark = exclusive(mark, excluded.mark)",
                marks,
            )

    def count(self, some: Some) -> int:
        """How many turns there are of these."""
        row = self.one(f"SELECT count(*) FROM {some}")
        return row[0] if row else 0

    def sessions(self, some: Some) -> list[str]:
        """The sessions of these turns, sorted."""
        return [row[0] for row in self.each(f"SELECT DISTINCT session FROM {some} ORDER BY 1")]

    def turns(self, some: Some, sessions: Sequence[str]) -> set[Key]:
        """Those of these turns that are of some sessions."""
        sql = f"SELECT session, turn FROM {some} WHERE session IN (?)"
        return {(row[0], row[1]) for row in self.rows_in(sql, sessions)}

    # --- what is to become of it

    def has_news(self) -> bool:
        """Whether a turn is new here, or other than when both last met."""
        return self.one(f"SELECT 1 FROM ours o {_MEET} WHERE {_NEWS} LIMIT 1") is not None

    def lost(self) -> Iterator[Key]:
        """The turns that both had when they last met, and that are not here any more."""
        return ((row[0], row[1]) for row in self.each(LOST))

    def only_there(self) -> Iterator[Key]:
        """The turns that are not here."""
        return ((row[0], row[1]) for row in self.each(ONLY_THERE))

    def want(self, others: Iterable[str]) -> None:
        """Choose what is taken: what is new or other there, but for sessions of `others` and what
        is other here too since both last met. A turn that both have of old, from before they ever
        met, is left alone. A memory that holds nothing was made anew: then they never met."""
        with self.transaction():
            for table in ("others", "kept", "wanted"):
                self.db.execute(f"DELETE FROM {table}")
            self.db.executemany("INSERT INTO others VALUES (?)", ((each,) for each in others))
            if not self.count("theirs"):
                self.db.execute("DELETE FROM turns")
            self.db.execute(KEEP)
            self.db.execute(WANT)

    def send(self, gone: Iterable[Key]) -> None:
        """Choose what is given: what is new or other here, but for what was taken out there. What
        is `gone` there counts as not there."""
        with self.transaction():
            for table in ("sent", "gone"):
                self.db.execute(f"DELETE FROM {table}")
            self.db.executemany("INSERT INTO gone VALUES (?, ?)", gone)
            self.db.execute(SEND)
            self.db.execute(_LEFT)

    def emptied(self) -> list[str]:
        """The sessions that were there, and of which nothing is left."""
        return [row[0] for row in self.each(EMPTIED)]

    def settle(self, version: str, *, given: bool = False, left_out: Iterable[str] = ()) -> None:
        """Keep what both sides have now, at a version of the memory. Unless it was `given`, what
        was changed here counts as news also from now on; so does what was to be sent of sessions
        that were left out."""
        with self.transaction():
            if given:
                self.db.execute("DELETE FROM kept")
            sql = "INSERT OR IGNORE INTO kept SELECT session, turn FROM sent WHERE session = ?"
            self.db.executemany(sql, ((each,) for each in left_out))
            self.db.execute("DELETE FROM next")
            self.db.execute(NEXT)
            self.db.execute("DELETE FROM turns")
            self.db.execute("INSERT INTO turns SELECT session, turn, ours, theirs FROM next")
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('version', ?)", (version,))
