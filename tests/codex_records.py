"""Writes Codex records for tests, and folds what a parser yields as a store would."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from funes_git_parsers import codex
from funes_git_parsers.base import Cursor, Edit, Item, Session, Source, Turn

SESSION = "01900000-0000-7000-8000-000000000001"
CREATED = "2024-06-10T02:35:18.400Z"  # when the id says that it was made
FOLDER = "/w/repo"
LATER = "2024-06-10T03:00:00.000Z"


def record(kind: str, at: str = LATER, /, **payload: Any) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "payload": payload}


def meta(session: str = SESSION, **more: Any) -> dict[str, Any]:
    return record("session_meta", id=session, timestamp=CREATED, cwd=FOLDER, **more)


def item(kind: str, /, **payload: Any) -> dict[str, Any]:
    return record("response_item", type=kind, **payload)


def event(named: str, /, **payload: Any) -> dict[str, Any]:
    return record("event_msg", **{"type": named, **payload})


def said(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts])


def prompt(text: str) -> list[dict[str, Any]]:
    """A prompt as Codex writes it until 0.170: the message and the event."""
    return [said("user", text), event("user_message", message=text, images=[])]


def call(name: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return item("function_call", name=name, arguments=text, call_id=call_id)


def custom(name: str, text: str, call_id: str = "c1") -> dict[str, Any]:
    return item("custom_tool_call", name=name, input=text, call_id=call_id)


def output(value: Any, call_id: str = "c1") -> dict[str, Any]:
    return item("function_call_output", call_id=call_id, output=value)


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def lines(records: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def opener(data: bytes) -> Any:
    """Opens `data` for any session file; there is no index of titles."""

    def open_file(path: Path) -> BinaryIO:
        if path.name == "session_index.jsonl":
            raise FileNotFoundError(path)
        return io.BytesIO(data)

    return open_file


def source(name: str = "rollout-2024-06-10T02-35-18-x.jsonl") -> Source:
    return Source("codex", Path("/home/ada/.codex/sessions/2024/06/10") / name, 0, 0)


def read_bytes(data: bytes, cursor: str | None = None) -> list[Item]:
    return list(codex.read(source(), cursor, opener(data)))


def read(*records: Any) -> list[Item]:
    """Read a session of these records; a list counts as its records."""
    flat: list[Any] = []
    for one in records:
        flat += one if isinstance(one, list) else [one]
    return read_bytes(lines(flat))


def turns(items: Iterable[Item]) -> list[Turn]:
    return [one for one in items if isinstance(one, Turn)]


def edits(items: Iterable[Item]) -> list[Edit]:
    return [one for one in items if isinstance(one, Edit)]


def texts(items: Iterable[Item]) -> list[str]:
    return [block.text for turn in turns(items) for block in turn.blocks]


def fold(items: Iterable[Item]) -> dict[Any, Any]:
    """What a store holds after `items`: the last of each key, and no cursors."""
    held: dict[Any, Any] = {}
    for one in items:
        if isinstance(one, Turn):
            held["turn", one.session_id, one.turn_uuid] = one
        elif isinstance(one, Edit):
            held["edit", one.session_id, one.tool_use_id, one.n] = one
        elif isinstance(one, Session):
            for name in ("title", "parent_session_id", "version", "repository_url"):
                if getattr(one, name) is not None:
                    held["session", one.session_id, name] = getattr(one, name)
        elif not isinstance(one, Cursor):
            held[one] = one
    return held
