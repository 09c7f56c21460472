"""Qwen Code: sessions as JSON Lines under `~/.qwen/projects`, a tree of records.

What is known of the format, and what surprised, is in parsers/README.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from funes_git_parsers import gemini, scan
from funes_git_parsers.base import Capability, Item, Opener, Places, Source, regular, whole
from funes_git_parsers.follow import follow
from funes_git_parsers.qwen.reader import HARNESS, Reader
from funes_git_parsers.values import mapping

NAME = HARNESS
LABEL = "Qwen Code"
GLOBAL_UUIDS = True
READS: frozenset[Capability] = frozenset(
    ("text", "thinking", "edits", "shell", "sub-agents", "git")
)

_PATHS = ("file_path", "absolute_path", "path", "filePath")
_FOLDERS = ("cwd", "directory", "dir_path")


def folders(places: Places) -> list[Path]:
    """The folders that `discover` looks in: `projects`, and `tmp` of versions that wrote what
    Gemini CLI writes."""
    named = places.env.get("QWEN_RUNTIME_DIR") or places.env.get("QWEN_HOME")
    home = Path(named) if named else places.home / ".qwen"
    return [home / "projects", home / "tmp"]


def discover(places: Places) -> Iterator[Source]:
    """Every session and sub-agent file, in order of name."""
    projects, tmp = folders(places)
    found = [*projects.glob("*/chats/*.jsonl"), *projects.glob("*/subagents/*/agent-*.jsonl")]
    yield from regular(NAME, [*sorted(found), *sorted(tmp.glob("*/chats/session-*.json"))])


def claim(path: Path, head: bytes) -> bool:
    """Whether one of the first records has the shape that only Qwen writes: Claude's envelope
    around Google's messages."""
    if _is_of_gemini(path):
        return ".qwen" in path.parts and gemini.claim(path, head)
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:20]:
        try:
            record = mapping(json.loads(line))
        except (ValueError, RecursionError):
            continue
        if "uuid" in record and "sessionId" in record and _is_own(record):
            return True
    return False


def _is_own(record: dict[str, object]) -> bool:
    return "parts" in mapping(record.get("message")) or "systemPayload" in record


def _is_of_gemini(path: Path) -> bool:
    return path.suffix == ".json"


def sessions(path: Path) -> list[Source]:
    """The file is one session."""
    return [whole(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """Working folders, paths of tool calls, and absolute paths in commands."""
    if _is_of_gemini(source.path):
        return gemini.roots(source, open_file)
    with open_file(source.path) as stream:
        return scan.roots(stream, _FOLDERS, _PATHS, ("command",))


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """What is new since `cursor`."""
    if _is_of_gemini(source.path):
        yield from gemini.read(source, cursor, open_file)
        return
    begin = partial(Reader, source.path.name.partition(".jsonl")[0])
    yield from follow(source, cursor, open_file, begin)
