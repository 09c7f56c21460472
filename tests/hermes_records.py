"""Writes Hermes' database for tests, in the schema of any of its versions."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

START = 1_796_014_881.0
FOLDER = "/w/repo"

_SESSIONS = {
    6: "id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT,"
    " system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL,"
    " end_reason TEXT, message_count INTEGER DEFAULT 0, title TEXT",
    16: "cwd TEXT, git_branch TEXT, git_repo_root TEXT",
    20: "rewind_count INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0",
}
_MESSAGES = {
    6: "id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,"
    " content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL,"
    " token_count INTEGER, finish_reason TEXT, reasoning TEXT, reasoning_details TEXT,"
    " codex_reasoning_items TEXT",
    8: "reasoning_content TEXT",
    16: "observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1,"
    " compacted INTEGER NOT NULL DEFAULT 0",
    30: "_compressed_summary INTEGER NOT NULL DEFAULT 0, display_kind TEXT",
}


class Hermes:
    """A `state.db` of schema `version` in `folder`."""

    def __init__(self, folder: Path, version: int = 30) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "state.db"
        self.version = version
        self.now = START
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("CREATE TABLE schema_version (version INTEGER NOT NULL)")
            db.execute("INSERT INTO schema_version VALUES (?)", (version,))
            for table, parts in (("sessions", _SESSIONS), ("messages", _MESSAGES)):
                columns = ", ".join(part for since, part in parts.items() if since <= version)
                db.execute(f"CREATE TABLE {table} ({columns})")
            db.commit()

    def execute(self, statement: str, *values: Any) -> int:
        """Run one statement; the id of the row that it inserted."""
        with closing(sqlite3.connect(self.path)) as db:
            done = db.execute(statement, values)
            db.commit()
            return done.lastrowid or 0

    def insert(self, table: str, **values: Any) -> int:
        names = ", ".join(values)
        places = ", ".join("?" for _ in values)
        return self.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", *values.values())

    def session(self, session_id: str = "s1", **values: Any) -> str:
        """A session; with the folder that newer versions record."""
        about: dict[str, Any] = {"source": "cli", "model": "m-1", "started_at": self.now}
        if self.version >= 16:
            about |= {"cwd": FOLDER, "git_branch": "main"}
        config = values.pop("config", None)
        about |= {"model_config": json.dumps(config)} if config else {}
        self.insert("sessions", id=session_id, **{**about, **values})
        return session_id

    def message(self, role: str, content: str | None, session_id: str = "s1", **values: Any) -> str:
        """A message, a second after the one before; its row's id as the turn has it."""
        self.now += 1
        calls = values.pop("calls", None)
        values |= {"tool_calls": json.dumps(calls)} if calls else {}
        shown = {"session_id": session_id, "role": role, "content": content, "timestamp": self.now}
        return str(self.insert("messages", **{**shown, **values}))

    def call(self, tool: str, args: Any, result: Any, call_id: str = "c1", **values: Any) -> str:
        """A call by the assistant and its result; the id of the call's row."""
        asked = self.message("assistant", "", calls=[call(tool, args, call_id)], **values)
        text = result if isinstance(result, str) else json.dumps(result)
        self.message("tool", text, tool_call_id=call_id, tool_name=tool, **values)
        return asked


def call(tool: str, args: Any, call_id: str = "c1") -> dict[str, Any]:
    """A tool call as Hermes keeps it: the arguments are JSON in a string."""
    text = args if isinstance(args, str) else json.dumps(args)
    function = {"name": tool, "arguments": text}
    return {"id": call_id, "call_id": call_id, "type": "function", "function": function}


def patched(path: str, old: str, new: str) -> dict[str, Any]:
    """The result of a replacement in the only line of a file."""
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -1,1 +1,1 @@\n-{old}\n+{new}\n"
    return {"success": True, "diff": diff, "files_modified": [path], "resolved_path": path}
