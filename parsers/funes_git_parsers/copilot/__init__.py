"""GitHub Copilot CLI: sessions as event logs under `~/.copilot/session-state`.

What is known of the format, and what surprised, is in parsers/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from funes_git_parsers import scan
from funes_git_parsers.base import COMMIT, Capability, Item, Opener, Places, Source, regular, whole
from funes_git_parsers.copilot.beside import beside
from funes_git_parsers.copilot.reader import HARNESS, Reader
from funes_git_parsers.follow import follow
from funes_git_parsers.jsonl import is_joined, whole_lines

NAME = HARNESS
LABEL = "GitHub Copilot CLI"
GLOBAL_UUIDS = True
REVISION = 2
"""2: the tasks of sub-agents are told."""
READS: frozenset[Capability] = frozenset(
    ("text", "thinking", "edits", "shell", "sub-agents", "git")
)
PASSES = {"system.message*": "the system prompt"}

_START = re.compile(
    rb'\s*\{\s*(?:"(?:id|timestamp|parentId|agentId)"\s*:\s*(?:"[^"]*"|null)\s*,\s*)*"type"\s*:\s*'
    rb'"(?:session|user|assistant|system|hook|tool|subagent|permission)\.[\w.]+"\s*,'
)
_IGNORED = tuple(
    b'{"type":"' + kind
    for kind in (
        *(b"hook.", b"system.message", b"permission.", b"session.usage_", b"session.shutdown"),
        *(b"assistant.turn_", b"assistant.usage", b"session.binary_asset", b"session.tools_"),
    )
)
_FOLDERS = ("cwd", "gitRoot")
_PATHS = ("path", "file_path", "filePath")
_TEXTS = ("command", "arguments", "input", "patch")
_COMMITS = ("headCommit", "baseCommit", "gitCommit")


def folders(places: Places) -> list[Path]:
    """The folders that `discover` looks in."""
    named = places.env.get("COPILOT_HOME")
    homes = [Path(named)] if named else [places.home / ".copilot"]
    for variable in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        if not named and (top := places.env.get(variable)):
            homes.append(Path(top) / ".copilot")
    return [home / "session-state" for home in homes]


def discover(places: Places) -> Iterator[Source]:
    """Every event log, in order of name."""
    for top in folders(places):
        yield from regular(NAME, sorted([*top.glob("*/events.jsonl"), *top.glob("*.jsonl")]))


def claim(path: Path, head: bytes) -> bool:
    """Whether `head` starts with one of Copilot's events."""
    start = head.removeprefix(b"\xef\xbb\xbf")
    return bool(_START.match(start)) and b'"data"' in start


def sessions(path: Path) -> list[Source]:
    """The file is one session."""
    return [whole(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """Working folders, paths of tool calls, absolute paths in commands, and the commits that were
    checked out."""
    with open_file(source.path) as stream:
        found = scan.roots(stream, _FOLDERS, _PATHS, _TEXTS)
    with open_file(source.path) as stream:
        for lines in whole_lines(stream):
            found.update(COMMIT + raw.decode() for _, raw in scan.raw_values(lines, _COMMITS))
    known = beside(source.path, open_file)
    found.update(COMMIT + taken.head for taken in known.snapshots.values() if taken.head)
    return found | {path for key in ("cwd", "git_root") if (path := known.about.get(key))}


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """What is new since `cursor`."""
    name = source.path.name.partition(".jsonl")[0]
    fallback = source.path.parent.name if name == "events" else name
    begin = partial(Reader, fallback, beside(source.path, open_file))
    yield from follow(source, cursor, open_file, begin, _prepare)


def _prepare(line: bytes) -> bytes | None:
    """Most events tell nothing of the conversation, and need not be decoded."""
    return None if line.startswith(_IGNORED) and not is_joined(line) else line
