"""One message of Factory Droid as blocks, and what a call wrote. Pure functions.

Droid stores Anthropic's messages. What it adds is named as in its own program (npm `droid`, the
schemas of `session_start`, `message` and of tool results).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from funes_git_parsers import media, scaffold, tools
from funes_git_parsers.base import Block, Hunk
from funes_git_parsers.tools import Call, Change
from funes_git_parsers.values import compact, integer, is_blank, mapping, parsed, string

_EXIT = re.compile(
    r"(?:\[Process exited with code (-?\d{1,9})\]|Command failed \(exit code: (-?\d{1,9})\))\s*\Z"
)
_SIGNS = {"added": "+", "removed": "-", "unchanged": " ", "context": " "}


def parts(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parts of a message, plain text as one part."""
    content = message.get("content")
    found = content if isinstance(content, list) else [content]
    return [
        part if isinstance(part, dict) else {"type": "text", "text": part}
        for part in found
        if isinstance(part, (dict, str))
    ]


def forced(message: Mapping[str, Any]) -> str | None:
    """The scaffolding that a message's flags tell of: what hooks said, what only the model sees."""
    if string(message.get("hookEventName")):
        return scaffold.HOOK
    return scaffold.REMINDER if message.get("visibility") == "llm_only" else None


def block(part: Mapping[str, Any], role: str, mark: str | None) -> Block | None:
    """The block of a part that is no tool result."""
    kind = part.get("type")
    if kind == "tool_use":
        args = part.get("input")
        text = args if isinstance(args, str) else compact({} if args is None else args)
        return Block("tool_use", text, string(part.get("name")), string(part.get("id")))
    if kind == "thinking":
        thought = string(part.get("thinking"))
        return Block("thinking", thought) if thought and not is_blank(thought) else None
    text = string(part.get("text")) or ""
    if "source" in part:
        return Block("text", media.media(dict(part)), scaffold=mark)
    found = scaffold.kind(text, role) or mark
    return None if is_blank(text) else Block("text", media.elided(text), scaffold=found)


def result(part: Mapping[str, Any], call: Call | None) -> Block:
    """The block of a tool result."""
    text = media.result_text(part.get("content"))
    failed = part.get("is_error") is True or part.get("isError") is True
    code: int | None = None
    if call and tools.command(call) is not None:
        found = _EXIT.search(text, max(0, len(text) - 200))
        code = int(found[1] or found[2]) if found else None if failed else 0
    return Block(
        "tool_result",
        text,
        call.tool if call else None,
        string(part.get("tool_use_id")),
        failed or bool(code),
        code,
        tools.commits(call, text) if call else (),
        scaffold.kind(text, "tool"),
    )


def changes(call: Call, text: str) -> list[Change]:
    """What a call that succeeded wrote, with the lines that its result shows."""
    asked = tools.asked(call)
    hunks = tuple(_hunks(mapping(parsed(text)).get("diffLines"))) if text[:1] == "{" else ()
    if not hunks or not asked or any(one.operation != "modify" for one in asked):
        return asked
    if len(asked) > 1:
        return [Change(asked[0].path, "modify", hunks=hunks)]
    return [replace(asked[0], hunks=hunks)]


def _hunks(listed: object) -> Iterator[Hunk]:
    """The hunks of a list of lines, each with its kind and its numbers in the two files."""
    lines: list[str] = []
    start = (1, 1)
    old = new = shift = 0
    for each in listed if isinstance(listed, list) else ():
        told = mapping(each)
        sign, content = _SIGNS.get(str(told.get("type"))), told.get("content")
        numbers = mapping(told.get("lineNumber"))
        was, now = integer(numbers.get("old")), integer(numbers.get("new"))
        at = now if sign == "+" else was
        if sign is None or at is None or not isinstance(content, str):
            return
        if at != (new if sign == "+" else old):
            yield from _hunk(start, lines)
            old, new = (at - shift, at) if sign == "+" else (at, at + shift)
            lines, start = [], (old, new)
        lines.append(sign + content)
        old, new = old + (sign != "+"), new + (sign != "-")
        shift = new - old
    yield from _hunk(start, lines)


def _hunk(start: tuple[int, int], lines: list[str]) -> Iterator[Hunk]:
    if any(line[0] != " " for line in lines):
        yield Hunk(*start, tuple(lines))
