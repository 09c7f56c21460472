"""A session that is one plain row of messages: gives its turns their order, prompts and edits.

For formats without a tree of records. A call waits for its result; when the conversation goes on
without one, how the call ended is not known. A call that nothing follows yet says nothing, so that
a file which is still growing gives the same in two reads as in one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from funes_git_parsers import scaffold, tools
from funes_git_parsers.base import Block, Edit, Item, Role, Spawn, Turn
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.tools import Call, Change


@dataclass(frozen=True, slots=True)
class Message:
    """One message as the format has it. `ts` in seconds since the epoch; `from_person`: a user's
    message that is no scaffolding is a prompt."""

    turn_uuid: str
    role: Role
    blocks: tuple[Block, ...]
    ts: float | None = None
    model: str | None = None
    workdir: str | None = None
    from_person: bool = True
    branch: str | None = None
    head: str | None = None
    spawns: tuple[str, ...] = ()
    """The sessions that its calls started."""


Changes: TypeAlias = Callable[[Call, str], Iterable[Change] | None]
"""Tells what a call with this result wrote; None if only its arguments do."""


class Conversation:
    """One session, fed its messages in order."""

    def __init__(self, session_id: str, harness: str, changes: Changes | None = None) -> None:
        """`changes` tells what an answered call wrote, where more is known than its arguments."""
        self._session_id = session_id
        self._harness = harness
        self._changes = changes
        self._seq = 0
        self._parent: str | None = None
        self._exchange: str | None = None
        self._ts: float | None = None
        self._workdir: str | None = None
        self._calls: dict[str, Call] = {}

    def add(self, message: Message) -> Iterator[Item]:
        """The turn of a message, and the edits that it makes known."""
        self._ts = message.ts if message.ts is not None else self._ts
        self._workdir = message.workdir or self._workdir
        open_before = list(self._calls)
        found: list[Edit] = []
        blocks = tuple([self._block(message, n, found) for n in range(len(message.blocks))])
        if all(key in self._calls for key in open_before):  # it went on without their results
            for key in open_before:
                found += tools.edits(self._session_id, self._calls.pop(key))
        is_prompt = message.role == "user" and message.from_person and _is_typed(blocks)
        if is_prompt:
            self._exchange = message.turn_uuid
        yield Turn(
            session_id=self._session_id,
            turn_uuid=message.turn_uuid,
            seq=self._seq,
            ts=self._ts,
            role=message.role,
            harness=self._harness,
            blocks=blocks,
            parent_uuid=self._parent,
            exchange=self._exchange,
            workdir=self._workdir,
            branch=message.branch,
            head=message.head,
            model=message.model,
            is_prompt=is_prompt,
        )
        yield from found
        for child in message.spawns:
            yield Spawn(self._session_id, message.turn_uuid, child)
        self._seq += 1
        self._parent = message.turn_uuid

    def _block(self, message: Message, n: int, found: list[Edit]) -> Block:
        """A block of the message: a result with what its call tells of it. The edits of a call that
        is answered go to `found`."""
        block = message.blocks[n]
        if block.type == "tool_use" and block.tool:
            key = block.tool_use_id or f"{message.turn_uuid}-{n}"
            where = (message.turn_uuid, self._ts, self._workdir)
            self._calls[key] = Call(key, block.tool, block.text, *where)
            return replace(block, tool_use_id=key)
        call = self._calls.pop(self._key(block), None) if block.type == "tool_result" else None
        if call is None:
            return block
        failed = block.is_error if block.is_error is not None else tools.failed(block.text)
        if not failed:
            known = self._changes(call, block.text) if self._changes else None
            found += tools.edits(self._session_id, call, known)
        commits = block.commits or tools.commits(call, block.text)
        return replace(block, tool=call.tool, tool_use_id=call.tool_use_id, commits=commits)

    def _key(self, block: Block) -> str:
        """The call that a result answers: the one it names, or the oldest that is open."""
        return block.tool_use_id or next(iter(self._calls), "")


def _is_typed(blocks: Iterable[Block]) -> bool:
    return any(b.type == "text" and not b.scaffold and b.text.strip() for b in blocks)


def text_block(text: str, role: Role) -> Block:
    """A block of text, marked where the harness wrote it."""
    return Block("text", text, scaffold=scaffold.kind(text, role))
