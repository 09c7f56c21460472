"""A made-up agent with all of its sessions in one SQLite database, and a third party's parser."""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from funes_git_parsers.base import (
    COMMIT,
    Block,
    Capability,
    Cursor,
    Edit,
    Item,
    Opener,
    Places,
    Session,
    Source,
    Turn,
    whole,
)
from funes_git_parsers.database import MAGIC, ask, columns

NAME = "notes"
LABEL = "Notes"
GLOBAL_UUIDS = False
READS: frozenset[Capability] = frozenset(("text", "edits", "git"))

SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, folder TEXT, first_commit TEXT);
CREATE TABLE IF NOT EXISTS messages (
  id INTEGER PRIMARY KEY, session TEXT, role TEXT, text TEXT, at REAL, edit TEXT);
"""


def write(
    path: Path,
    session: str,
    folder: Path | str,
    messages: Iterable[tuple[str, str, float, dict[str, str] | None]],
    first_commit: str | None = None,
) -> None:
    """Add messages (role, text, time, edit) to a session of the database at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(SCHEMA)
        row = (session, str(folder), first_commit)
        db.execute("INSERT OR IGNORE INTO sessions VALUES (?, ?, ?)", row)
        for role, text, at, edit in messages:
            about = (session, role, text, at, edit and json.dumps(edit))
            db.execute("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?)", about)


def folders(places: Places) -> list[Path]:
    return [places.home / ".notes"]


def discover(places: Places) -> Iterator[Source]:
    path = places.home / ".notes" / "notes.db"
    if path.is_file():
        try:
            yield from sessions(path)
        except OSError:
            yield whole(NAME, path)


def claim(path: Path, head: bytes) -> bool:
    return head.startswith(MAGIC) and b"CREATE TABLE sessions (id TEXT" in head


def sessions(path: Path) -> list[Source]:
    rows = _ask(path, "SELECT session, count(*), max(id) FROM messages GROUP BY session")
    return [Source(NAME, path, count, last, str(session)) for session, count, last in rows]


def roots(source: Source, open_file: Opener) -> set[str]:
    found = {item.path for item in _items(source) if isinstance(item, Edit)}
    session = _ask(
        source.path, "SELECT folder, first_commit FROM sessions WHERE id = ?", source.key
    )
    for folder, commit in session:
        found |= {_text(folder)} | ({COMMIT + _text(commit)} if commit else set())
    return found


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    start = int(cursor) if cursor and cursor.isascii() and cursor.isdigit() else 0
    last = start
    for item in _items(source):
        number = int(item.turn_uuid) if isinstance(item, Turn | Edit) else start + 1
        if number > start:
            yield item
            last = max(last, number if isinstance(item, Turn) else 0)
    yield Cursor(str(last))


def _items(source: Source) -> Iterator[Item]:
    if not source.key:
        sessions(source.path)  # says what is wrong with it
        raise OSError(errno.EINVAL, "its sessions cannot be read", str(source.path))
    path, key = source.path, source.key
    yield Session(key, NAME)
    folder = ""
    for row in _ask(path, "SELECT folder FROM sessions WHERE id = ?", key):
        folder = _text(row[0])
    prompt = None
    rows = _ask(
        path, "SELECT id, role, text, at, edit FROM messages WHERE session = ? ORDER BY id", key
    )
    for number, role, text, at, edit in rows:
        uuid = str(number)
        prompt = uuid if role == "user" else prompt
        block = Block("text", _text(text))
        place = {"workdir": folder or None, "parent_uuid": None, "exchange": prompt}
        ts = at if isinstance(at, float) else None
        who = "user" if role == "user" else "assistant"
        yield Turn(
            *(key, uuid, number, ts, who, NAME, (block,)),  # type: ignore[arg-type]
            **place,  # type: ignore[arg-type]
            is_prompt=role == "user",
        )
        if change := _object(edit):
            about = (key, uuid, f"e{uuid}", 0, ts, f"{folder}/{_text(change.get('path'))}")
            texts = {side: _text(change.get(side)) for side in ("old", "new")}
            yield Edit(*about, "modify", "write", **texts)


def _text(value: object) -> str:
    text = value if isinstance(value, str) else ""
    return text.encode("utf-8", "replace").decode()


def _object(value: object) -> dict[str, Any]:
    try:
        found = json.loads(value) if isinstance(value, str) else None
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _ask(path: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    def question(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
        if not columns(db, "messages"):
            raise OSError(errno.EINVAL, "it has no messages", str(path))
        return [tuple(row) for row in db.execute(query, values)]

    try:
        return ask(path, question)
    except sqlite3.Error as error:
        raise OSError(errno.EINVAL, str(error), str(path)) from error
