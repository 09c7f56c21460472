"""Reading the searched passages from the catalog. Standard library only.

A chunk's text is a part of its block wherever that is so, maybe behind a label; then only its place
is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from funes_git.model import Chunk
from funes_git.store.database import Row
from funes_git.store.pack import block_texts, expand, files_from_text
from funes_git.store.reading import TurnReading
from funes_git.store.records import ChunkRow

CHUNK = """SELECT c.id, c.chunk_id, s.session_id, t.turn_uuid, coalesce(t.seq, 0), t.ts,
  coalesce(t.role, ''), s.harness, t.branch, t.exchange, t.thread, c.block, c.split, c.block_type,
  c.tool, c.prose, (SELECT name FROM names n WHERE n.id = c.files), c.gone, c.turn, c.start,
  c.length, c.text, c.label
  FROM chunks c JOIN turns t ON t.id = c.turn JOIN sessions s ON s.id = t.session """


class ChunkReading(TurnReading):
    """What the catalog knows of chunks."""

    recent: Sequence[ChunkRow] = ()
    """The newest chunks, where they are at hand as they were stored just now: they need not be
    read again."""

    def chunk_rows(self, after_rowid: int, limit: int) -> list[ChunkRow]:
        """Up to `limit` chunks numbered after `after_rowid`, in order, those that are gone
        included: everything that changed since."""
        if self.recent and after_rowid + 1 >= (first := self.recent[0].rowid):
            return list(self.recent[after_rowid + 1 - first :][:limit])
        sql = CHUNK + "WHERE c.id > ? ORDER BY c.id LIMIT ?"
        return self._filled(self.rows(sql, (after_rowid, limit)))

    def chunks_by_id(self, ids: Sequence[str]) -> dict[str, ChunkRow]:
        """The chunks with these ids, those that are gone left out."""
        rows = self.rows_in(CHUNK + "WHERE c.gone = 0 AND c.chunk_id IN (?)", ids)
        return {chunk.id: chunk for chunk in self._filled(rows)}

    def chunks_of(self, session_id: str) -> Iterator[Chunk]:
        """The chunks of a session, in order; those that are gone left out."""
        where = "WHERE s.session_id = ? AND c.gone = 0 ORDER BY t.id, c.block, c.split"
        names = [field.name for field in fields(Chunk)]
        for row in self._filled(self.rows(CHUNK + where, (session_id,))):
            yield Chunk(**{name: getattr(row, name) for name in names})

    def chunks_without_vector(self, keys: Iterable[tuple[str, str]]) -> list[str]:
        """The ids of the chunks of turns, given as (session id, turn), that are to have a vector
        and have none."""
        wanted = set(keys)
        rows = self.rows_in(
            "SELECT s.session_id, t.turn_uuid, c.chunk_id FROM turns t JOIN sessions s"
            " ON s.id = t.session JOIN chunks c ON c.turn = t.id AND c.gone = 0 AND c.prose = 1"
            " AND c.vector = 0 WHERE t.turn_uuid IN (?) ORDER BY c.id",
            sorted({k[1] for k in wanted}),
        )
        return [r[2] for r in rows if (r[0], r[1]) in wanted]

    def newest_chunk(self) -> int:
        """The number of the newest chunk, 0 if there is none."""
        row = self.one("SELECT max(id) FROM chunks")
        return row[0] or 0 if row else 0

    def pending_vectors(self, limit: int) -> list[tuple[str, str]]:
        """(id, text) of up to `limit` prose chunks that have no vector yet, newest first."""
        sql = CHUNK + "WHERE c.prose = 1 AND c.vector = 0 AND c.gone = 0 ORDER BY c.id DESC LIMIT ?"
        return [(c.id, c.text) for c in self._filled(self.rows(sql, (limit,)))]

    def pending_count(self) -> int:
        """How many prose chunks have no vector yet."""
        row = self.one("SELECT count(*) FROM chunks WHERE prose = 1 AND vector = 0 AND gone = 0")
        return row[0] if row else 0

    def with_vector(self) -> set[str]:
        """The ids of the chunks that have a vector."""
        rows = self.rows("SELECT chunk_id FROM chunks WHERE vector = 1 AND gone = 0")
        return {chunk for (chunk,) in rows}

    def _filled(self, rows: Iterable[Row]) -> list[ChunkRow]:
        rows = list(rows)
        needed = {r[18] for r in rows if r[21] is None and not r[17]}
        bodies = self.rows_in("SELECT turn, data FROM bodies WHERE turn IN (?)", sorted(needed))
        texts = {turn: block_texts(expand(data)) for turn, data in bodies}
        return [_chunk(row, texts.get(row[18])) for row in rows]


def _chunk(row: Row, texts: list[str] | None) -> ChunkRow:
    block, start, length, own, label = row[11], *row[19:]
    if row[17]:
        text = ""
    elif own is not None:
        text = expand(own)
    else:
        text = (label or "") + texts[block][start : start + length] if texts else ""
    rest = (bool(row[15]), files_from_text(row[16]), text, bool(row[17]))
    values: list[Any] = [*row[:15], *rest]
    return ChunkRow(*values)
