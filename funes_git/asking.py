"""Ask a parser. Whatever goes wrong inside it counts as a fault of the file, which is then named
and tried again next time: one session stops no other, whoever wrote its parser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from errno import EIO
from pathlib import Path

from funes_git.sessionfile import open_session, speed_up
from funes_git.wellformed import check
from funes_git_parsers.base import Item, Opener, Parser, Places, Source


def discover(parser: Parser, places: Places) -> Iterator[Source]:
    """Every session on the machine. Raises OSError."""
    with _faults(Path(parser.NAME)):
        for source in parser.discover(places):
            check(source)
            yield source


def sessions(parser: Parser, path: Path, head: bytes) -> list[Source] | None:
    """The sessions in a file that begins with `head`; None if the parser does not claim it.
    Raises OSError."""
    with _faults(path):
        found = parser.sessions(path) if parser.claim(path, head) else None
        for source in found or ():
            check(source)
        return found


def roots(parser: Parser, source: Source, open_file: Opener = open_session) -> set[str]:
    """The quick scan of a source. Raises OSError."""
    with _faults(source.path):
        return {str(root) for root in parser.roots(source, open_file)}


def read(parser: Parser, source: Source, cursor: str | None = None) -> Iterator[Item]:
    """Everything new since `cursor`. Raises OSError."""
    speed_up()
    with _faults(source.path):
        for item in parser.read(source, cursor, open_session):
            check(item)
            yield item


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        # its message may quote the session
        reason = f"its parser failed ({type(error).__name__})"
        raise OSError(EIO, reason, str(path)) from error
