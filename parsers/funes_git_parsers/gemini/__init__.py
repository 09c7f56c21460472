"""Gemini CLI: sessions as JSON, since April 2026 JSON Lines, under `~/.gemini/tmp`.

What is known of the format, and what surprised, is in parsers/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from funes_git_parsers import revision
from funes_git_parsers.base import (
    Capability,
    Cursor,
    Item,
    Opener,
    Places,
    Session,
    Source,
    regular,
    whole,
)
from funes_git_parsers.gemini.history import History, history_of
from funes_git_parsers.gemini.project import folder
from funes_git_parsers.gemini.turns import Turns
from funes_git_parsers.values import string

NAME = "gemini"
LABEL = "Gemini CLI"
GLOBAL_UUIDS = False
READS: frozenset[Capability] = frozenset(("text", "thinking", "edits", "shell", "sub-agents"))
PASSES = dict.fromkeys(("info", "warning", "error"), "the program's own words")

LARGEST = 1 << 30
"""Bytes of a session file; what is longer is no session."""
_OWN = re.compile(rb'\s*\{\s*(?:"[a-zA-Z]+"\s*:\s*"[^"]*"\s*,\s*)*"(?:sessionId|projectHash)"\s*:')

_OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\n")
"""How the object begins, which is written with a key a line."""


def folders(places: Places) -> list[Path]:
    """The folder that `discover` looks in."""
    home = places.env.get("GEMINI_CLI_HOME")
    return [(Path(home) if home else places.home) / ".gemini" / "tmp"]


def discover(places: Places) -> Iterator[Source]:
    """Every session and sub-agent file; the `.json` file of a session that goes on in a `.jsonl`
    file is left out."""
    for top in folders(places):
        found = {*top.glob("*/chats/*.json"), *top.glob("*/chats/**/*.jsonl")}
        older = {path.with_suffix(".json") for path in found if path.suffix == ".jsonl"}
        yield from regular(NAME, sorted(found - older))


def claim(path: Path, head: bytes) -> bool:
    """Whether `head` starts with what tells of a Gemini CLI session."""
    start = head.removeprefix(b"\xef\xbb\xbf")[:4096]
    return bool(_OWN.match(start)) and b'"sessionId"' in start and b'"projectHash"' in start


def sessions(path: Path) -> list[Source]:
    """The file is one session."""
    return [whole(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """The project's folder and the paths of edits: the file is read, it is never large."""
    history = _history(source, open_file)
    place = folder(source.path, history, open_file)
    entries = list(Turns(NAME, "", place).of(history))
    return revision.roots(entries) | ({place} if place else set())


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """What is new or changed since `cursor`; the file is read whole. The harness is the source's:
    early versions of Qwen Code wrote the same files."""
    history = _history(source, open_file)
    yield from history.skipped
    about = history.about
    if not about and not history.messages:
        yield Cursor(cursor or "")
        return
    session_id = string(about.get("sessionId")) or _stem(source.path)
    is_agent = about.get("kind") == "subagent"
    place = folder(source.path, history, open_file)
    parent = source.path.parent.name if is_agent else None
    session = Session(session_id, source.harness, string(about.get("summary")), parent)
    turns = Turns(source.harness, session_id, place, is_agent=is_agent).of(history)
    yield from revision.changes(session_id, [revision.about(session), *turns], cursor)


def _history(source: Source, open_file: Opener) -> History:
    with closing(open_file(source.path)) as stream:
        data = stream.read(LARGEST)
    # others keep the object under names of their own: Entire as `full.jsonl`
    is_lines = ".jsonl" in source.path.name and not _OBJECT.match(data)
    return history_of(data, is_lines=is_lines)


def _stem(path: Path) -> str:
    return path.name.partition(".json")[0].removeprefix("session-")
