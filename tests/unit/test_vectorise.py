"""Making vectors in the background: all of them, stopped anywhere, never in anybody's way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import without_packages
from store_data import chunks_of, turn

from funes_git.embed import open_embedder
from funes_git.errors import ModelMismatch
from funes_git.layout import Layout
from funes_git.model import Batch, Session
from funes_git.models import Models, NoModel
from funes_git.store.catalog import Catalog
from funes_git.store.stores import Stores
from funes_git.store.vectors import VectorIndex, VectorWriter, vectors_state
from funes_git.vectorise import vectorise
from funes_git_parsers.base import Retraction

pytestmark = pytest.mark.model


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    found = Layout(tmp_path / "funes")
    store(found, range(5))
    return found


def store(layout: Layout, numbers: range, words: str = "passage") -> None:
    turns = [turn("s1", n, f"{words} number {n}") for n in numbers]
    chunks = [chunk for each in turns for chunk in chunks_of(each)]
    batch = Batch(sessions=[Session("s1", "claude_code")], turns=turns, chunks=chunks)
    with Stores.open(layout, write=True) as stores:
        stores.write(batch)


def held(layout: Layout) -> tuple[int, int, int]:
    """Vectors in vectors/, in the memory, and by the catalog's count."""
    index = VectorIndex.open(layout.vectors)
    with Stores.open(layout) as stores:
        memory = sum(len(ids) for ids, _ in stores.vectors())
    with Catalog.open(layout.catalog) as catalog:
        return index.count if index else 0, memory, catalog.totals().vectors


def test_every_prose_chunk_gets_its_vector_and_is_told_of(layout: Layout) -> None:
    said: list[tuple[int, int, str]] = []
    assert vectorise(layout, Models({}), progress=lambda *each: said.append(each)) == 5
    assert said == [(n, 5, "vectors") for n in range(1, 6)]
    assert held(layout) == (5, 5, 5)
    assert vectorise(layout, Models({})) == 0


def test_vectors_of_passages_that_are_gone_leave_the_files(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectorise(layout, Models({}))
    reader = VectorIndex.open(layout.vectors)
    assert reader is not None
    with Stores.open(layout, write=True) as stores:
        stores.write(Batch(retractions=[Retraction("s1", f"s1-t{n}") for n in range(4)]))
    vectorise(layout, Models({}))
    assert vectors_state(layout.vectors)[1] == 5  # a few are no matter
    monkeypatch.setattr("funes_git.vectorise._AT_ONCE", 1)
    (layout.root / "vectors.new").mkdir()  # somebody was killed here
    assert vectorise(layout, Models({})) == 0
    assert vectors_state(layout.vectors)[1] == 1
    assert held(layout)[::2] == (1, 1)
    assert sorted(path.name for path in layout.root.glob("vectors*")) == ["vectors"]
    embedder = open_embedder(Models({}).require())
    assert len(reader.search(embedder.query("passage"), 9)) == 5  # who reads is not disturbed


def test_it_stops_when_told_and_goes_on_later(layout: Layout) -> None:
    asked = iter([False, True])
    assert vectorise(layout, Models({}), stop=lambda: next(asked)) == 2
    assert held(layout) == (2, 2, 2)
    assert vectorise(layout, Models({})) == 3
    assert held(layout) == (5, 5, 5)


def test_an_interrupt_keeps_what_was_made(layout: Layout) -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vectorise(layout, Models({}), stop=interrupt)
    assert held(layout) == (1, 1, 1)


def test_the_memory_can_be_written_meanwhile(layout: Layout) -> None:
    def write() -> bool:
        if write.__dict__.setdefault("calls", 0) == 0:
            write.__dict__["calls"] = 1
            store(layout, range(4, 7), "changed")
        return False

    made = vectorise(layout, Models({}), stop=write)
    assert held(layout) == (7, 7, 7)
    assert made == 8  # the one that changed while it was being embedded was embedded again


def test_deleted_vectors_come_back_from_the_memory(layout: Layout) -> None:
    vectorise(layout, Models({}))
    shutil.rmtree(layout.vectors)
    assert vectorise(layout, Models({})) == 0
    assert held(layout) == (5, 5, 5)


def test_another_model_is_refused(layout: Layout) -> None:
    with VectorWriter.open(layout.vectors, "other/model", 2):
        pass
    with pytest.raises(ModelMismatch, match="other/model"):
        vectorise(layout, Models({}))


def test_without_weights_it_says_so(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    without_packages(monkeypatch)
    with pytest.raises(NoModel):
        vectorise(layout, Models({}))


def test_a_terminated_process_keeps_what_it_made(layout: Layout) -> None:
    script = """
import sys, time
from pathlib import Path
from funes_git.layout import Layout
from funes_git.models import Models
from funes_git.vectorise import vectorise
from funes_git_parsers.base import Retraction
def slow(*_):
    print("made one", flush=True)
    time.sleep(0.2)
vectorise(Layout(Path(sys.argv[1])), Models({}), progress=slow)
print("not reached")
"""
    with subprocess.Popen(
        [sys.executable, "-c", script, str(layout.root)], stdout=subprocess.PIPE, env=os.environ
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"made one\n"
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
    assert process.returncode == -signal.SIGTERM
    assert b"not reached" not in rest
    made = held(layout)
    assert 0 < made[0] < 5
    assert len(set(made)) == 1
