"""One record of Claude Code as plain fields and blocks. Pure functions; no state, no files.

Every function takes whatever JSON a file may hold: a field of another type counts as absent.
"""

from __future__ import annotations

import json
import re
from hashlib import sha1
from typing import Any, Final

from funes_git_parsers import media, scaffold
from funes_git_parsers.base import Block, PrintedCommit
from funes_git_parsers.media import elided, result_text
from funes_git_parsers.shell import printed_commits
from funes_git_parsers.values import compact, mapping, string

_EXIT_CODE = re.compile(r"\s*(?:Error: )?Exit code (\d{1,3})\b")
_IGNORED = (
    *("file-history-", "api-request", "last-prompt", "permission-mode", "pr-link"),
    *("bridge-session", "tools-used", "atis-latch", "cost-state"),
)
TOOL_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
"""The types of the parts of a message that call a tool."""
_VERBS: Final = {"committed": "commit", "amended": "amend", "cherry-picked": "cherry-pick"}


def derived_uuid(record: dict[str, Any]) -> str:
    """A name for a record without uuid: the same whenever the same record is read."""
    body = json.dumps(record, sort_keys=True)
    return sha1(body.encode(), usedforsecurity=False).hexdigest()[:32]


def is_ignored(kind: str) -> bool:
    """Whether records of a kind have no place in the chain."""
    return kind.startswith(_IGNORED) or kind == "mode"


def is_unused(record: dict[str, Any], separate: frozenset[str]) -> bool:
    """Whether a progress or an attachment brings nothing but its place in the chain. `separate` are
    the sub-agents with files of their own, whose copies in the parent's file are not needed."""
    if record["type"] == "attachment":
        return mapping(record.get("attachment")).get("type") != "queued_command"
    data = mapping(record.get("data"))
    return "message" not in data or string(data.get("agentId")) in separate


def content(message: object) -> list[dict[str, Any]]:
    """The parts of a message, plain text as one part of type `text`."""
    return media.parts(mapping(message).get("content"))


def text_of(parts: list[dict[str, Any]]) -> str:
    """The texts of parts as a person typed them."""
    return "\n".join(t for part in parts if isinstance(t := part.get("text"), str))


def assistant_blocks(parts: list[dict[str, Any]], is_error: bool) -> list[Block]:
    """The blocks of an assistant's message. `is_error` says that the harness wrote it itself."""
    found: list[Block] = []
    for part in parts:
        kind = part.get("type")
        if kind in TOOL_CALLS:
            name, call_id = string(part.get("name")), string(part.get("id"))
            found.append(Block("tool_use", _input(part.get("input")), name, call_id))
        elif kind == "thinking" and (text := string(part.get("thinking"))):
            found.append(Block("thinking", text))
        elif kind == "text" and (text := string(part.get("text"))):
            mark = scaffold.API_ERROR if is_error else scaffold.kind(text, "assistant")
            found.append(Block("text", elided(text), None, None, None, None, (), mark))
        elif isinstance(kind, str) and kind.endswith("_tool_result"):
            text = result_text(part.get("content"))
            found.append(Block("tool_result", text, None, result_id(part)))
    return found


def user_blocks(parts: list[dict[str, Any]], forced: str | None) -> list[Block]:
    """The blocks of a user's message but for tool results. `forced` is the kind of scaffolding that
    the record's flags tell, for texts that do not tell it themselves."""
    found: list[Block] = []
    for part in parts:
        if part.get("type") == "tool_result":
            continue
        if text := string(part.get("text")):
            mark = scaffold.kind(text, "user") or forced
            found.append(Block("text", elided(text), scaffold=mark))
        elif "source" in part:
            found.append(Block("text", media.media(part), scaffold=forced))
    return found


def result_block(
    part: dict[str, Any], call_input: dict[str, Any], tool: str | None, result: object
) -> Block:
    """The block of one tool result. `result` is the record's `toolUseResult`."""
    text = result_text(part.get("content"))
    failed = is_failure(part, result)
    command = string(call_input.get("command")) if tool in ("Bash", "PowerShell") else None
    return Block(  # by position: names take twice as long
        "tool_result",
        text,
        tool,
        result_id(part),
        failed,
        _exit_code(text, failed, mapping(result)) if command else None,
        commits(command, text, mapping(result)) if command else (),
        scaffold.kind(text, "tool"),
    )


def is_failure(part: dict[str, Any], result: object) -> bool:
    """Whether a tool result says that the call failed or was refused."""
    if part.get("is_error") is True or mapping(result).get("interrupted") is True:
        return True
    content = part.get("content")
    if isinstance(content, str) and content.startswith("<tool_use_error>"):
        return True
    return isinstance(result, str) and result.startswith(("Error:", "User rejected"))


def _exit_code(text: str, failed: bool, result: dict[str, Any]) -> int | None:
    if failed:
        match = _EXIT_CODE.match(text)
        return int(match[1]) if match else None
    unknown = ("backgroundTaskId", "returnCodeInterpretation")
    return None if any(result.get(key) for key in unknown) else 0


def commits(command: str, text: str, result: dict[str, Any]) -> tuple[PrintedCommit, ...]:
    """The commit ids that a command printed, with the one that Claude noted beside the output."""
    printed = printed_commits(command, text)
    noted = mapping(mapping(result.get("gitOperation")).get("commit"))
    sha = string(noted.get("sha"))
    if sha is None or any(p.sha.startswith(sha) or sha.startswith(p.sha) for p in printed):
        return printed
    return (*printed, PrintedCommit(sha, _VERBS.get(str(noted.get("kind")), "commit")))


def result_id(part: dict[str, Any]) -> str | None:
    """The id of the call that a result answers."""
    return string(part.get("tool_use_id"))


def _input(value: object) -> str:
    if isinstance(value, str):
        return value
    return compact(value if value is not None else {})
