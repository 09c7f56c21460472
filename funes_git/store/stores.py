"""All stores of one repository: opened together, written in the order that makes a crash harmless.

The memory (Lance) is written first, then the catalog in one transaction together with how far each
source was read, then the word index. Before the memory is touched the catalog notes which sessions
will be: whoever opens the stores for writing next finds the note if the writer died, and brings the
catalog level from the memory. A catalog that is missing, damaged or of another memory is rebuilt.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, Self

from funes_git.errors import FunesError, MemoryMissing, ModelMismatch
from funes_git.layout import Layout
from funes_git.model import Batch
from funes_git.store.catalog import Catalog
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.changes import Changes
from funes_git.store.columns import LARGE, rows_of, source_id, stale_block_ids
from funes_git.store.database import StoreDamaged, private_folder
from funes_git.store.decisions import Decisions
from funes_git.store.forgotten import Forgotten
from funes_git.store.lance import Vectors
from funes_git.store.level import Leveller, Progress, level_text
from funes_git.store.levelled import Levelled, nothing, open_catalog
from funes_git.store.lock import FileLock
from funes_git.store.manifest import check_format
from funes_git.store.records import HookEvent, Totals
from funes_git.store.rewrite import exchange, settle, write_anew

FIRST, BUFFER = 4 * 2**20, 16 * 2**20
"""Bytes of text that are gathered before they are written: little at first, so that writing soon
goes on beside reading, then more and more, since each write costs something."""
TIDY_AFTER = 20
"""Writes to the memory after which its versions and fragments are merged."""


class Stores(Levelled):
    """The stores of one repository. A context manager: leaving it without an error stores what
    was handed in."""

    def __init__(self, layout: Layout, catalog: Catalog, held: ExitStack) -> None:
        super().__init__(layout, catalog, held)
        self._changes = Changes()
        self._room = FIRST
        self._words = Leveller(layout.text)
        self._identity = ("", "")
        self._before = Totals()
        self._forgotten: Forgotten | None = None

    _lock: FileLock
    """Only of a writer."""
    vectors_along: Vectors | None = None
    """Gives the vectors that come with the chunks which are handed in."""

    @classmethod
    def open(
        cls,
        layout: Layout,
        write: bool = False,
        *,
        wait: float = 10.0,
        repair: bool = False,
        at: Callable[[str], None] = nothing,
    ) -> Self:
        """Open for reading, or with `write` as the one writer.

        A writer waits up to `wait` seconds for another one, then raises MemoryBusy; it creates
        what is missing, migrates what is old and finishes what a killed writer left; with `repair`
        it leaves that to `reindex`. Raises TablesLost where part of the memory was deleted.
        `at` is called with the name of each step just before it: for tests that kill. Raises
        MemoryMissing (reading only), FormatTooNew, StoreDamaged (reading only), FunesError where
        nothing may be written.
        """
        check_format(layout.memory)
        with ExitStack() as held:
            if not write:
                catalog = held.enter_context(Catalog.open(layout.catalog))
                return cls(layout, catalog, held.pop_all())
            try:
                private_folder(layout.root)
                lock = held.enter_context(FileLock.take(layout.write_lock, wait))
                settle(layout)
                decisions = held.enter_context(Decisions.open(layout.decisions))
                writer = held.enter_context(open_catalog(layout))
            except OSError as error:
                why = error.strerror or "input or output error"
                raise FunesError(
                    f"cannot write {layout.root}: {why}", hint="git funes doctor"
                ) from error
            shutil.rmtree(layout.imported, ignore_errors=True)  # of an import that was killed
            stores = cls(layout, writer, ExitStack())
            stores._at = at
            stores._lock = lock
            stores.decisions = decisions
            if not repair:
                stores._bring_level()
            stores._before = stores.catalog.totals()
            stores._held = held.pop_all()
            return stores

    def known_as(self, repo: str, repo_id: str) -> None:
        """What the chunks written from now on say of their repository: `owner/name` (several with
        spaces between, as huggingface/funes writes it) and the id of a root commit."""
        self._identity = (repo, repo_id)

    @property
    def written(self) -> Totals:
        """What is new since these stores were opened, as far as it was flushed."""
        return self.catalog.totals().since(self._before)

    def holders(self, harness: str, turn_uuids: Sequence[str]) -> dict[str, str]:
        """Turn → the session that holds it, of those that are stored or were handed in."""
        handed_in = self._changes.holders(harness, turn_uuids)
        return handed_in | self.catalog.holders(harness, turn_uuids)

    # --- writing

    def write(self, batch: Batch) -> None:
        """Take in a batch; it is stored when enough has come together, or by `flush`."""
        self.take(Changes.of(batch))

    def take(self, changes: Changes) -> None:
        """Take in changes, but for what is to be forgotten; they are stored when enough has come
        together, or by `flush`."""
        if self._forgotten is None:
            self._forgotten = self.decisions.forgotten()
        if self._forgotten:
            self._forgotten.clear(changes)
        self._changes.update(changes)
        if self._changes.size > self._room:
            self._room = min(2 * self._room, BUFFER)
            self._store()
            self._follow()

    def flush(self) -> None:
        """Store everything that was handed in, and bring the word index level."""
        self._store()
        self._at("text")
        self._follow()
        self._words.commit()

    def _follow(self) -> None:
        self._words.follow(self.catalog)
        self.writer.recent = ()

    def _store(self) -> None:
        changes, self._changes = self._changes, Changes()
        if not self._lock.stands(self.layout.write_lock):
            # what is handed in now is the rest of what is gone, and would pass for everything
            raise FunesError("the memory was deleted meanwhile", hint="git funes init")
        if changes.empty:
            return
        stale = self.writer.prune(changes)
        settings: dict[str, str | None] = {"indexed_at": repr(time.time())}
        if not changes.only_states:
            sources = [source_id(s.source) for s in changes.states.values()]
            is_level = self._intend(changes.touched(), sources)
            gone = {"chunks": stale.chunks, "blocks": stale_block_ids(stale.blocks)}
            retractions = changes.retractions_by_session()
            rows = partial(rows_of, changes, self._identity)
            fresh = LARGE if is_level and not stale.replaced else ()
            self.lance().write(
                rows, gone, retractions, self._at, fresh=fresh, vectors=self.vectors_along
            )
            settings |= self._done()
        self._at("catalog")
        self.writer.apply(changes, settings)

    def set_vectors(self, ids: Sequence[str], vectors: Any, model: str) -> None:
        """Give chunks their vectors, rows of numbers or a column of Arrow's, made with `model`.
        Raises ModelMismatch if the memory's are made with another."""
        memory = self.lance()
        if model != memory.model:
            raise ModelMismatch(
                f"the memory's vectors are made with {memory.model}, not {model}",
                hint=f"git funes reindex --model {model}",
            )
        self._intend()
        memory.set_vectors(ids, vectors)
        self._at("catalog")
        self.writer.mark_vectors(ids, self._done())

    def vectors(self) -> Iterator[tuple[list[str], Any]]:
        """(ids, float32 array) of all chunks that have a vector."""
        return self.lance().vectors()

    def change_model(self, model: str, size: int) -> None:
        """Drop all vectors, and make room for those of `model` with `size` numbers each."""
        self._intend()
        self.lance().change_model(model, size)
        self.writer.unmark_vectors(self._done())

    def add_events(self, events: Iterable[HookEvent]) -> None:
        """Keep what hooks reported; events that are known change nothing."""
        self.decisions.add_events(events)
        self._copy_events()

    def add_attributions(self, events: Sequence[HookEvent]) -> int:
        """Keep what another tool said of commits, and have these linked again; how much of it is
        new."""
        new = self.catalog.unknown_events(events)
        self.add_events(new)
        if new:
            self.writer.link_again(min(event.at for event in new))
        return len(new)

    def note_read(self, at: float) -> None:
        """Remember that the sessions were read as they were at the time `at` (seconds since the
        epoch). Kept beside the events, as nothing else tells it."""
        self.decisions.put("read_until", repr(at))
        self._copy_events()

    def reindex(self, progress: Progress | None = None) -> tuple[list[str], bool]:
        """Rebuild the catalog and the word index from the memory. Links are gone afterwards: they
        are computed again from git. `progress` is told what is done and in all, and of what.

        Returns the tables that had been deleted from the memory, and whether the catalog still held
        what was in them; it needs `known_as`. Raises MemoryMissing."""
        lost = self.lost()
        if not (lost or self.layout.memory.is_dir()):
            raise MemoryMissing("this repository has no memory yet", hint="git funes init")
        restored = bool(lost) and self.restore(lost, self._identity)

        def records(done: int, total: int) -> None:
            if progress:
                progress(done, total, "records")

        try:
            self._rebuild(records)
        except StoreDamaged:
            self._renew_catalog()
            self._rebuild(records)
        self._copy_events()
        level_text(self.catalog, self.layout.text, progress)
        return lost, restored

    def rewrite(
        self,
        change: Callable[[Changes], None],
        progress: Callable[[int, int], None] | None = None,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Write the memory anew as `change` leaves each portion of it, and make everything derived
        of it again; nothing of what it was stays on the disk. Links are gone afterwards: they are
        computed again from git. `then` is called when the new one is complete, before it takes the
        old one's place. It needs `known_as`."""
        self.flush()
        self._at("rewrite")
        write_anew(self.lance(), self.layout, self._identity, change, progress)
        then()
        indexed = self.writer.setting("indexed_at")
        self._at("exchange")
        self.catalog.close()
        self._memory, self._words = None, Leveller(self.layout.text)
        exchange(self.layout)
        self._at("exchanged")
        self._renew_catalog()
        self._rebuild()
        self.writer.put({"indexed_at": indexed})
        self._copy_events()
        level_text(self.catalog, self.layout.text)

    def close(self) -> None:
        """Let go of everything, also of what was not flushed."""
        self._words.drop()
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *exc: object) -> None:
        try:
            if kind is None and isinstance(self.catalog, CatalogWriter):
                self.flush()
                self._keep_events()
                if int(self.writer.setting("writes") or 0) >= TIDY_AFTER:
                    self.tidy()
        finally:
            self.close()
