"""What a Codex tool call gave back, in every shape that its versions wrote.

Works on single payloads; knows nothing of sessions, order or files on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.values import compact, decoded, integer, is_blank, mapping, string

_DATA = re.compile(r"data:([\w.+/-]+)(?:;[\w=.+-]+)*;base64,")
_HEADED = ("Exit code:", "Chunk ID:", "Wall time", "Script ", "Process ", "Command ")
_OUTPUT = "Output:\n"
_HEAD = 1000
"""Characters within which a header ends."""
_EXIT = re.compile(  # `^` would be tried at every character
    r"\n(?:Exit code: |Process exited with code |Command exited with code )(-?\d{1,9})\b"
)
_RUNNING = re.compile(r"^Process running with session ID (\d+)", re.M)
_SANDBOX = re.compile(r"failed in sandbox [^\n]{0,200}?exit code: (-?\d{1,9})\b")
_FAILED = re.compile(
    r"\s*(?:apply_patch (?:verification )?failed|failed\b|execution error|error\b|invalid patch"
    r"|invalid hunk|patch (?:was )?rejected|patch failed|rejected\b|aborted\b|unsupported call"
    r"|exec_command failed|write_stdin failed|collab \w+ failed|unified exec|sandbox (?:denied"
    r"|error)|command timed out|script (?:failed|error)|user (?:rejected|denied|cancel))",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool call gave back. `body` is `text` without the header that Codex puts before a
    command's output; `running` is the id of the process if it had not ended yet."""

    text: str = ""
    body: str = ""
    exit_code: int | None = None
    is_error: bool | None = None
    running: str | None = None


def outcome(value: object) -> Outcome | None:
    """Read a call's output in every shape that Codex wrote; None if there is none to keep."""
    if isinstance(value, str):
        return None if is_blank(value) else _of_text(value)
    if value is None:
        return None
    if isinstance(value, dict):
        return _of_object(value)
    if isinstance(value, list):
        return _plain(_lines(_parts(value)))
    return _plain(compact(value))


def _of_text(text: str) -> Outcome:
    if text.startswith("{"):
        try:
            value = decoded(text)
        except (ValueError, RecursionError):
            value = None
        output, metadata = mapping(value).get("output"), mapping(value).get("metadata")
        if isinstance(output, str) and isinstance(metadata, dict):
            return _with_metadata(output, metadata)
    return _plain(text)


def _with_metadata(text: str, metadata: Mapping[str, Any]) -> Outcome:
    code = integer(metadata.get("exit_code"))
    return Outcome(text, text, code, None if code is None else code != 0)


def _of_object(value: Mapping[str, Any]) -> Outcome:
    content = value.get("content", value.get("output"))
    text = content if isinstance(content, str) else compact(content if content else value)
    plain = _plain(text)
    success = value.get("success")
    failed = plain.is_error if not isinstance(success, bool) else not success
    return Outcome(text, plain.body, plain.exit_code, failed, plain.running)


def _lines(parts: Iterator[str]) -> str:
    """The parts one below the other."""
    text = ""
    for part in parts:
        text += "\n" + part if text and not text.endswith("\n") else part
    return text


def _parts(value: list[Any]) -> Iterator[str]:
    for part in value:
        found = mapping(part)
        if found.get("type") == "input_image":
            yield image(found.get("image_url"))
        elif isinstance(found.get("text"), str):
            yield found["text"]
        elif not found:
            yield part if isinstance(part, str) else compact(part)


def _plain(text: str) -> Outcome:
    head, at, code, running = "", -1, None, None
    if text.startswith(_HEADED):
        at = text.find(_OUTPUT, 0, _HEAD)
        head = text[: at if at >= 0 else _HEAD]
        if exited := _EXIT.search("\n" + head):
            code = int(exited[1])
        if "session ID" in head and (process := _RUNNING.search(head)):
            running = process[1]
    elif denied := _SANDBOX.match(text):
        code = int(denied[1])
    body = text[at + len(_OUTPUT) :] if at > 0 else text
    failed: bool | None = code != 0 if code is not None else None
    if failed is None and _FAILED.match(head or text):
        failed = True
    elif failed is None and head.startswith("Script completed"):
        failed = False
    return Outcome(text, body, code, failed, running)


def image(source: object) -> str:
    """A stand-in for an image: its type and size, or its address."""
    if isinstance(source, dict):
        source = source.get("url")
    address = string(source) or ""
    data = _DATA.match(address)
    if data:
        size = (len(address) - data.end()) * 3 // 4
        return f"[{data[1]}, {max(1, round(size / 1024))} KB]"
    return f"[image {address}]" if address and not address.startswith("data:") else "[image]"
