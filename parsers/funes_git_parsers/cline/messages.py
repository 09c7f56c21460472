"""The messages of a Cline or Roo task as turns. Pure: no files, no cursors.

Messages are those of Anthropic's API. Calls are `tool_use` blocks or, in older versions, XML in the
text (`<write_to_file><path>…`); results are `tool_result` blocks or text of the next user message,
`[write_to_file for 'a.py'] Result:`, often with the result in the block after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from funes_git_parsers import scaffold
from funes_git_parsers.base import Block, Role
from funes_git_parsers.conversation import Message, text_block
from funes_git_parsers.media import elided, media, result_text
from funes_git_parsers.values import compact, is_blank, mapping, seconds, string

_TOOLS = (
    *("write_to_file", "replace_in_file", "apply_diff", "insert_content", "search_and_replace"),
    *("execute_command", "read_file", "list_files", "search_files", "list_code_definition_names"),
    *("use_mcp_tool", "access_mcp_resource", "browser_action", "ask_followup_question"),
    *("attempt_completion", "new_task", "switch_mode", "update_todo_list", "fetch_instructions"),
    *("codebase_search", "plan_mode_respond", "edit_file", "search_replace", "new_rule"),
)
_CALL = re.compile(rf"<({'|'.join(_TOOLS)})>(.*?)</\1>", re.S)
_FILE = re.compile(r"<file>(.*?)</file>", re.S)
_INNER = re.compile(r"^\s*<content>(.*)</content>\s*", re.S)
_PARAMETER = re.compile(r"<(\w+)>(.*?)</\1>", re.S)
_WHOLE = re.compile(r"<(content|diff)>(.*)</\1>", re.S)
_RESULT = re.compile(r"\[(\w+)(?: for .*?)?[^\]\n]*\] Result:", re.S)
_NOT_RUN = re.compile(r"Tool \[\w+\] was not executed")
_FAILED = re.compile(
    r"\s*(?:The tool execution failed|The user denied|<error>|Error\b|Unable to apply diff"
    r"|No (?:sufficiently similar|match)|Tool \[|Failed to|Access to .{1,300} is blocked)",
    re.S,
)
_DETAILS = "<environment_details>"
_CWD = re.compile(r"# Current (?:Working|Workspace) Directory \(([^\n]+?)\)")
_MODEL = re.compile(r"<model>([^<\n]{1,100})</model>")


class Task:
    """One task: what is known of it so far."""

    def __init__(self, task: str) -> None:
        self._task = task
        self._cwd: str | None = None
        self._model: str | None = None
        self._ts = int(task) / 1000 if task.isdigit() and len(task) == 13 else None

    def messages(self, rows: list[Any]) -> Iterator[Message]:
        """The messages, in order; those with nothing in them are left out."""
        for n, row in enumerate(map(mapping, rows)):
            role: Role = "assistant" if row.get("role") == "assistant" else "user"
            parts = _parts(row.get("content"))
            self._look(parts)
            self._ts = _time(row) or self._ts
            blocks = tuple(_said(parts) if role == "assistant" else _asked(parts))
            if row.get("isSummary") is True or "condenseId" in row:
                blocks = tuple(_marked(block, scaffold.COMPACTION) for block in blocks)
            if blocks:
                model = self._model if role == "assistant" else None
                yield Message(f"{self._task}-{n}", role, blocks, self._ts, model, self._cwd)

    def _look(self, parts: list[dict[str, Any]]) -> None:
        """Take the folder and the model from what the extension tells the model."""
        for part in parts:
            text = part.get("text")
            if isinstance(text, str) and text.startswith(_DETAILS):
                self._cwd = cwd[1] if (cwd := _CWD.search(text)) else self._cwd
                self._model = named[1] if (named := _MODEL.search(text)) else self._model


def _time(row: Mapping[str, Any]) -> float | None:
    ts = row.get("ts", row.get("timestamp"))
    is_number = isinstance(ts, int | float) and not isinstance(ts, bool) and 0 < ts < 1e14
    return ts / 1000 if is_number else seconds(ts)


def _parts(content: object) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [mapping(part) for part in content] if isinstance(content, list) else []


def _said(parts: list[dict[str, Any]]) -> Iterator[Block]:
    for part in parts:
        kind, text = part.get("type"), string(part.get("text"))
        if kind == "tool_use":
            call = compact(part.get("input", {}))
            yield Block("tool_use", call, string(part.get("name")), string(part.get("id")))
        elif kind in ("thinking", "reasoning"):
            if thought := string(part.get("thinking")) or text:
                yield Block("thinking", thought)
        elif text:
            yield from _with_calls(text)


def _with_calls(text: str) -> Iterator[Block]:
    """A text, and the calls that are written in it as XML."""
    done = 0
    for call in _CALL.finditer(text):
        yield from _words(text[done : call.start()])
        done = call.end()
        files = _FILE.findall(call[2]) if "<args>" in call[2] else []
        for body in files or [call[2]]:
            yield Block("tool_use", compact(_parameters(body)), call[1])
    yield from _words(text[done:])


def _words(text: str) -> Iterator[Block]:
    thought, _, rest = text.partition("</thinking>")
    if rest and thought.lstrip().startswith("<thinking>"):
        yield Block("thinking", thought.lstrip().removeprefix("<thinking>").strip())
        text = rest
    if not is_blank(text):
        yield text_block(text.strip("\n"), "assistant")


def _parameters(body: str) -> dict[str, str]:
    """The parameters of a call; what a file is to hold may itself hold tags."""
    found: dict[str, str] = {}
    if whole := _WHOLE.search(body):
        inner = _INNER.match(whole[2]) if whole[1] == "diff" else None
        found[whole[1]] = (inner[1] if inner else whole[2]).removeprefix("\n")
        body = body[: whole.start()] + body[whole.end() :]
    for name, text in _PARAMETER.findall(body):
        found[name] = text.strip("\n")
    return found


def _asked(parts: list[dict[str, Any]]) -> Iterator[Block]:
    """What a user's message holds: words, results, what the extension tells of itself."""
    waiting: str | None = None  # a result that was announced, and comes in the next block
    for part in parts:
        text = part.get("text")
        if waiting is not None:
            is_body = _is_body(text)
            yield _result(waiting, str(text) if is_body else "")
            waiting = None
            if is_body:
                continue
        header = _RESULT.match(text) if isinstance(text, str) else None
        if header and is_blank(header.string[header.end() :]):
            waiting = header.string.strip()
        else:
            yield from _one(part, header)
    if waiting is not None:
        yield _result(waiting, "")


