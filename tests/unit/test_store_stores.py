"""The stores together: nothing lost or doubled when a writer is killed, all rebuilt from memory."""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from store_data import chunk_id, chunks_of, edit, rich_batch, state, turn

from funes_git.errors import FormatTooNew, FunesError, MemoryBusy, MemoryMissing, ModelMismatch
from funes_git.layout import Layout
from funes_git.model import Batch
from funes_git.store.catalog import Catalog
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.columns import DEFAULT_MODEL, TABLES, iso_time, workdir_facet
from funes_git.store.database import StoreDamaged
from funes_git.store.lance import LanceMemory
from funes_git.store.levelled import TablesLost
from funes_git.store.manifest import disk_versions
from funes_git.store.records import HookEvent, Totals
from funes_git.store.stores import Stores
from funes_git_parsers.base import Retraction, Session


def later_batch() -> Batch:
    """Turns that grow and shrink, a new session, a retraction of a stored turn, a new cursor."""
    shorter = turn("s1", 1, "An LRU will do.")
    longer = turn("s1", 3, "Done.", "And tested.", "And documented.")
    more = rich_batch("s2")
    more.turns += [shorter, longer]
    more.chunks += [*chunks_of(shorter), *chunks_of(longer)]
    more.edits.append(edit("s1", 3, "tests/it's.py"))
    more.retractions.append(Retraction("s1", "s1-t2"))
    more.state = state("s2", skipped=1)
    return more


def talk() -> Batch:
    """A new session in which nothing was edited."""
    turns = [turn("s9", n, f"Passage {n}") for n in range(3)]
    return Batch(turns=turns, chunks=[chunk for t in turns for chunk in chunks_of(t)])


def picture(catalog: Catalog) -> object:
    """Everything that the catalog answers, without the numbers that it gives by itself."""
    sessions = [span[0] for span in catalog.session_spans()]
    uuids = catalog.rows("SELECT s.session_id, t.turn_uuid FROM turns t JOIN sessions s"
                         " ON s.id = t.session WHERE t.seq IS NOT NULL")  # fmt: skip
    edits = [replace(e, id=0) for e in catalog.edits_at(sorted(catalog.all_edit_paths()))]
    chunks = [replace(c, rowid=0) for c in catalog.chunk_rows(0, 10_000) if not c.gone]
    return {
        "sessions": [catalog.session(s) for s in sessions],
        "turns": [catalog.turn(*key) for key in sorted(uuids)],
        "prompts": [catalog.prompt_of(*key) for key in sorted(uuids)],
        "edits": edits,
        "records": [catalog.edit(e.edit_id) for e in edits],
        "chunks": sorted(chunks, key=lambda c: c.id),
        "printed": catalog.printed(),
        "states": catalog.states(),
        "totals": catalog.totals(),
        "events": catalog.hook_events(),
        "pending": sorted(catalog.pending_vectors(10_000)),
    }


def picture_of(layout: Layout) -> object:
    with Catalog.open(layout.catalog) as catalog:
        return picture(catalog)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """Stores with one batch in them; never changed."""
    layout = Layout(tmp_path_factory.mktemp("first") / "funes")
    with Stores.open(layout, write=True) as stores:
        stores.known_as("acme/widget", "root")
        stores.write(rich_batch())
        stores.add_events([HookEvent("e1", "post-commit", 5.0, sha="1" * 40)])
    return layout


@pytest.fixture
def layout(first: Layout, tmp_path: Path) -> Layout:
    """A copy of `first`."""
    shutil.copytree(first.root, tmp_path / "funes")
    return Layout(tmp_path / "funes")


@pytest.fixture(scope="module")
def expected(first: Layout, tmp_path_factory: pytest.TempPathFactory) -> object:
    """What the catalog answers once `later_batch` is stored without any accident."""
    root = tmp_path_factory.mktemp("expected") / "funes"
    shutil.copytree(first.root, root)
    with Stores.open(Layout(root), write=True) as stores:
        stores.write(later_batch())
    return picture_of(Layout(root))


def memory_ids(stores: Stores) -> dict[str, list[str]]:
    return {name: sorted(stores.lance().ids(name)) for name in disk_versions(stores.layout.memory)}


KILLED = """
import os, signal, sys
from pathlib import Path
from funes_git.layout import Layout
from funes_git.store.stores import Stores
import test_store_stores as batches
def at(step):
    if step == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
with Stores.open(Layout(Path(sys.argv[1])), write=True, at=at) as stores:
    stores.write(getattr(batches, sys.argv[3])())
"""
IN_MEMORY = ("catalog", "text")
STEP_TABLES = ("edits", "chunks", "blocks", "retractions", "spawns", "sessions", "sources")
STEPS = ("intent", *(f"lance:{table}" for table in STEP_TABLES), *IN_MEMORY)


