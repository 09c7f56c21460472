"""Bring a staged release to the Hub: one commit on the commit that it was made for, then a tag."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from funes_git.publish import manifest, traces
from funes_git.publish.manifest import Manifest
from funes_git.remotes.hub import Add, Dataset, Delete, HubFile, Operation
from funes_git.remotes.huberrors import NotOnHub
from funes_git.store.columns import SHARED

CARD = "README.md"
TABLES = tuple(f"{name}.lance/" for name in SHARED)
FIXED = "format.json"


def published(dataset: Dataset, commit: str, name: str) -> Manifest | None:
    """The release of a name that a commit of the dataset holds."""
    found = _read(dataset, commit, manifest.path_of(name))
    return None if found is None else manifest.load(found)


def releases(dataset: Dataset, commit: str, files: Iterable[HubFile]) -> list[Manifest]:
    """All releases that a commit of the dataset holds, the newest first."""
    start, end = f"{manifest.FOLDER}/", ".json"
    paths = [f.path for f in files if f.path.startswith(start) and f.path.endswith(end)]
    folder = dataset.download(commit, paths)
    return manifest.loaded((folder / path).read_bytes() for path in paths)


def card(dataset: Dataset, commit: str) -> str | None:
    """The card that a commit of the dataset has."""
    found = _read(dataset, commit, CARD)
    return None if found is None else found.decode("utf-8", "replace")


def _read(dataset: Dataset, commit: str, path: str) -> bytes | None:
    """A small file that a commit of the dataset may hold."""
    try:
        return (dataset.download(commit, [path]) / path).read_bytes()
    except NotOnHub:
        return None


def fetch_tables(dataset: Dataset, commit: str, files: Iterable[HubFile], folder: Path) -> None:
    """Lay the tables of a commit out in a folder, where they can be changed."""
    paths = [f.path for f in files if f.path.startswith(TABLES) or f.path == FIXED]
    cached = dataset.download(commit, paths)
    for path in paths:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        _lay(Path(os.path.realpath(cached / path)), target)


def _lay(source: Path, target: Path) -> None:
    """A file of the Hub's cache at another place, without a copy of what is never changed."""
    if source.stat().st_size > 1 << 20:
        try:
            os.link(source, target)
        except OSError:
            pass  # another disk
        else:
            return
    shutil.copyfile(source, target)


def operations(
    folder: Path, files: Sequence[HubFile], sessions: Collection[str]
) -> list[Operation]:
    """What makes the dataset hold what the folder does: its tables and the traces of these sessions
    are replaced, other files only added to."""
    here = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
    there = {file.path for file in files}
    added: list[Operation] = [
        Add(path, file)
        for path, file in here.items()
        if not (path in there and path.startswith(TABLES) and "/data/" in path)
    ]
    gone = (
        path
        for path in sorted(there - here.keys())
        if path.startswith(TABLES) or any(traces.is_of(path, each) for each in sessions)
    )
    return [*added, *(Delete(path) for path in gone)]


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]
