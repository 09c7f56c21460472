"""The records of one Claude Code file, in order, to turns, edits, sub-agent starts and sessions.

Holds the rules of the chain: which turn follows which, which prompt a turn belongs to, and what is
a copy. Opens no files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from funes_git_parsers import scaffold
from funes_git_parsers.base import Block, Item, Session, Spawn, Turn
from funes_git_parsers.claude import records as fields
from funes_git_parsers.claude.early import Waiting
from funes_git_parsers.claude.edits import Call, edits, may_write
from funes_git_parsers.claude.files import HARNESS, Surroundings
from funes_git_parsers.claude.prompts import PromptQueue
from funes_git_parsers.claude.said import Said, forced, is_command, is_typed
from funes_git_parsers.claude.state import MAX_CALLS, UNTOLD, Link, State
from funes_git_parsers.values import mapping, seconds, string

_TITLES: Final = {
    "ai-title": ("aiTitle", 2),
    "agent-name": ("agentName", 3),
    "custom-title": ("customTitle", 4),
}
_SUMMARY_RANK: Final = 1
_MESSAGES: Final = ("user", "assistant")
_OUTER: Final = ("timestamp", "sessionId", "cwd", "gitBranch", "version")
"""What a sub-agent's message has from the record that copies it, unless it tells it itself."""