def _one(part: dict[str, Any], header: re.Match[str] | None) -> Iterator[Block]:
    text = part.get("text")
    if header:
        yield _result(header[0], header.string[header.end() :])
    elif part.get("type") == "tool_result":
        failed = part.get("is_error") is True or None
        body, call = result_text(part.get("content")), string(part.get("tool_use_id"))
        yield Block("tool_result", body, None, call, failed or _has_failed(body))
    elif isinstance(text, str) and not is_blank(text):
        yield _typed(text)
    elif "source" in part:
        yield Block("text", media(part))


def _is_body(text: object) -> bool:
    """Whether a block can be the result that the block before it announced."""
    if not isinstance(text, str) or text.startswith(_DETAILS):
        return False
    return not (_RESULT.match(text) or _NOT_RUN.match(text))


def _result(header: str, body: str) -> Block:
    text = elided(f"{header}\n{body.lstrip()}".rstrip())
    mark = scaffold.kind(body, "tool")
    return Block("tool_result", text, is_error=_has_failed(body), scaffold=mark)


def _has_failed(body: str) -> bool | None:
    return True if _FAILED.match(body) else None


def _typed(text: str) -> Block:
    if _NOT_RUN.match(text):
        return Block("tool_result", text, is_error=True)
    if text.startswith(_DETAILS):
        return Block("text", text, scaffold=scaffold.ENVIRONMENT)
    if text.startswith(("[ERROR]", "[TASK RESUMPTION]", "Your response was too long")):
        return Block("text", text, scaffold=scaffold.NOTIFICATION)
    return text_block(elided(text), "user")


def _marked(block: Block, mark: str) -> Block:
    return Block(block.type, block.text, block.tool, block.tool_use_id, scaffold=mark)
