"""Cursor: where its conversations are and how to read one.

The editor keeps them in `state.vscdb`, the command-line agent in a `store.db` for each and in
transcripts. One that is in several places is read from the one that holds most. The facts and
their sources are in parsers/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from funes_git_parsers import database, revision
from funes_git_parsers.base import Capability, Item, Opener, Places, Source, whole
from funes_git_parsers.cursor import agent, bubbles, ide, talks
from funes_git_parsers.cursor.bubbles import HARNESS
from funes_git_parsers.revision import Entry

NAME = HARNESS
LABEL = "Cursor"
GLOBAL_UUIDS = False
READS: frozenset[Capability] = frozenset(
    ("text", "thinking", "edits", "shell", "sub-agents", "git")
)

_EDITOR = "state.vscdb"
_AGENT = "store.db"
_TEXT = re.compile(rb"\s*user:\n")
_LINE = re.compile(rb'\s*\{\s*"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:')


def folders(places: Places) -> list[Path]:
    """The folders that `discover` looks in: the editor's, which is elsewhere on a Mac, and the
    agent's."""
    config = places.env.get("XDG_CONFIG_HOME")
    linux = Path(config) if config else places.home / ".config"
    mac = places.home / "Library" / "Application Support"
    return [linux / "Cursor" / "User", mac / "Cursor" / "User", places.home / ".cursor"]


def discover(places: Places) -> Iterator[Source]:
    """Every conversation, from the place that holds most of it."""
    known: set[str] = set()
    *editors, agents = folders(places)
    for path in (path for top in editors for path in _databases(top)):
        for source in sessions(path):
            if not source.key or source.key not in known:
                known.add(source.key)
                yield source
    patterns = ("chats/*/*/store.db", "projects/*/agent-transcripts/**/*.jsonl")
    for pattern in (*patterns, "projects/*/agent-transcripts/*.txt"):
        for path in sorted(agents.glob(pattern)):
            name = _name(path)
            if path.is_file() and name not in known:
                known.add(name)
                with suppress(OSError):
                    yield _stamped(path)


def _databases(top: Path) -> Iterator[Path]:
    """The editor's database, and those of its workspaces, which only hold older chats."""
    paths = [top / "globalStorage" / _EDITOR, *sorted(top.glob(f"workspaceStorage/*/{_EDITOR}"))]
    yield from (path for path in paths if path.is_file())


def _name(path: Path) -> str:
    return path.parent.name if path.name == _AGENT else path.stem


def _stamped(path: Path) -> Source:
    if path.name != _AGENT:
        return whole(NAME, path)
    return Source(NAME, path, *database.stamp(path), key=_name(path))


def claim(path: Path, head: bytes) -> bool:
    """Whether it is a database by one of Cursor's names, or a transcript."""
    if path.name in (_EDITOR, _AGENT):
        return True
    return bool((_TEXT if path.suffix == ".txt" else _LINE).match(head)) and path.suffix in (
        ".txt",
        ".jsonl",
    )


def sessions(path: Path) -> list[Source]:
    """The conversations in a database; a `store.db` and a transcript are one each. One source
    without a key stands for a database that cannot be asked: reading it says why."""
    if path.name != _EDITOR:
        return [_stamped(path)]
    return database.sessions(NAME, path, ide.listed)


def roots(source: Source, open_file: Opener) -> set[str]:
    """The folders and paths that `read` yields."""
    return revision.roots(_entries(source, open_file))


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """What changed in the conversation since `cursor`."""
    name = source.key or _name(source.path)
    yield from revision.changes(name, _entries(source, open_file), cursor)


def _entries(source: Source, open_file: Opener) -> list[Entry]:
    if source.path.name == _EDITOR:
        if not source.key:
            database.ask(source.path, ide.listed)  # says what is wrong with it
        return bubbles.entries(ide.stored(source.path, source.key))
    if source.path.name == _AGENT:
        asked = partial(agent.of_store, session_id=_name(source.path))
        return talks.entries(database.ask(source.path, asked))
    return talks.entries(agent.of_transcript(source.path, open_file))
