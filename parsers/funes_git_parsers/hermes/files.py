"""Sessions of Hermes as files: what it wrote before its database, and beside it for a while.

`sessions/<id>.jsonl` has a message a line, after a line of role `session_meta`;
`sessions/session_<id>.json` is one object with `messages`, none of which has a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from funes_git_parsers.base import Opener, Source, regular
from funes_git_parsers.hermes.store import About, Row, Stored, row_of
from funes_git_parsers.hermes.turns import HARNESS
from funes_git_parsers.jsonl import LONGEST, read_records
from funes_git_parsers.values import mapping, moment, parsed, string

_OBJECT = re.compile(rb'\s*\{\s*"session_id"\s*:')
_LINE = re.compile(rb'\s*\{\s*"role"\s*:\s*"session_meta"')


def discover(folder: Path, known: Iterable[str]) -> Iterator[Source]:
    """The files of sessions that are not in the database."""
    paths = sorted(folder.glob("*.json*"), key=lambda path: (path.suffix, path))
    found = {session_of(path): path for path in paths if _is_named(path)}  # `.jsonl` has times
    return regular(HARNESS, (path for name, path in found.items() if name not in known))


def session_of(path: Path) -> str:
    """The id that a file's name holds."""
    return path.stem.removeprefix("session_")


def _is_named(path: Path) -> bool:
    if path.suffix == ".json":
        return path.name.startswith("session_")
    return path.suffix == ".jsonl"


def claim(path: Path, head: bytes) -> bool:
    """Whether a file starts as one of these does."""
    if path.suffix == ".json":
        return path.name.startswith("session_") and _OBJECT.match(head) is not None
    return path.suffix == ".jsonl" and _LINE.match(head) is not None


def stored(path: Path, open_file: Opener) -> Stored:
    """The session in a file. Raises OSError if it cannot be opened."""
    session_id = session_of(path)
    with closing(open_file(path)) as stream:
        if path.suffix == ".json":
            value = mapping(parsed(stream.read(LONGEST)))
            messages = value.get("messages")
            found = (
                [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []
            )
            about = About(session_id, model=string(value.get("model")))
            return Stored(about, list(_rows(found, moment(value.get("session_start")))))
        lines = [each for each in read_records(stream) if isinstance(each, dict)]
    first = lines[0] if lines and lines[0].get("role") == "session_meta" else {}
    return Stored(
        About(session_id, model=string(first.get("model"))),
        list(_rows(lines, moment(first.get("timestamp")))),
    )


def _rows(messages: list[dict[str, Any]], start: float | None) -> Iterator[Row]:
    for number, message in enumerate(messages):
        shown: Mapping[str, Any] = {**message, "calls": message.get("tool_calls")}
        yield row_of({"timestamp": start, **shown}, str(number))
