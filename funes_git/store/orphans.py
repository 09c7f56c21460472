"""Chunks of turns that are not stored: what a writer leaves that is killed between two tables.

Imports pyarrow late.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from funes_git.store.lance import LanceMemory
from funes_git.store.lanceclient import literals, private, retried

if TYPE_CHECKING:
    import pyarrow as pa

_TURN = ("session_id", "turn_uuid")


def drop_orphans(memory: LanceMemory) -> None:
    """Delete the chunks whose turn has no blocks. Turns are told apart by a hash of their keys: the
    keys of a million would take hundreds of megabytes."""
    stored, mentioned = _turns(memory, "blocks"), _turns(memory, "chunks")
    missing = mentioned.join(stored, "turn", join_type="left anti")
    lost = frozenset(missing.column("turn").to_pylist())
    if lost:
        keys = memory.columns("chunks", ("id", *_TURN))
        orphans = literals([name for name, *turn in keys if hash(tuple(turn)) in lost])
        with private():
            retried(lambda: memory.table("chunks").delete(f"id IN ({orphans})"))


def _turns(memory: LanceMemory, table: str) -> pa.Table:
    """The turn of each row, as a number."""
    import pyarrow as pa

    numbers = array("q", map(hash, memory.columns(table, _TURN)))
    column = pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])
    return pa.table({"turn": column})
