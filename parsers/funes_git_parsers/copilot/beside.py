"""What lies beside the events of a Copilot session: its name and folder (`workspace.yaml`), and the
files as they were before each prompt (`rewind-snapshots`, in newer versions
`rewind-file-snapshots`). Reads small files only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import field
from hashlib import sha1
from pathlib import Path
from typing import Any, Final

from funes_git_parsers.base import Opener
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.values import integer, mapping, parsed, string

_FIELD = re.compile(r"^(\w+):[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_BLOB = re.compile(r"git-sha(?:1|256):([0-9a-f]{40}|[0-9a-f]{64})$")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-][\w.-]*", re.ASCII)
_MAX_FILE: Final = 8 << 20
_MAX_BACKUP: Final = 1 << 20
_MAX_BACKUPS: Final = 64


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The repository at a prompt: the commit and branch, and blob ids of files by their path."""

    head: str | None = None
    branch: str | None = None
    blobs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of a session without its events. `snapshots` by the prompt's event."""

    about: Mapping[str, str] = field(default_factory=dict)
    snapshots: Mapping[str, Snapshot] = field(default_factory=dict)


def beside(path: Path, open_file: Opener) -> Beside:
    """Look around the events at `path`; nothing where they do not lie in a session's folder."""
    if path.name.partition(".jsonl")[0] != "events":
        return Beside()
    folder = path.parent
    text = _read(folder / "workspace.yaml", open_file).decode("utf-8", "replace")
    about = {key: _plain(value) for key, value in _FIELD.findall(text)}
    found: dict[str, Snapshot] = {}
    for name in ("rewind-snapshots", "rewind-file-snapshots"):
        found |= _snapshots(folder / name, open_file)
    return Beside(about, found)


def _plain(value: str) -> str:
    """A YAML scalar as it is mostly written: plain or in quotes."""
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1].replace("''", "'") if quoted else value


def _snapshots(folder: Path, open_file: Opener) -> dict[str, Snapshot]:
    listed = mapping(parsed(_read(folder / "index.json", open_file))).get("snapshots")
    found: dict[str, Snapshot] = {}
    for each in listed if isinstance(listed, list) else ():
        told = mapping(each)
        event, files = string(told.get("eventId")), mapping(told.get("files"))
        if event:
            blobs = tuple(_blobs(files, folder, open_file))
            head, branch = string(told.get("gitCommit")), string(told.get("gitBranch"))
            found[event] = Snapshot(head, branch, blobs)
    return found


def _blobs(files: Mapping[str, Any], folder: Path, open_file: Opener) -> Iterator[tuple[str, str]]:
    for key, value in list(files.items())[:_MAX_BACKUPS]:
        told = mapping(value)
        before = mapping(told.get("preimage")) or told
        path = string(told.get("path")) or key
        named = _BLOB.match(string(before.get("contentHash")) or "")
        if named:
            yield path, named[1]
        elif blob := _blob_of(folder / "backups", before, open_file):
            yield path, blob


def _blob_of(backups: Path, told: Mapping[str, Any], open_file: Opener) -> str | None:
    """The blob id of a file of which a copy was kept, if the copy is whole."""
    name, size = string(told.get("backupFile")) or "", integer(told.get("size")) or 0
    if not _PLAIN_NAME.fullmatch(name) or not 0 < size <= _MAX_BACKUP:
        return None
    data = _read(backups / name, open_file)
    if len(data) != size:
        return None
    return sha1(b"blob %d\0" % size + data, usedforsecurity=False).hexdigest()


def _read(path: Path, open_file: Opener) -> bytes:
    try:
        with closing(open_file(path)) as stream:
            return stream.read(_MAX_FILE)
    except OSError:  # most sessions lack one or the other
        return b""
