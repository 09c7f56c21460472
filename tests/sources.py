"""Reads the sessions that a parser finds, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from funes_git_parsers.base import Block, Cursor, Edit, Item, Parser, Places, Source, Turn

_Kind = TypeVar("_Kind")


class Sources:
    """What `parser` finds in the home folder `home`."""

    def __init__(self, parser: Any, home: Path, **env: str) -> None:
        self.parser: Parser = parser
        self.places = Places(home, env)

    def found(self) -> list[Source]:
        return list(self.parser.discover(self.places))

    def source(self, key: str) -> Source:
        """The one source whose key, or whose file's name, is `key`."""
        (found,) = [s for s in self.found() if key in (s.key, s.path.name)]
        return found

    def read(self, key: str, cursor: str | None = None) -> tuple[list[Item], str]:
        """What a read yields, and its last cursor."""
        items = list(self.parser.read(self.source(key), cursor, lambda path: path.open("rb")))
        *rest, last = items
        assert isinstance(last, Cursor)
        return [item for item in rest if not isinstance(item, Cursor)], last.text

    def roots(self, key: str) -> set[str]:
        return self.parser.roots(self.source(key), lambda path: path.open("rb"))

    def items(self, key: str, kind: type[_Kind]) -> list[_Kind]:
        """The items of one kind of a whole read."""
        return [item for item in self.read(key)[0] if isinstance(item, kind)]

    def turns(self, key: str) -> list[Turn]:
        return self.items(key, Turn)

    def edits(self, key: str) -> list[Edit]:
        return self.items(key, Edit)

    def texts(self, key: str) -> list[str]:
        return [block.text for block in self.blocks(key)]

    def blocks(self, key: str) -> list[Block]:
        return [block for turn in self.turns(key) for block in turn.blocks]
