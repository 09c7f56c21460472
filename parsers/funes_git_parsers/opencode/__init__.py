"""OpenCode, and programs made from it: where their sessions are and how to read one.

A session is some rows of a database; until 1.1 it was a tree of files. A session that both have is
read from the database. The facts and their sources are in parsers/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from funes_git_parsers import database, revision
from funes_git_parsers.base import Capability, Item, Opener, Places, Source, whole
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.opencode.store import (
    Stored,
    listed,
    of_database,
    of_export,
    of_tree,
    tree_of,
)
from funes_git_parsers.opencode.turns import anchors, entries

_READS: frozenset[Capability] = frozenset(
    ("text", "thinking", "edits", "shell", "sub-agents", "git")
)
_EXPORT = re.compile(rb'\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"(?:ses_|REDACTED)')
_IN_TREE = re.compile(r"ses_\w+\.json")


@dataclass(frozen=True, slots=True)
class OpenCodeFormat:
    """The parser of one program that keeps its sessions as OpenCode does. Its `NAME` is that of
    its folder and of its databases, too."""

    NAME: str
    LABEL: str
    GLOBAL_UUIDS: bool = False
    READS: frozenset[Capability] = _READS

    def folders(self, places: Places) -> list[Path]:
        """The folder that `discover` looks in."""
        data = places.env.get("XDG_DATA_HOME")
        return [(Path(data) if data else places.home / ".local" / "share") / self.NAME]

    def discover(self, places: Places) -> Iterator[Source]:
        """Every session of the database (of each channel that was installed), then those that only
        the tree has."""
        (folder,) = self.folders(places)
        known: set[str] = set()
        for path in sorted(folder.glob(f"{self.NAME}*.db")):
            if path.is_file():
                for source in self.sessions(path):
                    if not source.key or source.key not in known:
                        known.add(source.key)
                        yield source
        for path, key, size, mtime in tree_of(folder / "storage"):
            if key not in known:
                yield Source(self.NAME, path, size, mtime, key)

    def claim(self, path: Path, head: bytes) -> bool:
        """Whether it is a database by the program's name, or a session's file of the tree, which
        is OpenCode's where the path does not tell, or an export, which is."""
        if _is_database(path):
            return path.name.startswith(self.NAME)
        if _is_in_tree(path):
            return self is (KILO if KILO.NAME in path.parts else OPENCODE)
        return self is OPENCODE and _EXPORT.match(head) is not None

    def sessions(self, path: Path) -> list[Source]:
        """The sessions in a database, or the one in a file. One source without a key stands for a
        database that cannot be asked: reading it says why."""
        if _is_in_tree(path):
            found = [each for each in tree_of(path.parents[2]) if each[0] == path]
            return [Source(self.NAME, each, size, at, key) for each, key, size, at in found]
        if not _is_database(path):
            return [whole(self.NAME, path)]
        return database.sessions(self.NAME, path, listed)

    def roots(self, source: Source, open_file: Opener) -> set[str]:
        """The folders and paths that `read` yields, and the repository's root commit."""
        stored = _stored(source, open_file)
        return revision.roots(entries(stored, self.NAME)) | anchors(stored)

    def read(self, source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
        """What changed in the session since `cursor`."""
        stored = _stored(source, open_file)
        yield from revision.changes(str(stored.info["id"]), entries(stored, self.NAME), cursor)


OPENCODE = OpenCodeFormat("opencode", "OpenCode")
KILO = OpenCodeFormat("kilo", "Kilo Code")


def _is_database(path: Path) -> bool:
    return path.name.startswith((OPENCODE.NAME, KILO.NAME)) and path.suffix == ".db"


def _is_in_tree(path: Path) -> bool:
    """Whether the parts of the session are in other files beside this one."""
    return _IN_TREE.fullmatch(path.name) is not None and path.parts[-3:-2] == ("session",)


def _stored(source: Source, open_file: Opener) -> Stored:
    if _is_in_tree(source.path):
        return of_tree(source.path, open_file)
    if not _is_database(source.path):
        return of_export(source.path, open_file)
    if not source.key:
        database.ask(source.path, listed)  # says what is wrong with it
    return database.ask(source.path, partial(of_database, session_id=source.key))