class Reader:
    """Give it each record of a file once; it yields what the record brings."""

    def __init__(self, state: State, file: Surroundings) -> None:
        self.state = state
        self._file = file
        self._prompts = PromptQueue(state)
        self._waiting = Waiting(state)
        self._kinds: dict[str, Callable[[dict[str, Any]], Iterable[Item]]] = {
            "user": self._message,
            "assistant": self._message,
            "progress": self._progress,
            "attachment": self._attachment,
            "queue-operation": self._queued,
            "summary": self._summary,
            **dict.fromkeys(_TITLES, self._title),
        }

    def start(self) -> Iterator[Item]:
        """What the files beside this one tell of calls that were read before."""
        for call in list(self.state.calls.values()):
            if agent := self._file.started_by.get(call.tool_use_id):
                yield from self._spawn(call, agent)

    def record(self, record: dict[str, Any]) -> Iterable[Item]:
        """What one record brings. Unknown kinds bring nothing but their place in the chain."""
        state, kind = self.state, record.get("type")
        is_message = kind in _MESSAGES
        if not is_message and self._is_passed(kind, record):
            return ()
        state.seq += 1
        parent = _parent(record)
        if state.early or (parent and parent not in state.links):
            return self._in_order(record, parent)
        return self._message(record) if is_message else self._read(record)

    def _is_passed(self, kind: object, record: dict[str, Any]) -> bool:
        """Whether a record has at most a place in the chain, which is noted then."""
        if kind == "progress" or kind == "attachment":
            uuid = string(record.get("uuid"))
            if uuid is None or not fields.is_unused(record, self._file.separate):
                return False
            self.passed(uuid, string(record.get("parentUuid")))
            return True
        return isinstance(kind, str) and kind not in self._kinds and fields.is_ignored(kind)

    def _in_order(self, record: dict[str, Any], parent: str | None) -> Iterator[Item]:
        """The same, where a record waits or may have to."""
        state = self.state
        yield from self._late()
        if not parent or parent in state.links or not self._waiting.keeps(parent, "", record):
            yield from self._read(record)
        yield from self._late()

    def finish(self) -> Iterator[Item]:
        """Prompts that were typed and did not arrive yet. They are taken back if they arrive."""
        yield from self._late()
        yield from self._prompts.waiting()

    def unfollowed(self) -> Iterator[Item]:
        """Records that still wait for the one they follow, as if it never came. The next read of
        something new tells them again: what a cursor needs must be saved before."""
        return self._late(every=True)

    def _read(self, record: dict[str, Any]) -> Iterable[Item]:
        kind = record.get("type")
        read = self._kinds.get(kind) if isinstance(kind, str) else None
        return read(record) if read else self._passed(record)

    def _late(self, *, every: bool = False) -> Iterator[Item]:
        """What the records bring that need not wait any longer, each with its own `seq`."""
        state = self.state
        newest = state.seq
        try:
            for early in self._waiting.ended(every=every):
                state.seq = early.seq
                if early.record is not None:
                    yield from self._read(early.record)
                elif early.uuid not in state.links:
                    self.state.link(early.uuid, state.links.get(early.parent, UNTOLD))
                state.seq = newest
        finally:
            state.seq = newest

    def _session_id(self, record: dict[str, Any]) -> str:
        return string(record.get("sessionId")) or self.state.session_id or self._file.session_id

    def _session(self, record: dict[str, Any], session_id: str) -> Session | None:
        """The session, if a record tells something new of it."""
        state, version = self.state, string(record.get("version"))
        if session_id == state.session_id and version in (None, state.version):
            return None
        state.session_id, state.version = session_id, version or state.version
        origin = string(mapping(record.get("forkedFrom")).get("sessionId"))
        return Session(session_id, HARNESS, None, origin, version)

    def _title(self, record: dict[str, Any]) -> Iterator[Item]:
        key, rank = _TITLES[record["type"]]
        yield from self._titled(self._session_id(record), record.get(key), rank)

    def _titled(self, session_id: str, title: object, rank: int) -> Iterator[Item]:
        state = self.state
        text = string(title)
        if text is None or rank < state.title_rank or text == state.title:
            return
        state.title, state.title_rank = text, rank
        yield Session(session_id, HARNESS, text)

    def _summary(self, record: dict[str, Any]) -> Iterator[Item]:
        """A title of the conversation that ends at a record, which may be in another file."""
        leaf, title = string(record.get("leafUuid")), string(record.get("summary"))
        if leaf and title and leaf in self.state.links:
            yield from self._titled(self._session_id(record), title, _SUMMARY_RANK)
        elif leaf and title:
            self.state.summaries[leaf] = title
            self.state.trim()

    def _passed(self, record: dict[str, Any]) -> list[Item]:
        """A record that is no turn: what follows it follows the turn before it."""
        uuid = string(record.get("uuid"))
        if uuid and uuid not in self.state.links:
            self.state.link(uuid, self._before(record, ""))
        return []

    def passed(self, uuid: str, parent: str | None) -> None:
        """The same for a record of which no more is known."""
        links = self.state.links
        if uuid in links:
            return
        before = links.get(parent or "")
        if before or not self._waiting.keeps(parent, uuid, None):
            self.state.link(uuid, before or UNTOLD)

    def _before(self, record: dict[str, Any], thread: str) -> Link:
        links, parent = self.state.links, record.get("parentUuid")
        if isinstance(parent, str) and (link := links.get(parent)):
            return link  # as it mostly is
        if "parentUuid" not in record:
            return links.get(self.state.tips.get(thread, ""), UNTOLD)
        return links.get(_parent(record) or "", UNTOLD)

    def _thread(self, record: dict[str, Any], uuid: str) -> str | None:
        if record.get("isSidechain") is not True and self._file.thread is None:
            return None
        named = string(record.get("agentId")) or self._file.thread
        return named or self._before(record, "").thread or uuid

    def _message(self, record: dict[str, Any]) -> list[Item]:
        state = self.state
        uuid = string(record.get("uuid")) or fields.derived_uuid(record)
        if uuid in state.links:
            return []  # a copy
        session_id = self._session_id(record)
        session = self._session(record, session_id)
        found: list[Item] = [session] if session else []
        thread = self._thread(record, uuid)
        before = self._before(record, thread or "")
        if before.thread != thread:
            before = Link(before.turn, before.exchange, thread, before.is_command)
        said = Said(record)
        blocks = self._blocks(said, before)
        if not blocks:
            self.state.link(uuid, before)
            return found
        turn = self._turn(said, session_id, uuid, before, blocks)
        role = said.role
        if turn.is_prompt:
            found += self._prompts.arrived(fields.text_of(said.parts))
        found.append(turn)
        starts_work = role == "user" and is_command(blocks)
        self.state.link(uuid, Link(uuid, turn.exchange, thread, starts_work))
        if role == "assistant":
            if thread is None:
                self._prompts.answered()
            found += self._calls(turn, said.parts)
        elif role == "tool":
            found += self._results(said, blocks)
        if title := state.summaries.pop(uuid, None):
            found += self._titled(turn.session_id, title, _SUMMARY_RANK)
        return found

    def _turn(
        self, said: Said, session_id: str, uuid: str, before: Link, blocks: list[Block]
    ) -> Turn:
        record, message, role = said.record, said.message, said.role
        is_prompt = role == "user" and is_typed(record, before, blocks)
        exchange = uuid if is_prompt else before.exchange
        if before.is_command and (role == "assistant" or record.get("isMeta") is True):
            exchange = before.turn  # the slash command made the agent work
        model = string(message.get("model"))
        return Turn(  # by position: names take five times as long
            session_id,
            uuid,
            self.state.seq,
            seconds(record.get("timestamp")),
            role,
            HARNESS,
            tuple(blocks),
            before.turn,
            exchange,
            string(message.get("id")),
            before.thread,
            string(record.get("cwd")),
            _branch(record.get("gitBranch")),
            None,
            None if model == "<synthetic>" else model,
            is_prompt,
        )

    def _blocks(self, said: Said, before: Link) -> list[Block]:
        """The blocks of a message; what tools returned comes first."""
        if said.role == "assistant":
            synthetic = said.message.get("model") == "<synthetic>"
            is_error = synthetic or said.record.get("isApiErrorMessage") is True
            return fields.assistant_blocks(said.parts, is_error)
        found = []
        for part in said.results:
            call = self.state.calls.get(fields.result_id(part) or "")
            args = call.input if call and call.input else {}
            found.append(fields.result_block(part, args, call.name if call else None, said.used))
        if len(said.results) < len(said.parts):
            found += fields.user_blocks(said.parts, forced(said.record, before))
        return found

    def _queued(self, record: dict[str, Any]) -> Iterator[Item]:
        return self._prompts.operation(record, self._session_id(record))

    def _attachment(self, record: dict[str, Any]) -> Iterator[Item]:
        """A queued prompt that reached the agent in the middle of its work; or something else."""
        attached = mapping(record.get("attachment"))
        parts = fields.content({"content": attached.get("prompt")})
        if attached.get("type") != "queued_command" or not parts:
            yield from self._passed(record)
            return
        is_prompt = attached.get("commandMode") in (None, "prompt")
        origin = attached.get("origin") if is_prompt else {"kind": scaffold.NOTIFICATION}
        message = {"content": parts}
        for item in self._message({**record, "type": "user", "message": message, "origin": origin}):
            yield item
            if isinstance(item, Turn) and item.is_prompt:
                self._prompts.delivered(item, fields.text_of(parts))

    def _calls(self, turn: Turn, parts: list[dict[str, Any]]) -> list[Item]:
        calls = self.state.calls
        found: list[Item] = []
        for part in parts:
            if part.get("type") not in fields.TOOL_CALLS:
                continue
            call_id, name = string(part.get("id")), string(part.get("name"))
            if not call_id or not name or call_id in calls:
                continue
            args = mapping(part.get("input")) if may_write(name) else None
            call = Call(call_id, name, turn.session_id, turn.turn_uuid, turn.ts, turn.workdir, args)
            calls[call_id] = call
            if agent := self._file.started_by.get(call_id):
                found += self._spawn(call, agent)
        if len(calls) > MAX_CALLS:
            self.state.trim()
        return found

    def _results(self, said: Said, blocks: list[Block]) -> list[Item]:
        """What the calls brought that `blocks` begin with the results of."""
        used = mapping(said.used)
        found: list[Item] = []
        for block in blocks[: len(said.results)]:
            call = self.state.calls.get(block.tool_use_id or "")
            if call is None:
                continue
            if call.input is not None:
                if not block.is_error:
                    found += edits(call, used)
                self.state.calls[call.tool_use_id] = call.without_input()
            if agent := string(used.get("agentId")):
                found += self._spawn(call, agent)
        return found

    def _spawn(self, call: Call, agent: str) -> list[Item]:
        if call.tool_use_id in self.state.spawned:
            return []
        self.state.spawned[call.tool_use_id] = None
        self.state.trim()
        return [Spawn(call.session_id, call.turn_uuid, agent)]

    def _progress(self, record: dict[str, Any]) -> list[Item]:
        """A sub-agent's message, copied into its parent's file; or something to pass over."""
        found = self._passed(record)
        data = mapping(record.get("data"))
        agent, message = string(data.get("agentId")), mapping(data.get("message"))
        kind = message.get("type")
        if not agent or agent in self._file.separate or kind not in _MESSAGES:
            return found
        if call := self.state.calls.get(string(record.get("parentToolUseID")) or ""):
            found += self._spawn(call, agent)
        outer = {key: record.get(key) for key in _OUTER}
        found += self._message({**outer, **message, "isSidechain": True, "agentId": agent})
        return found


def _parent(record: dict[str, Any]) -> str | None:
    return string(record.get("parentUuid")) or string(record.get("logicalParentUuid"))


def _branch(value: object) -> str | None:
    name = string(value)
    return None if name == "HEAD" else name
