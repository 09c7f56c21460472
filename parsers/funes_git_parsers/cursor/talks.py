"""Makes turns and edits of one conversation of Cursor's command-line agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from funes_git_parsers import media, scaffold
from funes_git_parsers.base import Block, Role, Session
from funes_git_parsers.conversation import Conversation, Message, text_block
from funes_git_parsers.cursor.agent import Talk, shown_input
from funes_git_parsers.cursor.bubbles import HARNESS
from funes_git_parsers.cursor.edits import changes
from funes_git_parsers.revision import Entry, about
from funes_git_parsers.values import compact, is_blank, string

_CALLS = ("tool_use", "tool-call")
_RESULTS = ("tool_result", "tool-result")


def entries(talk: Talk) -> list[Entry]:
    """The conversation as entries: one for each turn, and the first for the session."""
    made = [about(Session(talk.session_id, HARNESS, talk.title, talk.parent))]
    conversation = Conversation(talk.session_id, HARNESS, partial(changes, contents={}))
    for number, (role, parts) in enumerate(talk.messages):
        blocks = tuple(block for part in parts for block in _blocks(part, _role(role, parts)))
        if role == "system" or not blocks:
            continue
        message = Message(
            f"{talk.session_id}-{number}",
            _role(role, parts),
            blocks,
            talk.created,
            talk.model if role == "assistant" else None,
            talk.workspace,
            from_person=talk.parent is None,
        )
        made.append(Entry(message.turn_uuid, tuple(conversation.add(message))))
    return made


def _role(role: str, parts: list[Mapping[str, Any]]) -> Role:
    if role == "assistant":
        return "assistant"
    has_results = any(part.get("type") in _RESULTS for part in parts)
    return "tool" if role == "tool" or has_results else "user"


def _blocks(part: Mapping[str, Any], role: Role) -> Iterator[Block]:
    kind = part.get("type")
    if kind in _CALLS:
        asked = shown_input(part.get("input", part.get("args")))
        name = string(part.get("name")) or string(part.get("toolName"))
        yield Block("tool_use", media.elided(asked), name, _call_id(part))
    elif kind in _RESULTS:
        value = part.get("result", part.get("content"))
        text = value if isinstance(value, str) else media.result_text(value) or compact(value)
        name = string(part.get("name")) or string(part.get("toolName"))
        mark = scaffold.kind(text, "tool")
        failed = True if part.get("isError") is True else None
        shown = media.elided(text)
        yield Block("tool_result", shown, name, _call_id(part), failed, scaffold=mark)
    elif kind in ("thinking", "reasoning"):
        if thought := string(part.get("thinking")) or string(part.get("text")):
            yield Block("thinking", thought)
    elif (text := string(part.get("text")) or "") and not is_blank(text):
        yield text_block(media.elided(text), role)


def _call_id(part: Mapping[str, Any]) -> str | None:
    return (
        string(part.get("id")) or string(part.get("toolCallId")) or string(part.get("tool_use_id"))
    )
