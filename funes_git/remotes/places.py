"""Where a memory's tables lie: each kind of place reads a version and writes the next one.

A version is named by the commit on the Hub, by a sum over the names of the files elsewhere.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from funes_git.errors import FunesError, UsageError
from funes_git.remotes import tables
from funes_git.remotes.hub import Add, Dataset, Delete, Operation
from funes_git.remotes.huberrors import Conflict
from funes_git.remotes.names import Name
from funes_git.remotes.tables import Difference
from funes_git.store.lock import FileLock

EMPTY = ""
"""The version of a place that holds nothing yet."""
LOCK = ".funes.lock"
EMPTY_DATASET = {".gitattributes", "README.md"}
"""What lies in a dataset that was just made, by the Hub or on its page."""
FEW = 3
"""How many of somebody else's files are named."""
NOBODY_PUSHED = "check the name; if it is right, nobody has pushed there yet"


class Public(FunesError):
    """Everybody may read the memory."""


class Place(Protocol):
    """Where a memory lies."""

    name: Name

    def head(self) -> str:
        """The newest version. Raises FunesError where there is no such place."""
        ...

    def paths(self, version: str) -> list[str]:
        """The paths of the tables' files at a version."""
        ...

    def fetch(self, version: str, paths: Iterable[str]) -> Path:
        """A folder that holds these files of a version."""
        ...

    def create(self, *, private: bool) -> bool:
        """Make it; False if it is there already."""
        ...

    def demand_room(self) -> None:
        """Raise FunesError where it holds no memory, and something else."""
        ...

    def demand_private(self) -> None:
        """Raise Public where everybody may read it."""
        ...

    def commit(self, change: Difference, parent: str, message: str) -> str:
        """Apply a change to the version `parent`, all or nothing; the new version. Raises Conflict
        where `parent` is not the newest any more."""
        ...


class HubPlace:
    """A dataset on the Hub."""

    def __init__(self, name: Name) -> None:
        self.name = name
        self._data = Dataset(name.where)

    def head(self) -> str:
        return self._data.head(self.name.revision)

    def paths(self, version: str) -> list[str]:
        return [f.path for f in self._data.files(version) if tables.is_table(f.path)]

    def fetch(self, version: str, paths: Iterable[str]) -> Path:
        return self._data.download(version, paths)

    def create(self, *, private: bool) -> bool:
        return self._data.create(private=private)

    def demand_room(self) -> None:
        paths = [file.path for file in self._data.files()]
        if not tables.is_memory(paths):
            demand_room(self.name, {path.partition("/")[0] for path in paths} - EMPTY_DATASET)

    def demand_private(self) -> None:
        if not self._data.is_private():
            raise Public(
                f"{self.name.where} is public, and a push sends everything unreviewed",
                f"make {self.name.where} private on the Hub, or name another one",
            )

    def commit(self, change: Difference, parent: str, message: str) -> str:
        operations: list[Operation] = [Add(path, file) for path, file in change.added.items()]
        operations += [Delete(path) for path in change.gone]
        return self._data.commit(operations, parent, message)


class FolderPlace:
    """A folder on this machine, or on one that is mounted."""

    def __init__(self, name: Name) -> None:
        self.name = name
        self._folder = Path(name.where)

    def head(self) -> str:
        if not self._folder.is_dir():
            raise FunesError(f"there is no folder {self._folder}", NOBODY_PUSHED)
        return version_of(tables.files_below(self._folder))

    def paths(self, version: str) -> list[str]:
        return list(tables.files_below(self._folder))

    def fetch(self, version: str, paths: Iterable[str]) -> Path:
        return self._folder

    def create(self, *, private: bool) -> bool:
        there = self._folder.is_dir()
        self.demand_room()
        if not self._folder.parent.is_dir():  # mistyped, or not mounted
            raise FunesError(
                f"there is no folder {self._folder.parent}, in which {self._folder.name} would be",
                f"check the path, or mkdir -p {shlex.quote(str(self._folder.parent))}",
            )
        self._folder.mkdir(mode=0o700 if private else 0o777, exist_ok=True)
        return not there

    def demand_private(self) -> None:
        pass  # who may read a folder is its owner's business

    def commit(self, change: Difference, parent: str, message: str) -> str:
        self.demand_room()
        with FileLock.take(self._folder / LOCK, wait=60.0):
            if self.head() != parent:
                raise Conflict(f"{self.name.text} was changed meanwhile", "try again")
            for left in tables.parts_below(self._folder):
                left.unlink()
            for path in sorted(change.added, key=manifests_last):
                self._put(change.added[path], self._folder / path)
            for path in change.gone:
                (self._folder / path).unlink(missing_ok=True)
            return self.head()

    def demand_room(self) -> None:
        if self._folder.is_dir() and not tables.is_memory(tables.files_below(self._folder)):
            demand_room(self.name, {each.name for each in self._folder.iterdir()} - {LOCK})

    @staticmethod
    def _put(file: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(target.name + tables.PART)
        shutil.copyfile(file, part)
        part.replace(target)


def place_of(name: Name) -> Place:
    """The place of a memory. Raises UsageError for one that has none of its own."""
    if name.kind == "hub":
        return HubPlace(name)
    if name.kind == "folder":
        return FolderPlace(name)
    if name.kind == "file":
        from funes_git.remotes.archive import FilePlace

        return FilePlace(name)
    if name.kind == "store":
        from funes_git.remotes.objects import StorePlace

        return StorePlace(name)
    raise UsageError(f"{name.text} cannot be used here", "ORG/NAME, or a path")


def demand_memory(name: Name, paths: Iterable[str]) -> None:
    """Raise FunesError where these files of a version are no memory."""
    if not tables.is_memory(paths):
        raise FunesError(f"{name.text} is no memory: it has no chunks.lance", NOBODY_PUSHED)


def demand_room(name: Name, held: Iterable[str]) -> None:
    """Raise FunesError where a place that holds no memory holds something else: `held` are the
    names at its top."""
    others = sorted(each for each in held if not tables.is_own(each))
    if not others:
        return
    inside = name.kind != "hub"
    other = f"{name.text.rstrip('/')}/memory" if inside else f"{name.where}-memory"
    kind = {"hub": "dataset", "folder": "folder"}.get(name.kind, "place")
    raise FunesError(
        f"{name.text} holds {some_of(others)}, and no memory",
        f"git funes push {other}, a {kind} of its own",
    )


def some_of(names: Sequence[str]) -> str:
    """Names of somebody else's files, as an error tells them."""
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"{', '.join(names[:FEW])}{more}"


def manifests_last(path: str) -> tuple[bool, str]:
    """A reader finds a version by its manifest, so that comes after all that it names."""
    return "/_versions/" in path, path


def version_of(paths: Iterable[str]) -> str:
    """The name of a version that holds these files, which Lance names anew for each."""
    listed = "\n".join(paths)
    return sha256(listed.encode()).hexdigest()[:40] if listed else EMPTY
