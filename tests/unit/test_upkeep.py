"""What many small writes leave on the disk: no more files and bytes than bounds allow."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from store_data import chunks_of, turn

from funes_git.layout import Layout
from funes_git.model import Batch, Session
from funes_git.store import stores as module
from funes_git.store.level import level_text
from funes_git.store.levelled import Levelled
from funes_git.store.scope import Scope
from funes_git.store.stores import Stores
from funes_git.store.text import TextIndex


def write(layout: Layout, number: int) -> None:
    said = turn("s1", number, f"passage number {number} about the cache", f"[call] {number}")
    with Stores.open(layout, write=True) as stores:
        stores.write(
            Batch(sessions=[Session("s1", "claude_code")], turns=[said], chunks=chunks_of(said))
        )


def files(folder: Path) -> list[int]:
    return [path.stat().st_size for path in folder.rglob("*") if path.is_file()]


def test_many_small_writes_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIDY_AFTER", 4)
    monkeypatch.setattr(Stores, "tidy", lambda self: Levelled.tidy(self, timedelta(0)))
    layout = Layout(tmp_path / "funes")
    most = [0, 0]
    for number in range(14):
        write(layout, number)
        now = len(files(layout.memory / "chunks.lance" / "data")), len(files(layout.text))
        most = [max(pair) for pair in zip(most, now, strict=True)]
    assert most[0] <= 2 * 4  # a file a write, until they are merged
    assert most[1] <= 8 * 10 + 5  # tantivy merges eight segments of a size, of ten files each
    index = TextIndex.open(layout.text)
    assert index is not None
    assert index.documents == 28
    assert len(index.search("cache", Scope(), 100)) == 14
    with Stores.open(layout) as stores:
        level_text(stores.catalog, tmp_path / "at-once")
    assert sum(files(layout.text)) < 3 * sum(files(tmp_path / "at-once")) + 10_000
