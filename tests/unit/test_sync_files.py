"""A memory elsewhere has few files, however often it is pushed to."""

from __future__ import annotations

import json
from pathlib import Path

from store_data import rich_batch

from funes_git.remotes import tables
from funes_git.remotes.names import parse
from funes_git.remotes.places import FolderPlace
from funes_git.render.sharing import pushed
from funes_git.store.changes import Changes
from funes_git.store.columns import rows_of
from funes_git.store.forgotten import Forgotten
from funes_git.store.lance import LanceMemory
from funes_git.store.shared import SharedMemory
from funes_git.sync import tombstones
from funes_git.sync.meeting import Report


def lay(folder: Path, *sizes: int) -> None:
    data = folder / "chunks.lance" / "data"
    data.mkdir(parents=True)
    for number, size in enumerate(sizes):
        with (data / f"{number}.lance").open("wb") as file:
            file.truncate(size)


def test_many_small_files_are_merged(tmp_path: Path) -> None:
    lay(tmp_path / "few", *[1000] * tables.FEW)
    lay(tmp_path / "more", *[1000] * (tables.FEW + 1))
    assert not tables.is_scattered(tmp_path / "few")
    assert tables.is_scattered(tmp_path / "more")


def test_a_large_table_is_not_sent_anew_for_a_little(tmp_path: Path) -> None:
    beside = [tables.LARGE // 2] * (tables.FEW + 2)
    lay(tmp_path / "large", *[tables.LARGE] * 53, *beside)
    lay(tmp_path / "grown", *[tables.LARGE] * 52, *beside)
    lay(tmp_path / "many", 10**9, *[1000] * (tables.MANY + 1))
    assert not tables.is_scattered(tmp_path / "large")
    assert tables.is_scattered(tmp_path / "grown")
    assert tables.is_scattered(tmp_path / "many")


def test_what_is_finished_is_one_file_all_of_it_indexed(tmp_path: Path) -> None:
    memory = SharedMemory.make(tmp_path / "m", LanceMemory.open(tmp_path / "l", create=True))
    for word in ("cache", "queue"):
        changes = Changes.of(rich_batch(word))
        for table in ("chunks", "blocks"):
            memory.put(table, rows_of(changes, ("ada/widget", "r"), table))
        memory.finish()
    chunks = memory.table("chunks")
    (index,) = chunks.list_indices()
    stats = chunks.index_stats(index.name)
    assert stats is not None
    assert (stats.num_indexed_rows, stats.num_unindexed_rows) == (chunks.count_rows(), 0)
    for table in ("chunks", "blocks"):
        assert len(list((tmp_path / "m" / f"{table}.lance" / "data").iterdir())) == 1
        assert len(memory.table(table).list_versions()) == 1
    found = chunks.search("parser", query_type="fts").select(["session_id"]).to_list()
    assert {row["session_id"] for row in found} == {"cache", "queue"}


def test_what_is_forgotten_again_and_again_is_told_in_few_files(tmp_path: Path) -> None:
    what = Forgotten.of({("session", f"s{number}") for number in range(30)})
    told = set()
    for number in range(30):
        tombstones.write(tmp_path, {(f"s{number}", "t")}, what)
        told.add(("session", f"s{number}"))
        assert tombstones.read(tmp_path) == told
        assert len(list((tmp_path / "forgotten").iterdir())) <= tombstones.FEW


def test_what_is_not_understood_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "forgotten"
    folder.mkdir()
    later = json.dumps([["branch", "main"], ["turn", "a\0b"]])
    (folder / "later.json").write_text(later)
    (folder / "broken.json").write_text("{")
    what = Forgotten.of({("session", f"s{number}") for number in range(20)})
    for number in range(20):
        tombstones.write(tmp_path, {(f"s{number}", "t")}, what)
    assert (folder / "later.json").read_text() == later
    assert (folder / "broken.json").exists()
    assert len(tombstones.read(tmp_path)) == 21
    assert len(list(folder.iterdir())) <= tombstones.FEW + 2


def test_a_bucket_is_not_called_private() -> None:
    report = Report(created=True, given=2)
    assert next(pushed("s3://team/widget", report, is_private=False)) == "made s3://team/widget"
    assert next(pushed("ada/widget", report)) == "made ada/widget, private"


def test_what_a_killed_push_left_in_a_folder_goes(tmp_path: Path) -> None:
    place = FolderPlace(parse(str(tmp_path / "team")))
    place.create(private=True)
    data = tmp_path / "team" / "chunks.lance" / "data"
    data.mkdir(parents=True)
    (data / "1.lance.part").write_bytes(b"half")
    mine = tmp_path / "team" / "film.part"
    mine.write_bytes(b"somebody's own")
    new = tmp_path / "new.lance"
    new.write_bytes(b"whole")
    change = tables.Difference({"chunks.lance/data/2.lance": new}, [])
    place.commit(change, place.head(), "push")
    assert [path.name for path in data.iterdir()] == ["2.lance"]
    assert mine.exists()
