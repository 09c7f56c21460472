"""Writes Goose's database for tests, in the schema of an older or a newer version."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

START = 1_796_014_776
FOLDER = "/w/repo"
SESSIONS = Path(".local/share/goose/sessions")

_OLD = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT NOT NULL DEFAULT '',
    working_dir TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
    role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL);
"""
_NEW = """
ALTER TABLE sessions ADD COLUMN name TEXT DEFAULT '';
ALTER TABLE sessions ADD COLUMN session_type TEXT NOT NULL DEFAULT 'user';
ALTER TABLE sessions ADD COLUMN parent_session_id TEXT;
ALTER TABLE sessions ADD COLUMN model_config_json TEXT;
ALTER TABLE messages ADD COLUMN metadata_json TEXT;
ALTER TABLE messages ADD COLUMN message_id TEXT;
"""


class Goose:
    """A `sessions.db` in `folder`; `version` 1 has the first schema."""

    def __init__(self, folder: Path, version: int = 9) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "sessions.db"
        self.now = START
        with closing(sqlite3.connect(self.path)) as db:
            db.executescript(_OLD + (_NEW if version > 1 else ""))

    def execute(self, statement: str, *values: Any) -> None:
        with closing(sqlite3.connect(self.path)) as db:
            db.execute(statement, values)
            db.commit()

    def insert(self, table: str, **values: Any) -> None:
        names, places = ", ".join(values), ", ".join("?" for _ in values)
        self.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", *values.values())

    def session(self, session_id: str = "20261130_1", **values: Any) -> str:
        shown = {"working_dir": FOLDER, "created_at": self.time(), "updated_at": self.time()}
        self.insert("sessions", id=session_id, **{**shown, **values})
        return session_id

    def time(self) -> str:
        """The time as SQLite writes it."""
        return datetime.fromtimestamp(self.now, UTC).strftime("%Y-%m-%d %H:%M:%S")

    def message(
        self, role: str, *parts: Any, session_id: str = "20261130_1", **values: Any
    ) -> None:
        """A message, a second after the one before."""
        self.now += 1
        shown = {"session_id": session_id, "role": role, "created_timestamp": self.now}
        self.insert("messages", content_json=json.dumps(parts), **{**shown, **values})
        self.execute("UPDATE sessions SET updated_at = ? WHERE id = ?", self.time(), session_id)

    def call(
        self, tool: str, args: Any, *contents: Any, call_id: str = "c1", **result: Any
    ) -> None:
        """A call by the assistant and its result."""
        self.message("assistant", request(tool, args, call_id))
        done = {"status": "success", "value": list(contents), **result}
        self.message("user", {"type": "toolResponse", "id": call_id, "toolResult": done})


def request(tool: str, args: Any, call_id: str = "c1") -> dict[str, Any]:
    call = {"status": "success", "value": {"name": tool, "arguments": args}}
    return {"type": "toolRequest", "id": call_id, "toolCall": call}


def text(words: str, *audience: str) -> dict[str, Any]:
    notes = {"annotations": {"audience": list(audience)}} if audience else {}
    return {"type": "text", "text": words, **notes}
