"""Opening SQLite stores, for reading and for writing, and their errors in our words.

Standard library only. A reader changes nothing, is never blocked by the writer (WAL), and works on
a file system that cannot be written.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeAlias

from funes_git.errors import FunesError, MemoryBusy, MemoryMissing

BUSY_MS = 10_000
Row: TypeAlias = tuple[Any, ...]
REBUILD = "git funes reindex"


class StoreDamaged(FunesError):
    """A derived store cannot be read, and can be rebuilt."""


def private_folder(folder: Path) -> None:
    """Create `folder` with its parents, for the user alone."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)


def private_file(path: Path) -> None:
    """Create `path` empty, readable by the user alone, unless it exists."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def connect_writable(path: Path, *, wal: bool) -> sqlite3.Connection:
    """A connection that may write to the file at `path`, created if missing. The caller holds the
    writer lock. Raises sqlite3.DatabaseError for a file that is no database."""
    private_file(path)
    db = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None)
    try:
        db.execute("PRAGMA foreign_keys=OFF")
        db.execute(f"PRAGMA journal_mode={'WAL' if wal else 'DELETE'}")
        db.execute(f"PRAGMA synchronous={'NORMAL' if wal else 'FULL'}")
        db.execute("PRAGMA cache_size=-32768")
    except BaseException:
        db.close()
        raise
    return db


def connect_readonly(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing.

    Opened like a writer's where that is possible, so that the last to close leaves no `-wal` and
    `-shm` files behind. Where the folder cannot be written these files cannot be made, and no
    writer can be at work either: then the file is read as it lies. Raises MemoryMissing if there
    is no file, StoreDamaged if it is no database.
    """
    if not path.exists():
        raise MemoryMissing("this repository has no memory yet", hint="git funes init")
    if path.stat().st_size == 0:
        raise MemoryMissing("the memory is being created", hint="try again in a moment")
    last: sqlite3.Error | None = None
    for mode in ("mode=rw", "mode=ro", "mode=ro&immutable=1"):
        try:
            return _try(path, mode)
        except sqlite3.OperationalError as error:
            last = error
        except sqlite3.DatabaseError as error:
            raise translated(error, path) from error
    raise translated(last or sqlite3.OperationalError("cannot open"), path)


def _try(path: Path, mode: str) -> sqlite3.Connection:
    # the characters that mean something in a URI (https://www.sqlite.org/uri.html)
    name = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    uri = f"file:{name}?{mode}"
    # one thread at a time uses it, but another may close it (recall/opened.py)
    db = sqlite3.connect(
        uri, uri=True, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False
    )
    try:
        db.execute("PRAGMA query_only=1")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        db.close()
        raise
    return db


def cut_short(path: Path) -> bool:
    """Whether the file at `path` has fewer pages than its header says: a copy that was cut, a full
    disk. Only asked when no `-wal` holds the missing ones. The header is described in
    https://www.sqlite.org/fileformat2.html#the_database_header."""
    wal = path.with_name(path.name + "-wal")
    if wal.exists() and wal.stat().st_size:
        return False
    with path.open("rb") as stream:
        header = stream.read(100)
    if len(header) < 100:
        return bool(header)
    page_size = int.from_bytes(header[16:18], "big")
    pages = int.from_bytes(header[28:32], "big")
    return path.stat().st_size < pages * (65_536 if page_size == 1 else page_size)


_OTHER_TABLES = re.compile(r"already exists|no such (?:table|column)|has no column")
"""SQLite's words where a file does not hold the tables that its version has."""


def translated(error: sqlite3.Error, path: Path) -> FunesError:
    """What an SQLite error means for the user. Never quotes stored text."""
    words = str(error)
    if "locked" in words or "busy" in words:
        return MemoryBusy(f"{path.name} is locked", hint="try again in a moment")
    if isinstance(error, sqlite3.OperationalError) and not _OTHER_TABLES.search(words):
        return FunesError(f"cannot use {path}: {words}", hint="git funes doctor")
    return StoreDamaged(f"{path.name} is damaged: {words}", hint=REBUILD)


class Database:
    """A connection with its file's name, and reads whose errors are in our words."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self.db = db
        self.path = path

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query; none for values that cannot be stored."""
        with self.errors(), suppress(UnicodeEncodeError):
            return self.db.execute(sql, values).fetchall()
        return []

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[Row]:
        """The rows of a query one by one, for more than fit into memory. Nothing that they are made
        of may be written meanwhile."""
        with self.errors():
            yield from self.db.execute(sql, values)

    def one(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """The first row of a query, if any."""
        with self.errors(), suppress(UnicodeEncodeError):
            row: Row | None = self.db.execute(sql, values).fetchone()
            return row
        return None

    def rows_in(self, sql: str, keys: Sequence[object]) -> Iterator[Row]:
        """The rows of a query that names its keys as `IN (?)`, in portions that SQLite takes."""
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            yield from self.rows(sql.replace("(?)", f"({','.join('?' * len(part))})"), part)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """SQLite's errors, raised as ours."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise translated(error, self.path) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing of what is written inside."""
        with self.errors():
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.db.rollback()
                raise
            self.db.execute("COMMIT")

    def close(self) -> None:
        """Close the connection."""
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
