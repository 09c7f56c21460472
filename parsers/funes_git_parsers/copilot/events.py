"""Single events of Copilot CLI as blocks and changes. Pure functions; no state, no files.

Event types: github/copilot-sdk `nodejs/src/generated/session-events.ts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from funes_git_parsers import media, patch, scaffold, tools
from funes_git_parsers.base import Block, Hunk
from funes_git_parsers.tools import Call, Change
from funes_git_parsers.values import compact, integer, is_blank, mapping, string

_EXIT = re.compile(r"<(?:shellId: \S+ )?(?:completed|exited) with exit code (-?\d{1,9})>\s*\Z")


def said(data: Mapping[str, Any], thread: str | None) -> Iterator[Block]:
    """What was said to the agent, or to the sub-agent `thread`, with the names of what was
    attached."""
    forced = _forced(data, thread)
    text = string(data.get("content"))
    if text and not is_blank(text):
        mark = scaffold.kind(text, "user") or forced
        yield Block("text", media.elided(text), scaffold=mark)
    attached = data.get("attachments")
    for each in attached if isinstance(attached, list) else ():
        if name := _attachment(mapping(each)):
            yield Block("text", name, scaffold=forced)


def _forced(data: Mapping[str, Any], thread: str | None) -> str | None:
    """The scaffolding that a message's origin tells of: a skill's text, another agent, the harness
    that goes on by itself. What another agent says to a sub-agent is its task."""
    source = string(data.get("source"))
    if source and source.startswith("skill"):
        return scaffold.COMMAND
    if thread and source and source.startswith("agent-"):
        return None
    by_itself = data.get("isAutopilotContinuation") is True
    return scaffold.NOTIFICATION if by_itself or source not in (None, "user") else None


def _attachment(told: Mapping[str, Any]) -> str | None:
    if told.get("type") == "blob":
        return media.file(told.get("mimeType"), told.get("data"))
    name = next((v for key in ("path", "filePath", "url") if (v := string(told.get(key)))), None)
    return f"[{told.get('type')} {name}]" if name and string(told.get("type")) else None


def answered(data: Mapping[str, Any]) -> Iterator[Block]:
    """What the model thought, said and called."""
    thought = string(data.get("reasoningText"))
    if thought and not is_blank(thought):
        yield Block("thinking", thought)
    text = string(data.get("content"))
    if text and not is_blank(text):
        yield Block("text", media.elided(text), scaffold=scaffold.kind(text, "assistant"))
    requests = data.get("toolRequests")
    for each in requests if isinstance(requests, list) else ():
        yield called(mapping(each))


def called(told: Mapping[str, Any]) -> Block:
    """A call, of a message's list or of the event that it starts."""
    args = told.get("arguments")
    text = args if isinstance(args, str) else compact({} if args is None else args)
    name = string(told.get("name")) or string(told.get("toolName"))
    return Block("tool_use", text, name, string(told.get("toolCallId")))


def result(data: Mapping[str, Any], call: Call | None) -> Block:
    """What came of a call."""
    told = mapping(data.get("result"))
    said = string(told.get("content")) or string(mapping(data.get("error")).get("message"))
    text = "\n".join([*([media.elided(said)] if said else []), *_pictures(told)])
    line = tools.command(call) if call else None
    code = _exit_code(data, text) if line is not None else None
    failed = data.get("success") is False or bool(code)
    commits = tools.commits(call, text) if call else ()
    name = call.tool if call else string(mapping(data.get("toolDescription")).get("name"))
    call_id = string(data.get("toolCallId"))
    mark = scaffold.kind(text, "tool")
    return Block("tool_result", text, name, call_id, failed, code, commits, mark)


def _pictures(told: Mapping[str, Any]) -> Iterator[str]:
    found = told.get("binaryResultsForLlm")
    for each in found if isinstance(found, list) else ():
        yield media.file(mapping(each).get("mimeType"), mapping(each).get("data"))


def _exit_code(data: Mapping[str, Any], text: str) -> int | None:
    told = integer(mapping(data.get("shellExecution")).get("exitCode"))
    if told is not None:
        return told
    found = _EXIT.search(text, max(0, len(text) - 200))
    return int(found[1]) if found else None


def changes(call: Call, data: Mapping[str, Any]) -> list[Change]:
    """What a call that succeeded wrote: where one text was replaced, with the lines of the diff
    that is shown of it."""
    asked = tools.asked(call)
    shown = string(mapping(data.get("result")).get("detailedContent"))
    if len(asked) != 1 or asked[0].operation != "modify" or asked[0].hunks or not shown:
        return asked
    return [replace(asked[0], hunks=_hunks(shown))] if tools.command(call) is None else asked


def _hunks(diff: str) -> tuple[Hunk, ...]:
    """The hunks of a diff, which takes the end of the file for an empty line."""
    found = []
    for hunk in patch.hunks_of_unified(diff):
        lines = hunk.lines[:-1] if hunk.lines[-1] == " " else hunk.lines
        found.append(replace(hunk, lines=lines))
    return tuple(hunk for hunk in found if any(line[:1] != " " for line in hunk.lines))
