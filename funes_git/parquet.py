"""A Parquet table of agent traces as JSON lines, one session a line. Imports pyarrow late."""

from __future__ import annotations

import io
import json
from collections.abc import Generator
from typing import Any, BinaryIO

NEEDED = ("session_id", "messages")
COLUMNS = (*NEEDED, "harness", "metadata", "sent_at", "timestamp", "name", "title", "cwd")
"""The columns of the Hub's agent-traces tables that a parser can use. The first two come first in
each line, so that the start of a line tells what it is."""
ROWS = 8
"""Sessions that are decoded at once."""


class ParquetLines(io.RawIOBase):
    """Reads as JSON lines; as nothing at all for a table without the columns that matter.

    Reading raises OSError for what is no Parquet.
    """

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._lines = _lines(stream)
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._left:
            line = next(self._lines, None)
            if line is None:
                return 0
            self._left = line
        count = min(len(buffer), len(self._left))
        buffer[:count], self._left = self._left[:count], self._left[count:]
        return count

    def close(self) -> None:
        self._lines.close()
        self._stream.close()
        super().close()


def _lines(stream: BinaryIO) -> Generator[bytes, None, None]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(stream)
        names = [name for name in COLUMNS if name in table.schema_arrow.names]
        if not set(NEEDED) <= set(names):
            return
        for batch in table.iter_batches(batch_size=ROWS, columns=names):
            for row in batch.to_pylist():
                ordered = {name: row[name] for name in names if row[name] is not None}
                yield json.dumps(ordered, default=str).encode() + b"\n"
    except pa.ArrowException as error:
        raise OSError(f"damaged Parquet file: {type(error).__name__}") from error
