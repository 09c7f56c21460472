"""What `releases/NAME.json` says of a release: enough to find its rows again, and to know whether
it has changed. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field, fields
from typing import Any

from funes_git.errors import FormatTooNew, FunesError, UsageError
from funes_git_parsers.dataclass import dataclass

FOLDER = "releases"
FORMAT = 1
_NAME = re.compile(
    r"(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)))[^\s\x00-\x1f\x7f~^:?*\[\\/.-][^\s\x00-\x1f\x7f~^:?*\[\\]*"
)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One release. `sessions` are the exchanges of each session that it holds, by the turns that
    opened them; `commits` those of its range that links lead to. `repository` are the names and
    first commits by which the repository is known; `digest` is of all rows; `published` in UTC."""

    name: str
    range: str
    scope: str
    digest: str
    tool: str
    model: str
    published: str
    head: str
    keep_emails: bool = False
    repository: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    sessions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where it lies in the dataset."""
        return path_of(self.name)

    def dump(self) -> bytes:
        """The file."""
        document = {"format": FORMAT, **asdict(self)}
        return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def path_of(name: str) -> str:
    """Where the manifest of a release lies."""
    return f"{FOLDER}/{name}.json"


def checked(name: str) -> str:
    """The name of a release, if it can be one. Raises UsageError."""
    if not _NAME.fullmatch(name) or name.endswith((".", "/", ".lock")):
        raise UsageError(f"no release can be called {name!r}", "a tag, such as v1.2.0")
    return name


def load(data: bytes) -> Manifest:
    """The release of a file. Raises FormatTooNew, FunesError for what is none."""
    try:
        document = json.loads(data)
        found = int(document["format"])
        if found > FORMAT:
            raise FormatTooNew(
                "a release of this memory was published by a newer funes-git",
                hint="pip install --upgrade funes-git",
            )
        values: dict[str, Any] = {f.name: document[f.name] for f in fields(Manifest)}
        values["repository"] = tuple(values["repository"])
        values["commits"] = tuple(values["commits"])
        values["sessions"] = {key: tuple(each) for key, each in values["sessions"].items()}
        return Manifest(**values)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FunesError(f"this is no release of funes-git: {type(error).__name__}") from error


def loaded(files: Iterable[bytes]) -> list[Manifest]:
    """The releases of some files, the newest first."""
    return sorted(map(load, files), key=lambda m: (m.published, m.name), reverse=True)
