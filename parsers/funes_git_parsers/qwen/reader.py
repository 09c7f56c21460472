"""The records of one Qwen Code file, in order, to turns, edits, retractions and sub-agent starts.

Opens no files. Records: QwenLM/qwen-code `packages/core/src/services/chatRecordingService.ts` and
`packages/core/src/agents/agent-transcript.ts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from funes_git_parsers import scaffold, tools
from funes_git_parsers.base import Block, Item, Retraction, Role, Session, Spawn, Turn
from funes_git_parsers.gemini import parts as of_parts
from funes_git_parsers.tools import Call
from funes_git_parsers.tree import Tree
from funes_git_parsers.values import mapping, seconds, string

HARNESS: Final = "qwen"
MAX_CALLS: Final = 256
"""So many calls may wait for their results."""
_STARTED = re.compile(r"^agentId: ([\w-]+)", re.MULTILINE)
_BRANCH_OF_NONE = "HEAD"


class Reader:
    """Give it each record of a file once; it yields what the record brings."""

    def __init__(self, fallback: str, remembered: Any = None) -> None:
        """`fallback` names the session if no record does; `remembered` is what `plain` gave."""
        self._session = fallback
        self._told: list[str | None] = [None, None]
        self._seq = 0
        self._tree = Tree()
        self._calls: dict[str, Call] = {}
        if remembered is not None:
            (self._session, self._told, self._seq), tree, calls = remembered
            self._tree = Tree.revived(tree)
            self._calls = {fields[0]: Call(*fields) for fields in calls}
        self._kinds: dict[str, Callable[[dict[str, Any]], Iterator[Item]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "tool_result": self._result,
            "system": self._system,
        }

    def plain(self) -> Any:
        """What it must remember, as JSON values."""
        calls = [call.plain() for call in self._calls.values()]
        return [[self._session, self._told, self._seq], self._tree.plain(), calls]

    def finish(self) -> Iterator[Item]:
        """The turns that were taken back by a rewind."""
        for turn in self._tree.taken_back():
            yield Retraction(self._session, turn)

    def record(self, record: dict[str, Any]) -> Iterator[Item]:
        """What one record brings. Unknown kinds bring nothing but their place in the chain."""
        uuid, kind = string(record.get("uuid")), string(record.get("type"))
        if kind is None or (uuid and uuid in self._tree.entries):
            return  # not a record, or a copy
        self._seq += 1
        uuid = uuid or f"{self._session}-{self._seq}"
        yield from self._about(record)
        self._tree.follow(
            string(record.get("parentUuid")) if "parentUuid" in record else self._tree.leaf
        )
        read = self._kinds.get(kind)
        found = list(read({**record, "uuid": uuid})) if read else []
        turn = next((item for item in found if isinstance(item, Turn)), None)
        self._tree.add(uuid, turn.turn_uuid if turn else None, turn.exchange if turn else None)
        yield from found

    def _about(self, record: dict[str, Any]) -> Iterator[Session]:
        session = string(record.get("sessionId")) or self._session
        version = string(record.get("version")) or self._told[1]
        if [session, version] != self._told:
            self._session, self._told = session, [session, version]
            parent = string(mapping(record.get("forkedFrom")).get("sessionId"))
            yield Session(session, HARNESS, None, parent, version)

    def _system(self, record: dict[str, Any]) -> Iterator[Item]:
        told = mapping(record.get("systemPayload"))
        title = string(told.get("customTitle"))
        if record.get("subtype") == "custom_title" and title:
            yield Session(self._session, HARNESS, title)

    def _user(self, record: dict[str, Any]) -> Iterator[Item]:
        blocks = list(of_parts.said(_content(record)))
        if record.get("subtype") in ("notification", "cron") or record.get("externalInputKind"):
            mark = scaffold.NOTIFICATION
            blocks = [Block(b.type, b.text, scaffold=b.scaffold or mark) for b in blocks]
        yield from self._turn(record, "user", blocks)

    def _assistant(self, record: dict[str, Any]) -> Iterator[Item]:
        blocks = list(of_parts.answered(_content(record)))
        for turn in self._turn(record, "assistant", blocks):
            for block in blocks:
                if block.type == "tool_use" and block.tool and block.tool_use_id:
                    where = (turn.turn_uuid, turn.ts, turn.workdir)
                    call = Call(block.tool_use_id, block.tool, block.text, *where)
                    self._calls[call.tool_use_id] = call
            yield turn
        while len(self._calls) > MAX_CALLS:
            del self._calls[next(iter(self._calls))]

    def _result(self, record: dict[str, Any]) -> Iterator[Item]:
        content = _content(record)
        told = mapping(record.get("toolCallResult"))
        named = [string(response.get("id")) for response in of_parts.responses(content)]
        call_id = string(told.get("callId")) or next(iter(named), None)
        call = self._calls.pop(call_id or "", None)
        tools_named = (string(each.get("name")) for each in of_parts.responses(content))
        tool = call.tool if call else next(tools_named, None)
        command = tools.command(call) if call else None
        done = of_parts.outcome(content, tool, told.get("status"), is_shell=bool(command))
        shown = told.get("resultDisplay")
        commits = tools.commits(call, of_parts.printed(done, shown)) if call else ()
        mark = scaffold.kind(done.text, "tool")
        ended = (done.is_error, done.exit_code, commits, mark)
        block = Block("tool_result", done.text, tool, call_id, *ended)
        yield from self._turn(record, "tool", [block])
        if call and not done.is_error:
            yield from tools.edits(self._session, call, of_parts.changes(call, shown))
        if call and call.tool in ("agent", "task"):
            if started := _STARTED.search(done.text):
                yield Spawn(self._session, call.turn_uuid, started[1])
            else:
                yield from self._in_foreground(record, call, mapping(shown))

    def _in_foreground(
        self, record: dict[str, Any], call: Call, shown: dict[str, Any]
    ) -> Iterator[Item]:
        """What a sub-agent without a file of its own did: its task and its calls are in what is
        shown of the result, and nowhere else."""
        thread = record["uuid"]
        inner = {**record, "isSidechain": True, "agentId": thread}
        task = [Block("text", text)] if (text := string(shown.get("taskPrompt"))) else []
        for turn in self._turn({**inner, "uuid": f"{thread}:task"}, "user", task):
            yield Spawn(self._session, call.turn_uuid, thread)
            yield replace(turn, parent_uuid=None, exchange=None)
        listed = shown.get("toolCalls")
        told = [c for c in listed if isinstance(c, dict)] if isinstance(listed, list) else []
        blocks = [of_parts.called({**each, "id": each.get("callId")}, "args") for each in told]
        for turn in self._turn({**inner, "uuid": f"{thread}:calls"}, "assistant", blocks):
            yield replace(turn, parent_uuid=f"{thread}:task" if task else None, exchange=None)
            for each, block in zip(told, blocks, strict=True):
                if each.get("status") == "success" and block.tool and block.tool_use_id:
                    where = (turn.turn_uuid, turn.ts, turn.workdir)
                    made = Call(block.tool_use_id, block.tool, block.text, *where)
                    changes = of_parts.changes(made, each.get("resultDisplay"))
                    yield from tools.edits(self._session, made, changes)

    def _turn(self, record: dict[str, Any], role: Role, blocks: list[Block]) -> Iterator[Turn]:
        if not blocks:
            return
        above = self._tree.above
        uuid = record["uuid"]
        thread = string(record.get("agentId")) if record.get("isSidechain") is True else None
        typed = any(block.scaffold is None for block in blocks)
        is_prompt = role == "user" and typed and thread is None
        branch = string(record.get("gitBranch"))
        yield Turn(
            session_id=self._session,
            turn_uuid=uuid,
            seq=self._seq,
            ts=seconds(record.get("timestamp")),
            role=role,
            harness=HARNESS,
            blocks=tuple(blocks),
            parent_uuid=above.turn,
            exchange=uuid if is_prompt else above.exchange,
            thread=thread,
            workdir=string(record.get("cwd")),
            branch=None if branch == _BRANCH_OF_NONE else branch,
            model=string(record.get("model")) if role == "assistant" else None,
            is_prompt=is_prompt,
        )


def _content(record: dict[str, Any]) -> object:
    message = mapping(record.get("message"))
    return message.get("parts", message.get("content"))
