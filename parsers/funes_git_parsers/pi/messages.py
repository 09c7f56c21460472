"""One message of pi as blocks. Pure functions; no state, no files.

A field of another type than pi writes counts as absent. Message types: earendil-works/pi,
`packages/coding-agent/docs/session-format.md` and `packages/ai/src/types.ts`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from funes_git_parsers import media, scaffold
from funes_git_parsers.base import Block
from funes_git_parsers.shell import printed_commits
from funes_git_parsers.values import compact, integer, is_blank, mapping, string

_EXIT = re.compile(r"Command exited with code (-?\d{1,9})\s*\Z")


def user(message: Mapping[str, Any], forced: str | None = None) -> list[Block]:
    """What was said to the agent; `forced` is the kind of scaffolding of what an extension said."""
    return [
        Block("text", text, scaffold=forced or scaffold.kind(text, "user"))
        for text in texts(message.get("content"))
    ]


def texts(content: object) -> list[str]:
    """The texts of a content that are not blank, pictures as their type and size."""
    return [text for part in media.parts(content) if (text := _text(part))]


def _text(part: Mapping[str, Any]) -> str | None:
    if part.get("type") == "image":
        return media.file(part.get("mimeType"), part.get("data"))
    text = string(part.get("text"))
    return media.elided(text) if text and not is_blank(text) else None


def assistant(message: Mapping[str, Any]) -> tuple[list[Block], list[dict[str, Any] | None]]:
    """What the model said, thought and called, and the error that ended it; and the arguments of
    each call, None for one that gives none by name."""
    found: list[Block] = []
    given: list[dict[str, Any] | None] = []
    for part in media.parts(message.get("content")):
        kind = part.get("type")
        if kind == "thinking":
            thought = string(part.get("thinking"))
            if thought and not is_blank(thought):
                found.append(Block("thinking", thought))
        elif kind == "toolCall":
            args = part.get("arguments")
            text = args if isinstance(args, str) else compact({} if args is None else args)
            name, call_id = string(part.get("name")), string(part.get("id"))
            found.append(Block("tool_use", text, name, call_id))
            given.append(args if isinstance(args, dict) else None)
        elif said := _text(part):
            found.append(Block("text", said))
    if message.get("stopReason") == "error" and (error := string(message.get("errorMessage"))):
        found.append(Block("text", error, is_error=True, scaffold=scaffold.API_ERROR))
    return found, given


def result(message: Mapping[str, Any], command: str | None) -> Block:
    """What a tool returned. `command` is what a shell was given."""
    text = "\n".join(texts(message.get("content")))
    failed = message.get("isError") is True
    return Block(  # by position: names take twice as long
        "tool_result",
        text,
        string(message.get("toolName")),
        string(message.get("toolCallId")),
        failed,
        None if command is None else _exit_code(message, text, failed),
        printed_commits(command, text) if command else (),
        scaffold.kind(text, "tool"),
    )


def _exit_code(message: Mapping[str, Any], text: str, failed: bool) -> int | None:
    told = integer(mapping(message.get("details")).get("exitCode"))
    if told is not None:
        return told
    if found := _EXIT.search(text, max(0, len(text) - 100)):
        return int(found[1])
    return None if failed else 0


def person_ran(message: Mapping[str, Any], call_id: str) -> list[Block]:
    """A shell command that the person ran from the prompt (`!cmd`), and its output."""
    command = string(message.get("command"))
    if command is None:
        return []
    code = integer(message.get("exitCode"))
    failed = message.get("cancelled") is True or bool(code)
    output = media.elided(string(message.get("output")) or "")
    commits = printed_commits(command, output)
    return [
        Block("tool_use", compact({"command": command}), "bash", call_id),
        Block("tool_result", output, "bash", call_id, failed, code, commits),
    ]
