"""A copy of a user's home with sample sessions, and one parser that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from funes_git_parsers.base import Cursor, Item, Opener, Parser, Places, Source
from funes_git_parsers.conformance.stands import unwritable
from funes_git_parsers.conformance.watch import limit
from funes_git_parsers.database import MAGIC
from funes_git_parsers.dataclass import dataclass

SECONDS = 30.0
"""Of processor time, for one file however damaged."""
HEAD = 64 << 10
"""How many bytes of a file `claim` is shown."""


@dataclass(frozen=True, slots=True)
class Home:
    """One parser over the sessions below the folder `path`."""

    parser: Parser
    path: Path
    env: dict[str, str]
    open_file: Opener
    is_discovered: bool = True

    @property
    def places(self) -> Places:
        """What `discover` is asked with."""
        return Places(self.path, self.env, checkouts=(self.path,))

    def sources(self) -> list[Source]:
        """What the parser discovers, or finds in the files that it claims; by path and key."""
        found = list(self.parser.discover(self.places))
        if not self.is_discovered:
            claimed = [path for path in self.files() if self.claimed(path)]
            found = [source for path in claimed for source in self.parser.sessions(path)]
        return sorted(found, key=lambda source: (str(source.path), source.key))

    def files(self) -> list[Path]:
        """Every file below the home."""
        return sorted(path for path in self.path.rglob("*") if path.is_file())

    def databases(self) -> list[Path]:
        """Those that are SQLite databases."""
        return [path for path in self.files() if is_database(path)]

    def plain(self) -> list[Source]:
        """The sources that are one text file each, the smallest first."""
        texts = [s for s in self.sources() if not (s.key or is_database(s.path))]
        return sorted((s for s in texts if s.path.suffix != ".zst"), key=lambda s: s.size)

    def claimed(self, path: Path) -> bool:
        """Whether the parser claims the file."""
        with self.open_file(path) as stream:
            return self.parser.claim(path, stream.read(HEAD))

    def read(self, source: Source, cursor: str | None = None) -> list[Item]:
        """Everything that the parser reads; with size and time of the file as they are now."""
        if not source.key:
            stat = source.path.stat()
            source = replace(source, size=stat.st_size, mtime_ns=stat.st_mtime_ns)
        return list(self.parser.read(source, cursor, self.open_file))

    def roots(self, source: Source) -> set[str]:
        """What the parser's quick scan finds."""
        return self.parser.roots(source, self.open_file)

    def survive(self, path: Path) -> Iterator[tuple[Source, list[Item]]]:
        """Ask the parser for all that depends on a file, whatever state it is in: what can be
        read of each source, from the start and then from its end."""
        if self.claimed(path):
            with suppress(OSError):
                self.parser.sessions(path)
        sources = self.sources()
        own = [source for source in sources if source.path == path]
        for source in own or sources:
            try:
                self.roots(source)
                items = self.read(source)
                again = self.read(source, cursor_of(items))
            except OSError:
                continue
            yield source, items + again


def is_database(path: Path) -> bool:
    """Whether a file starts as SQLite's do."""
    with path.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def cursor_of(items: list[Item]) -> str:
    """The cursor that a read ended with."""
    if not items or not isinstance(items[-1], Cursor):
        raise AssertionError("read() must end with a Cursor")
    return items[-1].text


def survives(home: Home, path: Path, what: str) -> None:
    """Assert that whatever depends on the damaged file at `path` can be asked for, in time, and
    that no string in it is broken; `what` says what is wrong with the file."""
    try:
        with limit(SECONDS):
            for _, items in home.survive(path):
                assert not unwritable(items), "what it yields is no UTF-8"
    except Exception as error:
        error.add_note(what)
        raise
