"""What must be known between two reads of a Codex session: bounded, and kept in the cursor.

Also decides which records a fork or sub-agent copied from its parent. Knows no blocks and edits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeAlias

from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.jsonl import NOWHERE, Position
from funes_git_parsers.values import folder, integer, mapping, noted, seconds, string, uuid_time

VERSION = 2
_COMMIT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
MAX_EXCHANGES = 256
"""How many user exchanges can be rolled back."""
MAX_SHELLS = 16
MAX_COMMAND = 4000
BURST = 1.0
"""Copied records are written within milliseconds of each other; a person needs longer."""

Exchange: TypeAlias = tuple[int, int, str | None, str | None]
"""The first numbered and the first other turn of an exchange; the turn and exchange before it."""


@dataclass(slots=True)
class State:
    """`seq` counts the records that huggingface/funes counts, `extras` the other turns."""

    session: str = ""
    unnamed: bool = False
    """The id is the file's name: turns came before a session_meta."""
    started: float | None = None
    sub_agent: bool = False
    parent: str | None = None
    seq: int = 0
    extras: int = 0
    cwd: str | None = None
    model: str | None = None
    branch: str | None = None
    head: str | None = None
    last: str | None = None
    exchange: str | None = None
    told: bool = False
    """Events of the session name its prompts."""
    recent: tuple[str, ...] = ()
    """Digests of the last user messages that no event has named yet."""
    exchanges: tuple[Exchange, ...] = ()
    shells: tuple[tuple[str, str], ...] = ()
    """Processes that still run: id and command line."""
    copying: bool = False
    """The records are copies of the parent's."""
    copied_meta: bool = False
    copied_at: float | None = None
    dated: bool = False
    """The copies have turn ids, which tell when they were made."""
    ordinal: int | None = None

    def values(self) -> tuple[Any, ...]:
        """What later records leave alone; `State(*values)` is the same state."""
        return _VALUES(self)  # noted at every line: a copy would take ten times as long

    def begin(self, payload: Mapping[str, Any], at: float | None, fallback: str) -> None:
        """Take over the first session_meta of the file."""
        named = string(payload.get("id"))
        self.session, self.unnamed = named or fallback, named is None
        stamped = seconds(payload.get("timestamp"))
        self.started = uuid_time(self.session) or stamped or at
        self.sub_agent = _is_sub_agent(payload)
        self.parent = _parent(payload)
        self.ordinal = integer(payload.get("subagent_history_start_ordinal"))
        self.copying = self.ordinal is not None or self.parent is not None
        self.update(payload)

    def update(self, payload: Mapping[str, Any]) -> None:
        """Take over folder and commit from a session_meta of this session."""
        git = mapping(payload.get("git"))
        self.cwd = folder(payload.get("cwd")) or self.cwd
        self.branch = string(git.get("branch")) or self.branch
        self.see_commit(string(git.get("commit_hash")))

    def see_commit(self, name: str | None) -> None:
        """Take over the commit that is checked out, where the record names one in full."""
        if name and _COMMIT_ID.fullmatch(name):
            self.head = name

    def adopt(self, payload: Mapping[str, Any], at: float | None) -> None:
        """A session_meta of another session: the records that follow are its copies."""
        if self.seq or self.extras:
            return
        self.parent = self.parent or string(payload.get("id"))
        self.copying = self.copied_meta = True
        self.copied_at = at

    def is_copy(self, record: Mapping[str, Any], at: float | None) -> bool:
        """Whether this record is still the parent's; the first that is not ends the copies.

        By ordinal where the session says where its own begin; else by the time in turn ids; else
        a copy is older than the session, or, stamped anew, follows the one before at once.
        """
        if self.copying and self._is_own(record, at):
            self.copying = False
        return self.copying

    def _is_own(self, record: Mapping[str, Any], at: float | None) -> bool:
        ordinal = integer(record.get("ordinal"))
        if self.ordinal is not None and ordinal is not None:
            return ordinal >= self.ordinal
        payload = mapping(record.get("payload"))
        born = self.started or 0.0
        if made := uuid_time(payload.get("turn_id")):
            self.dated = True
            return made >= born
        if self.dated or at is None:
            return False
        if not self.copied_meta:
            return at >= born
        before, self.copied_at = self.copied_at, at
        return at >= born and before is not None and at - before >= BURST

    def open_exchange(self, seq: int, extras: int) -> None:
        """A user message begins here."""
        entry = (seq, extras, self.last, self.exchange)
        self.exchanges = (*self.exchanges, entry)[-MAX_EXCHANGES:]

    def roll_back(self, exchanges: int) -> list[str]:
        """Forget the last user exchanges; the ids of their turns."""
        if exchanges <= 0 or not self.exchanges:
            return []
        taken = self.exchanges[-exchanges:]
        self.exchanges = self.exchanges[: -len(taken)]
        seq, extras, self.last, self.exchange = taken[0]
        numbered = [self.numbered(number) for number in range(seq, self.seq)]
        return numbered + [self.extra(number) for number in range(extras, self.extras)]

    def numbered(self, seq: int) -> str:
        """The id of a turn that huggingface/funes counts, as it derives it."""
        return f"{self.session}-{seq}"

    def extra(self, number: int) -> str:
        """The id of another turn; sorts after the numbered turn that it follows."""
        return f"{self.session}-x{number:04d}"

    def remember_shell(self, process: str, command: str) -> None:
        """A command still runs; its output will come from a later call."""
        others = tuple(shell for shell in self.shells if shell[0] != process)
        self.shells = (*others, (process, command[:MAX_COMMAND]))[-MAX_SHELLS:]

    def shell(self, process: str) -> str | None:
        """The command line of a process that still ran."""
        return dict(self.shells).get(process)


_NAMES = tuple(field.name for field in fields(State))
_VALUES = attrgetter(*_NAMES)


def _is_sub_agent(payload: Mapping[str, Any]) -> bool:
    source = payload.get("source")
    if isinstance(source, dict):
        return "subagent" in source or "sub_agent" in source
    kinds = (source, payload.get("thread_source"))
    return any(
        isinstance(kind, str) and kind.lower() in ("subagent", "sub_agent") for kind in kinds
    )


def _parent(payload: Mapping[str, Any]) -> str | None:
    source = mapping(payload.get("source"))
    spawn = mapping(mapping(source.get("subagent")).get("thread_spawn"))
    named = (payload.get("parent_thread_id"), spawn.get("parent_thread_id"))
    for value in (*named, payload.get("forked_from_id")):
        if found := string(value):
            return found
    return None


def dump(position: Position, state: State) -> str:
    """The text of a cursor."""
    return noted([VERSION, position.dump(), dict(zip(_NAMES, state.values(), strict=True))])


def load(text: str | None) -> tuple[Position, State]:
    """What `dump` wrote; the start of the file for none, NOWHERE for anything else."""
    if text is None:
        return Position(), State()
    try:
        version, position, values = json.loads(text)
        if version != VERSION or set(values) != set(_NAMES):
            return NOWHERE, State()
        values["exchanges"] = tuple(tuple(entry) for entry in values["exchanges"])
        values["recent"] = tuple(values["recent"])
        values["shells"] = tuple(tuple(entry) for entry in values["shells"])
        return Position.load(position), State(**values)
    except (ValueError, TypeError):
        return NOWHERE, State()
