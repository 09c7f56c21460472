"""Records as Claude Code writes them, for tests, and reading them back."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

from funes_git_parsers import claude
from funes_git_parsers.base import Cursor, Edit, Item, Source, Turn

SID = "11111111-aaaa-4bbb-8ccc-000000000001"
CWD = "/work/widget"
T = TypeVar("T")


def record(uuid: str, parent: str | None, kind: str, content: Any, **extra: Any) -> dict[str, Any]:
    """A record with the common fields; `content` of the message, or None for no message."""
    message = {} if content is None else {"message": {"role": kind, "content": content}}
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "cwd": CWD,
        "sessionId": SID,
        "version": "2.1.62",
        "gitBranch": "main",
        "type": kind,
        **message,
        "uuid": uuid,
        "timestamp": "2026-03-01T10:00:00.500Z",
        **extra,
    }


def user(uuid: str, parent: str | None, content: Any, **extra: Any) -> dict[str, Any]:
    return record(uuid, parent, "user", content, **extra)


def says(uuid: str, parent: str | None, text: str, **extra: Any) -> dict[str, Any]:
    """The assistant says `text`."""
    return record(uuid, parent, "assistant", [{"type": "text", "text": text}], **extra)


def call(uuid: str, parent: str | None, tool: str, args: Any, **extra: Any) -> dict[str, Any]:
    """The assistant calls a tool; the call's id is `t-` and the uuid."""
    part = {"type": "tool_use", "id": f"t-{uuid}", "name": tool, "input": args}
    return record(uuid, parent, "assistant", [part], **extra)


def result(
    uuid: str, of: str, content: Any, used: Any = None, *, error: bool | None = None, **extra: Any
) -> dict[str, Any]:
    """The result of the call that the record `of` made; `used` is `toolUseResult`."""
    part: dict[str, Any] = {"tool_use_id": f"t-{of}", "type": "tool_result", "content": content}
    if error is not None:
        part["is_error"] = error
    more = {} if used is None else {"toolUseResult": used, "sourceToolAssistantUUID": of}
    return user(uuid, of, [part], **more, **extra)


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(r, separators=(",", ":")).encode() + b"\n" for r in records)


def source(path: Path) -> Source:
    stat = path.stat()
    return Source("claude_code", path, stat.st_size, stat.st_mtime_ns)


def opened(path: Path) -> Any:
    return path.open("rb")


def read_path(path: Path, cursor: str | None = None) -> tuple[list[Item], str]:
    """The items of a file but the last, which is the cursor."""
    *items, last = claude.read(source(path), cursor, opened)
    assert isinstance(last, Cursor)
    return items, last.text


def read_bytes(path: Path, data: bytes, cursor: str | None = None) -> tuple[list[Item], str]:
    """The same, as if the file at `path` held `data`; many times faster than writing it."""
    *items, last = claude.read(Source("claude_code", path, 0, 0), cursor, lambda _: BytesIO(data))
    assert isinstance(last, Cursor)
    return items, last.text


def read(folder: Path, *records: Any) -> list[Item]:
    """The items of a session file with these records."""
    path = folder / f"{SID}.jsonl"
    path.write_bytes(lines(*records))
    return read_path(path)[0]


def only(items: list[Item], kind: type[T]) -> list[T]:
    return [item for item in items if isinstance(item, kind)]


def turns(items: list[Item]) -> dict[str, Turn]:
    return {turn.turn_uuid: turn for turn in only(items, Turn)}


def one_edit(items: list[Item]) -> Edit:
    (edit,) = only(items, Edit)
    return edit
