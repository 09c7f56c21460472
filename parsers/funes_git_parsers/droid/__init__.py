"""Factory Droid: sessions as JSON Lines under `~/.factory/sessions`.

What is known of the format, and what surprised, is in parsers/README.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from funes_git_parsers import scan
from funes_git_parsers.base import Capability, Item, Opener, Places, Source, regular, whole
from funes_git_parsers.droid.reader import HARNESS, Reader
from funes_git_parsers.follow import follow
from funes_git_parsers.values import mapping, parsed, string

NAME = HARNESS
LABEL = "Factory Droid"
GLOBAL_UUIDS = True
READS: frozenset[Capability] = frozenset(("text", "thinking", "edits", "shell", "sub-agents"))

_PATHS = ("file_path", "path", "filePath")
_TEXTS = ("command", "input", "patch")
_MAX_SETTINGS = 1 << 20


def folders(places: Places) -> list[Path]:
    """The folder that `discover` looks in."""
    return [places.home / ".factory" / "sessions"]


def discover(places: Places) -> Iterator[Source]:
    """Every session file, in order of name."""
    for top in folders(places):
        found = (Path(at, name) for at, _, names in os.walk(top) for name in names)
        yield from regular(NAME, sorted(path for path in found if path.suffix == ".jsonl"))


def claim(path: Path, head: bytes) -> bool:
    """Whether the first record is the start of a Droid session."""
    first = mapping(parsed(head.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]))
    known = sum(key in first for key in ("id", "title", "owner", "cwd", "version"))
    return first.get("type") == "session_start" and known > 1


def sessions(path: Path) -> list[Source]:
    """The file is one session."""
    return [whole(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """The session's folder, paths of tool calls, and absolute paths in commands and patches."""
    with open_file(source.path) as stream:
        return scan.roots(stream, ("cwd", "lastCwd"), _PATHS, _TEXTS)


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """What is new since `cursor`."""
    name = source.path.name.partition(".jsonl")[0]
    begin = partial(Reader, name, _model(source.path, name, open_file))
    yield from follow(source, cursor, open_file, begin)


def _model(path: Path, name: str, open_file: Opener) -> str | None:
    """The model that the settings beside a session name."""
    try:
        with closing(open_file(path.with_name(f"{name}.settings.json"))) as stream:
            return string(mapping(parsed(stream.read(_MAX_SETTINGS))).get("model"))
    except OSError:  # older versions wrote none
        return None
