"""The records of one Factory Droid session, in order, to turns, edits and sub-agent starts.

Opens no files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from funes_git_parsers import scaffold, tools
from funes_git_parsers.base import Block, Item, Role, Session, Spawn, Turn
from funes_git_parsers.droid import messages
from funes_git_parsers.tools import Call
from funes_git_parsers.values import mapping, moment, string

HARNESS: Final = "droid"
MAX_CALLS: Final = 256
"""So many calls may wait for their results."""
MAX_TURNS: Final = 2_048
"""So many turns can be parents."""
_STARTED = re.compile(r"^session_id: ([\w-]+)", re.MULTILINE)
_TASK = "# Task Tool Invocation"


class Reader:
    """Give it each record of a file once; it yields what the record brings."""

    def __init__(self, fallback: str, model: str | None, remembered: Any = None) -> None:
        """`fallback` names the session if its first record does not, `model` is what the settings
        beside it name, where a message names none; `remembered` is what `plain` gave."""
        self._model = model
        self._session, self._cwd = fallback, None
        self._is_told = self._is_agent = False
        self._seq = 0
        self._last: str | None = None
        self._exchanges: dict[str, str | None] = {}
        self._calls: dict[str, Call] = {}
        if remembered is not None:
            place, self._exchanges, calls = remembered
            self._session, self._cwd, self._is_told, self._is_agent, self._seq, self._last = place
            self._calls = {fields[0]: Call(*fields) for fields in calls}

    def plain(self) -> Any:
        """What it must remember, as JSON values."""
        flags = [self._session, self._cwd, self._is_told, self._is_agent]
        calls = [call.plain() for call in self._calls.values()]
        return [[*flags, self._seq, self._last], self._exchanges, calls]

    def finish(self) -> Iterator[Item]:
        """Nothing is held back."""
        return iter(())

    def record(self, record: dict[str, Any]) -> Iterator[Item]:
        """What one record brings. Unknown kinds bring nothing."""
        kind = record.get("type")
        if kind == "session_start":
            yield from self._start(record)
            return
        self._seq += 1
        if kind not in ("message", "compaction_state"):
            return
        if not self._is_told:
            self._is_told = True
            yield Session(self._session, HARNESS)
        if kind == "message":
            yield from self._message(record, mapping(record.get("message")))
        elif summary := string(record.get("summaryText")):
            block = Block("text", summary, scaffold=scaffold.COMPACTION)
            yield from self._turn(record, "user", [block])

    def _start(self, record: dict[str, Any]) -> Iterator[Item]:
        session = string(record.get("id")) or string(record.get("sessionId"))
        self._session = session or self._session
        self._cwd = string(record.get("cwd")) or self._cwd
        self._is_told = True
        caller = string(record.get("callingSessionId"))
        title = string(record.get("sessionTitle")) or string(record.get("title"))
        self._is_agent = caller is not None or (title or "").startswith(_TASK)
        version = record.get("version")
        told = f"format {version}" if isinstance(version, int) else string(version)
        parent = caller or string(record.get("parent"))
        yield Session(self._session, HARNESS, title, parent, told)

    def _message(self, record: dict[str, Any], message: dict[str, Any]) -> Iterator[Item]:
        role: Role = "assistant" if message.get("role") == "assistant" else "user"
        mark = messages.forced(message)
        blocks: list[Block] = []
        ended: list[tuple[Call, Block]] = []
        for part in messages.parts(message):
            if part.get("type") == "tool_result":
                role = "tool"
                call = self._calls.pop(string(part.get("tool_use_id")) or "", None)
                blocks.append(messages.result(part, call))
                ended += [(call, blocks[-1])] if call else []
            elif block := messages.block(part, role, mark):
                blocks.append(block)
        for turn in self._turn(record, role, blocks):
            yield turn
            self._called(turn)
        for call, block in ended:
            yield from self._ended(call, block)

    def _turn(self, record: dict[str, Any], role: Role, blocks: list[Block]) -> Iterator[Turn]:
        uuid = string(record.get("id")) or f"{self._session}-{self._seq}"
        if not blocks or uuid in self._exchanges:
            return  # nothing, or a copy
        parent = string(record.get("parentId"))
        parent = parent if parent in self._exchanges else self._last
        typed = any(block.scaffold is None for block in blocks)
        is_prompt = role == "user" and typed and not self._is_agent
        exchange = uuid if is_prompt else self._exchanges.get(parent or "")
        model = string(mapping(record.get("message")).get("modelId")) or self._model
        yield Turn(
            session_id=self._session,
            turn_uuid=uuid,
            seq=self._seq,
            ts=moment(record.get("timestamp")),
            role=role,
            harness=HARNESS,
            blocks=tuple(blocks),
            parent_uuid=parent,
            exchange=exchange,
            workdir=self._cwd,
            model=model if role == "assistant" else None,
            is_prompt=is_prompt,
        )
        self._exchanges[uuid] = exchange
        self._last = uuid
        while len(self._exchanges) > MAX_TURNS:
            del self._exchanges[next(iter(self._exchanges))]

    def _called(self, turn: Turn) -> None:
        for block in turn.blocks:
            if block.type == "tool_use" and block.tool and block.tool_use_id:
                where = (turn.turn_uuid, turn.ts, turn.workdir)
                call = Call(block.tool_use_id, block.tool, block.text, *where)
                self._calls[call.tool_use_id] = call
        while len(self._calls) > MAX_CALLS:
            del self._calls[next(iter(self._calls))]

    def _ended(self, call: Call, block: Block) -> Iterator[Item]:
        if block.is_error:
            return
        yield from tools.edits(self._session, call, messages.changes(call, block.text))
        if call.tool == "Task" and (started := _STARTED.search(block.text)):
            yield Spawn(self._session, call.turn_uuid, started[1])
