"""Sessions as the Hugging Face Hub keeps them: the Session Trace Simple Format, and rows of an
agent-traces table.

The Simple Format (https://huggingface.co/docs/hub/session-traces-format) is a header line and one
message a line. A table has one session a row, its `messages` in a list; the Hub converts it to
Parquet, which whoever opens the file hands over as one JSON object a row. Messages are those of
OpenAI's chat API either way. They come without ids: a turn is named by its place among those with
something in them, as huggingface/funes does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from funes_git_parsers import harness, media, scaffold, whole
from funes_git_parsers.base import (
    Block,
    Capability,
    Item,
    Opener,
    Places,
    Role,
    Session,
    Skipped,
    Source,
)
from funes_git_parsers.base import whole as whole_file
from funes_git_parsers.conversation import Conversation, Message, text_block
from funes_git_parsers.jsonl import Records
from funes_git_parsers.values import clean, compact, folder, is_blank, mapping, seconds, string

NAME = "hub_traces"
LABEL = "Hub traces"
GLOBAL_UUIDS = False
READS: frozenset[Capability] = frozenset(("text", "thinking", "edits", "shell"))

_SUFFIXES = (".jsonl", ".parquet", ".json", ".ndjson", ".zst")
_HEADER = re.compile(rb'\s*\{(?=[^\n]*"type"\s*:\s*"session")(?=[^\n]*"harness"\s*:\s*")')
_ROW = re.compile(rb'\s*\{(?=[^\n]*"session_id"\s*:)(?=[^\n]*"messages"\s*:\s*[\["])')
_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:|"(?:[^"\\]|\\.)*"|[\[\]{}]')
_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "system": "user",
    "developer": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "toolResult": "tool",
}


def discover(places: Places) -> Iterator[Source]:
    """None: they are exports, and lie where people put them."""
    return iter(())


def folders(places: Places) -> list[Path]:
    """None."""
    return []


def claim(path: Path, head: bytes) -> bool:
    """Whether `head` begins with a header of the Simple Format or a row of a table."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    named = path.name.endswith(_SUFFIXES)
    return named and bool(_HEADER.match(head) or (_ROW.match(head) and _is_row(head)))


def _is_row(head: bytes) -> bool:
    """Whether the messages are the object's own: what a hook is given has a request inside."""
    depth = 0
    for token in _TOKEN.finditer(head):
        depth += (token[0] in b"{[") - (token[0] in b"}]")
        if depth == 1 and token[1] == b"messages":
            return True
        if depth == 0:
            return False
    return False


def sessions(path: Path) -> list[Source]:
    """The file, whether it holds one session or a table of many."""
    return [whole_file(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """What reading it finds."""
    return whole.roots_of(read(source, None, open_file))


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """All sessions of the file, if it changed."""
    return whole.of_records(source, cursor, open_file, _items)


def _items(records: Records) -> Iterator[Item]:
    current: _Trace | None = None
    for value in records:
        if isinstance(value, Skipped):
            yield value
            continue
        if value.get("type") == "session":
            current = _Trace(value)
            yield from current.session()
        elif "messages" in value:
            trace = _Trace(value)
            yield from trace.session()
            for message in _messages(value["messages"]):
                yield from trace.add(message)
        elif current is not None:
            yield from current.add(mapping(value.get("message")))


class _Trace:
    """One session: what its header or row says of it, and the turns so far."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        metadata = _object(about.get("metadata"))
        self._id = string(about.get("session_id")) or string(about.get("id")) or ""
        self._harness = harness.named(string(about.get("harness")) or "") or NAME
        self._title = string(about.get("name")) or string(about.get("title"))
        self._cwd = folder(about.get("cwd")) or folder(metadata.get("cwd"))
        self._ts = _time(about.get("sent_at")) or _time(about.get("timestamp"))
        self._turns = Conversation(self._id, self._harness)
        self._count = 0

    def session(self) -> Iterator[Item]:
        """What is known of it; nothing of one without an id, which nothing can be kept under."""
        if self._id:
            yield Session(self._id, self._harness, title=self._title)

    def add(self, message: Mapping[str, Any]) -> Iterator[Item]:
        """The turn of a message, if it has something in it."""
        name = string(message.get("role")) or ""
        role = _ROLES.get(name)
        blocks = tuple(_blocks(message, role, name)) if role else ()
        if role is None or not blocks or not self._id:
            return
        uuid = f"{self._id}-{self._count}"
        self._count += 1
        yield from self._turns.add(
            Message(
                uuid,
                role,
                blocks,
                _time(message.get("timestamp")) or self._ts,
                string(message.get("model")),
                self._cwd,
                name in ("user", "human"),
            )
        )


def _messages(value: object) -> Iterator[Mapping[str, Any]]:
    """The messages of a row: objects, or each as JSON text, or all in one JSON text."""
    if isinstance(value, str):
        value = _decoded(value)
    for one in value if isinstance(value, list) else ():
        yield mapping(_decoded(one) if isinstance(one, str) else one)


def _blocks(message: Mapping[str, Any], role: Role, name: str) -> Iterator[Block]:
    thought = message.get("reasoning_content") or message.get("reasoningContent")
    thought = thought or message.get("reasoning") or message.get("thinking")
    if isinstance(thought, str) and not is_blank(thought):
        yield Block("thinking", thought)
    if role == "tool":
        answers = string(message.get("tool_call_id")) or string(message.get("toolCallId"))
        text = media.result_text(message.get("content"))
        failed = message.get("isError", message.get("is_error"))
        is_error = failed if isinstance(failed, bool) else None
        mark = scaffold.kind(text, "tool")
        yield Block("tool_result", text, None, answers, is_error, scaffold=mark)
        return
    yield from _content(message.get("content"), role, name)
    calls = message.get("tool_calls", message.get("toolCalls"))
    for call in calls if isinstance(calls, list) else ():
        function = mapping(mapping(call).get("function")) or mapping(call)
        arguments = function.get("arguments", {})
        text = arguments if isinstance(arguments, str) else compact(arguments)
        yield Block("tool_use", text, string(function.get("name")), string(mapping(call).get("id")))


def _content(content: object, role: Role, name: str) -> Iterator[Block]:
    """The blocks of a text, or of a list of parts as Anthropic's or OpenAI's API has them."""
    for part in content if isinstance(content, list) else [content]:
        fields = mapping(part)
        kind = fields.get("type")
        text = part if isinstance(part, str) else fields.get("text")
        if kind == "tool_use":
            call = compact(fields.get("input", {}))
            yield Block("tool_use", call, string(fields.get("name")), string(fields.get("id")))
        elif kind == "tool_result":
            text = media.result_text(fields.get("content"))
            yield Block("tool_result", text, None, string(fields.get("tool_use_id")))
        elif kind == "thinking" and (thought := string(fields.get("thinking"))):
            yield Block("thinking", thought)
        elif isinstance(text, str) and not is_blank(text):
            block = text_block(media.elided(text), role)
            is_system = name in ("system", "developer")
            yield Block("text", block.text, scaffold=scaffold.ENVIRONMENT) if is_system else block
        elif "source" in fields or kind in ("image", "image_url"):
            yield Block("text", media.media(fields))


def _object(value: object) -> dict[str, Any]:
    return mapping(_decoded(value) if isinstance(value, str) else value)


def _decoded(text: str) -> object:
    try:
        return clean(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _time(value: object) -> float | None:
    """Milliseconds since the epoch, or an ISO time, in seconds."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000 if 0 < value < 1e14 else None
    return seconds(value)
