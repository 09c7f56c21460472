"""The memory itself, in LanceDB.

Every write is an upsert by `id`. In large tables, and in all of a memory that others write too,
that is declared the primary key: without, two writers would double rows. In small ones of one's own
it is not: each write would leave 66 kB of filters, more than the table itself. The caller holds the
writer lock and calls `tidy` now and then, since every write leaves a version behind.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from funes_git.config import quiet_lance
from funes_git.errors import FunesError, NothingIndexed
from funes_git.store.arrow import (
    MODEL_KEY,
    filled,
    table_of,
    table_schema,
    unpacked,
    vector_size,
    with_vectors,
)
from funes_git.store.columns import (
    DEFAULT_MODEL,
    DEFAULT_SIZE,
    EVERY_TABLE,
    LARGE,
    TABLES,
    Rows,
    Values,
)
from funes_git.store.database import private_folder
from funes_git.store.heap import trim
from funes_git.store.lanceclient import connected, declare_key, literals, own, private, retried
from funes_git.store.manifest import check_format, write_format

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.db import DBConnection
    from lancedb.expr import Expr
    from lancedb.table import LanceTable

Vectors: TypeAlias = Callable[[Sequence[str]], "pa.Table"]
"""Gives the columns `id` and `vector` of those of some chunks that have a vector."""
AT_ONCE, BATCH = 5_000, 1_024
"""Chunks whose vectors are held at once, and rows that are handed to Lance at once."""


class LanceMemory:
    """The tables of one memory."""

    tables: ClassVar[Mapping[str, object]] = TABLES
    keyed: ClassVar[Collection[str]] = LARGE
    """The tables with a declared primary key."""
    packed: ClassVar[bool] = True
    """Whether vectors are packed: half as large, and no answer changes."""

    def __init__(self, db: DBConnection, folder: Path) -> None:
        self.db = db
        self.folder = folder
        self._tables: dict[str, LanceTable] = {}

    @classmethod
    def open(cls, folder: Path, *, create: bool = False) -> Self:
        """Open the memory in `folder`. Raises NothingIndexed if there is none and `create` is
        False, FormatTooNew if a newer funes-git made it."""
        check_format(folder)
        if not re.fullmatch(r"[^\x00-\x1f\x7f\ud800-\udfff]*", str(folder)):
            raise FunesError(
                f"Lance stores nothing below a folder with such a name: {str(folder)!r}",
                hint="rename the folder: no control characters, and UTF-8",
            )
        if create:
            private_folder(folder)
        elif not folder.is_dir():
            raise NothingIndexed
        quiet_lance()
        memory = cls(connected(folder), folder)
        if create:
            memory._create()
        return memory

    @classmethod
    def like(cls, other: LanceMemory, folder: Path) -> Self:
        """A new memory in `folder` for vectors of the same model."""
        private_folder(folder)
        quiet_lance()
        memory = cls(connected(folder), folder)
        memory._create(other.model, other.vector_size)
        return memory

    def _create(self, model: str = DEFAULT_MODEL, size: int = DEFAULT_SIZE) -> None:
        with private():
            for name in self.tables:
                if not self.has(name):
                    schema = table_schema(name, model, size, packed=self.packed)
                    table = own(self.db.create_table(name, schema=schema, exist_ok=True))
                    if name in self.keyed:
                        declare_key(table)
                    self._tables[name] = table
            write_format(self.folder)

    def reopen(self) -> None:
        """Let go of what is kept of its tables' files."""
        self._tables.clear()
        self.db = connected(self.folder)

    def has(self, name: str) -> bool:
        """Whether the memory has this table."""
        return (self.folder / f"{name}.lance").is_dir()

    def table(self, name: str) -> LanceTable:
        """One of the tables, opened once."""
        if name not in self._tables:
            self._tables[name] = own(self.db.open_table(name))
        return self._tables[name]

    @property
    def model(self) -> str:
        """The model that the vectors are made with."""
        metadata = self.table("chunks").schema.metadata or {}
        return (metadata.get(MODEL_KEY.encode()) or DEFAULT_MODEL.encode()).decode()

    @property
    def vector_size(self) -> int:
        """How many numbers a vector has."""
        return vector_size(self.table("chunks").schema)

    # --- writing

    def write(
        self,
        rows: Callable[[str], list[Values]],
        stale: Mapping[str, Sequence[str]],
        retractions: Mapping[str, Sequence[str]],
        at: Callable[[str], None],
        fresh: Container[str] = (),
        vectors: Vectors | None = None,
    ) -> None:
        """Upsert the rows that `rows` gives for each table, delete stale ids by table, and mark
        turns, by session, that were taken back; the cursors of sources last. The rows of `fresh`
        tables are known to have ids that are not stored, which saves looking for them. `vectors`
        gives those that come with the chunks. `at` is called with the name of each step just before
        it."""
        for name in TABLES:
            new, gone = rows(name), stale.get(name, ())
            if new or gone:
                at(f"lance:{name}")
                data = table_of(self.table(name).schema, new)
                del new  # the texts are held twice as it is
                for part in self._parts(data, vectors) if name == "chunks" and vectors else (data,):
                    if name in fresh:
                        self._append(name, part)
                    else:
                        self._upsert(name, with_vectors(self.table(name).schema, part), gone)
                        gone = ()
            if name == "blocks" and retractions:
                at("lance:retractions")
                for session_id, turn_uuids in retractions.items():
                    self._retract(session_id, turn_uuids)

    def _parts(self, data: pa.Table, vectors: Vectors) -> Iterator[pa.Table]:
        """Chunks with their vectors, which take more memory than they do, some at a time."""
        for start in range(0, max(1, data.num_rows), AT_ONCE):
            part = data.slice(start, AT_ONCE)
            found = vectors(part.column("id").to_pylist())
            yield filled(with_vectors(self.table("chunks").schema, part), found)

    def restore(self, rows: Callable[[str], list[Values]], tables: Iterable[str]) -> None:
        """Add the rows that `rows` gives for each of these tables, which were made anew."""
        for name in tables:
            if new := rows(name):
                self._append(name, table_of(self.table(name).schema, new))

    def add(
        self, rows: Callable[[str], list[Values]], other: LanceMemory, with_vector: Container[str]
    ) -> None:
        """Add the rows that `rows` gives for each table, whose ids are not stored; the chunks
        `with_vector` with the vectors that they have in `other`."""
        for name in self.tables:
            if not (new := rows(name)):
                continue
            data = table_of(self.table(name).schema, new)
            if name == "chunks":
                ids = [i for i in data.column("id").to_pylist() if i in with_vector]
                data = with_vectors(self.table(name).schema, data)
                data = filled(data, other.vectors_of(ids)) if ids else data
            self._append(name, data)

    def forget_sources(self) -> None:
        """Every source counts as never read."""
        with private():
            retried(lambda: self.table("sources").delete("true"))

    def _append(self, name: str, data: pa.Table) -> None:
        """One commit: add rows. Columns that are left out are null, and take no memory. Lance looks
        through each batch for vectors that are none, so that these are small."""
        with private():
            retried(lambda: self.table(name).add(data.to_reader(BATCH)))

    def _upsert(self, name: str, data: pa.Table, stale: Sequence[str] = ()) -> None:
        """One commit: upsert rows and delete others. `data` has every column: with some left out
        Lance reads the whole table into memory (a gigabyte for 170,000 chunks), else only ids."""
        table = self.table(name)

        def merge() -> None:
            merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            if stale:
                merge = merge.when_not_matched_by_source_delete(f"id IN ({literals(stale)})")
            merge.execute(data, on_bad_vectors="null")  # null is no vector, not a bad one

        with private():
            retried(merge)

    def _retract(self, session_id: str, turn_uuids: Sequence[str]) -> None:
        where = f"session_id = {literals([session_id])} AND turn_uuid IN ({literals(turn_uuids)})"
        table = self.table("blocks")
        with private():
            retried(lambda: table.update(where=where, values={"retracted": True}))

    def set_vectors(self, ids: Sequence[str], vectors: Any) -> None:
        """Give chunks their vectors: rows of numbers, or a column of Arrow's; ids that are not
        stored are left out."""
        import pyarrow as pa

        table = self.table("chunks")
        kind = pa.list_(pa.float32(), self.vector_size)
        column = vectors if isinstance(vectors, pa.ChunkedArray) else pa.array(vectors, kind)
        rows = table.search().where(f"id IN ({literals(ids)})").select(table.schema.names)
        made = pa.table({"id": ids, "vector": column})
        self._upsert("chunks", filled(rows.to_arrow(), made).cast(table.schema))

    def change_model(self, model: str, size: int) -> None:
        """Drop all vectors and make room for those of another model, of `size` numbers each."""
        import pyarrow as pa

        old = self.table("chunks")
        schema = table_schema("chunks", model, size, packed=self.packed)
        names = [name for name in schema.names if name != "vector"]
        empty = schema.get_field_index("vector")

        def batches() -> Iterator[pa.RecordBatch]:
            for batch in old.search().select(names).to_batches():
                columns = [batch.column(name) for name in names]
                columns.insert(empty, pa.nulls(batch.num_rows, schema.field("vector").type))
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

        reader = pa.RecordBatchReader.from_batches(schema, batches())
        with private():
            table = own(
                self.db.create_table("chunks", data=reader, mode="overwrite", on_bad_vectors="null")
            )
            declare_key(table)
        self._tables["chunks"] = table

    def tidy(self, keep: timedelta, *, after_crash: bool = False) -> None:
        """Merge small fragments and drop versions older than `keep`; with `after_crash` also the
        files that a killed writer left."""
        unverified = {"delete_unverified": after_crash}  # safe: nobody else is writing
        for name in self.tables:
            trim()  # of what was held to fill it: merging holds a part of a table
            table = self.table(name)
            with private(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it warns that readers of old versions will fail
                retried(partial(table.optimize, cleanup_older_than=keep, **unverified))
        if after_crash:  # Lance itself never looks at these
            for left in self.folder.glob("*.lance/data/.tmp*"):
                left.unlink(missing_ok=True)

    # --- reading

    def session_sizes(self) -> dict[str, int]:
        """How many blocks and edits each session has."""
        found: Counter[str] = Counter()
        for name in ("blocks", "edits"):
            for (session_id,), rows in self.distinct(name, ("session_id",)).items():
                found[session_id] += rows
        return found

    def distinct(self, name: str, columns: Sequence[str]) -> dict[tuple[Any, ...], int]:
        """The different values of some columns of a table, and how many rows have them."""
        import pyarrow as pa

        found: Counter[tuple[Any, ...]] = Counter()
        for batch in self.table(name).search().select(list(columns)).to_batches():
            groups = pa.Table.from_batches([batch]).group_by(list(columns))
            counted = groups.aggregate([([], "count_all")]).to_pydict()
            for *values, rows in zip(*(counted[c] for c in (*columns, "count_all")), strict=True):
                found[tuple(values)] += rows
        return found

    def rows(self, name: str, column: str, values: Sequence[str]) -> Rows:
        """The rows of a table that have one of `values` in `column`, without vectors; a row of
        `chunks` says in `with_vector` whether it has one."""
        if not values:
            return []
        query = self.table(name).search().where(f"{column} IN ({literals(values)})")
        names: dict[str, str | Expr] = {n: n for n in EVERY_TABLE[name] if n != "vector"}
        if name == "chunks":
            names["with_vector"] = "vector IS NOT NULL"
        return [row for batch in query.select(names).to_batches() for row in batch.to_pylist()]

    def columns(self, name: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """These columns of every row of a table."""
        for batch in self.table(name).search().select(list(names)).to_batches():
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def ids(self, name: str) -> list[str]:
        """The ids of all rows of a table."""
        return [row[0] for row in self.columns(name, ("id",))]

    def vectors_of(self, ids: Sequence[str]) -> pa.Table:
        """The columns `id` and `vector` of those of these chunks that have a vector."""
        where = f"id IN ({literals(ids or [''])})"  # asked for, null vectors would all be read
        found = self.table("chunks").search().where(where).select(["id", "vector"]).to_arrow()
        return unpacked(found.filter(found.column("vector").is_valid()))

    def vectors(self, batch: int = 4096) -> Iterator[tuple[list[str], Any]]:
        """(ids, vectors as a float32 array of numpy) of all chunks that have one."""
        import pyarrow as pa

        query = self.table("chunks").search().where("vector IS NOT NULL").select(["id", "vector"])
        for found in query.to_batches(batch_size=batch):
            if found.num_rows:
                yield rows_of_vectors(unpacked(pa.Table.from_batches([found])))


def rows_of_vectors(found: pa.Table) -> tuple[list[str], Any]:
    """The ids of `vectors_of`, and their vectors as an array of numpy with a row for each."""
    ids, column = found.column("id").to_pylist(), found.column("vector")
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return ids, flat.reshape(-1, column.type.list_size)
