"""Which lines of a Claude Code file need not be decoded, told by a few bytes.

Most bytes of a session file are progress, file snapshots, requests written a second time, and
`toolUseResult`, which repeats what the message holds. An unescaped quote never occurs inside a JSON
string, so `,"toolUseResult":` in the bytes is that key and nothing else. A line in doubt is left
whole, and so is one that holds two objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from funes_git_parsers.jsonl import Prepare, is_joined

Passed: TypeAlias = Callable[[str, str | None], None]
"""Takes the uuid and the parent's uuid of a line that was passed over."""

_IGNORED: Final = tuple(
    b'{"type":"' + kind
    for kind in (
        b"file-history-",
        b"api-request",
        b"last-prompt",
        b"permission-mode",
        b'mode"',
        b"pr-link",
        b"bridge-session",
        b"tools-used",
        b"atis-latch",
        b"cost-state",
    )
)
_NEAR: Final = 1024
"""Where a record's kind stands: before it there are only short fields."""
_HEAD: Final = re.compile(rb'\{"parentUuid":(?:null|"([\w-]+)")')
_UUID: Final = re.compile(rb',"uuid":"([\w-]+)"')
_AGENT: Final = re.compile(rb'"agentId":"([^"\\]+)"')
_RESULT: Final = b',"toolUseResult":'
_SOURCE: Final = b',"sourceToolAssistantUUID":"'
_READ: Final = (b'{"type":"text","file":', b'{"type":"image","file":', b'{"mode":')


def preparer(separate: frozenset[str], passed: Passed) -> Prepare:
    """A `Prepare` for `read_records`. `separate` are the sub-agents with files of their own, whose
    copies in the parent's file are not needed. `passed` is told of lines that are passed over but
    have a place in the chain."""
    agents = frozenset(agent.encode() for agent in separate)

    def prepare(line: bytes) -> bytes | None:
        if line.startswith(_IGNORED):
            return line if is_joined(line) else None
        head = line[:_NEAR]
        if _is_unused(line, head, agents):
            place = _place(line)
            if place is None or is_joined(line):
                return line
            passed(*place)
            return None
        at = line.find(_RESULT)
        shorter = line if at < 0 else _without_result(line, at)
        return line if shorter is line or is_joined(line) else shorter

    return prepare


def _is_unused(line: bytes, head: bytes, agents: frozenset[bytes]) -> bool:
    if b'"type":"progress","data":{' in head:
        if b'"data":{"type":"' in head:
            return True
        # Otherwise it is a sub-agent's message.
        named = _AGENT.search(line, line.rfind(b'"agentId":"'))
        return named is not None and named[1] in agents
    return b',"attachment":{"type":"' in head and b'{"type":"queued_command"' not in head


def _place(line: bytes) -> tuple[str, str | None] | None:
    """The uuid and the parent's uuid of a record, as it is commonly laid out."""
    parent = _HEAD.match(line)
    uuid = _UUID.match(line, line.rfind(b',"uuid":"'))
    if parent is None or uuid is None:
        return None
    return uuid[1].decode(), parent[1].decode() if parent[1] else None


def _without_result(line: bytes, at: int) -> bytes:
    """The record without the parts of `toolUseResult` that are not used."""
    start = at + len(_RESULT)
    if line.startswith(_READ, start):
        end = line.rfind(_SOURCE)
        return line[:at] + line[end:] if end > start else line
    if line.startswith(b'{"stdout":"', start):
        end = line.find(b'","stderr":"', start)
        return line[: start + 1] + line[end + 2 :] if end > 0 else line
    return _without_original(line, start)


def _without_original(line: bytes, start: int) -> bytes:
    """An edit's record without the original file, where the patch is exact: Claude shows leading
    tabs as spaces there, so only if no tab is near."""
    first = line.find(b',"originalFile":"', start)
    last = line.find(b'","structuredPatch":[{', first)
    is_edit = line.startswith(b'{"filePath":"', start) and b'"userModified":true' not in line
    if first < 0 or last < 0 or not is_edit or b"\\t" in line[start:]:
        return line
    return line[:first] + line[last + 1 :]
