"""Files that are read whole whenever they changed: exports, and what its writer rewrites.

The cursor says what the file was, so that one that did not change is not read again. Standard
library only; knows no format.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from hashlib import sha1
from pathlib import Path

from funes_git_parsers.base import Cursor, Edit, Item, Opener, Restart, Source, Turn
from funes_git_parsers.jsonl import NOWHERE, Position, Records, open_at, read_records
from funes_git_parsers.paths import is_absolute

LARGEST = 256 << 20
"""Bytes of a text file; what is longer is no session."""


def of_records(
    source: Source,
    cursor: str | None,
    open_file: Opener,
    make: Callable[[Records], Iterator[Item]],
) -> Iterator[Item]:
    """What `make` makes of the records of a JSON Lines file. Raises OSError."""
    position = _position(cursor)
    stream, start = open_at(open_file, source.path, position)
    with closing(stream):
        if start.offset != position.offset:
            yield Restart()
        elif start.offset and not stream.read(1):
            yield Cursor(json.dumps(position.dump()))
            return
    with closing(open_file(source.path)) as stream:
        records = read_records(stream)
        yield from make(records)
        yield Cursor(json.dumps(records.position.dump()))


def of_text(
    source: Source, cursor: str | None, open_file: Opener, make: Callable[[str], Iterator[Item]]
) -> Iterator[Item]:
    """What `make` makes of the text of a file; bytes that are no UTF-8 become U+FFFD, line ends
    `\\n`. Raises OSError."""
    data = content(source.path, open_file)
    digest = sha1(data, usedforsecurity=False).hexdigest()
    if digest != cursor:
        text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\x00", "")
        yield from make(text)
    yield Cursor(digest)


def content(path: Path, open_file: Opener) -> bytes:
    """The bytes of a file, up to `LARGEST`. Raises OSError."""
    with closing(open_file(path)) as stream:
        return stream.read(LARGEST)


def roots_of(items: Iterable[Item]) -> set[str]:
    """The folders and absolute paths in what a parser read."""
    found: set[str] = set()
    for item in items:
        if isinstance(item, Turn) and item.workdir:
            found.add(item.workdir)
        elif isinstance(item, Edit):
            found |= {path for path in (item.path, item.old_path) if path and is_absolute(path)}
    return found


def _position(cursor: str | None) -> Position:
    try:
        return Position() if cursor is None else Position.load(json.loads(cursor))
    except (ValueError, RecursionError):
        return NOWHERE
