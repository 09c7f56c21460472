"""What a question reads, opened when it is first needed and again when the memory has grown.

Safe to share by threads: SQLite gets a connection for each of them, the rest is read by all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from funes_git.embed import Embedder, open_embedder
from funes_git.errors import MemoryMissing, NothingIndexed
from funes_git.layout import Layout
from funes_git.models import Models
from funes_git.once import Once
from funes_git.rerank import Reranker
from funes_git.store.catalog import Catalog
from funes_git.store.text import TextIndex
from funes_git.store.vectors import VectorIndex

T = TypeVar("T")
Stamp = tuple[int, int] | None


class Opened:
    """The derived files and the models of one memory."""

    def __init__(self, layout: Layout, catalog: Catalog, models: Models) -> None:
        """`catalog` stays the caller's, for the thread that this is called in."""
        self.models = models
        self._layout = layout
        self._words: _Fresh[TextIndex] = _Fresh(layout.text / "state.json")
        self._vectors: _Fresh[VectorIndex] = _Fresh(layout.vectors / "state.json")
        self.embedder = Once(self._open_embedder)
        self.reranker = Once(self._open_reranker)
        self._catalogs: list[Catalog] = []
        self._lock = threading.Lock()
        self._mine = threading.local()
        self._mine.catalog, self._mine.stamp = catalog, _changed(layout.catalog, inode_only=True)

    def share(self, other: Opened) -> None:
        """Take the models that `other` uses too from there."""
        if other.models.name == self.models.name:
            self.embedder = other.embedder
        self.reranker = other.reranker

    def catalog(self) -> Catalog:
        """The catalog, for this thread. Raises what `Catalog.open` does."""
        stamp = _changed(self._layout.catalog, inode_only=True)
        held: Catalog | None = getattr(self._mine, "catalog", None)
        if held is None or self._mine.stamp != stamp:
            held = Catalog.open(self._layout.catalog)
            with self._lock:
                self._catalogs.append(held)
            self._mine.catalog, self._mine.stamp = held, stamp
        return held

    def words(self) -> TextIndex:
        """The word index as it is now. Raises MemoryMissing."""
        found = self._words.get(lambda: TextIndex.open(self._layout.text))
        if found is not None and found.documents:
            return found
        if self.catalog().totals().chunks:
            raise MemoryMissing(
                "the word index is missing or of another version", hint="git funes reindex"
            )
        raise NothingIndexed

    def vectors(self) -> VectorIndex | None:
        """The vectors as they are now, or None."""
        return self._vectors.get(lambda: VectorIndex.open(self._layout.vectors))

    def close(self) -> None:
        """Let go of the models and of the connections; no other thread may be asking."""
        self.embedder.drop()
        self.reranker.drop()
        self._words.drop()
        self._vectors.drop()
        for catalog in self._catalogs:
            catalog.close()
        self._catalogs.clear()
        self._mine = threading.local()

    def _open_embedder(self) -> Embedder | None:
        weights = self.models.find()
        return open_embedder(weights) if weights else None

    def _open_reranker(self) -> Reranker | None:
        weights = self.models.find_reranker()
        return Reranker(weights) if weights else None


class _Fresh(Generic[T]):
    """A file's reader, opened anew when the file was replaced."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._held: tuple[Stamp, T | None] | None = None

    def get(self, open_it: Callable[[], T | None]) -> T | None:
        """The reader of the file as it is now."""
        stamp = _changed(self._file)
        with self._lock:
            if self._held is None or self._held[0] != stamp:
                self._held = stamp, open_it()
            return self._held[1]

    def drop(self) -> None:
        with self._lock:
            self._held = None


def _changed(path: Path, *, inode_only: bool = False) -> Stamp:
    """Differs when the file was replaced, or written to."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, 0 if inode_only else found.st_mtime_ns
