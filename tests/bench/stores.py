"""How fast the stores take in turns; one line per figure.

`PYTHONPATH=.:tests python tests/bench/stores.py [TURNS]`

Synthetic sessions of 200 turns, a quarter of them long tool results of two chunks, every seventh
with an edit of twelve lines.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from store_data import chunk_id, edit, state, turn

from funes_git.layout import Layout
from funes_git.model import Batch, Chunk
from funes_git.store.catalog import Catalog
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.changes import Changes
from funes_git.store.columns import rows_of
from funes_git.store.lance import LanceMemory
from funes_git.store.level import level_text
from funes_git.store.stats import sizes
from funes_git.store.stores import BUFFER, Stores
from funes_git_parsers.base import Block

WORDS = [f"word{n}" if n % 3 else f"src/module_{n}.py" for n in range(5000)]


def batches(turns: int, per_session: int = 200) -> Iterator[Batch]:
    """Sessions of `per_session` turns."""
    rng = random.Random(7)
    for s in range(0, turns, per_session):
        name = f"session-{s:08d}"
        batch = Batch(state=state(name))
        for n in range(per_session):
            text = " ".join(rng.choices(WORDS, k=40))
            kind = ("text", "tool_use", "tool_result", "thinking")[n % 4]
            if kind == "tool_result":
                text = " ".join(rng.choices(WORDS, k=400))
            t = turn(name, n, blocks=(Block(kind, text, tool="Bash"),))
            batch.turns.append(t)
            for split in range(2 if kind == "tool_result" else 1):
                cut = text[split * 1050 : split * 1050 + 1200]
                key = (name, t.turn_uuid)
                batch.chunks.append(
                    Chunk(chunk_id(*key, 0, split), *key, 0, split, kind, "Bash", cut, n % 2 == 0)
                )
            if n % 7 == 0:
                batch.edits.append(edit(name, n, f"src/module_{n % 90}.py", lines=12))
        yield batch


def report(what: str, clock: tuple[float, float], turns: int) -> None:
    wall, cpu = time.perf_counter() - clock[0], time.process_time() - clock[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{what}: {wall:.2f} s, {cpu:.2f} s of CPU, {turns} turns, peak {peak:.0f} MB", flush=True
    )


def now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def portions(turns: int) -> list[Changes]:
    """Changes of about what Stores writes at once."""
    found = [Changes()]
    for batch in batches(turns):
        found[-1].add(batch)
        if found[-1].size > BUFFER:
            found.append(Changes())
    return found


def together(layout: Layout, turns: int) -> None:
    """All stores: filled, handed the same again, rebuilt. Making the turns is part of it."""
    for what in ("all stores but words", "all stores but words, nothing new"):
        clock = now()
        with Stores.open(layout, write=True) as stores:
            for batch in batches(turns):
                stores.write(batch)
            stores._store()
            report(what, clock, turns)
            clock = now()
            level_text(stores.catalog, layout.text)
            report("words", clock, turns)
    with Stores.open(layout, write=True) as stores:
        clock = now()
        stores._rebuild()
        report("catalog rebuilt from the memory", clock, turns)
        clock = now()
        stores.tidy()
        report("tidy", clock, turns)
    for name, size in sizes(layout).items():
        print(f"size of {name}: {size / 2**20:.1f} MB for {turns} turns")


def alone(root: Path, turns: int) -> None:
    """The catalog and Lance by themselves, without making the turns."""
    parts = portions(turns)
    clock = now()
    with CatalogWriter.open(root / "catalog.sqlite") as writer:
        for changes in parts:
            writer.prune(changes)
            writer.apply(changes, {})
    report("catalog alone", clock, turns)
    clock = now()
    with Catalog.open(root / "catalog.sqlite") as catalog:
        catalog.stats()
    report("open the catalog and count", clock, turns)
    memory = LanceMemory.open(root / "memory", create=True)
    clock = now()
    for changes in parts:
        rows = partial(rows_of, changes, repo="a/b", repo_id="root")
        memory.write(rows, {}, {}, lambda step: None)
    report("lance alone", clock, turns)


def main(turns: int) -> None:
    """Every figure."""
    with tempfile.TemporaryDirectory() as folder:
        clock = now()
        for _ in batches(turns):
            pass
        report("making the turns", clock, turns)
        together(Layout(Path(folder) / "funes"), turns)
        alone(Path(folder), turns)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 68_000)
