"""The memory and the catalog, kept level: what the writer notes before and after each write, and
what whoever opens them next makes of a note that was left.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import timedelta
from functools import partial

from funes_git.errors import FunesError
from funes_git.layout import Layout
from funes_git.store.catalog import Catalog
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.columns import TABLES, rows_of
from funes_git.store.database import StoreDamaged
from funes_git.store.decisions import Decisions
from funes_git.store.lance import LanceMemory
from funes_git.store.manifest import disk_versions
from funes_git.store.orphans import drop_orphans
from funes_git.store.recovery import all_changes, changes_of, states_of
from funes_git.store.restore import catalog_changes

KEEP = timedelta(minutes=10)
"""Older versions of the memory are dropped; whoever reads one has this long."""
EVERYTHING = "everything"


def nothing(_step: str) -> None:
    pass


class TablesLost(FunesError):
    """Somebody deleted tables of the memory; nothing is written before they are back."""

    def __init__(self, tables: Sequence[str]) -> None:
        names = ", ".join(tables)
        super().__init__(f"deleted from the memory: {names}", hint="git funes reindex")


class Levelled:
    """A memory and the catalog that is derived from it."""

    def __init__(self, layout: Layout, catalog: Catalog, held: ExitStack) -> None:
        self.layout = layout
        self.catalog = catalog
        self._held = held
        self._memory: LanceMemory | None = None
        self._at: Callable[[str], None] = nothing

    decisions: Decisions
    """Only of a writer."""

    @property
    def writer(self) -> CatalogWriter:
        """The catalog for writing; only of a writer."""
        if not isinstance(self.catalog, CatalogWriter):
            raise TypeError("opened for reading")
        return self.catalog

    def lance(self) -> LanceMemory:
        """The memory; imports lancedb."""
        if self._memory is None:
            create = isinstance(self.catalog, CatalogWriter)
            self._memory = LanceMemory.open(self.layout.memory, create=create)
        return self._memory

    def lost(self) -> list[str]:
        """The tables that somebody deleted from the memory."""
        here, intent = disk_versions(self.layout.memory), self.writer.setting("intent")
        known = json.loads(self.writer.setting("versions") or "{}")
        return [n for n in TABLES if n not in here and (intent == EVERYTHING or n in known)]

    def restore(self, tables: Sequence[str], identity: tuple[str, str]) -> bool:
        """Make tables that were deleted again, and fill them from the catalog; False if that is new
        itself. Then all sources count as never read, so that the next read fills them."""
        memory = self.lance()  # creates them
        if self.writer.setting("intent") == EVERYTHING:
            memory.forget_sources()
            return False
        for changes in catalog_changes(self.catalog):
            memory.restore(partial(rows_of, changes, identity), tables)
        return True

    def tidy(self, keep: timedelta = KEEP, *, after_crash: bool = False) -> None:
        """Merge the memory's small fragments, drop its versions older than `keep`, and give back
        what is free in the catalog."""
        self._intend()
        self.catalog.db.execute("PRAGMA shrink_memory")  # what it keeps of its file
        self.lance().tidy(keep, after_crash=after_crash)
        self.writer.put({**self._done(), "writes": "0"})
        self.writer.shrink()

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
        if lost := self.lost():
            raise TablesLost(lost)
        intent = self.writer.setting("intent")
        versions = json.loads(self.writer.setting("versions") or "{}")
        if intent == EVERYTHING:
            self._rebuild()
        elif intent:
            self._finish(*json.loads(intent))
        elif versions != disk_versions(self.layout.memory):
            self._rebuild()
        self._copy_events()

    def _finish(self, sessions: list[str], sources: list[str]) -> None:
        """Take into the catalog what a killed writer may have stored of these sessions."""
        memory = self.lance()
        drop_orphans(memory)
        for session_id in sessions:
            changes = changes_of(memory, [session_id])
            self.writer.prune(changes)
            self.writer.apply(changes, {})
        self._at("recovered")
        self.writer.apply(states_of(memory, sources), self._done())
        self.tidy(after_crash=True)

    def _rebuild(self, progress: Callable[[int, int], None] | None = None) -> None:
        memory = self.lance()
        drop_orphans(memory)
        # nothing is linked then, and text/ must learn that chunks are numbered anew
        settings = {**self._done(), "linked_tips": None, "identity": secrets.token_hex(8)}
        self.writer.rebuild(lambda: all_changes(memory, progress), settings)
        self.writer.shrink()

    def _renew_catalog(self) -> None:
        self.catalog.close()
        CatalogWriter.remove(self.layout.catalog)
        self.catalog = self._held.enter_context(open_catalog(self.layout))

    def _copy_events(self) -> None:
        upto = int(self.writer.setting("events") or 0)
        if (read_until := self.decisions.setting("read_until")) is not None:
            self.writer.put({"read_until": read_until})
        if spans := self.decisions.forgotten_spans():
            self.writer.put({"forgotten": json.dumps(spans)})
        events = self.decisions.events(upto)
        if events:
            self.writer.add_events((e for _, e in events), {"events": str(events[-1][0])})

    def _keep_events(self) -> None:
        """Copy to decisions.sqlite what linking heard of git itself, which will forget it."""
        events = self.writer.heard_events(int(self.writer.setting("events_kept") or 0))
        if events:
            self.decisions.add_events(e for _, e in events)
            self.writer.put({"events_kept": str(events[-1][0])})


def open_catalog(layout: Layout) -> CatalogWriter:
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
