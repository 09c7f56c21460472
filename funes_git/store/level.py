"""Bringing the word index level with the catalog's chunk log. The caller holds the write lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from funes_git.store.records import ChunkRow
from funes_git.store.text import TextWriter

_ROWS = 4_000  # read at once
_COMMIT = 40_000  # rows between commits: each makes a segment and waits for the disk


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


def level_text(
    log: ChunkLog, folder: Path, progress: Callable[[int, int, str], None] | None = None
) -> int:
    """Index every row that the index in `folder` has not seen; how many those were.

    Costs nothing but a look at two files if there are none. Raises MemoryBusy if another process
    is writing the index.
    """
    newest, identity = log.newest_chunk(), log.setting("identity") or ""
    if TextWriter.is_level(folder, identity, newest):
        return 0
    done = pending = 0
    with TextWriter.open(folder, identity) as writer:
        at = writer.upto
        while rows := log.chunk_rows(at, _ROWS):
            writer.add(rows)
            at = rows[-1].rowid
            done += len(rows)
            pending += len(rows)
            if pending >= _COMMIT:
                writer.commit(at)
                pending = 0
            if progress is not None:
                progress(done, max(done, newest), "words")
        writer.commit(max(at, newest))
    return done
