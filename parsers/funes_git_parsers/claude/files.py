"""Where Claude Code keeps its session files, and what lies beside one. Stats and lists; opens only
the small `.meta.json` files of sub-agents."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from funes_git_parsers.base import Opener, Places, Source, regular
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.values import mapping, string

HARNESS = "claude_code"
_AGENT = re.compile(r"agent-(.+?)\.jsonl(?:\.zst)?$")
_MAX_META = 1 << 16


def folders(places: Places) -> list[Path]:
    """The `projects` folders, whether they exist or not."""
    named = [part.strip() for part in places.env.get("CLAUDE_CONFIG_DIR", "").split(",")]
    homes = [_expanded(part, places.home) for part in named if part] or [places.home / ".claude"]
    return [home / "projects" for home in dict.fromkeys(homes)]


def _expanded(text: str, home: Path) -> Path:
    return home / text[1:].lstrip("/") if text == "~" or text.startswith("~/") else Path(text)


def sources(places: Places) -> Iterator[Source]:
    """Every session file and sub-agent file, in order of name."""
    for folder in folders(places):
        yield from regular(HARNESS, sorted(_session_files(folder)))


def _session_files(folder: Path) -> Iterator[Path]:
    yield from folder.glob("*/*.jsonl")
    yield from folder.glob("*/*/subagents/**/agent-*.jsonl")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the place of one session file tells of it."""

    session_id: str
    """Its name: the session id where no record names one."""
    thread: str | None
    """The sub-agent whose own file it is."""
    separate: frozenset[str]
    """Ids of the sub-agents that have files of their own."""
    started_by: dict[str, str]
    """Sub-agent ids by the tool call that started them."""


def around(path: Path, open_file: Opener) -> Surroundings:
    """Look around the session file at `path`."""
    own = _AGENT.match(path.name)
    stem = path.name.partition(".jsonl")[0]
    parent = os.fspath(path.parent)
    beside = [parent] if own else [os.path.join(parent, stem, "subagents"), parent]  # noqa: PTH118
    agents: set[str] = set()
    started_by: dict[str, str] = {}
    for folder in beside:
        for name in _listed(folder):
            if match := _AGENT.match(name):
                agents.add(match[1])
            elif name.endswith(".meta.json"):
                agent = name.removeprefix("agent-").removesuffix(".meta.json")
                if call := _call_of(Path(folder, name), open_file):
                    started_by[call] = agent
    return Surroundings(stem, own[1] if own else None, frozenset(agents), started_by)


def _listed(folder: str) -> list[str]:
    """What is called like a sub-agent's file. By name alone: every session asks, and a `Path` takes
    several times as long."""
    try:
        return _agents(folder, os.stat(folder).st_mtime_ns)  # noqa: PTH116
    except OSError:  # most sessions have no sub-agents
        return []


@lru_cache(64)
def _agents(folder: str, mtime_ns: int) -> list[str]:
    """The same in a folder as it was at `mtime_ns`: it may hold a thousand sessions."""
    return sorted(name for name in os.listdir(folder) if name.startswith("agent-"))  # noqa: PTH208


def _call_of(meta: Path, open_file: Opener) -> str | None:
    try:
        with open_file(meta) as stream:
            return string(mapping(json.loads(stream.read(_MAX_META))).get("toolUseId"))
    except (OSError, ValueError, RecursionError):
        return None
