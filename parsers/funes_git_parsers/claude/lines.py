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
        start, stop = (0, 0) if at < 0 else _unused_result(line, at)
        if stop <= start or is_joined(line, start, stop):
            return line
        return line[:start] + line[stop:]

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


def _unused_result(line: bytes, at: int) -> tuple[int, int]:
    """Where the part of `toolUseResult` begins and ends that is not used; ends at 0 for none."""
    start = at + len(_RESULT)
    if line.startswith(_READ, start):
        return at, line.rfind(_SOURCE)
    if line.startswith(b'{"stdout":"', start):
        return start + 1, line.find(b'","stderr":"', start) + 2
    if line.startswith(b'{"filePath":"', start):
        return _unused_original(line, start)
    return 0, 0


def _unused_original(line: bytes, start: int) -> tuple[int, int]:
    """An edit's original file, where the patch is exact: Claude shows leading tabs as spaces there,
    so only if no tab is near."""
    first = line.find(b',"originalFile":"', start)
    last = line.find(b'","structuredPatch":[{', first)
    is_exact = line.find(b"\\t", start) < 0 and b'"userModified":true' not in line
    return (first, last + 1) if first >= 0 and last >= 0 and is_exact else (0, 0)
