"""OpenCode's sessions as it keeps them: in its database, in a tree of JSON files, in an export.

All three hold the same objects (anomalyco/opencode, `packages/opencode/src/session/message-v2.ts`
and `session.sql.ts`): a session, its messages, and the parts of each.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeAlias

from funes_git_parsers.base import Opener
from funes_git_parsers.database import required, select
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.values import mapping, moment, parsed, string
from funes_git_parsers.whole import LARGEST

Object: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """A message's own object, and its parts in order."""

    info: Object
    parts: list[Object]


@dataclass(frozen=True, slots=True)
class Stored:
    """A session's own object, and its messages in order; no message if it is not there any more."""

    info: Object
    messages: list[Message]


# The database

_SESSION = {
    "id": "id",
    "project_id": "projectID",
    "directory": "directory",
    "parent_id": "parentID",
    "title": "title",
    "version": "version",
    "revert": "revert",
}


def listed(db: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """Every session with messages: its id and two numbers that change whenever it does, the second
    of them the time of its last change in nanoseconds. Of the parts only an index is read: when
    they end, their message is written too.

    Raises sqlite3.Error, also if a table is missing.
    """
    required(db, "part")
    found = db.execute(
        "SELECT s.id, m.number, max(m.updated, s.time_updated),"
        " (SELECT count(*) FROM part p WHERE p.session_id = s.id) FROM session s JOIN"
        " (SELECT session_id, count(*) AS number, max(time_updated) AS updated FROM message"
        " GROUP BY session_id) m ON m.session_id = s.id ORDER BY s.id"
    )
    return [
        (key, messages + parts, int((moment(updated) or 0) * 1e9))
        for key, messages, updated, parts in found
        if isinstance(key, str) and key
    ]


def of_database(db: sqlite3.Connection, session_id: str) -> Stored:
    """A session of the database. Raises sqlite3.Error."""
    row = db.execute(f"{select(db, 'session', _SESSION)} WHERE id = ?", (session_id,)).fetchone()
    info: dict[str, object] = {"id": session_id}
    if row:
        info |= {name: row[column] for column, name in _SESSION.items()}
        info["revert"] = parsed(row["revert"])
    parts: dict[object, list[Object]] = {}
    names = ("id", "message_id", "data")
    query = f"{select(db, 'part', names)} WHERE session_id = ? ORDER BY id"
    for part_id, message_id, data in db.execute(query, (session_id,)):
        parts.setdefault(message_id, []).append({**mapping(parsed(data)), "id": part_id})
    query = select(db, "message", ("id", "data"))
    rows = db.execute(f"{query} WHERE session_id = ? ORDER BY time_created, id", (session_id,))
    return Stored(
        info,
        [
            Message({**mapping(parsed(data)), "id": message_id}, parts.get(message_id, []))
            for message_id, data in rows
        ],
    )


# The tree: session/<project>/<id>.json, message/<session>/<id>.json, part/<message>/<id>.json


def tree_of(storage: Path) -> Iterator[tuple[Path, str, int, int]]:
    """The file and the id of every session in the folder `storage`, with two numbers that change
    whenever it does: bytes and nanoseconds.

    A message is written again when its parts have ended, so that only the parts of the last one are
    looked at.
    """
    for path in sorted((storage / "session").glob("*/ses_*.json")):
        messages = _files(storage / "message" / path.stem)
        last = _files(storage / "part" / messages[-1].stem) if messages else []
        sizes, times = [], []
        for file in (path, *messages, *last):
            with suppress(OSError):
                stat = file.stat()
                sizes.append(stat.st_size)
                times.append(stat.st_mtime_ns)
        if times:
            yield path, path.stem, sum(sizes), max(times)


def of_tree(path: Path, open_file: Opener) -> Stored:
    """The session whose own object is the file at `path`. Raises OSError if that cannot be
    opened."""
    storage = path.parents[2]
    info = _object(path, open_file)
    messages = []
    for file in _files(storage / "message" / path.stem):
        parts = [_read(part, open_file) for part in _files(storage / "part" / file.stem)]
        messages.append(Message(_read(file, open_file), [part for part in parts if part]))
    return Stored({"id": path.stem, **info}, sorted(messages, key=_place))


def _place(message: Message) -> tuple[float, str]:
    created = mapping(message.info.get("time")).get("created")
    number = created if isinstance(created, (int, float)) else 0.0
    return number, str(message.info.get("id"))


def _files(folder: Path) -> list[Path]:
    """The objects in a folder, in the order of their ids, which is that of time."""
    return sorted(folder.glob("*.json"))


def _read(path: Path, open_file: Opener) -> Object:
    """An object of the tree; nothing if it is gone or half written."""
    try:
        return _object(path, open_file)
    except OSError:
        return {}


def _object(path: Path, open_file: Opener) -> Object:
    with closing(open_file(path)) as stream:
        return mapping(parsed(stream.read(LARGEST)))


# An export: {"info": …, "messages": [{"info": …, "parts": […]}]}


def of_export(path: Path, open_file: Opener) -> Stored:
    """The session in a file that `opencode export` wrote. Raises OSError."""
    value = _object(path, open_file)
    messages = [
        Message(mapping(each.get("info")), list(_objects(each.get("parts"))))
        for each in _objects(value.get("messages"))
    ]
    info = mapping(value.get("info"))
    return Stored({**info, "id": string(info.get("id")) or path.stem}, messages)


def _objects(value: object) -> Iterable[Object]:
    return (each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()