def kill_at(layout: Layout, step: str, batch: str = "later_batch") -> None:
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(layout.root), step, batch],
        env={"PYTHONPATH": f"{here}:{here.parent}", "PATH": "/usr/bin:/bin"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize("step", STEPS)
def test_killed_writer_leaves_nothing_lost_or_doubled(
    layout: Layout, expected: object, step: str
) -> None:
    """LINKING.md case 38."""
    kill_at(layout, step)
    with Stores.open(layout, write=True) as stores:
        if step in IN_MEMORY:  # whatever became of the agent's file
            assert picture(stores.catalog) == expected
        stores.write(later_batch())
    with Stores.open(layout, write=True) as stores:
        assert picture(stores.catalog) == expected
        for name, ids in memory_ids(stores).items():
            assert len(ids) == len(set(ids)), name


@pytest.mark.parametrize("catalog_is_lost", [False, True])
def test_a_killed_writer_of_new_sessions_leaves_nothing_doubled(
    tmp_path: Path, catalog_is_lost: bool
) -> None:
    layout, other = Layout(tmp_path / "killed"), Layout(tmp_path / "other")
    Stores.open(layout, write=True).close()
    kill_at(layout, "lance:blocks", "talk")
    if catalog_is_lost:
        layout.catalog.unlink()
    for each in (layout, other):
        with Stores.open(each, write=True) as stores:
            stores.write(talk())
            stores.flush()
            for name, ids in memory_ids(stores).items():
                assert len(ids) == len(set(ids)), name
    assert picture_of(layout) == picture_of(other)


def test_a_write_after_a_failed_one_doubles_nothing(layout: Layout) -> None:
    def at(step: str) -> None:
        if failing and step == "lance:blocks":
            raise OSError("the disk is full")

    failing = True
    with Stores.open(layout, write=True, at=at) as stores:
        stores.write(rich_batch("s3"))
        with pytest.raises(OSError, match="full"):
            stores.flush()
        failing = False
        stores.write(rich_batch("s3"))
        stores.flush()
        for name, ids in memory_ids(stores).items():
            assert len(ids) == len(set(ids)), name


def test_files_of_a_killed_writer_are_removed(layout: Layout) -> None:
    kill_at(layout, "lance:blocks")
    data = layout.memory / "chunks.lance" / "data"
    left = [data / ".tmpA1b2", data / "0101010101010101.lance"]
    for path in left:  # what a kill in the middle of a large write leaves
        path.write_bytes(b"half")
    with Stores.open(layout, write=True):
        assert not any(path.exists() for path in left)


def test_reindex_tells_how_far_it_is(layout: Layout) -> None:
    said: list[tuple[int, int, str]] = []
    with Stores.open(layout, write=True) as stores:
        stores.reindex(lambda *each: said.append(each))
        records = sum(stores.lance().session_sizes().values())
        chunks = len(stores.catalog.chunk_rows(0, 1_000))
    assert said == [(records, records, "records"), (chunks, chunks, "words")]


def test_catalog_is_rebuilt_from_the_memory_alone(layout: Layout, expected: object) -> None:
    with Stores.open(layout, write=True) as stores:
        stores.write(later_batch())
    for path in layout.root.iterdir():
        if path.name not in ("memory", "decisions.sqlite"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    with Stores.open(layout, write=True) as stores:
        assert picture(stores.catalog) == expected
        assert stores.written == Totals()


def test_writing_again_after_a_rebuild_changes_nothing(layout: Layout) -> None:
    with Stores.open(layout, write=True) as stores:
        stores.reindex()
        before = disk_versions(layout.memory)
        stores.write(rich_batch())
        stores.flush()
        assert disk_versions(layout.memory) == before
        assert stores.written == Totals()


@pytest.mark.parametrize("damage", [b"", b"garbage " * 2000, None])
def test_damaged_catalog_is_rebuilt_by_the_next_writer(
    layout: Layout, damage: bytes | None
) -> None:
    before = picture_of(layout)
    data = layout.catalog.read_bytes()
    layout.catalog.write_bytes(data[: len(data) // 2] if damage is None else damage)
    with pytest.raises(FunesError):
        picture_of(layout)
    with Stores.open(layout, write=True) as stores:
        assert picture(stores.catalog) == before


@pytest.mark.parametrize(
    "damage", ["PRAGMA user_version = 0", "DROP TABLE sources", "other columns in files"]
)
def test_a_catalog_whose_tables_are_not_its_versions_is_rebuilt(
    layout: Layout, damage: str
) -> None:
    before = picture_of(layout)
    with closing(sqlite3.connect(layout.catalog, isolation_level=None)) as db:
        if "files" in damage:
            db.execute("CREATE TABLE old (id)")
            db.execute("DROP TABLE files")
            db.execute("ALTER TABLE old RENAME TO files")
        else:
            db.execute(damage)
    with pytest.raises(FunesError):
        picture_of(layout)
    with Stores.open(layout, write=True, repair=True) as stores:
        stores.known_as("acme/widget", "root")
        stores.reindex()
    assert picture_of(layout) == before


def test_reindex_replaces_a_catalog_with_garbage_inside(layout: Layout) -> None:
    before = picture_of(layout)
    data = layout.catalog.read_bytes()
    layout.catalog.write_bytes(data[:8192] + b"\xa5" * (len(data) - 8192))
    with pytest.raises(StoreDamaged) as caught:
        picture_of(layout)
    assert caught.value.hint == "git funes reindex"
    with Stores.open(layout, write=True) as stores:
        stores.reindex()
        assert picture(stores.catalog) == before


def test_memory_of_another_time_is_followed(layout: Layout, first: Layout) -> None:
    with Stores.open(layout, write=True) as stores:
        stores.write(later_batch())
    shutil.rmtree(layout.memory)
    shutil.copytree(first.memory, layout.memory)  # somebody put a backup in place
    with Stores.open(layout, write=True) as stores:
        assert picture(stores.catalog) == picture_of(first)


def test_what_is_new_is_counted_once(layout: Layout) -> None:
    with Stores.open(layout, write=True) as stores:
        stores.write(rich_batch())
        stores.write(rich_batch("s2"))
        stores.flush()
        assert stores.written == Totals(1, 7, 2, 8, 6, 0, 1, 2)


def test_turns_that_are_only_handed_in_are_known(layout: Layout) -> None:
    with Stores.open(layout, write=True) as stores:
        assert stores.holders("claude_code", ["s1-t1"]) == {"s1-t1": "s1"}
        assert stores.holders("claude_code", ["s2-t1"]) == {}
        stores.write(rich_batch("s2"))
        assert stores.holders("claude_code", ["s2-t1"]) == {"s2-t1": "s2"}


def fail_after(layout: Layout, batch: Batch) -> None:
    with Stores.open(layout, write=True) as stores:
        stores.write(batch)
        raise RuntimeError


def test_error_inside_stores_nothing(layout: Layout) -> None:
    before = picture_of(layout)
    with pytest.raises(RuntimeError):
        fail_after(layout, later_batch())
    assert picture_of(layout) == before


def test_chunks_have_the_columns_of_funes_first(layout: Layout) -> None:
    with Stores.open(layout) as stores:
        schema = stores.lance().table("chunks").schema
        columns = [(f.name, str(f.type)) for f in schema][:17]
        rows = {r["id"]: r for r in stores.lance().rows("chunks", "session_id", ["s1"])}
    text = ["id", "text", "session_id", "workdir", "turn_uuid", "parent_uuid"]
    more = ["ts", "role", "block_type", "tool_name", "source_path"]
    assert columns == [
        *((name, "string") for name in text),
        ("seq", "int64"),
        *((name, "string") for name in more),
        ("block_idx", "int64"),
        ("split_idx", "int64"),
        ("vector", "binary"),  # lists of floats in what leaves the machine
        ("harness", "string"),
        ("repo", "string"),
    ]
    assert schema.metadata == {b"embedding_model": DEFAULT_MODEL.encode()}
    row = rows[chunk_id("s1", "s1-t0", 0, 0)]
    assert row["workdir"] == "-home-ada-widget"
    assert row["ts"] == "2025-06-15T15:06:40.250Z"
    assert (row["repo"], row["repo_id"]) == ("acme/widget", "root")
    assert row["files"] == ["src/cache.py", "docs/née.md"]


def test_facets_are_written_as_funes_writes_them() -> None:
    assert workdir_facet(r"C:\Users\d\dev\funes") == "C--Users-d-dev-funes"
    assert workdir_facet("/") == workdir_facet(None) == workdir_facet("  ") == ""
    assert workdir_facet("/née") == "-n-e"
    assert iso_time(None) == ""


def vectors(ids: list[str], size: int = 384) -> list[list[float]]:
    return [[float(len(i) + n)] * size for n, i in enumerate(ids)]


def test_vectors_outlive_everything_but_a_new_text(layout: Layout) -> None:
    with Stores.open(layout, write=True) as stores:
        ids = [i for i, _ in stores.catalog.pending_vectors(100)]
        stores.set_vectors(ids, vectors(ids), DEFAULT_MODEL)
        assert stores.catalog.pending_count() == 0
        stores.write(rich_batch())
        stores.flush()
        stores.reindex()
        assert stores.catalog.pending_count() == 0
        assert stores.catalog.totals().vectors == len(ids)
        found = {i: list(v) for some, vs in stores.vectors() for i, v in zip(some, vs, strict=True)}
        assert found == dict(zip(ids, vectors(ids), strict=True))
        changed = turn("s1", 0, "Please cache the lexer", role="user", is_prompt=True)
        stores.write(Batch(turns=[changed], chunks=chunks_of(changed)))
        stores.flush()
        pending = stores.catalog.pending_vectors(100)
        assert pending == [(chunk_id("s1", "s1-t0", 0, 0), "Please cache the lexer")]
        assert len([i for some, _ in stores.vectors() for i in some]) == len(ids) - 1


def test_a_memory_with_wider_vectors_is_written_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(tmp_path / ".git")
    with monkeypatch.context() as older, Stores.open(layout, write=True) as stores:
        older.setattr(LanceMemory, "packed", False)
        stores.write(rich_batch())
    with Stores.open(layout, write=True) as stores:
        ids = [i for i, _ in stores.catalog.pending_vectors(100)]
        stores.set_vectors(ids, [[0.1] * 384 for _ in ids], DEFAULT_MODEL)
        assert stores.lance().table("chunks").schema.field("vector").type.value_type == "float"
        found = [v for _, vs in stores.vectors() for v in vs]
        assert len(found) == len(ids)
        assert {round(float(number), 7) for v in found for number in v} == {0.1}


def test_a_passage_without_a_vector_takes_no_room_for_one(layout: Layout) -> None:
    turns = [turn("s9", n, f"Passage {n}") for n in range(300)]
    with Stores.open(layout, write=True) as stores:
        stores.write(Batch(turns=turns, chunks=[c for t in turns for c in chunks_of(t)]))
        stores.flush()
        some = [i for i, _ in stores.catalog.pending_vectors(300)][::5]
        made = {i: [n / 7, *[0.25] * 383] for n, i in enumerate(some)}
        stores.set_vectors(list(made), list(made.values()), DEFAULT_MODEL)
        stores.tidy(timedelta(0))
        found = {i: v for some, vs in stores.vectors() for i, v in zip(some, vs, strict=True)}
        assert {i: v.tolist() for i, v in found.items()} == {
            i: pytest.approx(v, rel=0.001) for i, v in made.items()
        }
    (data,) = (layout.memory / "chunks.lance" / "data").iterdir()
    assert data.stat().st_size < len(made) * 768 + 300 * 200


def test_small_tables_leave_no_filters_and_passages_that_are_alike_take_little(
    layout: Layout,
) -> None:
    with Stores.open(layout, write=True) as stores:
        for n in range(8):
            stores.write(Batch(sessions=[Session(f"s{n}", "claude_code", title=f"Title {n}")]))
            stores._store()
        turns = [turn("s9", n, f"{n} " + hashlib.sha256(b"%d" % (n // 50)).hexdigest() * 15)
                 for n in range(300)]  # fmt: skip
        stores.write(Batch(turns=turns, chunks=[c for t in turns for c in chunks_of(t)]))
        stores.flush()
    sizes = {table: sum(file.stat().st_size for file in (layout.memory / table).rglob("*"))
             for table in ("sessions.lance", "chunks.lance")}  # fmt: skip
    assert sizes["sessions.lance"] < 8 * 10_000
    assert sizes["chunks.lance"] < 300 * 960 / 4


def test_vectors_of_another_model_are_refused_until_it_is_changed(layout: Layout) -> None:
    with Stores.open(layout, write=True) as stores:
        ids = [i for i, _ in stores.catalog.pending_vectors(100)]
        stores.set_vectors(ids, vectors(ids), DEFAULT_MODEL)
        with pytest.raises(ModelMismatch) as caught:
            stores.set_vectors(ids, vectors(ids, 8), "acme/small")
        assert caught.value.hint == "git funes reindex --model acme/small"
        before = memory_ids(stores)
        stores.change_model("acme/small", 8)
        assert stores.catalog.pending_count() == len(ids)
        stores.set_vectors(ids[:1], vectors(ids[:1], 8), "acme/small")
        assert memory_ids(stores) == before
    with Stores.open(layout, write=True) as stores:
        assert stores.lance().model == "acme/small"
        assert (stores.catalog.totals().vectors, stores.written) == (1, Totals())
        stores.write(later_batch())
        stores.flush()
        ids = stores.lance().ids("chunks")
        assert len(ids) == len(set(ids))


def test_many_small_writes_do_not_leave_their_versions(layout: Layout) -> None:
    with Stores.open(layout, write=True) as stores:
        for n in range(50):
            t = turn("s1", 100 + n, f"Turn {n}")
            stores.write(Batch(turns=[t], chunks=chunks_of(t), state=state("s1", cursor=str(n))))
            stores._store()
        assert stores.lance().table("blocks").count_rows() == 9 + 50
        assert int(stores.catalog.setting("writes") or 0) >= 50
    with Stores.open(layout, write=True) as stores:
        assert stores.catalog.setting("writes") == "0"
        fragments = list((layout.memory / "blocks.lance" / "data").iterdir())
        stores.tidy(timedelta(0))
        assert len(list((layout.memory / "blocks.lance" / "_versions").glob("*.manifest"))) == 1
        assert len(list((layout.memory / "blocks.lance" / "data").iterdir())) == 1 < len(fragments)
        assert stores.lance().table("blocks").count_rows() == 9 + 50


def test_opening_and_writing_nothing_new_imports_no_lance(layout: Layout) -> None:
    code = (
        "import sys; from pathlib import Path; from funes_git.layout import Layout;"
        "from funes_git.store.stores import Stores; from store_data import rich_batch, state\n"
        "with Stores.open(Layout(Path(sys.argv[1])), write=True) as stores:\n"
        "    batch = rich_batch(); batch.state = state('s1', cursor='new'); stores.write(batch)\n"
        "print([m for m in ('lancedb', 'pyarrow', 'numpy') if m in sys.modules],"
        " stores.layout.root.name)"
    )
    here = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code, str(layout.root)],
        env={"PYTHONPATH": str(here), "PATH": "/usr/bin:/bin"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[] funes\n"
    with Catalog.open(layout.catalog) as catalog:
        assert catalog.states() == [state("s1", cursor="new", skipped=0)]


def test_a_client_of_a_service_is_not_imported_before_it_is_asked_for(layout: Layout) -> None:
    script = """
import sys
from pathlib import Path
from funes_git.layout import Layout
from funes_git.store.stores import Stores
with Stores.open(Layout(Path(sys.argv[1])), write=True) as stores:
    stores.lance()
api, model = (f"lance_namespace_urllib3_client.{n}" for n in ("api", "models.list_tables_response"))
assert not {api, model, "overrides"} & set(sys.modules)
import lance_namespace_urllib3_client
from lance_namespace import ListTablesResponse
found = ListTablesResponse(tables=["a"])
assert found.to_dict() == ListTablesResponse.from_dict({"tables": ["a"]}).to_dict()
assert isinstance(found, ListTablesResponse) and not isinstance("a", ListTablesResponse)
assert model in sys.modules and api not in sys.modules
assert type(found) is lance_namespace_urllib3_client.models.ListTablesResponse
assert lance_namespace_urllib3_client.ApiClient and lance_namespace_urllib3_client.__version__
assert api in sys.modules
assert not hasattr(lance_namespace_urllib3_client, "nothing")
assert not hasattr(lance_namespace_urllib3_client.models, "nothing")
import overrides
assert overrides.overrides
"""
    subprocess.run([sys.executable, "-c", script, str(layout.root)], check=True)


def test_second_writer_is_kept_out_and_readers_are_not(layout: Layout) -> None:
    with Stores.open(layout, write=True):
        with pytest.raises(MemoryBusy):
            Stores.open(layout, write=True, wait=0)
        with Stores.open(layout) as reader:
            assert reader.catalog.turn("s1", "s1-t1") is not None
            with pytest.raises(TypeError):
                _ = reader.writer
    with Stores.open(layout, write=True, wait=0):
        pass


def test_lock_is_free_again_when_opening_fails(layout: Layout) -> None:
    decisions = layout.decisions.read_bytes()
    layout.decisions.write_bytes(b"no database" * 100)
    with pytest.raises(FunesError, match="damaged"):
        Stores.open(layout, write=True)
    layout.decisions.write_bytes(decisions)
    with Stores.open(layout, write=True, wait=0):
        pass


def test_newer_memory_is_refused(layout: Layout) -> None:
    (layout.memory / "format.json").write_text(json.dumps({"format": 99}))
    for write in (False, True):
        with pytest.raises(FormatTooNew) as caught:
            Stores.open(layout, write=write)
        assert "upgrade" in (caught.value.hint or "")


def test_memory_that_is_not_there_is_missing(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "funes")
    with pytest.raises(MemoryMissing):
        Stores.open(layout)
    assert not layout.root.exists()
    with Stores.open(layout, write=True) as stores, pytest.raises(MemoryMissing):
        stores.reindex()


def test_place_that_cannot_be_written_is_an_error_for_people(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FunesError, match="cannot write"):
        Stores.open(Layout(tmp_path / "file" / "funes"), write=True)


def test_everything_is_private(layout: Layout) -> None:
    layout.root.chmod(0o700)
    shutil.rmtree(layout.root)
    with Stores.open(layout, write=True) as stores:
        stores.write(rich_batch())
        stores.flush()
        modes = {
            str(p.relative_to(layout.root)): oct(p.stat().st_mode & 0o077)
            for p in [layout.root, *layout.root.rglob("*")]
            if not p.is_relative_to(layout.text)
        }
    assert {name: mode for name, mode in modes.items() if mode != "0o0"} == {}


def test_hook_events_outlive_the_catalog(layout: Layout) -> None:
    event = HookEvent("e2", "post-rewrite", 6.0, rewrites=(("1" * 40, "2" * 40),))
    with Stores.open(layout, write=True) as stores:
        stores.add_events([event])
        assert [e.id for e in stores.catalog.hook_events()] == ["e1", "e2"]
    layout.catalog.unlink()
    with Stores.open(layout, write=True) as stores:
        assert [e.id for e in stores.catalog.hook_events()] == ["e1", "e2"]
        assert stores.catalog.rewrites() == [("1" * 40, "2" * 40, 6.0)]


def test_source_counts_nothing_when_it_is_read_on(layout: Layout) -> None:
    with Stores.open(layout, write=True) as stores:
        stores.write(Batch(state=state("s1", cursor="further", skipped=3)))
        stores.flush()
        assert stores.written == Totals(skipped=1)
        assert stores.catalog.state_of(state("s1").source) == state("s1", "further", 3)


@pytest.mark.parametrize("table", [*TABLES, "all"])
def test_a_table_deleted_from_the_memory_is_named_and_filled_again(
    layout: Layout, table: str
) -> None:
    before = picture_of(layout)
    lost = list(TABLES) if table == "all" else [table]
    for name in lost:
        shutil.rmtree(layout.memory / f"{name}.lance")
    with pytest.raises(TablesLost, match=lost[0]), Stores.open(layout, write=True):
        pass
    assert picture_of(layout) == before  # reading goes on
    with Stores.open(layout, write=True, repair=True) as stores:
        stores.known_as("acme/widget", "root")
        assert stores.reindex() == (lost, True)
        rows = {name: stores.lance().table(name).count_rows() for name in TABLES}
    assert all(rows.values())
    assert picture_of(layout) == before
    CatalogWriter.remove(layout.catalog)
    with Stores.open(layout, write=True):
        pass
    assert picture_of(layout) == before


def test_a_table_that_nothing_holds_any_more_is_read_again_from_the_agents(layout: Layout) -> None:
    before = picture_of(layout)
    shutil.rmtree(layout.memory / "edits.lance")
    CatalogWriter.remove(layout.catalog)
    with pytest.raises(TablesLost, match="edits"), Stores.open(layout, write=True):
        pass
    with Stores.open(layout, write=True, repair=True) as stores:
        assert stores.reindex() == (["edits"], False)
    with Stores.open(layout, write=True) as stores:
        assert stores.catalog.states() == []
        stores.write(rich_batch())
    assert picture_of(layout) == before


def test_what_is_deleted_under_a_writer_does_not_come_back_in_part(layout: Layout) -> None:
    with Stores.open(layout, write=True) as stores:
        stores.write(rich_batch("s1"))
    stores = Stores.open(layout, write=True)
    shutil.rmtree(layout.root)
    stores.write(later_batch())
    with pytest.raises(FunesError, match="deleted meanwhile"):
        stores.__exit__(None)
    assert not layout.root.exists()
