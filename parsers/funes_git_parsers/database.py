"""Open an agent's SQLite database without touching it, not even the files beside it.

Standard library only; knows no agent.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

MAGIC = b"SQLite format 3\x00"
"""How every SQLite database starts (https://www.sqlite.org/fileformat2.html)."""
POINTER = b"version https://git-lfs.github.com/spec/"
"""How a Git LFS pointer starts, that stands where the database should."""

_TRIES = 5


@contextmanager
def open_database(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection to the database at `path`, whose rows can be asked by name.

    A reader of a database in WAL mode writes to its `-shm`, and needs what is in its `-wal`: where
    there is a `-wal`, a copy of both is opened, made while neither changed. Text that is no UTF-8
    comes with U+FFFD in it.

    Raises OSError for a file that cannot be read or is no database; what is wrong with it is
    found when it is asked, as sqlite3.Error.
    """
    _check(path)
    wal = path.with_name(path.name + "-wal")
    if not _size(wal):
        with closing(_connect(path, "immutable=1")) as db:
            yield db
        return
    with tempfile.TemporaryDirectory(prefix="funes-") as folder:
        copy = Path(folder, "copy.db")
        _copy(path, wal, copy)
        with closing(_connect(copy, "mode=ro")) as db:
            yield db


def columns(db: sqlite3.Connection, table: str) -> set[str]:
    """The names of a table's columns; none if there is no such table."""
    return {row[0] for row in db.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def stamp(path: Path) -> tuple[int, int]:
    """Size in bytes and newest modification time in nanoseconds of a database with its `-wal`.
    Raises OSError."""
    size, mtime = path.stat().st_size, path.stat().st_mtime_ns
    try:
        wal = path.with_name(path.name + "-wal").stat()
    except OSError:
        return size, mtime
    return size + wal.st_size, max(mtime, wal.st_mtime_ns)


def _check(path: Path) -> None:
    with path.open("rb") as stream:
        start = stream.read(len(POINTER))
    if start.startswith(MAGIC):
        return
    if start == POINTER:
        raise OSError(errno.EINVAL, "a Git LFS pointer stands in its place", str(path))
    raise OSError(errno.EINVAL, "not a SQLite database", str(path))


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=1)
    db.row_factory = sqlite3.Row
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    return db


def _copy(path: Path, wal: Path, copy: Path) -> None:
    """A checkpoint between the two copies would leave pages out: then both are copied again."""
    for _ in range(_TRIES):
        before = _state(path), _state(wal)
        shutil.copyfile(path, copy)
        if before[1]:
            shutil.copyfile(wal, copy.with_name(copy.name + "-wal"))
        if before == (_state(path), _state(wal)):
            return
    raise OSError(errno.EBUSY, "it is being written all the time", str(path))


def _state(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_size, stat.st_mtime_ns


def _size(path: Path) -> int:
    state = _state(path)
    return state[0] if state else 0
