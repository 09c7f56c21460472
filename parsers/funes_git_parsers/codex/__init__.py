"""Codex (CLI, desktop, VS Code): where its sessions are and how to read one.

A session is a rollout file under `$CODEX_HOME` (`~/.codex`), plain or compressed. What its records
mean is in `reader.py`; the facts and their sources are in parsers/README.md.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from funes_git_parsers.base import (
    COMMIT,
    Capability,
    Item,
    Opener,
    Places,
    Restart,
    Session,
    Source,
    regular,
    whole,
)
from funes_git_parsers.codex.reader import Reader
from funes_git_parsers.codex.state import State, load
from funes_git_parsers.jsonl import LONGEST, open_at, read_records
from funes_git_parsers.paths import join
from funes_git_parsers.scan import MAX_FOLDERS

NAME = "codex"
LABEL = "Codex"
GLOBAL_UUIDS = True
READS: frozenset[Capability] = frozenset(
    ("text", "thinking", "edits", "shell", "sub-agents", "git")
)

PASSES = {
    "compacted": "copies of what was said before",
    "event_msg/*": "a copy of an item, told with a call, counts, or where a task begins and ends",
    "response_item/ghost_snapshot": "the commit of the turns that follow",
    "turn_context": "the folder and the model of the turns that follow",
}

_SUFFIXES = (".jsonl", ".jsonl.zst")
_START = re.compile(
    rb'\s*\{\s*(?:"(?:timestamp|ordinal)"\s*:\s*(?:"[^"]*"|\d+)\s*,\s*)*'
    rb'"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context)"\s*,\s*"payload"\s*:\s*\{'
)
_BARE = re.compile(
    rb'\s*\{\s*"id"\s*:\s*"[^"]+"\s*,\s*"timestamp"\s*:\s*"[^"]+"\s*,\s*"(?:instructions|git)"'
)

# Folders and paths as they stand in the bytes of a rollout. `\\*"`: a quote, escaped any number of
# times (an argument is JSON inside JSON).
_FOLDERS = re.compile(
    rb'"(?:cwd|workdir|working_directory)\\*"\s*:\s*\\*"((?:[^"\\]|\\+[^"\\])+?)\\*"'
)
_PATCHED = re.compile(
    rb"\*\*\* (?:(?:Add|Update|Delete) File|Move to): ((?:[^\\\n\"]|\\+[^nr\\\"])+)"
)
_CHANGED = re.compile(
    rb'"((?:/|[A-Za-z]:\\\\)(?:[^"\\]|\\\\)*)"\s*:\s*\{\s*"type"\s*:\s*"(?:add|update|delete)"'
)
_CHANGE = re.compile(rb'"type"\s*:\s*"(?:add|update|delete)"')
_HEAD = re.compile(rb'"commit_hash"\s*:\s*"([0-9a-f]{40,64})"')
_MOVED = re.compile(rb'"move_path"\s*:\s*"((?:[^"\\]|\\\\)+)"')
_WORDS = [  # what they begin with stands first: so it is found quickly
    re.compile(begin + rb"(?<![\w./~-]" + begin + rb")[^\s\"'\\;|&<>(){}$`*?,\[\]]+")
    for begin in (rb"/", rb"\.\./", rb"~/")
]
_COMMANDS = re.compile(
    rb'"(?:function_call|custom_tool_call|local_shell_call|exec_command_end|CommandExecution)"'
)
_MAX_WORDS = 64 * 1024


def folders(places: Places) -> list[Path]:
    """The folders that `discover` looks in."""
    home = places.env.get("CODEX_HOME")
    root = Path(home) if home else places.home / ".codex"
    return [root / "sessions", root / "archived_sessions"]


def discover(places: Places) -> Iterator[Source]:
    """Every rollout, sorted by path; a plain file wins over its compressed copy."""
    found: dict[str, Source] = {}
    for top in folders(places):
        for source in regular(NAME, _files(top)):
            key = str(source.path).removesuffix(".zst")
            if key not in found or source.path.suffix != ".zst":
                found[key] = source
    yield from (found[key] for key in sorted(found))


def _files(top: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(top):
        for name in names:
            if name.startswith("rollout-") and name.endswith(_SUFFIXES):
                yield Path(folder, name)


def claim(path: Path, head: bytes) -> bool:
    """Whether `head` begins with a Codex record, of the format with envelopes or the one before."""
    if not path.name.endswith(_SUFFIXES):
        return False
    head = head.removeprefix(b"\xef\xbb\xbf")
    return bool(_START.match(head) or _BARE.match(head))


def sessions(path: Path) -> list[Source]:
    """The file is one session."""
    return [whole(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """Folders and paths found by their spelling alone; more than `read` yields, never less."""
    words: set[str] = set()
    cwds: set[str] = set()
    heads: set[str] = set()
    with closing(open_file(source.path)) as stream:
        for line in iter(partial(stream.readline, LONGEST), b""):
            cwds |= {_text(match) for match in _FOLDERS.findall(line)}
            for pattern in (_PATCHED, _MOVED, *((_CHANGED,) if _CHANGE.search(line) else ())):
                words |= {_text(match) for match in pattern.findall(line)}
            if b'"session_meta"' in line[:400]:
                heads |= {COMMIT + _text(match) for match in _HEAD.findall(line)}
            if _COMMANDS.search(line, 0, 400):
                for pattern in _WORDS:
                    words |= set(map(_text, set(pattern.findall(line, 0, _MAX_WORDS))))
    found = {cwd.removeprefix("file://") for cwd in cwds}
    above = {path for path in words if path.startswith("..")}
    # a command may have gone to any folder that is named
    starts = [*sorted(found), *sorted(words - above)][:MAX_FOLDERS]
    found |= words - above | {join(start, path) for start in starts for path in above}
    return heads | {path for path in found if join("/", path) == path or path.startswith("~")}


def _text(raw: bytes) -> str:
    """Bytes of a rollout as text, with the escapes of JSON (inside JSON) taken away."""
    text = raw.decode("utf-8", "replace").rstrip("\\")
    while "\\" in text:
        try:
            plain = json.loads(f'"{text}"', strict=False)
        except ValueError:
            break
        if plain == text or not isinstance(plain, str):
            break
        text = plain
    return text.encode("utf-8", "replace").decode("utf-8")


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """Everything new since `cursor`. A compressed file is always read whole: Codex compresses what
    is finished, and its offsets are not those of the plain file."""
    is_compressed = source.path.suffix == ".zst"
    position, state = load(None if is_compressed else cursor)
    stream, start = open_at(open_file, source.path, position)
    with closing(stream):
        if start.offset != position.offset:
            state = State()
            yield Restart()
        reader = Reader(state, source.path.name.partition(".jsonl")[0])
        end = yield from reader.run(read_records(stream, start, reader.prepare))
        if title := _title(source, state, open_file):
            yield title
        yield end


def _title(source: Source, state: State, open_file: Opener) -> Session | None:
    """The name that the user gave the session: the last one in the index of this Codex home."""
    tops = [top for top in source.path.parents if top.name in ("sessions", "archived_sessions")]
    if not tops or not state.session:
        return None
    title: str | None = None
    try:
        with closing(open_file(tops[0].parent / "session_index.jsonl")) as stream:
            for line in stream:
                if state.session.encode() in line:
                    title = _named(line, state.session) or title
    except OSError:
        return None
    return Session(state.session, NAME, title=title) if title else None


def _named(line: bytes, session_id: str) -> str | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or entry.get("id") != session_id:
        return None
    name = entry.get("thread_name")
    return name if isinstance(name, str) and name else None
