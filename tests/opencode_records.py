"""Writes OpenCode's sessions for tests: the same objects into a database, a tree or an export."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

START = 1_796_014_776_000
FOLDER = "/w/repo"
PROJECT = "d01f0c7448ae4b05b333db8d189340b866b73e05"

SCHEMA = """
CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL);
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text,
    directory text NOT NULL, title text NOT NULL, version text NOT NULL, revert text,
    time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX part_session_idx ON part (session_id);
"""


class Story:
    """One session: its own object, and its messages with their parts. Ids grow with time."""

    def __init__(self, session_id: str = "ses_1", **info: Any) -> None:
        self.now = START
        times = {"created": START, "updated": START}
        about = {
            "projectID": PROJECT,
            "directory": FOLDER,
            "title": "A title",
            "version": "1.18.33",
        }
        self.info: dict[str, Any] = {"id": session_id, **about, "time": times, **info}
        self.messages: list[dict[str, Any]] = []

    def tick(self) -> int:
        """A second later, in milliseconds."""
        self.now += 1000
        self.info["time"]["updated"] = self.now
        return self.now

    def message(self, role: str, *parts: dict[str, Any], **info: Any) -> str:
        """A message with parts; its id."""
        now = self.tick()
        name = f"{self.info['id'].removeprefix('ses_')}_{len(self.messages):03}"
        if role == "assistant":
            info = {"modelID": "m-1", "path": {"cwd": FOLDER, "root": FOLDER}, **info}
        about = {"id": f"msg_{name}", "role": role, "time": {"created": now}, **info}
        numbered = [{"id": f"prt_{name}_{n}", **part} for n, part in enumerate(parts)]
        self.messages.append({"info": about, "parts": numbered})
        return str(about["id"])

    def tool(self, name: str, args: Any, output: str = "ok", **state: Any) -> dict[str, Any]:
        """A part that called a tool, completed a second later."""
        start, end = self.tick(), self.tick()
        times = {"start": start, "end": end}
        done = {"status": "completed", "input": args, "output": output, "time": times, **state}
        return {"type": "tool", "tool": name, "callID": f"call_{start}", "state": done}

    # Forms

    def export(self, path: Path) -> Path:
        """The file that `opencode export` writes."""
        path.write_text(json.dumps({"info": self.info, "messages": self.messages}))
        return path

    def tree(self, storage: Path) -> Path:
        """The files until 1.1; the session's own."""
        path = storage / "session" / self.info["projectID"] / f"{self.info['id']}.json"
        _write(path, self.info)
        for message in self.messages:
            info = message["info"]
            _write(storage / "message" / self.info["id"] / f"{info['id']}.json", info)
            for part in message["parts"]:
                _write(storage / "part" / info["id"] / f"{part['id']}.json", part)
        return path

    def database(self, path: Path) -> Path:
        """The rows since 1.2, in place of those that the session has there."""
        path.parent.mkdir(parents=True, exist_ok=True)
        info, times = self.info, self.info["time"]
        with closing(sqlite3.connect(path)) as db:
            if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
                db.executescript(SCHEMA)
            for table, column in (
                ("session", "id"),
                ("message", "session_id"),
                ("part", "session_id"),
            ):
                db.execute(f"DELETE FROM {table} WHERE {column} = ?", (info["id"],))
            revert = json.dumps(info["revert"]) if "revert" in info else None
            row = (info["id"], info["projectID"], info.get("parentID"), info["directory"])
            row = (*row, info["title"], info["version"], revert, times["created"], times["updated"])
            db.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            for message in self.messages:
                data = {k: v for k, v in message["info"].items() if k != "id"}
                at, key = data["time"]["created"], message["info"]["id"]
                row = (key, info["id"], at, times["updated"], json.dumps(data))
                db.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
                for part in message["parts"]:
                    data = {k: v for k, v in part.items() if k != "id"}
                    row = (part["id"], key, info["id"], at, at, json.dumps(data))
                    db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
            db.commit()
        return path


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def diff(path: str, *lines: str, at: int = 1) -> dict[str, Any]:
    """What the tool `edit` keeps of its change: a diff of these signed lines, without the
    indentation that they share."""
    old = sum(not line.startswith("+") for line in lines)
    new = sum(not line.startswith("-") for line in lines)
    full = [line[1:] for line in lines if line[1:].strip()]
    shared = min(len(line) - len(line.lstrip()) for line in full)
    trimmed = [line[:1] + line[1 + shared :] for line in lines]
    head = f"Index: {path}\n{'=' * 67}\n--- {path}\n+++ {path}\n@@ -{at},{old} +{at},{new} @@\n"
    patch = head + "\n".join(trimmed) + "\n"
    return {"diff": patch, "filediff": {"file": path, "patch": patch}}


SHARE = Path(".local/share/opencode")
"""OpenCode's folder below the home folder."""


def sample() -> Story:
    """A session with one of everything that most have."""
    story = Story()
    story.message("user", text("Make greet return hello."))
    thought = {"type": "reasoning", "text": "Hm."}
    args = {"filePath": "/w/repo/app.py", "oldString": '"hi"', "newString": '"hello"'}
    shown = diff("/w/repo/app.py", " def greet():", '-    return "hi"', '+    return "hello"')
    edit = story.tool("edit", args, metadata=shown)
    read = story.tool("read", {"filePath": "/w/repo/app.py"}, '1: def greet():\n2:     return "hi"')
    story.message("assistant", {"type": "step-start"}, thought, text("I see."), read, edit)
    command = {"command": "git commit -am Hello"}
    bash = story.tool("bash", command, "[main 1a2b3c4] Hello\n", metadata={"exit": 0})
    story.message("assistant", bash)
    story.message("assistant", text("Done."))
    return story
