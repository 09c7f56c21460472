"""A memory as it leaves the machine: the tables of `SHARED` in a folder of their own, few files
each, indexed, without older versions. Imports lancedb and pyarrow late.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from funes_git.store.arrow import VECTOR, filled, table_of, with_vectors
from funes_git.store.columns import SHARED, Values
from funes_git.store.heap import trim
from funes_git.store.lance import BATCH, LanceMemory, Vectors
from funes_git.store.lanceclient import connected, declare_key, literals, own, private, retried
from funes_git.store.manifest import keep_newest

if TYPE_CHECKING:
    import pyarrow as pa

AT_ONCE = 5_000
"""Rows that are held at once."""
IN_FILE = 64 * 1024
"""Rows of a file, where tables are written anew: Lance holds up to 8 MB of each column of the file
that it writes."""
FTS_MEMORY = 16
"""MiB that making the index of words may take for its lists."""
ANEW = "anew"


class SharedMemory(LanceMemory):
    """The tables of a memory that leaves the machine, or came from elsewhere."""

    tables: ClassVar[Mapping[str, object]] = SHARED
    keyed: ClassVar[Collection[str]] = SHARED  # others write there too
    packed: ClassVar[bool] = False  # as huggingface/funes reads them

    @classmethod
    def make(cls, folder: Path, like: LanceMemory) -> Self:
        """Open the memory in `folder`, with the tables that are missing; its vectors are of the
        model of `like`."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        memory = cls.open(folder)
        memory._create(like.model, like.vector_size)
        return memory

    def put(
        self,
        name: str,
        rows: Sequence[Values],
        vectors: Vectors | None = None,
        *,
        fresh: bool = False,
    ) -> int:
        """Add the rows, by their ids, that are not there or are not the same; how many those were.
        `vectors` gives the columns `id` and `vector` of those of some chunks that have one. Rows
        that are `fresh` are known not to be there, which saves looking for them."""
        written = 0
        for start in range(0, len(rows), AT_ONCE):
            data = table_of(self.table(name).schema, list(rows[start : start + AT_ONCE]))
            if not fresh:
                data = self._new(name, data)
            if data.num_rows:
                whole = with_vectors(self.table(name).schema, data)
                if vectors:
                    whole = filled(whole, vectors(data.column("id").to_pylist()))
                if fresh:
                    self._append(name, whole)
                else:
                    self._upsert(name, whole)
                written += data.num_rows
        return written

    def _new(self, name: str, data: pa.Table) -> pa.Table:
        """The rows of `data` that are not stored as they are."""
        import pyarrow as pa

        ids = data.column("id").to_pylist()
        query = self.table(name).search().where(f"id IN ({literals(ids)})")
        batches = query.select(data.schema.names).to_batches()
        stored = {row["id"]: row for batch in batches for row in batch.to_pylist()}
        if not stored:
            return data
        return data.filter(pa.array([stored.get(row["id"]) != row for row in data.to_pylist()]))

    def drop(self, name: str, ids: Iterable[str]) -> None:
        """Delete rows by their ids."""
        every = list(ids)
        with private():
            for start in range(0, len(every), AT_ONCE):
                where = f"id IN ({literals(every[start : start + AT_ONCE])})"
                retried(partial(self.table(name).delete, where))

    def finish(self) -> None:
        """Leave each table in few files: rows merged, words indexed, one version."""
        from lancedb.index import FTS

        self.reopen()  # what Lance keeps of the files that go now
        with private():
            self._write_anew()
            chunks = self.table("chunks")
            if chunks.count_rows():
                config = FTS(with_position=False, memory_limit=FTS_MEMORY, num_workers=1)
                chunks.create_index("text", config=config)
        keep_newest(self.folder)

    def _write_anew(self) -> None:
        """Write every table as it is now, without what was deleted or indexed of it. Lance itself
        would merge a table into one file, and hold the more the longer that is."""
        import pyarrow as pa

        anew = self.folder / ANEW
        shutil.rmtree(anew, ignore_errors=True)
        db = connected(anew)
        for name in self.tables:
            table = self.table(name)
            made = own(db.create_table(name, schema=table.schema))
            declare_key(made)
            query = table.search().select(table.schema.names)
            for rows in _in_files(query.to_batches(batch_size=BATCH)):
                trim()  # of what was held to fill the one before
                made.add(pa.RecordBatchReader.from_batches(table.schema, rows))
        for name in self.tables:
            shutil.rmtree(self.folder / f"{name}.lance")
            (anew / f"{name}.lance").rename(self.folder / f"{name}.lance")
        anew.rmdir()
        self.reopen()

    def export(self, target: Path) -> None:
        """Write the chunks without their vectors as one Parquet file."""
        import pyarrow.parquet as pq

        names = [name for name in self.table("chunks").schema.names if name != VECTOR]
        query = self.table("chunks").search().select(names)
        target.parent.mkdir(parents=True, exist_ok=True)
        reader = query.to_batches()
        with pq.ParquetWriter(target, reader.schema, compression="zstd") as writer:
            for batch in reader:
                writer.write_batch(batch)


def _in_files(batches: Iterable[pa.RecordBatch]) -> Iterator[Iterator[pa.RecordBatch]]:
    """Batches by the files that they go to; each is used up before the next."""
    rest = iter(batches)
    for first in rest:
        yield chain((first,), _upto(IN_FILE - first.num_rows, rest))


def _upto(rows: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    while rows > 0 and (batch := next(batches, None)) is not None:
        rows -= batch.num_rows
        yield batch
