"""Fetching a version of a memory, and making of it what answers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

from funes_git.errors import FunesError
from funes_git.layout import Layout
from funes_git.remotes import tables
from funes_git.remotes.names import Name
from funes_git.remotes.places import place_of
from funes_git.store.stores import Stores
from funes_git.store.vectors import VectorWriter

Progress = Callable[[int, int, str], None]


def derive(name: Name, version: str, layout: Layout, progress: Progress) -> None:
    """Make the layout of a version, all or nothing. Raises FunesError."""
    place = place_of(name)
    part = Layout(layout.root.with_name(f"{version}.part"))
    shutil.rmtree(part.root, ignore_errors=True)
    paths = place.paths(version)
    if not any(path.startswith("chunks.lance/") for path in paths):
        raise FunesError(
            f"{place.name.text} holds no memory: it has no chunks.lance", "git funes find"
        )
    progress(0, 0, f"files of {place.name.text} fetched")
    tables.linked_copy(place.fetch(version, paths), paths, part.memory)
    with Stores.open(part, write=True, repair=True) as stores:
        stores.reindex(lambda done, total: progress(done, total, "sessions read"))
        for ids, vectors in stores.vectors():
            model = stores.lance().model
            with VectorWriter.open(part.vectors, model, len(vectors[0])) as writer:
                writer.add(ids, vectors)
    shutil.rmtree(layout.root, ignore_errors=True)
    os.rename(part.root, layout.root)  # noqa: PTH104  # a folder
