"""Taking turns of a memory that came from elsewhere into this repository's, vectors included."""

from __future__ import annotations

from collections.abc import Callable

from funes_git.store.changes import Key
from funes_git.store.lance import LanceMemory
from funes_git.store.recovery import changes_of
from funes_git.store.stores import Stores
from funes_git.store.vectors import VectorWriter

SESSIONS, VECTORS = 20, 4_096
"""How many are held at once."""


def take(
    stores: Stores,
    memory: LanceMemory,
    wanted: set[Key],
    progress: Callable[[int, int, str], None],
) -> None:
    """Store these turns of `memory` with their edits, and the vectors that it has for them. What is
    stored already and is the same is left alone."""
    sessions = sorted({key[0] for key in wanted})
    for start in range(0, len(sessions), SESSIONS):
        changes = changes_of(memory, sessions[start : start + SESSIONS])
        changes.drop(changes.keys() - wanted)
        stores.take(changes)
        progress(min(start + SESSIONS, len(sessions)), len(sessions), "sessions taken")
    stores.flush()
    if memory.model == stores.lance().model:
        _take_vectors(stores, memory, wanted)


def _take_vectors(stores: Stores, memory: LanceMemory, wanted: set[Key]) -> None:
    lacking = stores.catalog.chunk_ids_of_turns(wanted)
    for start in range(0, len(lacking), VECTORS):
        found = memory.vectors_of(lacking[start : start + VECTORS])
        ids, vectors = found.column("id").to_pylist(), found.column("vector").to_pylist()
        if not ids:
            continue
        with VectorWriter.open(stores.layout.vectors, memory.model, len(vectors[0])) as writer:
            writer.add(ids, vectors)
        stores.set_vectors(ids, vectors, memory.model)
