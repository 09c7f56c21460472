"""Goes through the records of one Codex session and yields turns, edits and the rest, in order.

Holds calls until their output and user messages until their event; the cursor then stands before
the first of them, so that reading in parts gives what reading at once gives. Knows no files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from funes_git_parsers.base import (
    Block,
    Cursor,
    Item,
    Retraction,
    Role,
    Session,
    Skipped,
    Spawn,
    Turn,
)
from funes_git_parsers.codex import calls as codex_calls
from funes_git_parsers.codex import items as codex_items
from funes_git_parsers.codex.calls import Call, Run
from funes_git_parsers.codex.edits import edits
from funes_git_parsers.codex.outcome import Outcome, outcome
from funes_git_parsers.codex.prompts import Prompts
from funes_git_parsers.codex.state import State, dump
from funes_git_parsers.codex.turns import HARNESS, draft
from funes_git_parsers.jsonl import Records, is_joined
from funes_git_parsers.scaffold import COMPACTION
from funes_git_parsers.values import folder, integer, mapping, seconds, string

MAX_OPEN = 64
"""So many calls may wait for their output."""

_UNUSED = re.compile(
    rb'\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"event_msg","payload":\{"type":'
    rb'"(?:token_count|agent_message|agent_reasoning|agent_reasoning_section_break)"'
)
_END = b"}}\n"
_KIND_AT = len(b'{"timestamp":"2026-01-01T00:00:00.000Z",')
_MAYBE_UNUSED = (b'"type":"event_msg"', b'"ordinal":')

_Payload: TypeAlias = Mapping[str, Any]
_ENDS = {"task_complete", "turn_complete", "task_started", "turn_started", "turn_aborted"}


class Reader:
    """Reads records into items; `state` says what was read before."""

    def __init__(self, state: State, fallback: str) -> None:
        self.state = state
        self._fallback = fallback
        self._prompts = Prompts(state)
        self._calls: dict[str, Call] = {}
        self._stamp: object = None
        self._items: dict[str, Callable[[_Payload], Sequence[Item]]] = {
            "message": self._message,
            "reasoning": self._reasoning,
            "function_call": self._call,
            "custom_tool_call": self._call,
            "local_shell_call": self._local_shell,
            "function_call_output": self._output,
            "custom_tool_call_output": self._output,
            "web_search_call": self._search,
            "tool_search_call": self._search,
            "image_generation_call": self._search,
            "agent_message": self._agent_message,
        }

    def run(self, records: Records) -> Generator[Item, None, Cursor]:
        """Everything of `records`; returns the cursor for the next read."""
        line, mark, before = -1, (records.position, self.state.values()), None
        is_open = False
        for record in records:
            if isinstance(record, Skipped):
                yield record
                continue
            if records.line != line:
                line = records.line
                before = None if is_open else self.state.values()
            yield from self._feed(record, line)
            is_open = self._is_open
            if before and is_open:
                mark, before = (records.position, before), None
        place, values = mark if is_open else (records.position, self.state.values())
        cursor = Cursor(dump(place, State(*values)))
        yield from self._prompts.release(more=True)
        return cursor

    def prepare(self, line: bytes) -> bytes | None:
        """Passes over events that bring nothing, and are half of all records."""
        if not line.startswith(_MAYBE_UNUSED, _KIND_AT):
            return line  # quick: most lines are decoded, and in doubt any can be
        state = self.state
        is_unused = state.session and not state.copying and _UNUSED.match(line)
        return None if is_unused and line.endswith(_END) and not is_joined(line) else line

    @property
    def _is_open(self) -> bool:
        return bool(self._calls or self._prompts.held)

    def _feed(self, record: dict[str, Any], line: int) -> Iterable[Item]:
        """What a record brings, while it is taken."""
        found = codex_items.unwrap(record)
        if found is None:
            return ()
        if isinstance(found, str):
            return [Skipped(line, found)]
        kind, payload = found
        self._stamp = record.get("timestamp")
        if kind == "session_meta":
            return self._meta(payload)
        if not self.state.session:
            return [self._begin({}), *self._known(kind, payload, record)]
        if kind == "response_item" and not self.state.copying:
            return self._item(payload)  # as most
        return self._known(kind, payload, record)

    def _known(self, kind: str, payload: _Payload, record: _Payload) -> Iterable[Item]:
        """What a record of the session brings."""
        if self.state.copying and self.state.is_copy(record, self._at):
            self.state.seq += kind == "response_item" and codex_items.counted(payload)
            return ()
        if kind == "response_item":
            return self._item(payload)
        if kind == "event_msg":
            return self._event(payload)
        if kind == "turn_context":
            self._context(payload)
            return ()
        return self._compacted(payload)

    @property
    def _at(self) -> float | None:
        """When the record was written."""
        return seconds(self._stamp)

    # Sessions

    def _meta(self, payload: _Payload) -> Iterator[Item]:
        state = self.state
        is_empty = not (state.seq or state.extras or self._is_open)
        if not state.session or (state.unnamed and is_empty):
            yield self._begin(payload)
        elif state.unnamed:
            state.update(payload)
        elif payload.get("id") == state.session:
            yield from self._end_calls()
            state.update(payload)
            yield self._session(payload)
        elif state.parent is None or state.copying:
            state.adopt(payload, self._at)
            yield Session(state.session, HARNESS, parent_session_id=state.parent)

    def _begin(self, payload: _Payload) -> Session:
        self.state.begin(payload, self._at, self._fallback)
        return self._session(payload)

    def _session(self, payload: _Payload) -> Session:
        return Session(
            self.state.session,
            HARNESS,
            parent_session_id=self.state.parent,
            version=string(payload.get("cli_version")),
            repository_url=string(mapping(payload.get("git")).get("repository_url")),
        )

    def _context(self, payload: _Payload) -> None:
        self.state.cwd = folder(payload.get("cwd")) or self.state.cwd
        self.state.model = string(payload.get("model")) or self.state.model

    def _compacted(self, payload: _Payload) -> Iterator[Item]:
        """A summary that older versions wrote; the history in it was read before."""
        if summary := string(payload.get("message")):
            yield from self._prompts.release()
            yield self._turn("user", (Block("text", summary, scaffold=COMPACTION),), counted=False)

    # Items

    def _item(self, payload: _Payload) -> Iterable[Item]:
        kind = payload.get("type")
        handler = self._items.get(kind) if isinstance(kind, str) else None
        if handler is None:
            if kind == "ghost_snapshot":
                commit = mapping(payload.get("ghost_commit"))
                self.state.see_commit(string(commit.get("parent")))
            return ()
        if self._prompts.held and (kind != "message" or payload.get("role") != "user"):
            return [*self._prompts.release(), *handler(payload)]
        return handler(payload)

    def _turn(self, role: Role, blocks: tuple[Block, ...], *, counted: bool) -> Turn:
        """The next turn, at the end of the chain."""
        state = self.state
        turn = draft(state, seconds(self._stamp), role, blocks, counted=counted)
        state.last = turn.turn_uuid
        return turn

    def _message(self, payload: _Payload) -> Sequence[Item]:
        role, blocks, is_counted = codex_items.message(payload)
        if not blocks:
            return ()
        if payload.get("role") == "user":
            self._prompts.message(draft(self.state, self._at, role, blocks, counted=is_counted))
            return ()
        return [self._turn(role, blocks, counted=is_counted)]

    def _agent_message(self, payload: _Payload) -> Sequence[Item]:
        """What another agent of the same tree said to this one."""
        _, blocks, _ = codex_items.message(payload)
        return [self._turn("user", blocks, counted=False)] if blocks else ()

    def _reasoning(self, payload: _Payload) -> Sequence[Item]:
        text, is_counted = codex_items.thinking(payload)
        if not text:
            return ()
        return [self._turn("assistant", (Block("thinking", text),), counted=is_counted)]

    def _call(self, payload: _Payload) -> Sequence[Item]:
        return self._tool_use(payload, codex_items.call_input(payload), counted=True)

    def _local_shell(self, payload: _Payload) -> Sequence[Item]:
        named = {"name": "local_shell", **payload}
        return self._tool_use(named, codex_items.call_input(payload), counted=False)

    def _search(self, payload: _Payload) -> Sequence[Item]:
        tool = str(payload["type"]).removesuffix("_call")
        text = codex_items.search_input(payload)
        block = Block("tool_use", text, tool, string(payload.get("call_id")))
        return [self._turn("assistant", (block,), counted=False)]

    def _tool_use(self, payload: _Payload, text: str, *, counted: bool) -> Sequence[Item]:
        name, call_id = codex_items.tool(payload), string(payload.get("call_id"))
        turn = self._turn("assistant", (Block("tool_use", text, name, call_id),), counted=counted)
        found: list[Item] = [turn]
        if call_id:
            cwd = self.state.cwd
            self._calls[call_id] = Call(turn.turn_uuid, call_id, name, text, turn.ts, cwd)
            while len(self._calls) > MAX_OPEN:
                found += self._end_call(next(iter(self._calls)))
        return found

    def _output(self, payload: _Payload) -> Sequence[Item]:
        call_id = string(payload.get("call_id"))
        out = outcome(payload.get("output"))
        call = self._calls.pop(call_id, None) if call_id else None
        out, is_counted = out or Outcome(), out is not None
        if call is None:
            block = codex_items.result(out, None, call_id, ())
            return [self._turn("tool", (block,), counted=True)] if is_counted else ()
        runs = codex_calls.runs(call)
        out = codex_calls.completed(out, call)
        commits = codex_calls.commits(call, runs, out, self.state.shell)
        found: list[Item] = []
        if is_counted:
            block = codex_items.result(out, call.name, call_id, commits)
            found.append(self._turn("tool", (block,), counted=True))
        found += self._settle(call, runs, out)
        return found

    def _settle(self, call: Call, runs: list[Run], out: Outcome) -> list[Item]:
        """What a call brought, now that it has ended."""
        found: list[Item] = [*edits(self.state.session, call, runs, out)]
        if out.running:
            for run in runs:
                self.state.remember_shell(out.running, run.command)
        if call.name == "spawn_agent" and (thread := codex_calls.spawned(out)):
            found.append(Spawn(self.state.session, call.turn_uuid, thread))
        return found

    def _end_calls(self) -> Iterator[Item]:
        """No output will come any more."""
        for call_id in list(self._calls):
            yield from self._end_call(call_id)

    def _end_call(self, call_id: str) -> Sequence[Item]:
        call = self._calls.pop(call_id)
        if not call.patched and call.exit_code != 0:
            return ()
        out = codex_calls.completed(Outcome(), call)
        return self._settle(call, codex_calls.runs(call), out)

    # Events

    def _event(self, payload: _Payload) -> Iterator[Item]:
        kind = string(payload.get("type"))
        if kind == "user_message":
            if payload.get("kind", "plain") == "plain":
                self._prompts.event(string(payload.get("message")) or "", self._at)
        elif kind == "item_completed":
            yield from self._completed(mapping(payload.get("item")))
        elif kind == "thread_rolled_back":
            yield from self._prompts.release()
            yield from self._end_calls()
            for uuid in self.state.roll_back(integer(payload.get("num_turns")) or 0):
                yield Retraction(self.state.session, uuid)
        elif kind in _ENDS:
            yield from self._end_calls()
        elif kind == "thread_name_updated":
            yield Session(self.state.session, HARNESS, title=string(payload.get("thread_name")))
        elif kind == "thread_settings_applied":
            self._context(mapping(payload.get("thread_settings")))
        else:
            yield from self._tool_event(kind, string(payload.get("call_id")), payload)

    def _completed(self, item: _Payload) -> Iterator[Item]:
        """The events of newer versions: one kind, with the thing that was completed in it."""
        kind = item.get("type")
        if kind == "UserMessage":
            self._prompts.event(codex_items.typed(item), self._at)
        elif kind == "Plan":
            if text := string(item.get("text")):
                yield from self._prompts.release()
                yield self._turn("assistant", (Block("text", text),), counted=False)
        else:
            yield from self._tool_event(kind, string(item.get("id")), item)

    def _tool_event(self, kind: object, call_id: str | None, event: _Payload) -> Iterator[Item]:
        if thread := codex_calls.started_agent(kind, event):
            call = self._calls.get(string(event.get("event_id")) or call_id or "")
            turn_uuid = call.turn_uuid if call else self.state.last
            if turn_uuid:
                yield Spawn(self.state.session, turn_uuid, thread)
            return
        call = self._calls.get(call_id or "")
        if call is None:  # what a program of code mode called has an id of its own
            programs = [call for call in self._calls.values() if call.name == "exec"]
            call = programs[-1] if programs else None
        if call:
            codex_calls.note(call, kind, event, is_own=call.call_id == call_id)
