"""Claude Code: sessions as JSON Lines under `~/.claude/projects`.

What is known of the format, and what surprised, is in parsers/README.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from funes_git_parsers import scan
from funes_git_parsers.base import (
    Capability,
    Cursor,
    Item,
    Opener,
    Places,
    Restart,
    Skipped,
    Source,
    whole,
)
from funes_git_parsers.claude import files as claude_files
from funes_git_parsers.claude.lines import place
from funes_git_parsers.claude.reader import Reader
from funes_git_parsers.claude.records import content
from funes_git_parsers.claude.state import State, dump, load
from funes_git_parsers.jsonl import open_at, read_records
from funes_git_parsers.values import mapping

NAME = claude_files.HARNESS
LABEL = "Claude Code"
GLOBAL_UUIDS = True
READS: frozenset[Capability] = frozenset(
    ("text", "thinking", "edits", "shell", "sub-agents", "git")
)

_PATHS = ("file_path", "filePath", "notebook_path", "path")
PASSES = {
    "ai-title": "a title that was told before",
    "api-request*": "requests, written a second time",
    "attachment/*": "what the program told the model by itself",
    "bridge-session": "a setting",
    "file-history-*": "names of backups",
    "last-prompt": "a copy of a prompt",
    "mode": "a setting",
    "permission-mode": "a setting",
    "pr-link": "the address of a pull request",
    "progress/*": "stands in the result, or in the sub-agent's own file",
    "queue-operation/*": "the prompt is told when it arrives",
    "summary": "the title of a conversation in another file",
    "system/*": "the program's own words",
}
_OWN_KINDS = ("file-history-snapshot", "queue-operation", "progress", "attachment")


def folders(places: Places) -> list[Path]:
    """The `projects` folder of each configuration folder in use."""
    return claude_files.folders(places)


def discover(places: Places) -> Iterator[Source]:
    """Every session and sub-agent file; `CLAUDE_CONFIG_DIR` may name several folders."""
    return claude_files.sources(places)


def claim(path: Path, head: bytes) -> bool:
    """Whether `head` starts a session of Claude Code: its first records have the shape that only
    Claude writes."""
    if path.name == "history.jsonl":
        return False
    for line in head.split(b"\n"):
        try:
            record = mapping(json.loads(line))
        except (ValueError, RecursionError):
            # The head may end inside a first line that is longer.
            if _looks_own(line):
                return True
            continue
        if _is_own(record):
            return True
    return False


def _is_own(record: dict[str, Any]) -> bool:
    kind = record.get("type")
    if kind in ("user", "assistant"):
        has_place = "parentUuid" in record or "uuid" in record or "sessionId" in record
        return has_place and bool(content(record.get("message")))
    if kind == "summary":
        return "leafUuid" in record
    return kind in _OWN_KINDS and ("sessionId" in record or "messageId" in record)


def _looks_own(line: bytes) -> bool:
    keys = (b'"isSidechain":', b'"userType":', b'"sessionId":"')
    return line.startswith(b'{"parentUuid":') and sum(key in line for key in keys) > 1


def sessions(path: Path) -> list[Source]:
    """The file is one session."""
    return [whole(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """Working folders, edited paths, and absolute paths that stand in shell commands."""
    with open_file(source.path) as stream:
        return scan.roots(stream, ("cwd",), _PATHS, ("command",))


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """What is new since `cursor`."""
    state, position = load(cursor)
    file = claude_files.around(source.path, open_file)
    stream, start = open_at(open_file, source.path, position)
    with stream:
        if start != position:
            state = State()
            yield Restart()
        reader = Reader(state, file)
        yield from reader.start()
        records = read_records(stream, start)
        for record in records:
            if isinstance(record, Skipped):
                if known := place(records.raw):
                    reader.passed(*known)
                else:
                    yield record
                continue
            try:
                yield from reader.record(record)
            except RecursionError:
                yield Skipped(records.line, "nested too deeply")
        yield from reader.finish()
        end = records.position
        cursor = dump(state, end)
        if end != start:
            yield from reader.unfollowed()
    yield Cursor(cursor)
