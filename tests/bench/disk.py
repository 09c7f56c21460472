"""What a repository's memory takes on the disk over the text that was recorded, by store and by
table: `python tests/bench/disk.py REPOSITORY [--each 20] [--settled]`.

Bytes a passage. The recorded text is that of all blocks, uncompressed. A passage that is to have a
vector and has none yet counts as if it had one. With `--settled` a copy is measured whose small
pieces were merged and whose older versions were dropped, as is done after every twenty writes.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from funes_git.git import Repo
from funes_git.layout import Layout
from funes_git.models import Models
from funes_git.store.catalog import Catalog
from funes_git.store.pack import blocks_from_json, expand
from funes_git.store.stats import sizes
from funes_git.store.stores import Stores


def disk(layout: Layout) -> None:
    """Print what the memory and everything derived of it take over the text."""
    with Catalog.open(layout.catalog) as catalog:
        totals, missing = catalog.totals(), catalog.pending_count()
        text = recorded(catalog)
    chunks, found = totals.chunks, sizes(layout)
    for part, size in found.items():
        print(f"disk: {part} {size / chunks:,.0f} bytes a passage")
    over = (sum(found.values()) - text) / chunks
    later = missing * vector_bytes(Models({}).entry().dim) / chunks
    print(f"disk: recorded text {text / chunks:,.0f} bytes a passage")
    print(f"disk over the text: {over:,.0f} bytes a passage, {totals.vectors:,} vectors")
    print(f"disk over the text, with all vectors: {over + later:,.0f} (asked: ≤ 1,200)")


def recorded(catalog: Catalog) -> int:
    """Bytes of the texts of all blocks."""
    bodies = (expand(data) for (data,) in catalog.each("SELECT data FROM bodies"))
    return sum(len(b.text.encode()) for body in bodies for b in blocks_from_json(body))


def vector_bytes(dim: int) -> int:
    """Of a vector: 16-bit floats in the memory; an id, a scale and 8-bit codes in vectors/."""
    return 2 * dim + 8 + 4 + dim


def tables(layout: Layout) -> Iterator[tuple[int, str]]:
    """(bytes, name) of each table and index of the catalog, and of each part of the others."""
    with Catalog.open(layout.catalog) as catalog:
        for name, size in catalog.rows("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
            yield size, f"catalog: {name}"
        for free, size in catalog.rows("SELECT * FROM pragma_freelist_count, pragma_page_size"):
            yield free * size, "catalog: free pages"
    for store in (layout.memory, layout.text, layout.vectors):
        for folder in (each for each in (store, *store.rglob("*")) if each.is_dir()):
            size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
            yield size, str(folder.relative_to(layout.root))


def settled(layout: Layout, folder: Path) -> Layout:
    """A copy of a memory in `folder`, as it is after it was tidied."""
    copy = Layout(folder)
    shutil.copytree(layout.root, copy.root)
    with Stores.open(copy, write=True) as stores:
        for _ in range(2):  # the first leaves the version before its own last step
            stores.tidy(timedelta(0))
    return copy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--each", type=int, default=0, help="so many of the largest tables")
    parser.add_argument("--settled", action="store_true")
    options = parser.parse_args()
    layout = Repo.discover(options.repository).layout
    with tempfile.TemporaryDirectory() as folder:
        if options.settled:
            layout = settled(layout, Path(folder) / "funes")
        disk(layout)
        with Catalog.open(layout.catalog) as catalog:
            chunks = catalog.totals().chunks
        for size, name in sorted(tables(layout), reverse=True)[: options.each]:
            print(f"disk: {name} {size / chunks:,.1f} bytes a passage")


if __name__ == "__main__":
    main()
