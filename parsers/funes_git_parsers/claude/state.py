"""What the reading of one Claude Code file must remember, and its form in a cursor.

Everything is bounded and trimmed while reading, not when saving, so that a file read in parts gives
what it gives when read at once.
"""

from __future__ import annotations

import json
from dataclasses import field
from typing import Any, Final

from funes_git_parsers.claude.edits import Call
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.jsonl import NOWHERE, Position
from funes_git_parsers.values import noted

VERSION: Final = 3
MAX_LINKS: Final = 2_048
MAX_CALLS: Final = 256
MAX_QUEUED: Final = 64
MAX_EARLY: Final = 16
"""So many records may wait for a parent, and for so many records."""


@dataclass(frozen=True, slots=True)
class Link:
    """Where a record's chain stands: the nearest turn that was yielded, its exchange, its thread,
    and whether that turn is a slash command that may start work."""

    turn: str | None = None
    exchange: str | None = None
    thread: str | None = None
    is_command: bool = False


UNTOLD: Final = Link()
"""Before the first turn of a chain."""


@dataclass(slots=True)
class Queued:
    """A prompt that was typed while the agent was busy. `uuid` once it has been yielded as a turn;
    `is_delivered` if that turn is a record of the file."""

    text: str
    session_id: str
    ts: float | None
    seq: int
    parent: str | None
    uuid: str | None = None
    is_delivered: bool = False


@dataclass(frozen=True, slots=True)
class Early:
    """A record that stands before `parent`, the one it follows. `record` is None if nothing of it
    counts but its place."""

    seq: int
    parent: str
    uuid: str
    record: dict[str, Any] | None


@dataclass(slots=True)
class State:
    """All that one read hands to the next, besides the position in the file."""

    seq: int = 0
    session_id: str | None = None
    title: str | None = None
    title_rank: int = 0
    version: str | None = None
    links: dict[str, Link] = field(default_factory=dict)
    tips: dict[str, str] = field(default_factory=dict)
    """Per thread ("" is the main one), the uuid of the last record."""
    calls: dict[str, Call] = field(default_factory=dict)
    spawned: dict[str, None] = field(default_factory=dict)
    """Ids of calls whose sub-agent is known."""
    queued: list[Queued] = field(default_factory=list)
    early: list[Early] = field(default_factory=list)
    summaries: dict[str, str] = field(default_factory=dict)
    """Titles by the record that they end at, which may belong to another file."""

    def link(self, uuid: str, link: Link) -> None:
        """Note a record's place in the chain, and forget the oldest if they are too many."""
        self.links[uuid] = link
        self.tips[link.thread or ""] = uuid
        if len(self.links) > MAX_LINKS:
            _shorten(self.links, MAX_LINKS)
        if len(self.tips) > MAX_CALLS:
            _shorten(self.tips, MAX_CALLS)

    def trim(self) -> None:
        """Forget the oldest of what else has grown too long: for who adds to it."""
        _shorten(self.calls, MAX_CALLS)
        _shorten(self.spawned, MAX_CALLS)
        _shorten(self.summaries, MAX_CALLS)
        del self.queued[:-MAX_QUEUED]


def _shorten(values: dict[str, Any], most: int) -> None:
    while len(values) > most:
        del values[next(iter(values))]


def dump(state: State, position: Position) -> str:
    """The text of a cursor."""
    values = {
        "v": VERSION,
        "at": position.dump(),
        "links": _packed(state.links),
        "calls": [_fields(call) for call in state.calls.values()],
        "queued": [_fields(queued) for queued in state.queued],
        "early": [_fields(early) for early in state.early],
        **{name: getattr(state, name) for name in _PLAIN},
    }
    try:
        return noted(values)
    except (RecursionError, ValueError):  # a call nested so deeply that it was read only just
        return dump(State(), Position())


def _fields(value: Call | Queued | Early) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}


def load(cursor: str | None) -> tuple[State, Position]:
    """What `dump` wrote; the start of the file for none, NOWHERE for anything else."""
    if cursor is None:
        return State(), Position()
    try:
        values = json.loads(cursor)
        if values.get("v") != VERSION:
            return State(), NOWHERE
        state = State(**{name: values[name] for name in _PLAIN})
        state.links = _unpacked(values["links"])
        state.calls = {call["tool_use_id"]: Call(**call) for call in values["calls"]}
        state.queued = [Queued(**queued) for queued in values["queued"]]
        state.early = [Early(**early) for early in values["early"]]
        return state, Position.load(values["at"])
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return State(), NOWHERE


_PLAIN: Final = (
    "seq", "session_id", "title", "title_rank", "version", "tips", "spawned", "summaries"
)  # fmt: skip


def _packed(links: dict[str, Link]) -> list[Any]:
    """Links in runs that share all but the turn: most records are turns of one exchange."""
    runs: list[Any] = []
    shared: tuple[str | None, str | None, bool] | None = None
    for uuid, link in links.items():
        if shared != (link.exchange, link.thread, link.is_command):
            shared = (link.exchange, link.thread, link.is_command)
            runs.append([*shared, []])
        runs[-1][3].append(uuid if link.turn == uuid else [uuid, link.turn])
    return runs


def _unpacked(runs: list[Any]) -> dict[str, Link]:
    links: dict[str, Link] = {}
    for exchange, thread, is_command, entries in runs:
        for entry in entries:
            uuid, turn = (entry, entry) if isinstance(entry, str) else entry
            links[uuid] = Link(turn, exchange, thread, is_command)
    return links
