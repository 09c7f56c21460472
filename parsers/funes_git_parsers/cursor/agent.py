"""Conversations of Cursor's command-line agent: its `store.db`, and the transcripts it leaves.

`chats/<md5 of the folder>/<id>/store.db` has `meta` (key `0`: JSON in hexadecimal) and `blobs`, by
their digest: messages as JSON, and trees as Protocol Buffers. The root tree lists the messages in
field 1 and names the folder in field 9. `projects/<slug>/agent-transcripts/` has a text for each
conversation, or in newer versions JSON Lines; results and times are in neither.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias

from funes_git_parsers.base import Opener
from funes_git_parsers.database import required
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.jsonl import read_records
from funes_git_parsers.values import compact, folder, mapping, moment, parsed, string
from funes_git_parsers.whole import content

_MAX_BLOBS = 100_000
_MARK = re.compile(r"^(?:(user|assistant):|\[(Tool call|Tool result|Thinking)\] ?(.*))$", re.M)
_ARGUMENT = re.compile(
    r"^  (path|file_path|target_file|contents|content|old_string|new_string|command|patch"
    r"|working_directory|description|replace_all): ?",
    re.M,
)


_Parts: TypeAlias = list[Mapping[str, Any]]
_Message: TypeAlias = tuple[str, _Parts]


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: its messages in order, each a role and its parts; `created` in seconds since
    the epoch."""

    session_id: str
    messages: list[_Message]
    title: str | None = None
    model: str | None = None
    workspace: str | None = None
    created: float | None = None
    parent: str | None = None


def of_store(db: sqlite3.Connection, session_id: str) -> Talk:
    """The conversation in a `store.db`. Raises sqlite3.Error, also if it is none."""
    required(db, "blobs")
    required(db, "meta")
    row = db.execute("SELECT value FROM meta WHERE key = '0'").fetchone()
    about = mapping(parsed(_unhexed(row[0] if row else "")))
    root = _blob(db, string(about.get("latestRootBlobId")) or "")
    messages: list[_Message] = []
    workspace = None
    for number, value in _fields(root):
        if number == 1 and len(messages) < _MAX_BLOBS:
            message = mapping(parsed(_blob(db, value.hex())))
            if role := string(message.get("role")):
                messages.append((role, _parts(message.get("content"))))
        elif number == 9:
            workspace = folder(value.decode("utf-8", "replace"))
    return Talk(
        session_id,
        messages,
        string(about.get("name")),
        string(about.get("lastUsedModel")),
        workspace,
        moment(about.get("createdAt")),
    )


def _unhexed(value: object) -> bytes:
    text = value if isinstance(value, str) else ""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return text.encode("utf-8", "replace")


def _blob(db: sqlite3.Connection, name: str) -> bytes:
    row = db.execute("SELECT data FROM blobs WHERE id = ?", (name,)).fetchone()
    value = row[0] if row else b""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The length-delimited fields of a Protocol Buffer, until something else stands there."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            _, at = _varint(data, at)
        elif key & 7 in (1, 5):
            at += 8 if key & 7 == 1 else 4
        elif key & 7 == 2:
            size, at = _varint(data, at)
            yield key >> 3, data[at : at + size]
            at += size
        else:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            break
    return value, at


def _parts(value: object) -> _Parts:
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def of_transcript(path: Path, open_file: Opener) -> Talk:
    """The conversation in a transcript of either form. Raises OSError."""
    messages = list(_lines(path, open_file) if path.suffix == ".jsonl" else _text(path, open_file))
    is_child = path.parent.name == "subagents"
    parent = path.parents[1].name if is_child else None
    return Talk(path.stem, messages, workspace=_trusted(path), parent=parent)


def _trusted(path: Path) -> str | None:
    """The folder of a project, as Cursor noted it when the person trusted it."""
    for parent in path.parents[:4]:
        if parent.name == "agent-transcripts":
            try:
                about = parsed((parent.parent / ".workspace-trusted").read_bytes())
            except OSError:
                return None
            return string(mapping(about).get("workspacePath"))
    return None


def _lines(path: Path, open_file: Opener) -> Iterator[_Message]:
    with closing(open_file(path)) as stream:
        for record in read_records(stream):
            if isinstance(record, dict) and (role := string(record.get("role"))):
                message = mapping(record.get("message")) or record
                yield role, _parts(message.get("content"))


def _text(path: Path, open_file: Opener) -> Iterator[_Message]:
    """Each `user:` or `assistant:` on a line of its own starts a message, other marks a part."""
    text = content(path, open_file).decode("utf-8", "replace").replace("\r\n", "\n")
    marks = list(_MARK.finditer(text))
    role = ""
    parts: _Parts = []
    for mark, end in _spans(marks, len(text)):
        body = text[mark.end() : end].strip("\n")
        if mark[1]:
            if parts:
                yield role, parts
            role = mark[1]
            parts = [{"type": "text", "text": body}]
        elif mark[2] == "Tool call":
            parts.append({"type": "tool_use", "name": mark[3], "input": _arguments(body)})
        elif mark[2] == "Thinking":
            parts.append({"type": "thinking", "thinking": f"{mark[3]}\n{body}".strip("\n")})
        elif body:
            parts.append({"type": "tool_result", "name": mark[3], "content": body})
    if parts:
        yield role, parts


def _arguments(body: str) -> dict[str, str]:
    """The arguments below a call, each on a line with its name; longer ones go on below."""
    marks = list(_ARGUMENT.finditer(body))
    return {m[1]: body[m.end() : end - 1] for m, end in _spans(marks, len(body) + 1)}


def _spans(marks: list[re.Match[str]], end: int) -> Iterator[tuple[re.Match[str], int]]:
    """Each mark with where the next one begins."""
    for mark, following in zip_longest(marks, marks[1:]):
        yield mark, following.start() if following else end


def shown_input(value: object) -> str:
    """The arguments of a call as text."""
    return value if isinstance(value, str) else compact(mapping(value))
