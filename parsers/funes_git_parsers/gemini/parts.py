"""Google's `Content` parts as blocks, and what came of a call: shared by Gemini CLI and Qwen Code.

Pure functions; no state, no files. Parts: googleapis/js-genai `src/types.ts`. Results:
google-gemini/gemini-cli `packages/core/src/tools/` (`edit.ts`, `write-file.ts`, `shell.ts`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from funes_git_parsers import media, patch, scaffold, tools
from funes_git_parsers.base import Block
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.tools import Call, Change
from funes_git_parsers.values import compact, is_blank, mapping, string

_EXIT = re.compile(r"^\[?Exit Code: (-?\d{1,9}\b|\(none\))", re.MULTILINE)
_OUTPUT = re.compile(r"\A(?:.*?\n)??Output: ", re.DOTALL)
_BACKGROUND = re.compile(r"moved to background|Background PIDs?: \d|^Command started in background")
_REFERENCED = "--- Content from referenced files ---"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call. `exit_code` is a shell's."""

    text: str
    is_error: bool | None
    exit_code: int | None = None


def parts(content: object) -> list[dict[str, Any]]:
    """The parts of a content in each of its forms: text, one part, a list of either."""
    found = content if isinstance(content, list) else [content]
    return [
        part if isinstance(part, dict) else {"text": part}
        for part in found
        if isinstance(part, (dict, str))
    ]


def said(content: object) -> Iterator[Block]:
    """What a person said; files that the harness read for an `@path` are marked."""
    forced: str | None = None
    for part in parts(content):
        text = _readable(part)
        if text is None:
            continue
        if text.lstrip().startswith(_REFERENCED):
            forced = scaffold.ENVIRONMENT
        yield Block("text", text, scaffold=scaffold.kind(text, "user") or forced)


def answered(content: object) -> Iterator[Block]:
    """What the model said, thought and called."""
    for part in parts(content):
        text = _readable(part)
        if text is not None and part.get("thought") is True:
            yield Block("thinking", text)
        elif text is not None:
            yield Block("text", text, scaffold=scaffold.kind(text, "assistant"))
        elif (call := part.get("functionCall")) is not None:
            yield called(mapping(call), "args")


def called(call: Mapping[str, Any], arguments: str) -> Block:
    """A call; its arguments are in the member of that name."""
    text = compact(call.get(arguments) or {})
    return Block("tool_use", text, string(call.get("name")), string(call.get("id")))


def responses(content: object) -> list[dict[str, Any]]:
    """The results of calls among the parts."""
    found = (part.get("functionResponse") for part in parts(content))
    return [response for response in found if isinstance(response, dict)]


def outcome(content: object, tool: str | None, status: object, *, is_shell: bool) -> Outcome:
    """What the parts of a result say. `status` is the harness's own word for how it ended."""
    texts = (_result_text(part) for part in parts(content))
    text = "\n".join(found for found in texts if found)
    failed = status in ("error", "cancelled") if isinstance(status, str) else None
    if failed is None:
        errors = (mapping(response.get("response")).get("error") for response in responses(content))
        failed = any(errors)
    code = _exit_code(text) if is_shell and not failed else None
    return Outcome(text, failed or bool(code), code)


def printed(done: Outcome, shown: object) -> str:
    """What a command printed, without what the harness wrote around it."""
    return shown if isinstance(shown, str) and shown else _OUTPUT.sub("", done.text, count=1)


def _exit_code(text: str) -> int | None:
    """The exit code at the end of a command's output; newer versions tell it if it is not 0."""
    told = _EXIT.findall(text, max(0, len(text) - 1000))
    if told:
        return None if told[-1] == "(none)" else int(told[-1])
    return None if "ackground" in text and _BACKGROUND.search(text) else 0


def _readable(part: Mapping[str, Any]) -> str | None:
    if text := string(part.get("text")):
        return None if is_blank(text) else media.elided(text)
    for name, content in (("inlineData", "data"), ("fileData", "fileUri")):
        if isinstance(file := part.get(name), dict):
            data = file.get(content) if content == "data" else None
            return media.file(file.get("mimeType"), data, file.get("fileUri"))
    return None


def _result_text(part: Mapping[str, Any]) -> str | None:
    response = part.get("functionResponse")
    if not isinstance(response, dict):
        return _readable(part)
    answer = response.get("response")
    told = mapping(answer)
    text = next((v for key in ("output", "error") if (v := string(told.get(key)))), None)
    if text is None and answer:
        text = answer if isinstance(answer, str) else compact(answer)
    inner = (_readable(each) for each in parts(response.get("parts")))
    return "\n".join(t for t in (media.elided(text or ""), *inner) if t)


def changes(call: Call, shown: object) -> Iterable[Change]:
    """What a call that succeeded wrote. `shown` is what the harness displays of the result: for an
    edit, the file before and after."""
    arguments = tools.arguments_of(call)
    display = mapping(shown)
    path = string(display.get("filePath")) or string(arguments.get("file_path"))
    old, new = display.get("originalContent"), display.get("newContent")
    if not path or not display.get("fileDiff") or _by_person(display, arguments):
        return tools.asked(_proposed(call, arguments))
    if display.get("isNewFile") is True and isinstance(new, str):
        return [Change(path, "create", new=new)]
    if isinstance(old, str) and isinstance(new, str):
        return [Change(path, "modify", old, new)]
    hunks = patch.hunks_of_unified(string(display.get("fileDiff")) or "")
    return [Change(path, "modify", hunks=hunks)] if hunks else tools.asked(call)


def _by_person(display: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Whether a person changed the edit before accepting it."""
    counts = mapping(display.get("diffStat"))
    changed = counts.get("user_added_lines") or counts.get("user_removed_lines")
    return bool(changed) or arguments.get("modified_by_user") is True


def _proposed(call: Call, arguments: Mapping[str, Any]) -> Call:
    """The call as the agent made it, where a person's changes were put into it."""
    text = arguments.get("ai_proposed_content")
    if not isinstance(text, str):
        return call
    key = "new_string" if "new_string" in arguments else "content"
    own = compact({**arguments, key: text})
    return Call(call.tool_use_id, call.tool, own, call.turn_uuid, call.ts, call.cwd)
