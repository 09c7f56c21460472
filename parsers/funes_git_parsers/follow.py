"""Read a JSON Lines session from a cursor: what every agent with such files needs.

Standard library only; what the records mean is the `Follower`'s to know.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from funes_git_parsers.base import Cursor, Item, Opener, Restart, Skipped, Source
from funes_git_parsers.jsonl import NOWHERE, Position, Prepare, open_at, read_records
from funes_git_parsers.values import noted


class Follower(Protocol):
    """Takes the records of one file in order."""

    def record(self, record: dict[str, Any]) -> Iterable[Item]:
        """What one record brings."""
        ...

    def finish(self) -> Iterator[Item]:
        """What is known at the end of what has been written so far."""
        ...

    def plain(self) -> Any:
        """What it must remember, as JSON values."""
        ...


def follow(
    source: Source,
    cursor: str | None,
    open_file: Opener,
    begin: Callable[[Any], Follower],
    prepare: Prepare | None = None,
) -> Iterator[Item]:
    """Everything new since `cursor`, and the next one.

    `begin` makes the follower from what `plain` gave before, or from None at the start of the file;
    it raises ValueError, TypeError, KeyError, IndexError or AttributeError for what it does not
    know. Raises OSError if the file cannot be opened.
    """
    position, remembered = _load(cursor)
    stream, start = open_at(open_file, source.path, position)
    with stream:
        follower = begin(None)
        if start.offset != position.offset:
            yield Restart()
        if start.offset and start.offset == position.offset:
            try:
                follower = begin(remembered)
            except (ValueError, TypeError, KeyError, IndexError, AttributeError):
                stream.close()
                yield from follow(source, "", open_file, begin, prepare)
                return
        records = read_records(stream, start, prepare)
        for record in records:
            if isinstance(record, Skipped):
                yield record
                continue
            try:
                yield from follower.record(record)
            except RecursionError:
                yield Skipped(records.line, "nested too deeply")
        yield from follower.finish()
    yield Cursor(_dump(records.position, follower))


def _dump(position: Position, follower: Follower) -> str:
    try:
        return noted({"at": position.dump(), "state": follower.plain()})
    except (RecursionError, ValueError):  # a call nested so deeply that it was read only just
        return ""


def _load(cursor: str | None) -> tuple[Position, Any]:
    if cursor is None:
        return Position(), None
    try:
        values = json.loads(cursor)
        return Position.load(values.get("at")), values.get("state")
    except (ValueError, AttributeError, RecursionError):
        return NOWHERE, None
