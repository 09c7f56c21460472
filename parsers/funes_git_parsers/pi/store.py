"""OpenClaw's sessions since 2026.9: the lines of its files before, as rows of a database.

Seen in what npm `openclaw` 2026.9.6 wrote: `transcript_events` has a row for each line, older ones
compressed by zstd.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from funes_git_parsers import database
from funes_git_parsers.base import Opener, Source
from funes_git_parsers.database import required, select
from funes_git_parsers.whole import LARGEST

DATABASE: Final = "openclaw-agent.sqlite"
_EVENT = ("event_json", "event_zstd", "event_utf8_bytes")
_UNREADABLE: Final = b"?"
"""A line that is no record: it is counted as skipped."""

_Packed: TypeAlias = tuple[bytes, int]
"""A line that is compressed, and its length otherwise."""


def listed(db: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """Every session with events: its id and two numbers that change whenever it does, the second of
    them the time of its last event in nanoseconds. Raises sqlite3.Error, also if the table is
    missing."""
    required(db, "transcript_events")
    found = db.execute(
        "SELECT session_id, max(seq) + count(*), max(created_at) FROM transcript_events"
        " GROUP BY session_id ORDER BY session_id"
    )
    return [
        (key, size, at * 1_000_000)
        for key, size, at in found
        if isinstance(key, str) and key and isinstance(size, int) and isinstance(at, int)
        if size < 2**62 and abs(at) < 2**42
    ]


def lines(source: Source, open_file: Opener) -> bytes:
    """The lines of a session. `open_file` decompresses a file `.zst`. Raises OSError if the
    database cannot be read."""
    if not source.key:
        database.ask(source.path, listed)  # says what is wrong with it
    rows = database.ask(source.path, partial(_rows, session_id=source.key))
    unpacked = iter(_unpacked([row for row in rows if not isinstance(row, str)], open_file))
    found = (
        row.encode("utf-8", "replace") if isinstance(row, str) else next(unpacked) for row in rows
    )
    return b"".join(line.replace(b"\n", b" ") + b"\n" for line in found)


def _rows(db: sqlite3.Connection, session_id: str) -> list[str | _Packed]:
    query = f"{select(db, 'transcript_events', _EVENT)} WHERE session_id = ? ORDER BY seq"
    return [_row(*row) for row in db.execute(query, (session_id,))]


def _row(text: object, packed: object, size: object) -> str | _Packed:
    if isinstance(packed, bytes) and isinstance(size, int) and 0 < size < LARGEST:
        return packed, size
    return text if isinstance(text, str) else _UNREADABLE.decode()


def _unpacked(packed: Sequence[_Packed], open_file: Opener) -> list[bytes]:
    """What was compressed; lines that cannot be read if something is wrong with it."""
    total = sum(size for _, size in packed)
    data = b""
    if packed and total <= LARGEST:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "events.zst")
            path.write_bytes(b"".join(frame for frame, _ in packed))
            try:
                with closing(open_file(path)) as stream:
                    data = stream.read(total + 1)
            except OSError:
                data = b""
    if len(data) != total:
        return [_UNREADABLE] * len(packed)
    found: list[bytes] = []
    at = 0
    for _, size in packed:
        found.append(data[at : at + size])
        at += size
    return found
