"""Aider: the chat history of a working tree, `.aider.chat.history.md`, Markdown that only grows.

`# aider chat started at 2025-01-31 12:00:00` begins a session, in local time without a zone; that
is the only time there is. What is known of the format is in parsers/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from funes_git_parsers import whole
from funes_git_parsers.aider.chat import HARNESS, Chat
from funes_git_parsers.base import Capability, Item, Opener, Places, Source, regular
from funes_git_parsers.base import whole as whole_file

NAME = HARNESS
LABEL = "Aider"
GLOBAL_UUIDS = False
READS: frozenset[Capability] = frozenset(("text", "edits", "shell"))

_FILE = ".aider.chat.history.md"
_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")


def folders(places: Places) -> list[Path]:
    """The repository's working trees."""
    return list(places.checkouts)


def discover(places: Places) -> Iterator[Source]:
    """The history of each working tree, if it has one."""
    named = places.env.get("AIDER_CHAT_HISTORY_FILE")
    return regular(NAME, (top / (named or _FILE) for top in places.checkouts))


def claim(path: Path, head: bytes) -> bool:
    """Whether the file is Markdown that begins a chat of Aider's."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return path.suffix == ".md" and start.startswith(b"# aider chat started at ")


def sessions(path: Path) -> list[Source]:
    """The file, with all its chats."""
    return [whole_file(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """The folder that the file lies in."""
    return {str(source.path.parent)}


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """All chats of the file, if it changed; a line that is not complete yet is left for later."""

    def items(text: str) -> Iterator[Item]:
        folder = str(source.path.parent)
        ids: dict[str, int] = {}
        for started, lines in _chats(text[: text.rfind("\n") + 1]):
            again = ids[started] = ids.get(started, 0) + 1
            plain = "".join(c for c in started if c.isdigit())
            name = f"aider-{plain}" + (f"-{again}" if again > 1 else "")
            yield from Chat(name, folder, _seconds(started)).read(lines)

    return whole.of_text(source, cursor, open_file, items)


def _chats(text: str) -> Iterator[tuple[str, list[str]]]:
    """(when it started, its lines) of each chat; what stands before the first belongs to none."""
    started: str | None = None
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if found := _STARTED.fullmatch(line):
            if started is not None:
                yield started, lines
            started, lines = found[1], []
        else:
            lines.append(line)
    if started is not None:
        yield started, lines


def _seconds(started: str) -> float | None:
    try:
        return datetime.fromisoformat(started).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
