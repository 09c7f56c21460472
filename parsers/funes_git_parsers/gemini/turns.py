"""The messages of a Gemini CLI session as turns, edits and sub-agent starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from funes_git_parsers import scaffold, tools
from funes_git_parsers.base import Block, Item, Retraction, Role, Spawn, Turn
from funes_git_parsers.gemini import parts as of_parts
from funes_git_parsers.gemini.history import History
from funes_git_parsers.revision import Entry
from funes_git_parsers.tools import Call
from funes_git_parsers.values import mapping, seconds, string


class Turns:
    """Makes the entries of one session."""

    def __init__(
        self, harness: str, session_id: str, folder: str | None, *, is_agent: bool = False
    ) -> None:
        self._harness = harness
        self._session = session_id
        self._folder = folder
        self._is_agent = is_agent
        self._seq = 0
        self._parent: str | None = None
        self._exchange: str | None = None
        self._answered: set[str] = set()

    def of(self, history: History) -> Iterator[Entry]:
        """Every turn with what belongs to it; the turns taken back with their retraction."""
        for name, message in history.messages.items():
            is_gone = name in history.gone
            before = self._parent, self._exchange
            for turn, items in self._message(name, message):
                taken_back = [Retraction(self._session, turn.turn_uuid)] if is_gone else []
                yield Entry(turn.turn_uuid, (turn, *items, *taken_back))
            if is_gone:
                self._parent, self._exchange = before

    def _message(
        self, name: str, message: dict[str, Any]
    ) -> Iterator[tuple[Turn, tuple[Item, ...]]]:
        match message.get("type"):
            case "user":
                yield from self._user(name, message)
            case "gemini":
                yield from self._model(name, message)
            case "error":
                text = string(message.get("content"))
                blocks = [Block("text", text, scaffold=scaffold.API_ERROR)] if text else []
                yield from self._plain(name, message, "assistant", blocks)

    def _user(self, name: str, message: dict[str, Any]) -> Iterator[tuple[Turn, tuple[Item, ...]]]:
        content = message.get("content")
        if results := of_parts.responses(content):
            new = [r for r in results if string(r.get("id")) not in self._answered]
            blocks = [_result(response) for response in new]
            yield from self._plain(name, message, "tool", blocks)
            return
        yield from self._plain(name, message, "user", list(of_parts.said(content)))

    def _model(self, name: str, message: dict[str, Any]) -> Iterator[tuple[Turn, tuple[Item, ...]]]:
        listed = message.get("toolCalls")
        calls = [c for c in listed if isinstance(c, dict)] if isinstance(listed, list) else []
        blocks = [*_thoughts(message), *of_parts.answered(message.get("content"))]
        blocks += [of_parts.called(call, "args") for call in calls]
        turn = self._turn(name, message, "assistant", blocks)
        if turn is None:
            return
        results: list[Block] = []
        items: list[Item] = []
        for call, block in zip(calls, blocks[len(blocks) - len(calls) :], strict=True):
            result, brought = self._call(turn, call, block)
            results += result
            items += brought
        yield turn, tuple(items)
        ended = {"timestamp": calls[-1].get("timestamp") if calls else None}
        yield from self._plain(f"{name}:results", ended, "tool", results)

    def _call(
        self, turn: Turn, call: dict[str, Any], block: Block
    ) -> tuple[list[Block], list[Item]]:
        """The result of one call, and what it brought."""
        at = seconds(call.get("timestamp"))
        asked = Call(
            block.tool_use_id or "",
            block.tool or "",
            block.text,
            turn.turn_uuid,
            turn.ts if turn.ts is not None else at,
            self._folder,
        )
        agent = string(call.get("agentId"))
        items: list[Item] = [Spawn(self._session, turn.turn_uuid, agent)] if agent else []
        content = call.get("result")
        if not content and call.get("status") not in ("error", "cancelled"):
            return [], items  # it still runs
        self._answered.add(asked.tool_use_id)
        command = tools.command(asked)
        done = of_parts.outcome(content, block.tool, call.get("status"), is_shell=bool(command))
        if not done.is_error and block.tool:
            changes = of_parts.changes(asked, call.get("resultDisplay"))
            items += tools.edits(self._session, asked, changes)
        shown = call.get("resultDisplay")
        commits = tools.commits(asked, of_parts.printed(done, shown)) if command else ()
        return [_result_block(done, block, commits)], items

    def _plain(
        self, name: str, message: dict[str, Any], role: Role, blocks: list[Block]
    ) -> Iterator[tuple[Turn, tuple[Item, ...]]]:
        turn = self._turn(name, message, role, blocks)
        if turn is not None:
            yield turn, ()

    def _turn(
        self, name: str, message: dict[str, Any], role: Role, blocks: list[Block]
    ) -> Turn | None:
        if not blocks:
            return None
        typed = any(block.scaffold is None for block in blocks)
        is_prompt = role == "user" and typed and not self._is_agent
        self._exchange = name if is_prompt else self._exchange
        turn = Turn(  # by position: names take five times as long
            self._session,
            name,
            self._seq,
            seconds(message.get("timestamp")),
            role,
            self._harness,
            tuple(blocks),
            self._parent,
            self._exchange,
            None,
            None,
            self._folder,
            None,
            None,
            string(message.get("model")) if role == "assistant" else None,
            is_prompt,
        )
        self._seq += 1
        self._parent = name
        return turn


def _thoughts(message: dict[str, Any]) -> Iterator[Block]:
    listed = message.get("thoughts")
    for thought in listed if isinstance(listed, list) else ():
        told = (string(mapping(thought).get(key)) for key in ("subject", "description"))
        if text := "\n".join(part for part in told if part):
            yield Block("thinking", text)


def _result(response: dict[str, Any]) -> Block:
    """A result that no call is known for."""
    name = string(response.get("name"))
    done = of_parts.outcome([{"functionResponse": response}], name, None, is_shell=False)
    return Block("tool_result", done.text, name, string(response.get("id")), done.is_error)


def _result_block(done: of_parts.Outcome, call: Block, commits: Any) -> Block:
    mark = scaffold.kind(done.text, "tool")
    made = (call.tool, call.tool_use_id, done.is_error, done.exit_code, commits, mark)
    return Block("tool_result", done.text, *made)
