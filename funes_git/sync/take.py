"""Taking turns of a memory that came from elsewhere into this repository's, vectors included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from funes_git.store.heap import trim
from funes_git.store.lance import LanceMemory, Vectors, rows_of_vectors
from funes_git.store.recovery import changes_of, groups
from funes_git.store.stores import Stores
from funes_git.store.vectors import VectorWriter
from funes_git.sync.state import State

ROWS_AT_ONCE = 2_000
"""Rows that are held at once, beside what gathers in the stores, unless a session has more."""


def take(
    stores: Stores, memory: LanceMemory, state: State, progress: Callable[[int, int, str], None]
) -> None:
    """Store the turns of `memory` that are wanted, with their edits and the vectors that it has for
    them. What is stored already and is the same is left alone. The largest session is held at
    once, or some."""
    sessions = state.sessions("wanted")
    sizes = memory.session_sizes()
    portions = list(groups({each: sizes.get(each, 0) for each in sessions}, ROWS_AT_ONCE))
    done = 0
    with _vectors(stores, memory) as vectors:
        stores.vectors_along = vectors
        for portion in portions:
            changes = changes_of(memory, portion)
            changes.drop(changes.keys() - state.turns("wanted", portion))
            if vectors is None:
                for stored in changes.turns.values():
                    stored.with_vector.clear()
            stores.take(changes)
            trim()
            done += len(portion)
            progress(done, len(sessions), "sessions taken")
        stores.flush()
        stores.vectors_along = None
        for portion in portions if vectors else ():  # of turns that were here before, without
            lacking = stores.catalog.chunks_without_vector(state.turns("wanted", portion))
            if vectors and lacking and (found := vectors(lacking)).num_rows:
                names = found.column("id").to_pylist()
                stores.set_vectors(names, found.column("vector"), memory.model)


@contextmanager
def _vectors(stores: Stores, memory: LanceMemory) -> Iterator[Vectors | None]:
    """What gives the vectors of `memory`, and puts them where they are searched; None where they
    are of another model. As when they are made here that comes before they are stored, so that a
    crash leaves none that is counted and not found."""
    if memory.model != stores.lance().model:
        yield None
        return
    with VectorWriter.open(stores.layout.vectors, memory.model, memory.vector_size) as writer:

        def vectors(ids: Sequence[str]) -> Any:
            found = memory.vectors_of(ids)
            writer.add(*rows_of_vectors(found))
            return found

        yield vectors
