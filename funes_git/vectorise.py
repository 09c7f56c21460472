"""Making the vectors that the memory lacks, in the background or while somebody waits.

The write lock is taken only to store what was made, some seconds apart, so that indexing after a
commit never waits for a model. Can be stopped anywhere and goes on where it was: what is pending is
whatever the catalog says has no vector.

vectors/ is written before the memory: storing a vector there again changes nothing, so that a crash
between the two means that some passages are embedded once more, and nothing has to be compared.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from funes_git.embed import Embedder, open_embedder
from funes_git.errors import ModelMismatch
from funes_git.layout import Layout
from funes_git.models import Models
from funes_git.store.catalog import Catalog
from funes_git.store.vectors import (
    VectorIndex,
    VectorWriter,
    replace_vectors,
    vectors_state,
    wipe_vectors,
)

if TYPE_CHECKING:
    from funes_git.encoder import Floats
    from funes_git.store.stores import Stores

_AT_ONCE = 512  # chunks between writes: about ten seconds of work
_WAIT = 120.0  # seconds for another writer to finish
_STALE = 1.25  # vectors in vectors/ to those of passages that are there, before it is made anew

Progress = Callable[[int, int, str], None]


def vectorise(
    layout: Layout,
    models: Models,
    *,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> int:
    """Embed prose chunks without a vector, newest first; how many were made.

    `progress(done, total, what)` is called after each chunk. Ends early, with what is done stored,
    when `stop()` is true (asked after each chunk), on SIGTERM (which then takes its course) and on
    an interrupt. The caller must not hold the write lock. Raises models.NoModel, ModelMismatch,
    MemoryMissing, and MemoryBusy if another process writes for minutes.
    """
    weights = models.require()
    _check(vectors_state(layout.vectors)[0], models.name)
    _restore(layout, models.name)
    total = _missing(layout)
    if not total:
        return 0
    return _Run(layout, open_embedder(weights, many=True), progress, stop).go(total)


def _check(held: str | None, wanted: str) -> None:
    if held not in (None, wanted):
        raise ModelMismatch(
            f"the memory's vectors were made with {held}, not {wanted}",
            hint=f"git funes reindex --model {wanted}",
        )


class _Run:
    """One go at what is pending."""

    def __init__(
        self,
        layout: Layout,
        embedder: Embedder,
        progress: Progress | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        self._layout = layout
        self._embedder = embedder
        self._progress = progress
        self._stop = stop
        self._done = 0

    def go(self, total: int) -> int:
        """Work until nothing is pending or somebody says stop; how many vectors were made."""
        with _termination() as terminated:
            while batch := _pending(self._layout):
                vectors: list[Floats] = []
                try:
                    for vector in self._embedder.passages([text for _, text in batch]):
                        vectors.append(vector)
                        self._tell(total)
                        if terminated() or (self._stop is not None and self._stop()):
                            break
                finally:  # an interrupt loses nothing either
                    if vectors:
                        made = batch[: len(vectors)]
                        _store(self._layout, self._embedder.model, made, vectors)
                if len(vectors) < len(batch):
                    break
        return self._done

    def _tell(self, total: int) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, max(self._done, total), "vectors")


def _store(
    layout: Layout, model: str, batch: Sequence[tuple[str, str]], vectors: Sequence[Floats]
) -> None:
    from funes_git.store.stores import Stores

    if not layout.catalog.exists():
        return  # deleted meanwhile; nothing of it may come back
    with Stores.open(layout, write=True, wait=_WAIT) as stores:
        # A chunk may have been replaced while it was being embedded.
        now = stores.catalog.chunks_by_id([chunk for chunk, _ in batch])
        same = [
            (chunk, vector)
            for (chunk, text), vector in zip(batch, vectors, strict=True)
            if chunk in now and now[chunk].text == text
        ]
        if same:
            ids, made = [chunk for chunk, _ in same], [vector for _, vector in same]
            with VectorWriter.open(layout.vectors, model, len(made[0])) as writer:
                writer.add(ids, made)
            stores.set_vectors(ids, [vector.tolist() for vector in made], model)


def _restore(layout: Layout, model: str) -> None:
    """Copy from the memory what vectors/ lacks, after it was deleted or its format changed; and all
    of it where too much of vectors/ belongs to passages that are gone."""
    with Catalog.open(layout.catalog) as catalog:
        expected = catalog.totals().vectors
    index, stored = VectorIndex.open(layout.vectors), vectors_state(layout.vectors)[1]
    if expected <= (index.count if index else 0) and stored <= expected * _STALE + _AT_ONCE:
        return
    from funes_git.store.stores import Stores

    with Stores.open(layout, write=True, wait=_WAIT) as stores:
        _check(stores.lance().model, model)
        _renew(layout, model, stores)


def _renew(layout: Layout, model: str, stores: Stores) -> None:
    live, anew = stores.catalog.with_vector(), layout.vectors.with_name("vectors.new")
    wipe_vectors(anew)  # somebody may have been killed here
    with ExitStack() as held:
        writer: VectorWriter | None = None
        for ids, vectors in stores.vectors():
            rows = [row for row, chunk in enumerate(ids) if chunk in live]
            writer = writer or held.enter_context(VectorWriter.open(anew, model, len(vectors[0])))
            writer.add([ids[row] for row in rows], vectors[rows])
    if writer:
        replace_vectors(layout.vectors, anew)


def _missing(layout: Layout) -> int:
    with Catalog.open(layout.catalog) as catalog:
        totals = catalog.totals()
    return totals.prose - totals.vectors


def _pending(layout: Layout) -> list[tuple[str, str]]:
    with Catalog.open(layout.catalog) as catalog:
        return catalog.pending_vectors(_AT_ONCE)


@contextmanager
def _termination() -> Iterator[Callable[[], bool]]:
    """Gives a function that says whether SIGTERM came, and sends it on at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    came = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: came.set())
    try:
        yield came.is_set
    finally:
        signal.signal(signal.SIGTERM, before)
        if came.is_set():
            signal.raise_signal(signal.SIGTERM)
