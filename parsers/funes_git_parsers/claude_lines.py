"""Which lines of a Claude Code file need not be decoded, told by a few bytes.

Most bytes of a session file are progress, file snapshots, requests written a second time, and
`toolUseResult`, which repeats what the message holds. An unescaped quote never occurs inside a JSON
string, so `,"toolUseResult":` in the bytes is that key and nothing else. A line in doubt is left
whole, and so is one that holds two objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from funes_git_parsers.jsonl import Prepare, is_joined

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
_HEAD: Final = re.compile(rb'\{"parentUuid":(null|"[\w-]+")')
_AGENT: Final = re.compile(rb'"agentId":"([^"\\]+)"')
_RESULT: Final = b',"toolUseResult":'
_SOURCE: Final = b',"sourceToolAssistantUUID":"'
_READ: Final = (b'{"type":"text","file":', b'{"type":"image","file":', b'{"mode":')


def preparer(separate: frozenset[str]) -> Prepare:
    """A `Prepare` for `read_records`. `separate` are the sub-agents with files of their own, whose
    copies in the parent's file are not needed."""
    agents = frozenset(agent.encode() for agent in separate)

    def prepare(line: bytes) -> bytes | None:
        shorter = _shortened(line, agents)
        if shorter is line or is_joined(line):
            return line
        return shorter

    return prepare


def _shortened(line: bytes, agents: frozenset[bytes]) -> bytes | None:
    if line.startswith(_IGNORED):
        return None
    if b'"type":"progress","data":{' in line[:1024]:
        return _without_progress(line, agents)
    if b',"attachment":{"type":"' in line[:1024] and b'{"type":"queued_command"' not in line[:1024]:
        return _chain_only(line)
    at = line.find(_RESULT)
    return line if at < 0 else _without_result(line, at)


def _without_progress(line: bytes, agents: frozenset[bytes]) -> bytes:
    if b'"data":{"type":"' not in line[:1024]:  # then it is a sub-agent's message
        named = _AGENT.search(line, line.rfind(b'"agentId":"'))
        if named is None or named[1] not in agents:
            return line
    return _chain_only(line)


def _chain_only(line: bytes) -> bytes:
    """A record without anything but its place in the chain."""
    head = _HEAD.match(line)
    at = line.rfind(b',"uuid":"')
    end = line.find(b'"', at + 9)
    if head is None or at < 0 or end < 0:
        return line
    return head[0] + b',"type":"passed"' + line[at : end + 1] + b"}"


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


ROOT_KEYS: Final = (
    b'"cwd":"', b'"file_path":"', b'"filePath":"', b'"notebook_path":"', b'"path":"',
    b'"command":"',
)  # fmt: skip
_VALUE: Final = re.compile(rb'(?:[^"\\]|\\.)*')


def raw_values(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(key, JSON-escaped value) of every `ROOT_KEYS` member in `data`, each pair once."""
    for key in ROOT_KEYS:
        seen: set[bytes] = set()
        at = data.find(key)
        while at >= 0:
            start = at + len(key)
            end = data.find(b'"', start)
            if data[end - 1 : end] == b"\\":
                found = _VALUE.match(data, start)
                end = found.end() if found else end
            if (value := data[start : end if end >= 0 else len(data)]) not in seen:
                seen.add(value)
                yield key, value
            at = data.find(key, start)
