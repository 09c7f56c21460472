"""Makes turns and edits of the bubbles of one conversation of Cursor's editor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from funes_git_parsers import media, scaffold
from funes_git_parsers.base import Block, Item, Role, Session, Spawn
from funes_git_parsers.conversation import Conversation, Message, text_block
from funes_git_parsers.cursor.edits import changes
from funes_git_parsers.cursor.ide import Stored
from funes_git_parsers.revision import Entry, about
from funes_git_parsers.values import compact, integer, is_blank, mapping, moment, parsed, string

HARNESS: Final = "cursor"
_FAILED: Final = frozenset(("error", "cancelled", "rejected"))


def entries(stored: Stored) -> list[Entry]:
    """The conversation as entries: one for each turn, and the first for the session."""
    info = stored.info
    parent = string(mapping(info.get("subagentInfo")).get("parentComposerId"))
    title = string(info.get("name")) or string(info.get("chatTitle"))
    talk = Conversation(
        stored.session_id, HARNESS, lambda call, text: changes(call, text, stored.contents)
    )
    started = info.get("subComposerIds")
    children = (
        [each for each in started if isinstance(each, str)] if isinstance(started, list) else []
    )
    made = [about(Session(stored.session_id, HARNESS, title, parent))]
    for number, bubble in enumerate(stored.bubbles):
        for message in _messages(bubble, number, stored, typed=parent is None):
            items: list[Item] = list(talk.add(message))
            if children and _starts_agent(message):
                items.append(Spawn(stored.session_id, message.turn_uuid, children.pop(0)))
            made.append(Entry(message.turn_uuid, tuple(items)))
    return made


def _starts_agent(message: Message) -> bool:
    return any(b.type == "tool_use" and (b.tool or "").startswith("task") for b in message.blocks)


def _messages(
    bubble: Mapping[str, Any], number: int, stored: Stored, *, typed: bool
) -> Iterator[Message]:
    """A bubble as a message, and the result of its tool as another."""
    uuid = string(bubble.get("bubbleId")) or string(bubble.get("id")) or str(number)
    role: Role = "user" if bubble.get("type") in (1, "user") else "assistant"
    info, created = stored.info, moment(bubble.get("createdAt"))
    model = string(mapping(bubble.get("modelInfo")).get("modelName"))
    model = model or string(mapping(info.get("modelConfig")).get("modelName"))
    message = Message(
        uuid,
        role,
        tuple(_blocks(bubble, role)),
        created or moment(info.get("createdAt")),
        model if role == "assistant" else None,
        stored.workspace,
        typed,
        string(info.get("createdOnBranch")),
    )
    if message.blocks:
        yield message
    if result := _result(mapping(bubble.get("toolFormerData"))):
        name = f"{uuid}:result"
        yield replace(message, turn_uuid=name, role="tool", blocks=(result,), model=None)


def _blocks(bubble: Mapping[str, Any], role: Role) -> Iterator[Block]:
    thinking = bubble.get("thinking")
    thought = string(mapping(thinking).get("text")) or string(thinking)
    if thought and not is_blank(thought):
        yield Block("thinking", thought)
    text = string(bubble.get("text")) or string(bubble.get("rawText")) or ""
    if not is_blank(text):
        yield text_block(media.elided(text), role)
    tool = mapping(bubble.get("toolFormerData"))
    if name := string(tool.get("name")):
        yield Block("tool_use", _asked(tool), name, string(tool.get("toolCallId")))


def _asked(tool: Mapping[str, Any]) -> str:
    """The arguments as the model gave them, or as Cursor understood them."""
    raw = string(tool.get("rawArgs"))
    if raw and (isinstance(parsed(raw), dict) or not string(tool.get("params"))):
        return media.elided(raw)
    given = tool.get("params")
    return media.elided(given if isinstance(given, str) else compact(mapping(given)))


def _result(tool: Mapping[str, Any]) -> Block | None:
    """The result of a tool that has ended: what a command printed, or what Cursor keeps."""
    status, raw = string(tool.get("status")), tool.get("result")
    text = raw if isinstance(raw, str) else compact(raw) if raw else ""
    if status not in (*_FAILED, "completed") or not string(tool.get("name")):
        return None
    found = mapping(parsed(text))
    code = integer(found.get("exitCode"))
    code = integer(found.get("exitCodeV2")) if code is None else code
    refused = found.get("rejected") is True or tool.get("userDecision") == "rejected"
    failed = status in _FAILED or refused or bool(code)
    printed = found.get("output")
    shown = media.elided(printed if isinstance(printed, str) else text)
    call_id, mark = string(tool.get("toolCallId")), scaffold.kind(shown, "tool")
    return Block(
        "tool_result", shown, string(tool.get("name")), call_id, failed, code, scaffold=mark
    )
