"""Goose (Block): where its sessions are and how to read one.

A session is some rows of `sessions.db`; older versions wrote a file for each. The facts and their
sources are in parsers/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from funes_git_parsers import database, revision
from funes_git_parsers.base import Capability, Item, Opener, Places, Source, regular, whole
from funes_git_parsers.goose.store import Stored, listed, of_database, of_file
from funes_git_parsers.goose.turns import HARNESS, entries

NAME = HARNESS
LABEL = "Goose"
GLOBAL_UUIDS = False
READS: frozenset[Capability] = frozenset(("text", "thinking", "edits", "shell", "sub-agents"))

_DATABASE = "sessions.db"
_FIRST = re.compile(
    rb'\s*\{(?=[^\n]*"working_dir"\s*:)(?=[^\n]*"(?:description|message_count)"\s*:)'
)


def folders(places: Places) -> list[Path]:
    """The folders that `discover` looks in: Goose's data folder, which is elsewhere on a Mac."""
    if root := places.env.get("GOOSE_PATH_ROOT"):
        return [Path(root, "data", "sessions")]
    data = places.env.get("XDG_DATA_HOME")
    share = Path(data) if data else places.home / ".local" / "share"
    mac = places.home / "Library" / "Application Support" / "Block" / "goose"
    return [share / "goose" / "sessions", mac / "sessions"]


def discover(places: Places) -> Iterator[Source]:
    """Every session of the database, then those that only have a file."""
    for folder in folders(places):
        known: set[str] = set()
        path = folder / _DATABASE
        if path.is_file():
            for source in sessions(path):
                known.add(source.key)
                yield source
        files = (file for file in sorted(folder.glob("*.jsonl")) if file.stem not in known)
        yield from regular(NAME, files)


def claim(path: Path, head: bytes) -> bool:
    """Whether it is a `sessions.db`, or a file that starts with a line about a session."""
    return path.name == _DATABASE or (path.suffix == ".jsonl" and _FIRST.match(head) is not None)


def sessions(path: Path) -> list[Source]:
    """The sessions in a database; a file is one session. One source without a key stands for a
    database that cannot be asked: reading it says why."""
    if path.name != _DATABASE:
        return [whole(NAME, path)]
    return database.sessions(NAME, path, listed)


def roots(source: Source, open_file: Opener) -> set[str]:
    """The folders and paths that `read` yields, and the folder that the session was started in."""
    stored = _stored(source, open_file)
    found = revision.roots(entries(stored))
    return found | {stored.about.folder} if stored.about.folder else found


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """What changed in the session since `cursor`."""
    stored = _stored(source, open_file)
    yield from revision.changes(stored.about.session_id, entries(stored), cursor)


def _stored(source: Source, open_file: Opener) -> Stored:
    if source.path.name != _DATABASE:
        return of_file(source.path, open_file)
    if not source.key:
        database.ask(source.path, listed)  # says what is wrong with it
    return database.ask(source.path, partial(of_database, session_id=source.key))
