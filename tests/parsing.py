"""Give a parser records and fold what it yields as a store would."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from funes_git_parsers.base import (
    Block,
    Cursor,
    Edit,
    Item,
    Parser,
    Restart,
    Retraction,
    Source,
    Turn,
)


def lines(records: Iterable[Any]) -> bytes:
    """Records as JSON Lines; bytes are taken as they are."""
    raw = (r if isinstance(r, bytes) else json.dumps(r).encode() + b"\n" for r in records)
    return b"".join(raw)


class Parsed:
    """What a parser yields for one file that may grow; `beside` are other files by their path."""

    def __init__(
        self, parser: Parser, path: str, beside: Mapping[str, bytes | str] | None = None
    ) -> None:
        self.parser = parser
        self.path = Path(path)
        self.data = b""
        self.beside = dict(beside or {})
        self.cursor: str | None = None
        self.items: list[Item] = []

    def open(self, path: Path) -> BinaryIO:
        """The session file, or one beside it."""
        if path == self.path:
            return io.BytesIO(self.data)
        if str(path) not in self.beside:
            raise FileNotFoundError(path)
        found = self.beside[str(path)]
        return io.BytesIO(found.encode() if isinstance(found, str) else found)

    def source(self) -> Source:
        """The file as discovery finds it."""
        return Source(self.parser.NAME, self.path, len(self.data), 0)

    def add(self, *records: Any) -> list[Item]:
        """Append records, read on from the cursor; what that yields."""
        self.data += lines(records)
        return self.read()

    def read(self) -> list[Item]:
        """Read on from the cursor."""
        new = list(self.parser.read(self.source(), self.cursor, self.open))
        end = new[-1]
        assert isinstance(end, Cursor)
        self.cursor = end.text
        self.items += new
        return new

    def roots(self) -> set[str]:
        """The quick scan."""
        return self.parser.roots(self.source(), self.open)

    @property
    def turns(self) -> list[Turn]:
        """Every turn, the last of each uuid, in the order of their first."""
        found = {item.turn_uuid: item for item in self.items if isinstance(item, Turn)}
        return list(found.values())

    @property
    def current(self) -> list[Turn]:
        """The turns that were not taken back."""
        found: dict[str, Turn] = {}
        for item in self.items:
            if isinstance(item, Restart):
                found.clear()
            elif isinstance(item, Turn):
                found[item.turn_uuid] = item
            elif isinstance(item, Retraction):
                found.pop(item.turn_uuid, None)
        return list(found.values())

    @property
    def blocks(self) -> list[Block]:
        """The blocks of every turn."""
        return [block for turn in self.turns for block in turn.blocks]

    @property
    def edits(self) -> list[Edit]:
        """Every edit, the last of each key."""
        found = {(e.tool_use_id, e.n): e for e in self.items if isinstance(e, Edit)}
        return list(found.values())

    def of(self, kind: type[Any]) -> list[Any]:
        """Every item of one kind."""
        return [item for item in self.items if isinstance(item, kind)]


def parsed(parser: Parser, path: str, *records: Any) -> Parsed:
    """What a parser yields for a file with these records."""
    session = Parsed(parser, path)
    session.add(*records)
    return session
