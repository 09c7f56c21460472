"""The rows of Hermes' sessions: from its database, or from the files that older versions wrote.

Schema: NousResearch/hermes-agent, `hermes_state_common.py` (SCHEMA_SQL; versions 6 to 30 seen).
Columns came one by one, so each query names only those that the database has. The search indexes
(`messages_fts*`) are never asked: they are often corrupt while the messages are not.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from funes_git_parsers.database import columns, required, select
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.values import mapping, moment, parsed, string

_JSON = "\0json:"
"""Before content that is a list of parts."""


@dataclass(frozen=True, slots=True)
class About:
    """A row of `sessions`; times in seconds since the epoch."""

    session_id: str
    source: str = ""
    model: str | None = None
    config: Mapping[str, Any] | None = None
    parent: str | None = None
    end_reason: str | None = None
    cwd: str | None = None
    branch: str | None = None
    title: str | None = None
    started: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of `messages`. `content` is text, or a list of parts. `gone`: it was rewound;
    `compacted`: a summary took its place in the model's context."""

    uuid: str
    role: str
    content: object
    call_id: str | None = None
    calls: tuple[Mapping[str, Any], ...] = ()
    tool: str | None = None
    ts: float | None = None
    thinking: str | None = None
    gone: bool = False
    compacted: bool = False
    summary: bool = False
    hidden: bool = False
    observed: bool = False

    @property
    def signature(self) -> tuple[object, ...]:
        """What a copy of this row has in common with it."""
        return self.role, repr(self.content), self.call_id, repr(self.calls)


@dataclass(frozen=True, slots=True)
class Stored:
    """A session: its rows, in order; its parent with its rows; and the sessions that name it as
    their parent."""

    about: About
    rows: list[Row]
    parent: About | None = None
    parent_rows: tuple[Row, ...] = ()
    children: tuple[About, ...] = ()


def listed(db: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """Every session with messages: its id and two numbers that change whenever it does, the second
    of them the time of its newest message in nanoseconds. Answered from an index alone.

    Raises sqlite3.Error, also if there are no messages.
    """
    known = required(db, "messages")
    inactive = "count(CASE WHEN active = 0 THEN 1 END)" if "active" in known else "0"
    found = db.execute(
        f"SELECT session_id, max(id) + {inactive}, max(timestamp) FROM messages"
        " GROUP BY session_id ORDER BY session_id"
    )
    return [
        (key, size, int((moment(newest) or 0) * 1e9))
        for key, size, newest in found
        if isinstance(key, str) and key and isinstance(size, int) and size < 2**62
    ]


def stored(db: sqlite3.Connection, session_id: str) -> Stored:
    """A session; without rows if it is not there any more. Raises sqlite3.Error."""
    about = _about(db, session_id) or About(session_id)
    parent = _about(db, about.parent) if about.parent else None
    return Stored(
        about,
        _rows(db, session_id),
        parent,
        tuple(_rows(db, parent.session_id)) if parent else (),
        tuple(_children(db, session_id)),
    )


_SESSION = (
    *("id", "source", "model", "model_config", "parent_session_id", "end_reason"),
    *("cwd", "git_repo_root", "git_branch", "title", "started_at"),
)
_MESSAGE = (
    *("id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp"),
    *("reasoning", "reasoning_content", "active", "compacted", "_compressed_summary"),
    *("display_kind", "observed"),
)


def _about(db: sqlite3.Connection, session_id: str) -> About | None:
    if not columns(db, "sessions"):
        return None
    query = select(db, "sessions", _SESSION)
    row = db.execute(f"{query} WHERE id = ?", (session_id,)).fetchone()
    return _about_of(dict(row)) if row else None


def _children(db: sqlite3.Connection, session_id: str) -> list[About]:
    if "parent_session_id" not in columns(db, "sessions"):
        return []
    query = select(db, "sessions", _SESSION)
    rows = db.execute(f"{query} WHERE parent_session_id = ? ORDER BY started_at, id", (session_id,))
    return [_about_of(dict(row)) for row in rows]


def _rows(db: sqlite3.Connection, session_id: str) -> list[Row]:
    """By id: Hermes' clock may go backwards."""
    query = select(db, "messages", _MESSAGE)
    rows = db.execute(f"{query} WHERE session_id = ? ORDER BY id", (session_id,))
    return [
        row_of({**dict(row), "calls": parsed(row["tool_calls"])}, str(row["id"])) for row in rows
    ]


def _about_of(row: Mapping[str, Any]) -> About:
    return About(
        string(row["id"]) or "",
        string(row["source"]) or "",
        string(row["model"]),
        mapping(parsed(row["model_config"])),
        string(row["parent_session_id"]),
        string(row["end_reason"]),
        string(row["cwd"]) or string(row["git_repo_root"]),
        string(row["git_branch"]),
        string(row["title"]),
        moment(row["started_at"]),
    )


def row_of(message: Mapping[str, Any], uuid: str) -> Row:
    """A message of the database or of a file as a row; `calls` are its tool calls as a list."""
    calls = message.get("calls")
    thinking = string(message.get("reasoning_content")) or string(message.get("reasoning"))
    compacted = message.get("compacted") == 1
    return Row(
        uuid,
        string(message.get("role")) or "",
        _content(message.get("content")),
        string(message.get("tool_call_id")),
        tuple(
            call for call in (calls if isinstance(calls, list) else ()) if isinstance(call, dict)
        ),
        string(message.get("tool_name")) or string(message.get("name")),
        moment(message.get("timestamp")),
        thinking,
        gone=message.get("active") == 0 and not compacted,
        compacted=compacted,
        summary=message.get("_compressed_summary") == 1,
        hidden=message.get("display_kind") == "hidden",
        observed=message.get("observed") == 1,
    )


def _content(value: object) -> object:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str) and value.startswith(_JSON):
        return parsed(value.removeprefix(_JSON))
    return value
