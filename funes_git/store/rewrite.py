"""The memory written anew, so that nothing of what was taken out of it stays on the disk.

Deleting rows leaves them in older versions, in free pages and in merged segments. So a new memory
is written beside the old one, takes its place, and everything derived is made again. Killed at any
point, the next writer either goes on with the old memory or finishes the exchange.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from funes_git.errors import MemoryBusy
from funes_git.layout import Layout
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.changes import Changes
from funes_git.store.columns import rows_of
from funes_git.store.lance import LanceMemory
from funes_git.store.lock import FileLock
from funes_git.store.recovery import all_changes


def write_anew(
    old: LanceMemory,
    layout: Layout,
    identity: tuple[str, str],
    change: Callable[[Changes], None],
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write to `layout.next_memory` what `change` leaves of each portion of the memory; vectors of
    chunks that are said to have one come along. `progress` is told records done and in all."""
    shutil.rmtree(layout.next_memory, ignore_errors=True)
    new = LanceMemory.like(old, layout.next_memory)
    for changes in all_changes(old, progress):
        change(changes)
        kept = {i for stored in changes.turns.values() for i in stored.with_vector}
        new.add(partial(rows_of, changes, identity), old, kept)


def exchange(layout: Layout) -> None:
    """Put the new memory in the place of the old one, and delete everything made of that."""
    layout.memory.rename(layout.last_memory)
    layout.next_memory.rename(layout.memory)
    _finish(layout)


def settle(layout: Layout) -> None:
    """Finish what a killed process left: an exchange that was begun, else the old memory stays."""
    if layout.next_memory.exists():
        if layout.last_memory.exists():
            layout.next_memory.rename(layout.memory)
        else:
            shutil.rmtree(layout.next_memory)
    if layout.last_memory.exists():
        _finish(layout)


def _finish(layout: Layout) -> None:
    CatalogWriter.remove(layout.catalog)
    for copy in layout.copies:
        with suppress(MemoryBusy), FileLock.take(copy.parent / "lock", wait=0):
            shutil.rmtree(copy, ignore_errors=True)  # else who is at work there deletes it
    derived: tuple[Path, ...] = (layout.text, layout.vectors, layout.imported, layout.drafts)
    for folder in (*derived, layout.last_memory):  # the last one says that this is not done
        shutil.rmtree(folder, ignore_errors=True)
