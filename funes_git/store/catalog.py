"""The catalog: what every read command asks. SQLite, standard library only, quick to import.

`Catalog` reads; `CatalogWriter` (catalog_writer.py) also writes, under the writer lock.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from funes_git.errors import MemoryMissing
from funes_git.store.chunks import ChunkReading
from funes_git.store.database import REBUILD, StoreDamaged, connect_readonly, translated
from funes_git.store.imports import ImportReading
from funes_git.store.migrate import check, version
from funes_git.store.narrowing import Narrowing
from funes_git.store.schema import MIGRATIONS
from funes_git.store.stats import Counting

WHAT = "the catalog"
WAIT = 2.0
"""Seconds that a reader waits for a writer, where the catalog is to be brought up to date."""


class Catalog(ChunkReading, Counting, ImportReading, Narrowing):
    """The catalog of one repository, open for reading. A context manager."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open for reading; nothing is created or changed, and no writer blocks it. One that an
        older funes-git made is first brought up to date, under the writer's lock.

        Raises MemoryMissing where there is none yet, FormatTooNew if a newer funes-git made it,
        StoreDamaged (a FunesError with `git funes reindex` as hint) if it cannot be read or was
        deleted beside a memory, MemoryBusy where an older one is being written.
        """
        if not path.exists() and (path.parent / "memory").is_dir():
            raise StoreDamaged(f"{path.name} is missing", hint=REBUILD)
        db = connect_readonly(path)
        try:
            found = version(db)
            check(found, len(MIGRATIONS), WHAT)
        except BaseException as error:
            db.close()
            if isinstance(error, db.DatabaseError):
                raise translated(error, path) from error
            raise
        if found < len(MIGRATIONS):
            db.close()
            if found == 0:
                raise MemoryMissing("the memory is being created", hint="try again in a moment")
            _bring_up(path, found)
            return cls.open(path)
        return cls(db, path)


def _bring_up(path: Path, found: int) -> None:
    """Migrate the catalog: a tenth of a second for ten thousand turns."""
    from funes_git.layout import Layout
    from funes_git.store.catalog_writer import CatalogWriter
    from funes_git.store.lock import FileLock

    try:
        with FileLock.take(Layout(path.parent).write_lock, WAIT):
            CatalogWriter.open(path).close()
    except (OSError, StoreDamaged) as error:
        raise MemoryMissing(
            f"{WHAT} was made by an older funes-git (format {found}), and cannot be brought up to"
            f" date here: {error}",
            hint="git funes index   (where it may be written)",
        ) from error
