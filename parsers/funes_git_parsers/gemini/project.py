"""The folder that a Gemini CLI session worked in. The format does not record it: it keeps the
SHA-256 of its path, by which a folder that is named anywhere can be told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from funes_git_parsers.base import Opener
from funes_git_parsers.gemini.history import History, texts
from funes_git_parsers.paths import is_absolute
from funes_git_parsers.values import mapping, parsed, string

_LISTED = re.compile(r"\*\*Workspace Directories:\*\*\n((?:[ \t]+- .+(?:\n|$))+)")
_WORKING = re.compile(
    r"I'm currently working in the (?:directory: (.+)|following directories:\n\s+- (.+))"
)
_MAX_FILE = 1 << 20
_MAX_DEPTH = 30


def folder(path: Path, history: History, open_file: Opener) -> str | None:
    """The project's folder, for the session file at `path`."""
    digest = string(history.about.get("projectHash")) or ""
    first: str | None = None
    for named in _named(path, history, open_file):
        if _digest(named) == digest:
            return named
        first = first or named
    return first or _above(_edited(history), digest)


def _named(path: Path, history: History, open_file: Opener) -> Iterator[str]:
    """Folders that are said to be the project's, the surest first."""
    chats = next((above for above in path.parents if above.name == "chats"), None)
    if chats is not None:
        home = chats.parent
        yield from _paths([_read(home / ".project_root", open_file).strip()])
        listed = _projects(_read(home.parent.parent / "projects.json", open_file))
        yield from _paths(known for known, name in listed.items() if name == home.name)
    directories = history.about.get("directories")
    yield from _paths(directories if isinstance(directories, list) else ())
    for text in texts(history):
        if found := _LISTED.search(text):
            yield from _paths(line.strip()[2:] for line in found[1].splitlines())
        if found := _WORKING.search(text):
            yield from _paths([(found[1] or found[2]).strip()])


def _paths(values: Iterable[object]) -> Iterator[str]:
    yield from (value for value in values if isinstance(value, str) and is_absolute(value))


def _projects(text: str) -> dict[str, Any]:
    value = mapping(parsed(text))
    return mapping(value.get("projects", value))


def _read(path: Path, open_file: Opener) -> str:
    try:
        with closing(open_file(path)) as stream:
            return stream.read(_MAX_FILE).decode("utf-8", "replace")
    except OSError:  # most versions write none
        return ""


def _edited(history: History) -> Iterator[str]:
    for message in history.messages.values():
        calls = message.get("toolCalls")
        for call in calls if isinstance(calls, list) else ():
            arguments = mapping(mapping(call).get("args"))
            yield from _paths(arguments.get(key) for key in ("file_path", "path", "dir_path"))
            display = mapping(mapping(call).get("resultDisplay"))
            yield from _paths([display.get("filePath")])


def _above(paths: Iterable[str], digest: str) -> str | None:
    """The folder above one of `paths` whose digest is `digest`."""
    tried: set[str] = set()
    for path in paths:
        for above in islice(_upwards(path), _MAX_DEPTH):
            if above in tried:
                break  # and what is above it
            if _digest(above) == digest:
                return above
            tried.add(above)
    return None


def _upwards(path: str) -> Iterator[str]:
    """The path, and each folder above it if it is absolute on Linux or macOS."""
    yield path
    names = [name for name in path.split("/") if name not in ("", ".")] if path[0] == "/" else []
    for number in reversed(range(len(names))):
        yield "/" + "/".join(names[:number])


def _digest(path: str) -> str:
    return sha256(path.encode("utf-8", "replace")).hexdigest()
