"""Open an agent's SQLite database without touching it, not even the files beside it.

Standard library only; knows no agent.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TypeAlias, TypeVar

from funes_git_parsers.base import Source, whole

MAGIC = b"SQLite format 3\x00"
"""How every SQLite database starts (https://www.sqlite.org/fileformat2.html)."""
POINTER = b"version https://git-lfs.github.com/spec/"
"""How a Git LFS pointer starts, that stands where the database should."""

_TRIES = 5
PATIENCE = 1.0
"""Seconds to wait for another program's lock."""
_WAL_MODE = (18, 2)
"""The byte of the header that says how the database is written, and its value for a log beside."""
_Answer = TypeVar("_Answer")
_State: TypeAlias = tuple[tuple[int, int] | None, ...]


def ask(path: Path, question: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
    """What `question` finds in the database at `path`, as it is at one moment; rows can be asked by
    name.

    A reader of a database with a `-wal` would write to its `-shm`, or make one. So the `-shm` is
    opened for reading only; where there is none, or the database cannot be read in place, a copy is
    asked, made while no file changed. Text that is no UTF-8 comes with U+FFFD in it.

    `question` may raise sqlite3.Error. Raises OSError for a file that cannot be read, is no
    database, or is damaged.
    """
    mode = _mode(path)
    try:
        if mode:
            try:
                with closing(_connect(path, mode)) as db:
                    db.execute("BEGIN")
                    return question(db)
            except sqlite3.OperationalError:
                pass  # locked, or a checkpoint at this moment
        return _copies.ask(path, question)
    except UnicodeDecodeError as error:  # of sqlite's own message, that quotes a damaged schema
        raise OSError(errno.EIO, "cannot read the database: damaged schema", str(path)) from error
    except sqlite3.Error as error:
        raise OSError(errno.EIO, f"cannot read the database: {error}", str(path)) from error


def sessions(
    harness: str, path: Path, listed: Callable[[sqlite3.Connection], list[tuple[str, int, int]]]
) -> list[Source]:
    """The sessions that `listed` finds in a database: key, size and modification time of each. One
    source without a key stands for a database that cannot be asked: reading it says why. Raises
    OSError for a file that is not there."""
    try:
        found = ask(path, listed)
    except OSError:
        return [whole(harness, path)]
    return [Source(harness, path, size, mtime, key) for key, size, mtime in found]


def columns(db: sqlite3.Connection, table: str) -> set[str]:
    """The names of a table's columns; none if there is no such table. A view is none: asking it may
    take forever. Raises sqlite3.Error."""
    query = "SELECT 1 FROM sqlite_master WHERE name = ? AND type = 'table' AND sql NOT LIKE ?"
    if db.execute(query, (table, "CREATE VIRTUAL%")).fetchone() is None:
        return set()
    return {row[0] for row in db.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def required(db: sqlite3.Connection, table: str) -> set[str]:
    """The names of a table's columns. Raises sqlite3.Error also if there is no such table."""
    if found := columns(db, table):
        return found
    raise sqlite3.DatabaseError(f"it has no table {table}")


def select(db: sqlite3.Connection, table: str, names: Iterable[str]) -> str:
    """The start of a query: `SELECT`, those of `names` that are columns of `table`, NULL for the
    others, `FROM`. Raises sqlite3.Error also if there is no such table."""
    known = required(db, table)
    picked = (f'"{name}"' if name in known else f'NULL AS "{name}"' for name in names)
    return f"SELECT {', '.join(picked)} FROM {table}"


def stamp(path: Path) -> tuple[int, int]:
    """Size in bytes and newest modification time in nanoseconds of a database with its `-wal`.
    Raises OSError."""
    size, mtime = path.stat().st_size, path.stat().st_mtime_ns
    try:
        wal = _beside(path, "-wal").stat()
    except OSError:
        return size, mtime
    return size + wal.st_size, max(mtime, wal.st_mtime_ns)


def _mode(path: Path) -> str:
    """How the database can be opened where it is; empty if only a copy of it can be read."""
    with path.open("rb") as stream:
        start = stream.read(len(POINTER))
    if start == POINTER:
        raise OSError(errno.EINVAL, "a Git LFS pointer stands in its place", str(path))
    if not start.startswith(MAGIC):
        raise OSError(errno.EINVAL, "not a SQLite database", str(path))
    place, with_log = _WAL_MODE
    log, index, journal = _state(path)[1:]
    if log and index:
        return "mode=ro&readonly_shm=1"
    if (log and log[0]) or (journal and journal[0]):
        return ""
    return "immutable=1" if start[place] == with_log else "mode=ro"


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{mode}"
    db = sqlite3.connect(address, uri=True, timeout=PATIENCE, check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    return db


class _Copies:
    """The copy that was read last: a database is asked for each of its sessions. Its files are
    deleted as soon as it is open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: tuple[Path, _State] | None = None
        self._db: sqlite3.Connection | None = None

    def ask(self, path: Path, question: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        """What `question` finds in the database as it is now. Raises OSError, sqlite3.Error."""
        with self._lock:
            key = (path, _state(path))
            if self._db is None or self._key != key:
                if self._db:
                    self._db.close()
                self._db, self._key = None, key
                self._db = _of_copy(path)
            return question(self._db)


_copies = _Copies()


def _of_copy(path: Path) -> sqlite3.Connection:
    with tempfile.TemporaryDirectory(prefix="funes-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder, "copy.db")
        _copy(path, copy)
        db = _connect(copy, "mode=rw")
        try:
            db.execute("PRAGMA journal_mode = DELETE").fetchone()  # takes in what is in the log
            db.execute("PRAGMA query_only = 1")
        except sqlite3.Error:
            db.close()
            raise
        return db


def _copy(path: Path, copy: Path) -> None:
    """A checkpoint between the copies of two files would leave pages out: then all are copied
    again."""
    for _ in range(_TRIES):
        before = _state(path)
        shutil.copyfile(path, copy)
        for suffix, state in zip(("-wal", "-journal"), (before[1], before[3]), strict=True):
            _beside(copy, suffix).unlink(missing_ok=True)
            if state:
                shutil.copyfile(_beside(path, suffix), _beside(copy, suffix))
        if before == _state(path):
            return
    raise OSError(errno.EBUSY, "it is being written all the time", str(path))


def _state(path: Path) -> _State:
    """Size and modification time of the database, its `-wal`, its `-shm` and its `-journal`."""
    return tuple(_stat(_beside(path, suffix)) for suffix in ("", "-wal", "-shm", "-journal"))


def _stat(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_size, stat.st_mtime_ns


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
