"""All stores of one repository: opened together, written in the order that makes a crash harmless.

The memory (Lance) is written first, then the catalog in one transaction together with how far each
source was read, then the word index. Before the memory is touched the catalog notes which sessions
will be: whoever opens the stores for writing next finds the note if the writer died, and brings the
catalog level from the memory. A catalog that is missing, damaged or of another memory is rebuilt.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import timedelta
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
from funes_git.store.lance import LanceMemory
from funes_git.store.level import level_text
from funes_git.store.lock import FileLock
from funes_git.store.manifest import check_format, disk_versions
from funes_git.store.records import HookEvent, Totals
from funes_git.store.recovery import all_changes, changes_of, states_of

BUFFER = 16 * 2**20
"""Bytes of text that are gathered before they are written."""
TIDY_AFTER = 20
"""Writes to the memory after which its versions and fragments are merged."""
KEEP = timedelta(minutes=10)
"""Older versions of the memory are dropped; whoever reads one has this long."""
EVERYTHING = "everything"


def _nothing(_step: str) -> None:
    pass


class Stores:
    """The stores of one repository. A context manager: leaving it without an error stores what
    was handed in."""

    def __init__(self, layout: Layout, catalog: Catalog, held: ExitStack) -> None:
        self.layout = layout
        self.catalog = catalog
        self._held = held
        self._memory: LanceMemory | None = None
        self._changes = Changes()
        self._identity = ("", "")
        self._at: Callable[[str], None] = _nothing
        self._before = Totals()

    @classmethod
    def open(
        cls,
        layout: Layout,
        write: bool = False,
        *,
        wait: float = 10.0,
        at: Callable[[str], None] = _nothing,
    ) -> Self:
        """Open for reading, or with `write` as the one writer.

        A writer waits up to `wait` seconds for another one, then raises MemoryBusy; it creates
        what is missing, migrates what is old and finishes what a killed writer left.
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
                held.enter_context(FileLock.take(layout.write_lock, wait))
                decisions = held.enter_context(Decisions.open(layout.decisions))
                writer = held.enter_context(_open_catalog(layout))
            except OSError as error:
                why = error.strerror or "input or output error"
                raise FunesError(f"cannot write {layout.root}: {why}") from error
            stores = cls(layout, writer, ExitStack())
            stores._at = at
            stores.decisions = decisions
            stores._bring_level()
            stores._held = held.pop_all()
            return stores

    decisions: Decisions
    """Only of a writer."""

    def known_as(self, repo: str, repo_id: str) -> None:
        """What the chunks written from now on say of their repository: `owner/name` (several with
        spaces between, as huggingface/funes writes it) and the id of its first commit."""
        self._identity = (repo, repo_id)

    @property
    def writer(self) -> CatalogWriter:
        """The catalog for writing; only of a writer."""
        if not isinstance(self.catalog, CatalogWriter):
            raise TypeError("opened for reading")
        return self.catalog

    @property
    def written(self) -> Totals:
        """What is new since these stores were opened, as far as it was flushed."""
        return self.catalog.totals().since(self._before)

    def lance(self) -> LanceMemory:
        """The memory; imports lancedb."""
        if self._memory is None:
            create = isinstance(self.catalog, CatalogWriter)
            self._memory = LanceMemory.open(self.layout.memory, create=create)
        return self._memory

    def has_turn(self, harness: str, turn_uuid: str) -> str | None:
        """The session that holds a turn, stored or handed in, if any does."""
        return self.catalog.has_turn(harness, turn_uuid) or self._changes.holder(harness, turn_uuid)

    # --- writing

    def write(self, batch: Batch) -> None:
        """Take in a batch; it is stored when enough has come together, or by `flush`."""
        self._changes.add(batch)
        if self._changes.size > BUFFER:
            self._store()

    def flush(self) -> None:
        """Store everything that was handed in, and bring the word index level."""
        self._store()
        self._at("text")
        level_text(self.catalog, self.layout.text)

    def _store(self) -> None:
        changes, self._changes = self._changes, Changes()
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
            self.lance().write(rows, gone, retractions, self._at, fresh=fresh)
            settings |= self._done()
        self._at("catalog")
        self.writer.apply(changes, settings)

    def set_vectors(
        self, ids: Sequence[str], vectors: Iterable[Sequence[float]], model: str
    ) -> None:
        """Give chunks their vectors, made with `model`. Raises ModelMismatch if the memory's are
        made with another."""
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

    def note_read(self, at: float) -> None:
        """Remember that the sessions were read as they were at the time `at` (seconds since the
        epoch). Kept beside the events, as nothing else tells it."""
        self.decisions.put("read_until", repr(at))
        self._copy_events()

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Rebuild the catalog and the word index from the memory. Links are gone afterwards: they
        are computed again from git. `progress` is told sessions done and in all."""
        if not self.layout.memory.is_dir():
            raise MemoryMissing("this repository has no memory yet", hint="git funes init")
        try:
            self._rebuild(progress)
        except StoreDamaged:
            self._renew_catalog()
            self._rebuild(progress)
        self._copy_events()
        level_text(self.catalog, self.layout.text)

    def tidy(self, keep: timedelta = KEEP, *, after_crash: bool = False) -> None:
        """Merge the memory's small fragments and drop its versions older than `keep`."""
        self._intend()
        self.lance().tidy(keep, after_crash=after_crash)
        self.writer.put({**self._done(), "writes": "0"})

    # --- staying level

    def _intend(self, sessions: Sequence[str] = (), sources: Sequence[str] = ()) -> bool:
        """Note what will be written to the memory; whether no error had left a note before."""
        self._at("intent")
        left = json.loads(self.writer.setting("intent") or "[[], []]")
        both = sorted({*left[0], *sessions}), sorted({*left[1], *sources})
        self.writer.put({"intent": json.dumps(both)})
        return not any(left)

    def _done(self) -> dict[str, str | None]:
        """What the catalog keeps once it has taken in a write to the memory."""
        writes = int(self.writer.setting("writes") or 0) + 1
        versions = json.dumps(disk_versions(self.layout.memory))
        return {"intent": None, "versions": versions, "writes": str(writes)}

    def _bring_level(self) -> None:
        intent = self.writer.setting("intent")
        versions = json.loads(self.writer.setting("versions") or "{}")
        if intent == EVERYTHING:
            self._rebuild()
        elif intent:
            self._finish(*json.loads(intent))
        elif versions != disk_versions(self.layout.memory):
            self._rebuild()
        self._copy_events()
        self._before = self.catalog.totals()

    def _finish(self, sessions: list[str], sources: list[str]) -> None:
        """Take into the catalog what a killed writer may have stored of these sessions."""
        memory = self.lance()
        memory.drop_orphans()
        for session_id in sessions:
            changes = changes_of(memory, [session_id])
            self.writer.prune(changes)
            self.writer.apply(changes, {})
        self._at("recovered")
        self.writer.apply(states_of(memory, sources), self._done())
        self.tidy(after_crash=True)

    def _rebuild(self, progress: Callable[[int, int], None] | None = None) -> None:
        memory = self.lance()
        memory.drop_orphans()
        # nothing is linked then, and text/ must learn that chunks are numbered anew
        settings = {**self._done(), "linked_tips": None, "identity": secrets.token_hex(8)}
        self.writer.rebuild(lambda: all_changes(memory, progress), settings)

    def _renew_catalog(self) -> None:
        self.catalog.close()
        CatalogWriter.remove(self.layout.catalog)
        self.catalog = self._held.enter_context(_open_catalog(self.layout))

    def _copy_events(self) -> None:
        upto = int(self.writer.setting("events") or 0)
        if (read_until := self.decisions.setting("read_until")) is not None:
            self.writer.put({"read_until": read_until})
        events = self.decisions.events(upto)
        if events:
            self.writer.add_events((e for _, e in events), {"events": str(events[-1][0])})

    def close(self) -> None:
        """Let go of everything, also of what was not flushed."""
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *exc: object) -> None:
        try:
            if kind is None and isinstance(self.catalog, CatalogWriter):
                self.flush()
                if int(self.writer.setting("writes") or 0) >= TIDY_AFTER:
                    self.tidy()
        finally:
            self.close()


def _open_catalog(layout: Layout) -> CatalogWriter:
    """The catalog for writing; a new one, to be filled from the memory, where it is damaged."""
    try:
        writer = CatalogWriter.open(layout.catalog)
        if writer.setting("identity"):
            return writer
    except StoreDamaged:
        CatalogWriter.remove(layout.catalog)
        writer = CatalogWriter.open(layout.catalog)
    full = layout.memory.is_dir() and bool(disk_versions(layout.memory))
    writer.put({"identity": secrets.token_hex(8), "intent": EVERYTHING if full else None})
    return writer
