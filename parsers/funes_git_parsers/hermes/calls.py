"""What Hermes' tools did: whether a call succeeded, what it wrote and what git printed.

Tools and their results: NousResearch/hermes-agent, `tools/file_tools.py`, `tools/terminal_tool.py`,
`tools/code_execution_tool.py`. Knows no rows and no sessions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from funes_git_parsers import patch, tools
from funes_git_parsers.base import Edit
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.hermes.program import writes_of_program
from funes_git_parsers.tools import Call, Change
from funes_git_parsers.values import integer, mapping, parsed, string

SHELL = "terminal"
DELEGATE = "delegate_task"
_MOVE = re.compile(r"^\*\*\* Move File: (.+?) -> (.+?)\s*$", re.MULTILINE)
_FAILED = re.compile(r"\s*(?:error\b|tool execution failed|\[error)", re.IGNORECASE)
_WRAPPED = re.compile(
    r"<untrusted_tool_result\b[^>]*>.*?\n\n(.*?)\s*(?:</untrusted_tool_result>|\Z)", re.S
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call gave back. `value` is its JSON, empty if it has none; `body` the text that a
    command printed or another program's tool returned."""

    value: Mapping[str, Any]
    body: str
    is_error: bool | None = None
    exit_code: int | None = None


def outcome(text: str) -> Outcome:
    """Read a result: most are a JSON object, some with a remark behind it; those of other programs'
    tools stand in a wrapper."""
    wrapped = _WRAPPED.match(text)
    inner = wrapped[1] if wrapped else text
    value = mapping(parsed(inner))
    code = integer(value.get("exit_code"))
    body = next((found for key in ("output", "result") if (found := string(value.get(key)))), None)
    return Outcome(value, body or ("" if value else inner), _failed(value, inner, code), code)


def _failed(value: Mapping[str, Any], text: str, code: int | None) -> bool | None:
    if not value:
        return True if _FAILED.match(text) else None
    if value.get("success") is False or value.get("error") or value.get("status") == "error":
        return True
    return code != 0 if code is not None else False


def edits(session_id: str, call: Call, out: Outcome) -> Iterator[Edit]:
    """The edits of a call that succeeded."""
    if out.is_error is not True:
        yield from tools.edits(session_id, call, _changes(call, out.value))


def _changes(call: Call, result: Mapping[str, Any]) -> Iterator[Change]:
    args = tools.arguments_of(call)
    if call.tool == "patch":
        yield from _patched(call, args, result)
    elif call.tool == "execute_code":
        yield from writes_of_program(string(args.get("code")) or "", call.cwd)
    elif call.tool in (SHELL, "write_file") or call.tool.startswith("mcp_"):
        yield from tools.asked(call)


def _patched(call: Call, args: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[Change]:
    if text := string(args.get("patch")):
        yield from tools.asked(call)
        for move in _MOVE.finditer(text):
            yield Change(move[2], "rename", old_path=move[1])
        return
    path = _path(args, result)
    old, new = args.get("old_string"), args.get("new_string")
    if not path or not isinstance(old, str) or not isinstance(new, str):
        return
    change = Change(path, "modify", old, new)
    if diff := string(result.get("diff")):
        # Hermes matches loosely: the diff has the lines as they really were
        yield replace(change, hunks=patch.hunks_of_unified(diff))
    elif not result:
        yield change  # the result is no longer there; one without a diff changed nothing


def _path(args: Mapping[str, Any], result: Mapping[str, Any]) -> str | None:
    """The file, as the result resolved it if it did."""
    modified = result.get("files_modified")
    only = modified[0] if isinstance(modified, list) and len(modified) == 1 else None
    return string(result.get("resolved_path")) or string(only) or string(args.get("path"))
