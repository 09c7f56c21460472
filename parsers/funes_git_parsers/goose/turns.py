"""Makes turns, edits and the rest of the messages of one Goose session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from funes_git_parsers import conversation, media, scaffold
from funes_git_parsers.base import Block, Item, Role, Session, Spawn
from funes_git_parsers.conversation import Conversation
from funes_git_parsers.goose.store import SUB_AGENT, About, Message, Stored
from funes_git_parsers.revision import Entry, about
from funes_git_parsers.values import compact, integer, is_blank, mapping, string

HARNESS: Final = "goose"
_NOTES: Final = ("systemNotification", "conversationCompacted", "summarizationRequested")


def entries(stored: Stored) -> list[Entry]:
    """The session as entries: one for each turn, and the first for the session."""
    found = stored.about
    session = Session(found.session_id, HARNESS, found.title, found.parent)
    talk = Conversation(found.session_id, HARNESS)
    spawns = _spawns(stored)
    made = [about(session)]
    for message in stored.messages:
        if turn := _turn(message, found):
            items: list[Item] = [*talk.add(turn), *spawns.get(message.uuid, ())]
            made.append(Entry(message.uuid, tuple(items)))
    return made


def _spawns(stored: Stored) -> dict[str, list[Spawn]]:
    """By message: the sessions that it shows to have been started. Results name them; where none
    does, a session that names this one was started by the last call before it."""
    session = stored.about.session_id
    found: dict[str, list[Spawn]] = {}
    calls: dict[str, str] = {}
    told: set[str] = set()
    for message in stored.messages:
        for part in message.parts:
            name = string(part.get("id")) or ""
            if part.get("type") == "toolRequest":
                calls[name] = message.uuid
            started = _started(part)
            if started and started not in told and name in calls:
                told.add(started)
                spawn = Spawn(session, calls[name], started)
                found.setdefault(message.uuid, []).append(spawn)
    callers = set(calls.values())
    for child in (child for child in stored.children if child.session_id not in told):
        before = [
            message.uuid
            for message in stored.messages
            if message.uuid in callers and (message.ts or 0) <= (child.created or message.ts or 0)
        ]
        if before:
            spawn = Spawn(session, before[-1], child.session_id)
            found.setdefault(before[-1], []).append(spawn)
    return found


def _started(part: Mapping[str, Any]) -> str | None:
    """The session that a call of `delegate` started, as its result and those of `load` say."""
    value = mapping(mapping(part.get("toolResult")).get("value"))
    return string(mapping(value.get("_meta")).get("subagent_session_id"))


def _turn(message: Message, session: About) -> conversation.Message | None:
    """A message as a turn; None if nothing is in it. Results of tools come in a user's message."""
    if message.role not in ("user", "assistant"):
        return None
    role: Role = "assistant" if message.role == "assistant" else "user"
    if role == "user" and any(part.get("type") == "toolResponse" for part in message.parts):
        role = "tool"
    blocks = tuple(block for part in message.parts for block in _blocks(part, role, message))
    if not blocks:
        return None
    return conversation.Message(
        message.uuid,
        role,
        blocks,
        message.ts,
        session.model if role == "assistant" else None,
        session.folder,
        from_person=session.kind != SUB_AGENT and session.parent is None,
    )


def _blocks(part: Mapping[str, Any], role: Role, message: Message) -> Iterator[Block]:
    kind = part.get("type")
    text = string(part.get("text")) or ""
    if kind in ("text", "reasoning") and not is_blank(text):
        shown = media.elided(text)
        mark = scaffold.kind(text, role) or _mark(text, role, message)
        yield (
            Block("thinking", text) if kind == "reasoning" else Block("text", shown, scaffold=mark)
        )
    elif kind == "thinking" and (thought := string(part.get("thinking"))):
        yield Block("thinking", thought)
    elif kind == "image":
        yield Block("text", media.file(part.get("mimeType"), part.get("data")))
    elif kind in ("toolRequest", "frontendToolRequest"):
        call = mapping(mapping(part.get("toolCall")).get("value"))
        asked = media.elided(compact(mapping(call.get("arguments"))))
        yield Block("tool_use", asked, string(call.get("name")), string(part.get("id")))
    elif kind == "toolResponse":
        yield _result(part)
    elif kind in _NOTES and (note := string(part.get("msg"))):
        yield Block("text", note, scaffold=scaffold.NOTIFICATION)


def _mark(text: str, role: Role, message: Message) -> str | None:
    """A message that only the agent is shown is a summary, or stands around one."""
    if not message.for_person:
        return scaffold.COMPACTION
    return scaffold.ENVIRONMENT if role == "user" and text.startswith("<info-msg>") else None


def _result(part: Mapping[str, Any]) -> Block:
    """A result: `{"status": "success", "value": …}`, whose value is a list of contents, or since
    1.15 or so an object with such a list; or `{"status": "error", "error": …}`."""
    result = mapping(part.get("toolResult"))
    value = result.get("value")
    fields = mapping(value)
    contents = fields.get("content") if fields else value
    text = "\n".join(_contents(contents)) or media.elided(string(result.get("error")) or "")
    code = integer(mapping(fields.get("structuredContent")).get("exit_code"))
    failed = result.get("status") == "error" or fields.get("isError") is True or bool(code)
    mark = scaffold.kind(text, "tool")
    call_id = string(part.get("id"))
    return Block("tool_result", text, None, call_id, failed, code, scaffold=mark)


def _contents(contents: object) -> Iterator[str]:
    """The texts that are meant for the agent; the others repeat them for the person."""
    for content in (mapping(each) for each in (contents if isinstance(contents, list) else ())):
        audience = mapping(content.get("annotations")).get("audience")
        if isinstance(audience, list) and "assistant" not in audience:
            continue
        if text := string(content.get("text")):
            yield media.elided(text)
        elif content.get("type") == "image":
            yield media.file(content.get("mimeType"), content.get("data"))
        elif resource := mapping(content.get("resource")):
            yield media.elided(string(resource.get("text")) or string(resource.get("uri")) or "")
