"""Read records from a JSON Lines file that another program may be writing at this moment.

Splits on bytes with no length cap, accepts what real files hold (several objects on a line, a byte
order mark, CRLF, NUL, invalid UTF-8, lone surrogates, half a last line), and knows how far it got,
so that the next read goes on from there. Standard library only; knows nothing of what the records
mean.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias
from zlib import crc32

from funes_git_parsers.base import Opener, Skipped
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.values import clean, decoded

Prepare: TypeAlias = Callable[[bytes], bytes | None]
"""Looks at a line before it is decoded; returns the bytes to decode, or None to pass it over."""

LONGEST = 128 << 20
"""A longer line is no record: it is passed over, so that it need not be held in memory."""

_CHUNK = 1 << 20
_BETWEEN = re.compile("[ \t\r\n\x0b\x0c\x00\ufeff]*")  # what may stand around an object
_JOINED = re.compile(rb"\}[ \t\r\x0b\x0c\x00\xef\xbb\xbf]*\{")
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Position:
    """A place between two lines (or after a complete last line without its newline).

    `offset` in bytes, `line` is the number of line ends before it, `crc` is the CRC-32 of
    everything before it: who changes a session file changes it by accident or on purpose, not to
    deceive, and a cryptographic hash takes three times as long.
    """

    offset: int = 0
    line: int = 0
    crc: int = 0

    def dump(self) -> list[int]:
        """As JSON values, for a cursor."""
        return [self.offset, self.line, self.crc]

    @staticmethod
    def load(value: object) -> Position:
        """What `dump` gave; NOWHERE if `value` is anything else."""
        match value:
            case [int(offset), int(line), int(crc)] if offset >= 0 and line >= 0:
                return Position(offset, line, crc)
        return NOWHERE


NOWHERE: Final = Position(-1)
"""For a cursor that is not understood: what it stood for is not known, so the file is read from the
start, as one that changed is."""


class Records:
    """Iterates once over the records of an open file; see `read_records`."""

    def __init__(self, stream: BinaryIO, start: Position, prepare: Prepare | None) -> None:
        self._stream = stream
        self._prepare = prepare
        self._offset, self._ended, self._crc = start.offset, start.line, start.crc
        self.line = start.line
        """The line (from 1) of the last record."""
        self.raw = b""
        """That line."""

    @property
    def position(self) -> Position:
        """The end of the last line whose records have all been taken from this iterator."""
        return Position(self._offset, self._ended, self._crc)

    def __iter__(self) -> Iterator[dict[str, Any] | Skipped]:
        prepare = self._prepare
        for raw in iter(partial(self._stream.readline, LONGEST), b""):
            self.line, self.raw = self._ended + 1, raw
            is_ended = raw.endswith(b"\n")
            if not is_ended and len(raw) == LONGEST:
                if self._pass_over(raw):
                    yield Skipped(self._ended, "too long")
                continue
            if not is_ended and not _is_complete(raw):
                return
            prepared = raw if prepare is None else prepare(raw)
            if prepared is not None:
                try:
                    value = decoded(prepared)
                except (ValueError, RecursionError):
                    value = None
                if isinstance(value, dict):  # a line like most: one object and no more
                    yield value
                else:
                    yield from _parse(prepared, self.line)
            self._offset += len(raw)
            self._ended += is_ended
            self._crc = crc32(raw, self._crc)

    def _pass_over(self, part: bytes) -> bool:
        """Go to the end of a line that begins with `part`; whether it has one."""
        while part:
            self._offset += len(part)
            self._crc = crc32(part, self._crc)
            if part.endswith(b"\n"):
                self._ended += 1
                return True
            part = self._stream.readline(_CHUNK)
        return False


def read_records(
    stream: BinaryIO, start: Position | None = None, prepare: Prepare | None = None
) -> Records:
    """Every JSON object from `start` on, in order, and a `Skipped` for what is not an object. Every
    string in an object can be encoded as UTF-8.

    `stream` stands at `start`, which comes from `resume` (None: the beginning). A last line without
    newline is read if it is complete, and otherwise left for the next read, so that reading in two
    parts gives what reading at once gives. `position` of the result tells where the next read
    starts. `prepare` must judge each object of a line alone: see `is_joined`.
    """
    return Records(stream, start or Position(), prepare)


def whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a file, many at once and without those that are too long: for a quick scan."""
    parts: list[bytes] = []
    size = 0
    while chunk := stream.read(_CHUNK):
        head, end, tail = chunk.rpartition(b"\n")
        if end:
            if size > LONGEST:
                parts, head = [], head.partition(b"\n")[2]
            yield b"".join([*parts, head])
            parts, size = [], 0
        parts.append(tail)
        size += len(tail)
        if size > LONGEST:
            parts = []
    yield b"".join(parts)


def resume(stream: BinaryIO, position: Position) -> Position:
    """`position`, ready for `read_records`, if the bytes before it are still the same; else the
    start. The stream stands at the same position then, or is used up and must be opened again."""
    crc, left = 0, position.offset
    while left and (chunk := stream.read(min(left, _CHUNK))):
        crc = crc32(chunk, crc)
        left -= len(chunk)
    return Position() if left or crc != position.crc else position


def open_at(open_file: Opener, path: Path, position: Position) -> tuple[BinaryIO, Position]:
    """Open `path` and go to `position`, or stay at the start if the file changed before it.

    Never seeks, so that a decompressing stream will do. The caller closes the stream. Raises
    OSError if the file cannot be opened.
    """
    stream = open_file(path)
    if position == NOWHERE:
        return stream, Position()
    found = resume(stream, position)
    if found.offset or not position.offset:
        return stream, found
    stream.close()
    return open_file(path), found


def is_joined(line: bytes, start: int = 0, stop: int = sys.maxsize) -> bool:
    """Whether a line may hold more than one object (an append after a missing newline), with the
    border between `start` and `stop`. A `Prepare` that decides by a few bytes must leave such a
    line as it is, and one that cuts something out must not cut out a border."""
    return _JOINED.search(line, start, stop) is not None


def _is_complete(raw: bytes) -> bool:
    """Whether a line without newline holds complete objects and nothing else."""
    parsed = list(_parse(raw, 0))
    return bool(parsed) and all(isinstance(item, dict) for item in parsed)


def _parse(raw: bytes, line: int) -> Iterator[dict[str, Any] | Skipped]:
    text = raw.decode("utf-8", "replace")
    at = _skip(text, 0)
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
            value = clean(value)
        except RecursionError:
            yield Skipped(line, "nested too deeply")
            return
        except ValueError:
            yield Skipped(line, "not valid JSON")
            return
        if isinstance(value, dict):
            yield value
        else:
            yield Skipped(line, "not a JSON object")
        at = _skip(text, at)


def _skip(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at
