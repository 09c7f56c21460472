"""Makes turns, edits and the rest of the rows of one Hermes session.

A row is a turn. Rewound rows are retracted and stand aside of the chain. Where a summary took the
place of earlier rows, in the same session or in a new one, Hermes writes the rows around it a
second time: such copies are left out, but for the prompt that a new session goes on from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Final

from funes_git_parsers import tools
from funes_git_parsers.base import Block, Item, Retraction, Role, Session, Spawn, Turn
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.hermes import blocks, calls
from funes_git_parsers.hermes.calls import DELEGATE
from funes_git_parsers.hermes.store import About, Row, Stored
from funes_git_parsers.revision import Entry, about
from funes_git_parsers.scaffold import COMMAND, COMPACTION
from funes_git_parsers.tools import Call
from funes_git_parsers.values import string

HARNESS: Final = "hermes"
_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "tool": "tool"}
_RESETS: Final = (
    *("session_reset", "session_switch", "idle", "daily", "suspended"),
    *("resume_pending_expired", "new_session"),
)
"""Ends of a session after which Hermes starts a conversation that has nothing to do with it."""


def entries(stored: Stored) -> list[Entry]:
    """The session as entries: one for each turn, and the first for the session."""
    return [about(_session(stored)), *_Reader(stored).run()]


def _session(stored: Stored) -> Session:
    found = stored.about
    parent = None if _is_reset(found, stored.parent) else found.parent
    return Session(found.session_id, HARNESS, found.title, parent)


def _marker(session: About, name: str) -> str | None:
    return string((session.config or {}).get(name))


def _is_reset(session: About, parent: About | None) -> bool:
    if _marker(session, "_delegate_from") == session.parent:
        return False
    return bool(_marker(session, "_reset_from") or (parent and parent.end_reason in _RESETS))


def _is_sub_agent(session: About, parent: About | None) -> bool:
    """Whether a session was started by a call of another one; its continuations inherit the
    marker."""
    if session.source == "subagent" or _marker(session, "_delegate_from"):
        return True
    if session.parent is None or _marker(session, "_branched_from"):
        return False
    ended = parent.end_reason if parent else None
    return not _is_reset(session, parent) and ended not in ("compression", "branched")


@dataclass(slots=True)
class _Chain:
    """The end of a chain of turns."""

    last: str | None = None
    exchange: str | None = None


@dataclass(slots=True)
class _Made:
    """A turn with what belongs to it; its calls wait for their results."""

    turn: Turn
    rest: list[Item] = field(default_factory=list)


class _Reader:
    def __init__(self, stored: Stored) -> None:
        self._stored = stored
        self._about = stored.about
        self._typed = not _is_sub_agent(stored.about, stored.parent)
        self._made: list[_Made] = []
        self._calls: dict[str, tuple[Call, _Made]] = {}
        self._delegations: list[tuple[float, _Made]] = []
        self._live = _Chain()
        self._every = _Chain()
        self._copies = _Copies(stored)

    def run(self) -> Iterator[Entry]:
        for row in self._stored.rows:
            if self._copies.is_copy(row):
                continue
            if (prompt := self._copies.prompt()) is not None:
                self._row(prompt)
            self._row(row)
        self._spawns()
        for made in self._made:
            yield Entry(made.turn.turn_uuid, (made.turn, *made.rest))

    def _row(self, row: Row) -> None:
        role = _ROLES.get(row.role)
        if role == "tool":
            self._result(row)
        elif role:
            found = blocks.text_blocks(row, role)
            if role == "assistant":
                found = (*blocks.thinking(row), *found, *blocks.call_blocks(row))
            if found:
                self._call(row, self._turn(row, role, found))

    def _turn(self, row: Row, role: Role, found: tuple[Block, ...]) -> _Made:
        is_prompt, opens = self._opens(row, role, found)
        chain = self._every if row.gone else self._live
        exchange = row.uuid if opens else chain.exchange
        turn = Turn(
            self._about.session_id,
            row.uuid,
            len(self._made),
            row.ts,
            role,
            HARNESS,
            found,
            parent_uuid=chain.last,
            exchange=exchange,
            workdir=self._about.cwd,
            branch=self._about.branch,
            model=self._about.model if role == "assistant" else None,
            is_prompt=is_prompt,
        )
        made = _Made(turn)
        self._made.append(made)
        self._every = _Chain(row.uuid, exchange)
        if row.gone:
            made.rest.append(Retraction(turn.session_id, row.uuid))
        else:
            self._live = _Chain(row.uuid, exchange)
        return made

    def _opens(self, row: Row, role: Role, found: tuple[Block, ...]) -> tuple[bool, bool]:
        """Whether a person typed this, and whether an exchange starts with it."""
        if role != "user" or not self._typed or row.observed:
            return False, False
        marks = {block.scaffold for block in found}
        return None in marks, bool(marks & {None, COMMAND})

    def _call(self, row: Row, made: _Made) -> None:
        for block in blocks.call_blocks(row):
            if not block.tool:
                continue
            turn, call_id = made.turn, block.tool_use_id or ""
            waiting = Call(call_id, block.tool, block.text, turn.turn_uuid, turn.ts, turn.workdir)
            if block.tool_use_id:
                self._calls[block.tool_use_id] = waiting, made
            if block.tool == DELEGATE:
                self._delegations.append((turn.ts or 0, made))

    def _result(self, row: Row) -> None:
        text = blocks.result_text(row)
        call, made = self._calls.pop(row.call_id or "", (None, None))
        out = calls.outcome(text)
        commits = tools.commits(call, out.body) if call else ()
        if text:
            tool = row.tool or (call.tool if call else None)
            self._turn(row, "tool", (blocks.result_block(row, text, tool, out, commits),))
        if call and made:
            made.rest += calls.edits(self._about.session_id, call, out)

    def _spawns(self) -> None:
        """Sessions that a call of this one started: each after the last delegation before it."""
        for child in self._stored.children:
            if not _is_sub_agent(child, self._about):
                continue
            before = [made for ts, made in self._delegations if ts <= (child.started or ts)]
            if before:
                turn = before[-1].turn
                before[-1].rest.append(Spawn(turn.session_id, turn.turn_uuid, child.session_id))


class _Copies:
    """Tells rows that Hermes wrote a second time from new ones.

    After a compaction the first rows, a summary and the last rows follow, in the same session or as
    the start of a new one; a branch starts with all rows of its parent. So copies come in a run: at
    the start of such a session, from a copy of the first row on, or after a summary.
    """

    def __init__(self, stored: Stored) -> None:
        continued = stored.parent is not None and (
            stored.parent.end_reason in ("compression", "branched")
            or _marker(stored.about, "_branched_from") is not None
        )
        rows = stored.parent_rows if continued else ()
        self._seen = {row.signature for row in rows}
        self._results = {row.call_id for row in rows if row.call_id}
        self._first = stored.rows[0].signature if stored.rows else ()
        self._in_place = any(row.compacted for row in stored.rows)
        self._running = bool(rows)
        self._prompt: Row | None = None
        self._from_parent = bool(rows)

    def is_copy(self, row: Row) -> bool:
        if not (self._in_place or self._running):
            return False
        if _is_summary(row):
            self._running = self._running or self._in_place
            return False
        known = row.signature in self._seen or (row.role == "tool" and row.call_id in self._results)
        starts = self._in_place and row.signature == self._first and bool(self._seen)
        self._running = known and (self._running or starts)
        if self._running and self._from_parent:
            self._prompt = row if row.role == "user" else self._prompt
        if self._in_place:
            self._seen.add(row.signature)
            self._results |= {row.call_id} if row.call_id else set()
        return self._running

    def prompt(self) -> Row | None:
        """The last prompt that was copied from another session, once, when its copies are over."""
        found, self._prompt = (self._prompt, None) if not self._running else (None, self._prompt)
        self._from_parent = self._from_parent and self._running
        return found


def _is_summary(row: Row) -> bool:
    if row.summary:
        return True
    found = blocks.text_blocks(row, "user") if row.role in ("user", "assistant") else ()
    return any(block.scaffold == COMPACTION for block in found)
