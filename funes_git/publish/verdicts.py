"""What the gate said of texts before, so that the same is not searched again.

Kept by digests, in a file that goes with all that is made of the memory when something is forgotten
(store/rewrite.py). A digest is over a text, over what was said of it, and over the scanners, their
rules and the code around them: a file that is damaged, or made by others, only has texts searched
again. Where it cannot be used, nothing is known.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

from funes_git.errors import FunesError
from funes_git.publish.before import SEARCH, made_by
from funes_git.store.database import Database, connect_writable, private_folder

OURS = (*SEARCH, "publish/gate.py", "publish/verdicts.py")
"""The files that what is found depends on."""
TABLES = """CREATE TABLE IF NOT EXISTS passed (digest BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS found (digest BLOB PRIMARY KEY, rules TEXT NOT NULL) WITHOUT ROWID;"""
Rules: TypeAlias = Mapping[str, tuple[str, ...]]
"""Text → the rules that take something in it for a secret."""
Look: TypeAlias = Callable[[Sequence[str]], Rules]


class Verdicts:
    """The verdicts of a repository; without a database, none."""

    def __init__(self, db: Database | None = None, stamp: bytes = b"") -> None:
        self._db = db
        self._stamp = stamp

    def of(self, kind: str, texts: Iterable[str], look: Look) -> Rules:
        """Those of the texts in which a secret is found, with the rules that say so; `look` is
        asked of those that are not known as texts of a `kind`."""
        every = list(dict.fromkeys(texts))
        known: dict[str, tuple[str, ...]] = {}
        if self._db is not None:
            with suppress(FunesError):
                known = self._known(self._db, kind, every)
        new = [text for text in every if text not in known]
        found = look(new)
        if self._db is not None:
            with suppress(FunesError):  # the disk is full, or another process writes all the time
                self._keep(self._db, kind, new, found)
        return {text: rules for text, rules in known.items() if rules} | dict(found)

    def _known(self, db: Database, kind: str, texts: list[str]) -> dict[str, tuple[str, ...]]:
        passed = {self._digest(kind, "passed", text): text for text in texts}
        sql = "SELECT digest FROM passed WHERE digest IN (?)"
        known: dict[str, tuple[str, ...]] = {
            passed[digest]: () for (digest,) in db.rows_in(sql, list(passed))
        }
        found = {self._digest(kind, "found", text): text for text in texts}
        sql = "SELECT digest, rules FROM found WHERE digest IN (?)"
        for digest, rules in db.rows_in(sql, list(found)):
            known[found[digest]] = tuple(str(rules).split("\n"))
        return known

    def _keep(self, db: Database, kind: str, texts: list[str], found: Rules) -> None:
        passed = ((self._digest(kind, "passed", text),) for text in texts if text not in found)
        held = ((self._digest(kind, "found", t), "\n".join(found[t])) for t in texts if t in found)
        with db.transaction():
            db.db.executemany("INSERT OR IGNORE INTO passed VALUES (?)", passed)
            db.db.executemany("INSERT OR REPLACE INTO found VALUES (?, ?)", held)

    def _digest(self, kind: str, said: str, text: str) -> bytes:
        made = blake2b(digest_size=20, key=self._stamp, person=f"{kind} {said}".encode())
        made.update(text.encode("utf-8", "surrogatepass"))
        return made.digest()


@contextmanager
def opened(path: Path) -> Iterator[Verdicts]:
    """The verdicts that are kept in a file, which is made, and emptied if it is of others."""
    stamp = made_by(OURS)
    db = _database(path, stamp)
    try:
        yield Verdicts(db, stamp)
    finally:
        if db is not None:
            db.close()


def _database(path: Path, stamp: bytes) -> Database | None:
    for _ in range(2):
        db: sqlite3.Connection | None = None
        try:
            private_folder(path.parent)
            db = connect_writable(path, wal=False)
            return Database(_emptied(db, stamp), path)
        except (sqlite3.DatabaseError, OSError) as error:
            if db is not None:
                db.close()
            if isinstance(error, sqlite3.OperationalError | OSError):
                return None  # locked, or the disk cannot be written
            with suppress(OSError):
                path.unlink()
    return None


def _emptied(db: sqlite3.Connection, stamp: bytes) -> sqlite3.Connection:
    """The tables, without what other scanners said: nobody asks for that any more."""
    number = int.from_bytes(stamp[:3], "big") + 1
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found != number:
        db.executescript("DROP TABLE IF EXISTS passed; DROP TABLE IF EXISTS found;")
    db.executescript(f"{TABLES} PRAGMA user_version = {number};")
    return db
