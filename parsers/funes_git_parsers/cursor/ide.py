"""Conversations of Cursor's editor: rows of `state.vscdb`.

The global database has `composerData:<id>` for a conversation and `bubbleId:<id>:<bubble>` for each
message; versions before 0.40 kept the messages inside. A workspace's own database lists the
conversations that belong to it, and has older chats whole. Reverse-engineered; read in
S2thend/cursor-history and michaeldhood/chatrxiv, `docs/cursor/storage-reference.md`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from funes_git_parsers import database
from funes_git_parsers.cursor.edits import content_names
from funes_git_parsers.database import columns
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.values import folder, mapping, moment, parsed, string

CHATS = "workbench.panel.aichat.view.aichat.chatdata"
"""The key of the chats that versions before 0.40 or so kept in a workspace's database."""
_TABLE = "cursorDiskKV"


@dataclass(frozen=True, slots=True)
class Stored:
    """A conversation: its own object, its bubbles in order, the folder of its workspace, and the
    texts that results of edits point to."""

    session_id: str
    info: Mapping[str, Any]
    bubbles: list[Mapping[str, Any]]
    contents: dict[str, str] = field(default_factory=dict)
    workspace: str | None = None


def listed(db: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """Every conversation with messages: its id and two numbers that change whenever it does, the
    second of them the time of its last change in nanoseconds. Raises sqlite3.Error."""
    found = [(key, size, at) for key, size, at in _composers(db) if size]
    for tab in _tabs(db):
        bubbles = tab.get("bubbles")
        sent = moment(tab.get("lastSendTime")) or 0
        if (key := string(tab.get("tabId"))) and isinstance(bubbles, list) and bubbles:
            found.append((key, len(bubbles), int(sent * 1e9)))
    return sorted(found)


def _composers(db: sqlite3.Connection) -> Iterator[tuple[str, int, int]]:
    """Of the messages only the index of keys is read."""
    if not columns(db, _TABLE):
        return
    counted = db.execute(
        f"SELECT substr(key, 10, 36), count(*) FROM {_TABLE}"
        " WHERE key >= 'bubbleId:' AND key < 'bubbleId;' GROUP BY 1"
    )
    bubbles = {key: number for key, number in counted if isinstance(key, str)}
    rows = db.execute(
        "SELECT key, json_extract(j, '$.lastUpdatedAt'), json_extract(j, '$.createdAt'),"
        " json_array_length(j, '$.fullConversationHeadersOnly'),"
        " json_array_length(j, '$.conversation') FROM (SELECT key, CASE WHEN"
        " json_valid(CAST(value AS TEXT)) THEN CAST(value AS TEXT) ELSE '{}' END AS j"
        f" FROM {_TABLE} WHERE key >= 'composerData:' AND key < 'composerData;')"
    )
    for name, updated, created, headers, inline in rows:
        key = str(name).partition(":")[2]
        at = moment(updated) or moment(created) or 0
        if key and (headers or inline):
            yield key, bubbles.get(key, 0) + (headers or 0) + (inline or 0), int(at * 1e9)


def _tabs(db: sqlite3.Connection) -> list[Mapping[str, Any]]:
    if not columns(db, "ItemTable"):
        return []
    row = db.execute("SELECT value FROM ItemTable WHERE key = ?", (CHATS,)).fetchone()
    tabs = mapping(parsed(row[0])).get("tabs") if row else None
    return [tab for tab in tabs if isinstance(tab, dict)] if isinstance(tabs, list) else []


def stored(path: Path, session_id: str) -> Stored:
    """A conversation of the database at `path`. Raises OSError."""
    found = database.ask(path, partial(_stored, session_id=session_id))
    return Stored(
        found.session_id, found.info, found.bubbles, found.contents, _workspace(path, found)
    )


def _stored(db: sqlite3.Connection, session_id: str) -> Stored:
    for tab in _tabs(db):
        if tab.get("tabId") == session_id:
            bubbles = tab.get("bubbles")
            return Stored(session_id, tab, _objects(bubbles))
    if not columns(db, _TABLE):
        return Stored(session_id, {}, [])
    info = _value(db, f"composerData:{session_id}")
    bubbles = _objects(info.get("conversation"))
    inline = mapping(info.get("conversationMap"))
    for header in _objects(info.get("fullConversationHeadersOnly")):
        bubble_id = string(header.get("bubbleId"))
        if bubble_id:
            bubble = _value(db, f"bubbleId:{session_id}:{bubble_id}")
            bubble = bubble or mapping(inline.get(bubble_id))
            bubbles.append({"type": header.get("type"), **bubble, "bubbleId": bubble_id})
    names = {
        name
        for bubble in bubbles
        for name in content_names(str(mapping(bubble.get("toolFormerData")).get("result")))
    }
    return Stored(session_id, info, bubbles, {name: _text(db, name) for name in names})


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(db: sqlite3.Connection, key: str) -> str:
    row = db.execute(f"SELECT value FROM {_TABLE} WHERE key = ?", (key,)).fetchone()
    value = row[0] if row else ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")


def _value(db: sqlite3.Connection, key: str) -> dict[str, Any]:
    return mapping(parsed(_text(db, key)))


# Workspaces


def _workspace(path: Path, found: Stored) -> str | None:
    """The folder of a conversation: as it says itself, or as the workspace says that lists it."""
    uri = mapping(mapping(found.info.get("workspaceIdentifier")).get("uri"))
    if named := string(uri.get("fsPath")) or string(uri.get("path")):
        return named
    for bubble in found.bubbles:
        uris = bubble.get("workspaceUris")
        if isinstance(uris, list) and uris and (named := folder(uris[0])):
            return named
    if path.parent.name != "globalStorage":
        return _folder_of(path.parent)
    for place in sorted(path.parents[1].glob("workspaceStorage/*")):
        if found.session_id in _listed_in(place / path.name, _stamp(place / path.name)):
            return _folder_of(place)
    return None


def _folder_of(workspace: Path) -> str | None:
    try:
        about = parsed((workspace / "workspace.json").read_bytes())
    except OSError:
        return None
    return folder(mapping(about).get("folder"))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        return database.stamp(path)
    except OSError:
        return 0, 0


@lru_cache(maxsize=256)
def _listed_in(path: Path, stamp: tuple[int, int]) -> frozenset[str]:
    """The conversations that a workspace's database lists, as it was at `stamp`."""
    try:
        return database.ask(path, _all_composers) if stamp[0] else frozenset()
    except OSError:
        return frozenset()


def _all_composers(db: sqlite3.Connection) -> frozenset[str]:
    if not columns(db, "ItemTable"):
        return frozenset()
    query = "SELECT value FROM ItemTable WHERE key = 'composer.composerData'"
    row = db.execute(query).fetchone()
    every = _objects(mapping(parsed(row[0])).get("allComposers")) if row else []
    return frozenset(key for each in every if (key := string(each.get("composerId"))))
