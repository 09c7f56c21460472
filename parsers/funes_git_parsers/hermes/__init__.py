"""Hermes Agent (NousResearch): where its sessions are and how to read one.

A session is some rows of `state.db`, of the home folder or of a profile; older versions wrote a
file for each. The facts and their sources are in parsers/README.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from funes_git_parsers import database, revision
from funes_git_parsers.base import Capability, Item, Opener, Places, Source, whole
from funes_git_parsers.hermes import files
from funes_git_parsers.hermes.store import listed, stored
from funes_git_parsers.hermes.turns import HARNESS, entries
from funes_git_parsers.revision import Entry

NAME = HARNESS
LABEL = "Hermes"
GLOBAL_UUIDS = False
READS: frozenset[Capability] = frozenset(
    ("text", "thinking", "edits", "shell", "sub-agents", "git")
)

_DATABASE = "state.db"


def folders(places: Places) -> list[Path]:
    """The folders that `discover` looks in: Hermes' home, and that of each profile in it."""
    named = places.env.get("HERMES_HOME")
    home = Path(named) if named else places.home / ".hermes"
    return [home, *sorted(path for path in home.glob("profiles/*") if path.is_dir())]


def discover(places: Places) -> Iterator[Source]:
    """Every session of every database, then those that only have a file."""
    for folder in folders(places):
        known: set[str] = set()
        path = folder / _DATABASE
        if path.is_file():
            for source in sessions(path):
                known.add(source.key)
                yield source
        yield from files.discover(folder / "sessions", known)


def claim(path: Path, head: bytes) -> bool:
    """Whether it is a `state.db`, or a session's file."""
    return path.name == _DATABASE or files.claim(path, head)


def sessions(path: Path) -> list[Source]:
    """The sessions in a database; a file is one session. One source without a key stands for a
    database that cannot be asked: reading it says why."""
    if path.name != _DATABASE:
        return [whole(NAME, path)]
    return database.sessions(NAME, path, listed)


def roots(source: Source, open_file: Opener) -> set[str]:
    """The folders and paths that `read` yields."""
    return revision.roots(_entries(source, open_file))


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """What changed in the session since `cursor`."""
    session_id = source.key or files.session_of(source.path)
    yield from revision.changes(session_id, _entries(source, open_file), cursor)


def _entries(source: Source, open_file: Opener) -> list[Entry]:
    if source.path.name != _DATABASE:
        return entries(files.stored(source.path, open_file))
    if not source.key:
        database.ask(source.path, listed)  # says what is wrong with it
    return entries(database.ask(source.path, partial(stored, session_id=source.key)))
