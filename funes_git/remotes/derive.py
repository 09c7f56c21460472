"""Fetching a version of a memory, and making of it what answers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from funes_git.layout import Layout
from funes_git.model import Attribution
from funes_git.origin import GIVEN
from funes_git.remotes import plain, tables
from funes_git.remotes.cached import HELD, Identity, is_same
from funes_git.remotes.names import Name
from funes_git.remotes.places import demand_memory, place_of
from funes_git.store.differences import drop_sessions, repositories, sessions_of_others
from funes_git.store.files import write_json
from funes_git.store.imports import attribution_event
from funes_git.store.lance import LanceMemory
from funes_git.store.records import HookEvent
from funes_git.store.shared import SharedMemory
from funes_git.store.stores import Stores
from funes_git.store.vectors import VectorWriter

SURE = ("exact", "lines", "derived", "imported")
"""The levels of links that are believed."""
Progress = Callable[[int, int, str], None]


def derive(
    name: Name, version: str, layout: Layout, only: Identity | None, progress: Progress
) -> None:
    """Make the layout of a version, all or nothing; with `only`, of one repository's sessions.
    Raises FunesError."""
    place = place_of(name)
    part = Layout(layout.root.with_name(f"{layout.root.name}.part"))
    shutil.rmtree(part.root, ignore_errors=True)
    paths = place.paths(version)
    demand_memory(name, paths)
    progress(0, 0, f"files of {place.name.text} fetched")
    source = place.fetch(version, paths)
    if any(path.startswith("blocks.lance/") for path in paths):
        _ours(source, paths, part, only, progress)
    else:
        _plain(source, paths, part)
    with Stores.open(part, write=True) as stores:
        stores.writer.put({"elsewhere": name.text})
    shutil.rmtree(layout.root, ignore_errors=True)
    os.rename(part.root, layout.root)  # noqa: PTH104  # a folder


def _ours(
    source: Path, paths: Iterable[str], layout: Layout, only: Identity | None, progress: Progress
) -> None:
    tables.linked_copy(source, paths, layout.memory)
    held = LanceMemory.open(layout.memory)
    if only is None:
        found = sorted(repositories(held))
        write_json(layout.root / f"{HELD}.json", {HELD: found})
    else:
        memory = SharedMemory.make(layout.memory, held)
        drop_sessions(memory, sessions_of_others(memory, lambda each: is_same(each, only)))
    with Stores.open(layout, write=True, repair=True) as stores:
        stores.reindex(progress)
        stores.add_events(_given(SharedMemory.make(layout.memory, stores.lance())))
        _keep_vectors(layout, stores.lance())


def _plain(source: Path, paths: Iterable[str], layout: Layout) -> None:
    """A memory of chunks alone, whose sessions are stored anew."""
    folder = layout.root / "fetched"
    tables.linked_copy(source, paths, folder)
    memory = LanceMemory.open(folder)
    with Stores.open(layout, write=True) as stores:
        for changes in plain.all_changes(memory):
            stores.take(changes)
        stores.flush()
        _keep_vectors(layout, memory)


def _given(memory: SharedMemory) -> Iterator[HookEvent]:
    """The links that the memory came with, as its word: they count where the content of no edit
    shows the lines, as in a clone without the commits that came before."""
    names = ("sha", "session_id", "harness", "path", "lines", "turn_uuid", "level", "relation")
    for sha, session_id, harness, path, flat, turn, level, relation in memory.columns(
        "links", names
    ):
        if level in SURE and relation == "wrote":
            spans = tuple(zip(flat[::2], flat[1::2], strict=True)) if flat else ()
            one = Attribution(sha, session_id, harness, GIVEN, path, spans, turn or "")
            yield attribution_event(one, 0.0)


def _keep_vectors(layout: Layout, memory: LanceMemory) -> None:
    with VectorWriter.open(layout.vectors, memory.model, memory.vector_size) as writer:
        for ids, vectors in memory.vectors():
            writer.add(ids, vectors)
