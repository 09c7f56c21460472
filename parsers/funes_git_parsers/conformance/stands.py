"""What stands after a stream of items, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, TypeAlias, cast

from funes_git_parsers.base import (
    COMMIT,
    Capability,
    Edit,
    Item,
    Retraction,
    Session,
    Spawn,
    Turn,
)

Key: TypeAlias = tuple[str, ...]


def key_of(item: Turn | Edit | Spawn) -> Key:
    """Under what a store keeps an item."""
    match item:
        case Turn():
            return "turn", item.session_id, item.turn_uuid
        case Edit():
            return "edit", item.session_id, item.tool_use_id, str(item.n)
        case Spawn():
            return "spawn", item.session_id, item.turn_uuid, item.thread


def stands(items: Iterable[Item]) -> dict[Key, Any]:
    """What a store holds: the last of each key, sessions with turns field by field, nothing of a
    turn that was taken back."""
    items = list(items)
    gone = {(i.session_id, i.turn_uuid) for i in items if isinstance(i, Retraction)}
    sessions = {item.session_id for item in items if isinstance(item, Turn)}
    found: dict[Key, Any] = {}
    for item in items:
        if isinstance(item, Turn | Edit | Spawn):
            if (item.session_id, item.turn_uuid) not in gone:
                found[key_of(item)] = item
        elif isinstance(item, Session) and item.session_id in sessions:
            found.update(_known_fields(item))
    return found


def _known_fields(session: Session) -> Iterator[tuple[Key, Any]]:
    for field in fields(session):
        if (value := getattr(session, field.name)) is not None:
            yield ("session", session.session_id, field.name), value


def words(items: Iterable[Item]) -> list[tuple[str, ...]]:
    """The texts of the turns that stand, in order: what remains the same when ids do not."""
    turns = [item for item in stands(items).values() if isinstance(item, Turn)]
    return [(turn.role, *(block.text for block in turn.blocks)) for turn in turns]


def repeated(items: Iterable[Item]) -> list[Key]:
    """Keys that one read yielded twice with different records."""
    seen: dict[Key, Item] = {}
    keyed = [item for item in items if isinstance(item, Turn | Edit | Spawn)]
    return [key_of(item) for item in keyed if seen.setdefault(key_of(item), item) != item]


def unwritable(items: Iterable[Item]) -> list[Item]:
    """Items that hold a string that is no UTF-8."""
    items = list(items)
    return [] if _is_utf8(items) else [item for item in items if not _is_utf8(item)]


def _is_utf8(value: object) -> bool:
    try:
        _AS_JSON.encode(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def _values(record: Any) -> list[object]:
    """Of a dataclass; `asdict` would copy them, which takes longer than to read a session."""
    return [getattr(record, field.name) for field in fields(record)]


_AS_JSON = json.JSONEncoder(ensure_ascii=False, default=_values)


def dangling(items: Iterable[Item]) -> list[str]:
    """What refers to a turn that was not yielded."""
    items = list(items)
    turns = {(i.session_id, i.turn_uuid) for i in items if isinstance(i, Turn)}
    missing = []
    for item in items:
        if isinstance(item, Edit | Spawn | Retraction):
            if (item.session_id, item.turn_uuid) not in turns:
                missing.append(f"{type(item).__name__} of {item.turn_uuid}")
        elif isinstance(item, Turn):
            for name in ("parent_uuid", "exchange"):
                other = getattr(item, name)
                if other is not None and (item.session_id, other) not in turns:
                    missing.append(f"{name} of {item.turn_uuid}")
    return missing


def unnamed_results(items: Iterable[Item]) -> list[str]:
    """Ids of results that do not bear the name of the tool that was called."""
    blocks = [block for item in items if isinstance(item, Turn) for block in item.blocks]
    tools = {b.tool_use_id: b.tool for b in blocks if b.type == "tool_use" and b.tool_use_id}
    results = [(b.tool_use_id, b.tool) for b in blocks if b.type == "tool_result"]
    return [use for use, tool in results if use in tools and tool != tools[use]]


def outside(items: Iterable[Item], roots: set[str]) -> list[str]:
    """Folders and paths that the quick scan did not find, nor a folder above them."""
    named = set()
    for item in items:
        if isinstance(item, Turn) and item.workdir:
            named.add(item.workdir)
        elif isinstance(item, Edit):
            named.update(path for path in (item.path, item.old_path) if path)
    return sorted(path for path in named if _is_absolute(path) and not _is_covered(path, roots))


def _is_absolute(path: str) -> bool:
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()


def _is_covered(path: str, roots: set[str]) -> bool:
    plain = path.replace("\\", "/")
    above = {root.replace("\\", "/").rstrip("/") for root in roots}
    return plain in above or any(plain[:at] in above for at, c in enumerate(plain) if c == "/")


def shown(items: Iterable[Item], roots: set[str]) -> set[Capability]:
    """The capabilities that can be seen in what was read."""
    found: set[Capability] = set()
    if any(root.startswith(COMMIT) for root in roots):
        found.add("git")
    for item in items:
        found.update(_shown_by(item))
    return found


def _shown_by(item: Item) -> Iterator[Capability]:
    match item:
        case Edit():
            has_text = bool(item.hunks) or item.old is not None or item.new is not None
            yield from _if(edits=has_text, shell=item.origin == "shell")
        case Spawn():
            yield "sub-agents"
        case Session():
            if item.parent_session_id:
                yield "sub-agents"
            yield from _if(git=bool(item.repository_url))
        case Turn():
            if item.thread:
                yield "sub-agents"
            yield from _if(git=bool(item.branch or item.head or item.blobs))
            for block in item.blocks:
                printed = bool(block.commits) or block.exit_code is not None
                thinks = block.type == "thinking"
                yield from _if(text=block.type == "text", thinking=thinks, shell=printed)


def _if(**shown: bool) -> list[Capability]:
    return [cast("Capability", name) for name, is_shown in shown.items() if is_shown]
