"""The records of one pi session, in order, to turns, edits, retractions and sessions.

Opens no files. What pi's records are: earendil-works/pi, `packages/coding-agent/docs/
session-format.md`; what surprised is in parsers/README.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from funes_git_parsers import scaffold, tools
from funes_git_parsers.base import Block, Item, Retraction, Role, Session, Spawn, Turn
from funes_git_parsers.pi import edits, messages
from funes_git_parsers.tools import Call
from funes_git_parsers.tree import Tree
from funes_git_parsers.values import mapping, moment, string

_NAMED = re.compile(r"(?:.*[/\\])?(?:[^/\\]*_)?([^/\\_]+?)(?:\.jsonl[^/\\]*)?$", re.DOTALL)

MAX_CALLS = 256
"""So many calls may wait for their results."""


def session_of(path: str) -> str:
    """The session that a file name tells: `<time>_<id>.jsonl`, or `<id>.jsonl`."""
    found = _NAMED.match(path)
    return found[1] if found else path


class Reader:
    """Give it each record of a file once; it yields what the record brings."""

    def __init__(
        self,
        harness: str,
        fallback: str,
        remembered: Any = None,
        child: Callable[[str], str | None] = lambda name: None,
    ) -> None:
        """`fallback` names the session if no header does; `remembered` is what `plain` gave;
        `child` tells the session of a sub-agent that has a file of its own."""
        self._harness = harness
        self._session = fallback
        self._child = child
        self._is_told = False
        self._cwd: str | None = None
        self._seq = 0
        self._tree = Tree()
        self._calls: dict[str, Call] = {}
        if remembered is not None:
            self._revive(remembered)
        self._kinds: dict[str, Callable[[dict[str, Any]], Sequence[Item]]] = {
            "message": self._message,
            "custom_message": self._custom,
            "compaction": self._summary,
            "branch_summary": self._summary,
            "session_info": self._info,
            "title": self._info,
            "title_change": self._info,
        }
        self._roles: dict[str, Callable[[dict[str, Any], dict[str, Any]], Sequence[Item]]] = {
            "user": self._prompt,
            "assistant": self._answer,
            "toolResult": self._result,
            "bashExecution": lambda r, m: self._by_user(r, m, messages.person_ran(m, r["id"])),
            "custom": lambda r, m: self._by_user(r, m, messages.user(m, scaffold.HOOK)),
            "hookMessage": lambda r, m: self._by_user(r, m, messages.user(m, scaffold.HOOK)),
            "branchSummary": lambda r, m: self._by_user(r, m, _summary(m)),
            "compactionSummary": lambda r, m: self._by_user(r, m, _summary(m)),
        }

    def plain(self) -> Any:
        """What it must remember, as JSON values."""
        calls = [call.plain() for call in self._calls.values()]
        place = [self._session, self._is_told, self._cwd, self._seq]
        return [place, self._tree.plain(), calls]

    def _revive(self, remembered: Any) -> None:
        place, tree, calls = remembered
        self._session, self._is_told, self._cwd, self._seq = place
        self._tree = Tree.revived(tree)
        self._calls = {fields[0]: Call(*fields) for fields in calls}

    def finish(self) -> Iterator[Item]:
        """The turns of branches that were given up."""
        for turn in self._tree.taken_back():
            yield Retraction(self._session, turn)

    def record(self, record: dict[str, Any]) -> Sequence[Item]:
        """What one record brings. Unknown kinds bring nothing but their place in the tree."""
        kind = record.get("type")
        if kind == "session":
            return [self._header(record)]
        if not kind or not isinstance(kind, str):
            return ()
        self._seq += 1
        if self._is_told:
            return self._entry(kind, record)
        if kind == "title" and not string(record.get("title")):
            return ()  # it stands before the header, which names the session
        self._is_told = True
        return [Session(self._session, self._harness), *self._entry(kind, record)]

    def _entry(self, kind: str, record: dict[str, Any]) -> Sequence[Item]:
        tree = self._tree
        entry = record.get("id")
        if not entry or not isinstance(entry, str):
            entry = f"{self._session}-{self._seq}"
            record = {**record, "id": entry}
        if entry in tree.entries:
            return ()  # a copy
        tree.follow(string(record.get("parentId")) if "parentId" in record else tree.leaf)
        read = self._kinds.get(kind)
        found = read(record) if read else ()
        if found and isinstance(turn := found[0], Turn):
            tree.add(entry, turn.turn_uuid, turn.exchange)
        else:
            tree.add(entry, None, None)
        return found

    def _header(self, record: dict[str, Any]) -> Session:
        self._session = string(record.get("id")) or self._session
        self._cwd = string(record.get("cwd")) or self._cwd
        self._is_told = True
        parent = string(record.get("parentSession")) or string(record.get("branchedFrom"))
        version = record.get("version")
        return Session(
            self._session,
            self._harness,
            string(record.get("title")),
            session_of(parent) if parent else None,
            f"format {version if isinstance(version, int) else 1}",
        )

    # Kinds of record: what each brings, its turn first.

    def _info(self, record: dict[str, Any]) -> Sequence[Item]:
        name = string(record.get("name")) or string(record.get("title"))
        return [Session(self._session, self._harness, name)] if name else ()

    def _summary(self, record: dict[str, Any]) -> Sequence[Item]:
        return self._turn(record, mapping(record.get("message")), "user", _summary(record), None)

    def _custom(self, record: dict[str, Any]) -> Sequence[Item]:
        blocks = messages.user(record, scaffold.HOOK)
        return self._turn(record, mapping(record.get("message")), "user", blocks, None)

    def _message(self, record: dict[str, Any]) -> Sequence[Item]:
        message = mapping(record.get("message"))
        said_by = message.get("role")
        read = self._roles.get(said_by) if isinstance(said_by, str) else None
        return read(record, message) if read else ()

    # Messages, by who says them.

    def _by_user(
        self,
        record: dict[str, Any],
        message: dict[str, Any],
        blocks: list[Block],
        *,
        is_prompt: bool = False,
    ) -> Sequence[Item]:
        model = string(message.get("model"))
        return self._turn(record, message, "user", blocks, model, is_prompt=is_prompt)

    def _prompt(self, record: dict[str, Any], message: dict[str, Any]) -> Sequence[Item]:
        blocks = messages.user(message)
        is_prompt = any(b.scaffold is None for b in blocks)
        is_prompt = is_prompt and message.get("attribution") != "agent"  # oh-my-pi's, of a task
        return self._by_user(record, message, blocks, is_prompt=is_prompt)

    def _answer(self, record: dict[str, Any], message: dict[str, Any]) -> Sequence[Item]:
        blocks, given = messages.assistant(message)
        found = self._turn(record, message, "assistant", blocks, string(message.get("model")))
        if given:
            self._called(found[0], given)
        return found

    def _result(self, record: dict[str, Any], message: dict[str, Any]) -> Sequence[Item]:
        call = self._calls.pop(string(message.get("toolCallId")) or "", None)
        blocks = [messages.result(message, tools.command(call) if call else None)]
        found = self._turn(record, message, "tool", blocks, string(message.get("model")))
        return [*found, *self._ended(record["id"], call, message)] if call else found

    def _turn(
        self,
        record: dict[str, Any],
        message: dict[str, Any],
        role: Role,
        blocks: list[Block],
        model: str | None,
        *,
        is_prompt: bool = False,
    ) -> Sequence[Turn]:
        """The turn of a record, if anything is in it."""
        if not blocks:
            return ()
        above = self._tree.above
        uuid = record["id"]
        ts = moment(record.get("timestamp"))
        turn = Turn(  # by position: names take five times as long
            self._session,
            uuid,
            self._seq,
            moment(message.get("timestamp")) if ts is None else ts,
            role,
            self._harness,
            tuple(blocks),
            above.turn,
            uuid if is_prompt else above.exchange,
            string(message.get("responseId")),
            None,
            self._cwd,
            None,
            None,
            model,
            is_prompt,
        )
        return [turn]

    def _called(self, turn: Turn, given: list[dict[str, Any] | None]) -> None:
        calls = [block for block in turn.blocks if block.type == "tool_use"]
        for block, arguments in zip(calls, given, strict=True):
            if (name := block.tool) and (call_id := block.tool_use_id):
                where = (turn.turn_uuid, turn.ts, turn.workdir)
                self._calls[call_id] = Call(call_id, name, block.text, *where, arguments)
        while len(self._calls) > MAX_CALLS:
            del self._calls[next(iter(self._calls))]

    def _ended(self, entry: str, call: Call, message: dict[str, Any]) -> list[Item]:
        """What a call brought."""
        details = mapping(message.get("details"))
        found: list[Item] = []
        if message.get("isError") is not True and (done := edits.changes(call, details)):
            found += tools.edits(self._session, call, done)
        if "progress" in details or "results" in details:
            found += self._sub_agents(entry, call, details)
        return found

    def _sub_agents(self, entry: str, call: Call, details: dict[str, Any]) -> Iterator[Item]:
        started = (mapping(told).get("id") for told in _listed(details.get("progress")))
        for session in (self._child(name) for name in started if isinstance(name, str)):
            yield from [Spawn(self._session, call.turn_uuid, session)] if session else []
        for n, told in enumerate(_listed(details.get("results"))):
            said = mapping(told).get("messages")
            if isinstance(said, list):
                yield from self._sub_agent(call, f"{entry}:{n}", said)

    def _sub_agent(self, call: Call, thread: str, said: list[Any]) -> Iterator[Item]:
        """What a sub-agent did, which is written down in the result of its call alone."""
        child = Reader(self._harness, self._session)
        child._is_told, child._cwd = True, self._cwd
        started = False
        for n, message in enumerate(said):
            record = {"type": "message", "id": f"{thread}:{n}", "message": message}
            for item in child.record(record):
                if not started:
                    started = True
                    yield Spawn(self._session, call.turn_uuid, thread)
                if isinstance(item, Turn):
                    item = replace(item, thread=thread, seq=self._seq)
                    item = replace(item, exchange=None, is_prompt=False)
                yield item


def _listed(value: object) -> list[Any]:
    """A list, or none."""
    return value if isinstance(value, list) else []


def _summary(record: dict[str, Any]) -> list[Block]:
    text = string(record.get("summary"))
    return [Block("text", text, scaffold=scaffold.COMPACTION)] if text else []
