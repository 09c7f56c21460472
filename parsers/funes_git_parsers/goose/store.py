"""Goose's sessions as it keeps them: rows of a database, or a file for each in older versions.

Schema: block/goose, `crates/goose/src/session/session_manager.rs` (versions 1 to 5 and later
columns) and `legacy.rs`; messages: `crates/goose/src/conversation/message.rs`.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from hashlib import sha1
from pathlib import Path
from typing import Any

from funes_git_parsers.base import Opener
from funes_git_parsers.database import columns, required, select
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.jsonl import read_records
from funes_git_parsers.values import compact, mapping, moment, parsed, string

SUB_AGENT = "sub_agent"


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a session as a whole; `created` in seconds since the epoch."""

    session_id: str
    title: str | None = None
    kind: str | None = None
    folder: str | None = None
    parent: str | None = None
    model: str | None = None
    created: float | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A message. `for_agent` and `for_person`: who is shown it."""

    uuid: str
    role: str | None
    parts: list[Mapping[str, Any]]
    ts: float | None
    for_agent: bool = True
    for_person: bool = True


@dataclass(frozen=True, slots=True)
class Stored:
    """A session, its messages in order, and the sessions that it started."""

    about: About
    messages: list[Message]
    children: list[About]


_SESSION = (
    *("id", "name", "description", "session_type", "working_dir", "created_at"),
    *("parent_session_id", "model_config_json"),
)
_MESSAGE = ("id", "message_id", "role", "content_json", "created_timestamp", "metadata_json")


def listed(db: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """Every session with messages: its id and two numbers that change whenever it does, the second
    of them the time of its last change in nanoseconds. Raises sqlite3.Error, also if a table is
    missing."""
    required(db, "messages")
    updated = "updated_at" if "updated_at" in required(db, "sessions") else "NULL"
    found = db.execute(
        f"SELECT s.id, m.size, {updated} FROM sessions s JOIN (SELECT session_id,"
        " max(id) + count(*) AS size FROM messages GROUP BY session_id) m ON m.session_id = s.id"
        " ORDER BY s.id"
    )
    return [
        (key, size, int((moment(at) or 0) * 1e9))
        for key, size, at in found
        if isinstance(key, str) and key and isinstance(size, int) and size < 2**62
    ]


def of_database(db: sqlite3.Connection, session_id: str) -> Stored:
    """A session of the database. Raises sqlite3.Error."""
    query = select(db, "sessions", _SESSION)
    row = db.execute(f"{query} WHERE id = ?", (session_id,)).fetchone()
    children = []
    if "parent_session_id" in columns(db, "sessions"):
        order = "ORDER BY created_at, id"
        rows = db.execute(f"{query} WHERE parent_session_id = ? {order}", (session_id,))
        children = [_about(dict(child)) for child in rows]
    query = select(db, "messages", _MESSAGE)
    # not by `created_timestamp`: that of a result is at times before its call's
    rows = db.execute(f"{query} WHERE session_id = ? ORDER BY id", (session_id,))
    messages = (
        {
            "id": row["message_id"],
            "role": row["role"],
            "content": parsed(row["content_json"]),
            "created": row["created_timestamp"],
            "metadata": parsed(row["metadata_json"]),
        }
        for row in rows
    )
    about = _about(dict(row)) if row else About(session_id)
    return Stored(about, list(_messages(messages)), children)


def of_file(path: Path, open_file: Opener) -> Stored:
    """A session of an older version: a line about it, then a message a line. Raises OSError."""
    with closing(open_file(path)) as stream:
        lines = [each for each in read_records(stream) if isinstance(each, dict)]
    first = lines[0] if lines and "role" not in lines[0] else {}
    messages = (line for line in lines if "role" in line)
    return Stored(_about({**first, "id": path.stem}), list(_messages(messages)), [])


def _about(row: Mapping[str, Any]) -> About:
    return About(
        string(row["id"]) or "",
        string(row.get("name")) or string(row.get("description")),
        string(row.get("session_type")),
        string(row.get("working_dir")),
        string(row.get("parent_session_id")),
        string(mapping(parsed(row.get("model_config_json"))).get("model_name")),
        moment(row.get("created_at")),
    )


def _messages(found: Iterable[Mapping[str, Any]]) -> Iterator[Message]:
    """Named by their own ids, or else by what they say: a compaction writes every row anew."""
    used: Counter[str] = Counter()
    for message in found:
        content = message.get("content")
        given = content if isinstance(content, list) else []
        parts: list[Mapping[str, Any]] = [part for part in given if isinstance(part, dict)]
        role, created = string(message.get("role")), message.get("created")
        said = compact([role, created if isinstance(created, (int, float)) else None, parts])
        name = string(message.get("id")) or _digest(said)
        used[name] += 1
        shown = mapping(message.get("metadata"))
        yield Message(
            name if used[name] == 1 else f"{name}~{used[name]}",
            role,
            parts,
            moment(created),
            shown.get("agentVisible") is not False,
            shown.get("userVisible") is not False,
        )


def _digest(text: str) -> str:
    return sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:32]
