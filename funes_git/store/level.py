"""Bringing the word index level with the catalog's chunk log. The caller holds the write lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

from funes_git.store.records import ChunkRow
from funes_git.store.text import TextWriter

_ROWS = 4_000  # read at once
_COMMIT = 40_000  # rows between commits: each makes a segment and waits for the disk


Progress: TypeAlias = Callable[[int, int, str], None]
"""Told rows done, rows in all, and what they are."""


class ChunkLog(Protocol):
    """What is read of the catalog."""

    def setting(self, name: str) -> str | None:
        """Something that the catalog keeps about itself: `identity` is another one whenever its
        rows may have been renumbered."""
        ...

    def newest_chunk(self) -> int:
        """The number of the newest row."""
        ...

    def chunk_rows(self, after_rowid: int, limit: int) -> Sequence[ChunkRow]:
        """Rows after `after_rowid`, in order."""
        ...


class Leveller:
    """Keeps the word index in a folder level with a growing log, as often as asked. The index has
    no other writer until `commit` or `drop`."""

    def __init__(self, folder: Path, progress: Progress | None = None) -> None:
        self._folder = folder
        self._progress = progress
        self._writer: TextWriter | None = None
        self._at = 0
        self._pending = 0
        self.done = 0
        """Rows that were indexed."""

    def follow(self, log: ChunkLog) -> None:
        """Index every row that the index has not seen. Costs nothing but a look at two files if
        there are none. Raises MemoryBusy if another process is writing the index."""
        newest, identity = log.newest_chunk(), log.setting("identity") or ""
        if self._writer is None:
            if TextWriter.is_level(self._folder, identity, newest):
                return
            self._writer = TextWriter.open(self._folder, identity)
            self._at = self._writer.upto
        while rows := log.chunk_rows(self._at, _ROWS):
            self._writer.add(rows)
            self._at = rows[-1].rowid
            self._count(len(rows), newest)
        self._at = max(self._at, newest)

    def _count(self, rows: int, newest: int) -> None:
        self.done += rows
        self._pending += rows
        if self._writer and self._pending >= _COMMIT:
            self._writer.commit(self._at)
            self._pending = 0
        if self._progress:
            self._progress(self.done, self.done + max(newest - self._at, 0), "words")

    def commit(self) -> None:
        """Make everything that was indexed visible to readers, and let other writers in."""
        writer, self._writer, self._pending = self._writer, None, 0
        if writer:
            with writer:
                writer.commit(self._at)

    def drop(self) -> None:
        """Forget what was not committed, and let other writers in."""
        writer, self._writer, self._pending = self._writer, None, 0
        if writer:
            writer.drop()


def level_text(log: ChunkLog, folder: Path, progress: Progress | None = None) -> int:
    """Index every row that the index in `folder` has not seen; how many those were.

    Raises MemoryBusy if another process is writing the index.
    """
    leveller = Leveller(folder, progress)
    try:
        leveller.follow(log)
        leveller.commit()
    finally:
        leveller.drop()
    return leveller.done
