"""pi and the agents that keep their sessions as pi does (OpenClaw, oh-my-pi): JSON Lines, a tree;
since 2026.9 OpenClaw's are rows of a database.

What is known of the format, and what surprised, is in parsers/README.md.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from funes_git_parsers import database, document, scan
from funes_git_parsers.base import Capability, Item, Opener, Places, Source, regular, whole
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.follow import follow
from funes_git_parsers.pi import store
from funes_git_parsers.pi.reader import Reader, session_of
from funes_git_parsers.values import mapping, string

_READS: frozenset[Capability] = frozenset(("text", "thinking", "edits", "shell", "sub-agents"))
_FOLDERS = ("cwd", "workdir")
_PATHS = ("path", "file_path", "filePath")
_TEXTS = ("command", "input")
_HEAD = 1 << 16
"""Bytes within which a header stands."""


@dataclass(frozen=True, slots=True)
class PiFormat:
    """The parser of one agent that writes pi's session format."""

    NAME: str
    LABEL: str
    homes: tuple[str, ...]
    """The agent's folders below the user's home, the newest first."""
    variable: str
    """The environment variable that names the agent's folder instead."""
    below: str = "sessions"
    """Where sessions lie in the agent's folder."""
    sessions_variable: str = ""
    """The environment variable that names the folder of sessions itself."""
    GLOBAL_UUIDS: bool = True
    READS: frozenset[Capability] = _READS

    def folders(self, places: Places) -> list[Path]:
        """The folders that `discover` looks in."""
        if sessions := places.env.get(self.sessions_variable):
            return [_expanded(sessions, places.home)]
        if home := places.env.get(self.variable):
            return [_expanded(home, places.home) / self.below]
        return [places.home / home / self.below for home in self.homes]

    def discover(self, places: Places) -> Iterator[Source]:
        """Every session of the databases, then every session file that is not in one of them, in
        order of name."""
        for folder in self.folders(places):
            paths = sorted(_files(folder))
            known: set[str] = set()
            for path in (path for path in paths if _is_database(path) and path.is_file()):
                for source in self.sessions(path):
                    known.add(source.key)
                    yield source
            files = (path for path in paths if not _is_database(path))
            yield from regular(self.NAME, (path for path in files if path.stem not in known))

    def claim(self, path: Path, head: bytes) -> bool:
        """Whether `head` starts with pi's header, and the file lies where this agent's do; pi takes
        those that lie anywhere else. The database is OpenClaw's."""
        if _is_database(path):
            return self is OPENCLAW
        return _owner(path) == self.NAME and _has_header(head)

    def sessions(self, path: Path) -> list[Source]:
        """The sessions in a database; a file is one session. One source without a key stands for a
        database that cannot be asked: reading it says why."""
        if _is_database(path):
            return database.sessions(self.NAME, path, store.listed)
        return [whole(self.NAME, path)]

    def roots(self, source: Source, open_file: Opener) -> set[str]:
        """The header's folder, paths of tool calls, and absolute paths in commands."""
        with _lines(source, open_file)(source.path) as stream:
            return scan.roots(stream, _FOLDERS, _PATHS, _TEXTS)

    def read(self, source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
        """What is new since `cursor`."""
        name = source.key or session_of(source.path.name)
        child = partial(_child, source.path.with_suffix(""), open_file)
        begin = partial(Reader, self.NAME, name, child=child)
        yield from follow(source, cursor, _lines(source, open_file), begin)


PI = PiFormat(
    "pi",
    "pi",
    (".pi/agent",),
    "PI_CODING_AGENT_DIR",
    sessions_variable="PI_CODING_AGENT_SESSION_DIR",
)
OPENCLAW = PiFormat(
    "openclaw",
    "OpenClaw",
    (".openclaw", ".moltbot", ".clawdbot"),
    "OPENCLAW_STATE_DIR",
    below="agents",
)
OMP = PiFormat("omp", "oh-my-pi", (".omp/agent",), "OMP_CODING_AGENT_DIR")

_ALL = (PI, OPENCLAW, OMP)


def _is_database(path: Path) -> bool:
    return path.name == store.DATABASE


def _lines(source: Source, open_file: Opener) -> Opener:
    """Opens the lines of a session, wherever they are. Raises OSError for a database that cannot
    be read."""
    if not _is_database(source.path):
        return open_file
    lines = store.lines(source, open_file)
    return lambda path: io.BytesIO(lines)


def _child(folder: Path, open_file: Opener, name: str) -> str | None:
    """The session of a sub-agent of oh-my-pi's: its file lies in a folder named as its parent's."""
    if name != Path(name).name:
        return None
    try:
        with open_file(folder / f"{name}.jsonl") as stream:
            head = stream.read(_HEAD)
    except (OSError, ValueError):
        return None
    records = (mapping(document.parsed(line)) for line in head.split(b"\n", 3)[:3])
    return next((string(r.get("id")) for r in records if r.get("type") == "session"), None)


def _owner(path: Path) -> str:
    names = "/".join(path.parts) + "/"
    for parser in _ALL[1:]:
        if any(f"/{home}/" in names for home in parser.homes):
            return parser.NAME
    return PI.NAME


def _has_header(head: bytes) -> bool:
    """Whether one of the first records is a session's header. (oh-my-pi has a title before it.)"""
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 3)[:3]:
        try:
            record = mapping(json.loads(line))
        except (ValueError, RecursionError):
            return False
        if record.get("type") == "session":
            # The Hub's trace format has a header of the same kind, and names the harness.
            known = "cwd" in record or "version" in record or "timestamp" in record
            return string(record.get("id")) is not None and known and "harness" not in record
        if record.get("type") != "title":
            return False
    return False


def _expanded(text: str, home: Path) -> Path:
    return home / text[1:].lstrip("/") if text == "~" or text.startswith("~/") else Path(text)


def _files(top: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(top):
        for name in names:
            # OpenClaw keeps what was reset or deleted as `<id>.jsonl.reset.<time>`.
            if (
                name == store.DATABASE
                or name.endswith(".jsonl")
                or ".jsonl.reset." in name
                or ".jsonl.deleted." in name
            ):
                yield Path(folder, name)
