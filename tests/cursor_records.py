"""Writes Cursor's databases and transcripts for tests."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

START = 1_796_014_776_000
FOLDER = "/w/repo"
EDITOR = Path(".config/Cursor/User")
AGENT = Path(".cursor")


class Editor:
    """The databases of Cursor's editor below `user`, its settings folder."""

    def __init__(self, user: Path) -> None:
        self.user = user
        self.path = user / "globalStorage" / "state.vscdb"
        self.now = START
        self._database(self.path)

    def _database(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as db:
            for table in ("ItemTable", "cursorDiskKV"):
                column = "key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB"
                db.execute(f"CREATE TABLE IF NOT EXISTS {table} ({column})")

    def put(
        self, key: str, value: Any, table: str = "cursorDiskKV", path: Path | None = None
    ) -> None:
        text = value if isinstance(value, str | bytes) else json.dumps(value)
        with closing(sqlite3.connect(path or self.path)) as db:
            db.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, text))
            db.commit()

    def composer(self, key: str, *bubbles: dict[str, Any], **info: Any) -> None:
        """A conversation: its headers, and a row for each bubble, a second apart."""
        headers = []
        for number, bubble in enumerate(bubbles):
            self.now += 1000
            name = f"{key}-b{number}"
            headers.append({"bubbleId": name, "type": bubble["type"]})
            shown = {"_v": 3, "bubbleId": name, "createdAt": self.now, **bubble}
            self.put(f"bubbleId:{key}:{name}", shown)
        about = {"_v": 10, "composerId": key, "createdAt": START, "lastUpdatedAt": self.now}
        about |= {"fullConversationHeadersOnly": headers, "createdOnBranch": "main"}
        self.put(f"composerData:{key}", {**about, "modelConfig": {"modelName": "m-1"}, **info})

    def workspace(self, folder: str, *composers: str, **items: Any) -> None:
        """A workspace with its own database, which lists conversations."""
        place = self.user / "workspaceStorage" / hashlib.md5(folder.encode()).hexdigest()
        path = place / "state.vscdb"
        self._database(path)
        (place / "workspace.json").write_text(json.dumps({"folder": f"file://{folder}"}))
        every = {"allComposers": [{"composerId": key} for key in composers]}
        for key, value in {"composer.composerData": every, **items}.items():
            self.put(key, value, "ItemTable", path)


def asked(words: str, **more: Any) -> dict[str, Any]:
    return {"type": 1, "text": words, **more}


def said(words: str, **more: Any) -> dict[str, Any]:
    return {"type": 2, "text": words, **more}


def tool(name: str, args: Any, result: Any, **more: Any) -> dict[str, Any]:
    """A bubble that called a tool: arguments and result are JSON in strings."""
    done = {"name": name, "toolCallId": f"call_{name}", "status": "completed"}
    texts = {"rawArgs": json.dumps(args), "result": json.dumps(result)}
    return {"type": 2, "text": "", "toolFormerData": {**done, **texts, **more}}


def store(path: Path, *messages: Any, workspace: str = FOLDER, **about: Any) -> Path:
    """A `store.db` of the command-line agent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    root = b""
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT)")
        db.execute("CREATE TABLE IF NOT EXISTS blobs (id TEXT PRIMARY KEY, data BLOB)")

        def blob(data: bytes) -> bytes:
            digest = hashlib.sha256(data)
            db.execute("INSERT OR REPLACE INTO blobs VALUES (?, ?)", (digest.hexdigest(), data))
            return digest.digest()

        for message in messages:
            data = message if isinstance(message, bytes) else json.dumps(message).encode()
            root += b"\x0a\x20" + blob(data)
        name = f"file://{workspace}".encode()
        root += b"\x10\x07" + b"\x4a" + bytes([len(name)]) + name
        known = {"agentId": path.parent.name, "name": "A title", "createdAt": START}
        known |= {"latestRootBlobId": blob(root).hex(), "lastUsedModel": "m-1", **about}
        value = json.dumps(known).encode().hex()
        db.execute("INSERT OR REPLACE INTO meta VALUES ('0', ?)", (value,))
        db.commit()
    return path
