"""Take secrets out of the ids of a session's records, so that what belongs together still does.

Ids are the agent's own words: a file that was renamed, or written by hand, may hold anything in
them. An id with a secret becomes a digest of itself. Pure functions on the parsers' records.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeVar

from funes_git.editrecord import Found
from funes_git_parsers.base import Edit, Retraction, Session, Spawn, Turn

_NAMES = (
    *("session_id", "parent_session_id", "turn_uuid", "parent_uuid", "exchange", "message_id"),
    *("thread", "head", "tool_use_id"),
)
_PLAIN = re.compile(r"[0-9a-f-]{1,64}|[a-z]{2,9}_[0-9a-f]{6,40}|[0-9a-f-]{36}-\d+")
Record = TypeVar("Record", Session, Turn, Edit, Spawn, Retraction)
_OF = {
    kind: tuple(field.name for field in fields(kind) if field.name in _NAMES)
    for kind in (Session, Turn, Edit, Spawn, Retraction)
}


def ids(part: Session | Turn | Edit | Spawn | Retraction) -> list[str]:
    """The ids of a record that may hold a secret: all but hexadecimal ones."""
    found: list[str | None] = [getattr(part, name) for name in _OF[type(part)]]
    if isinstance(part, Turn):
        for block in part.blocks:
            found.append(block.tool_use_id)
            found += (commit.sha for commit in block.commits)
    return [value for value in found if value and not _is_plain(value)]


@lru_cache(maxsize=4096)  # each names its session, and the turn before it
def _is_plain(value: str) -> bool:
    return _PLAIN.fullmatch(value) is not None


def without(part: Record, found: Found) -> Record:
    """The record with a digest for each id that holds a secret; the same object where none does."""
    if not found or found.keys().isdisjoint(ids(part)):
        return part
    own: dict[str, Any] = {name: _digest(getattr(part, name), found) for name in _OF[type(part)]}
    if isinstance(part, Turn):
        blocks = tuple(
            replace(
                block,
                tool_use_id=_digest(block.tool_use_id, found),
                commits=tuple(c for c in block.commits if c.sha not in found),
            )
            for block in part.blocks
        )
        return replace(part, blocks=blocks, **own)
    return replace(part, **own)


def _digest(value: str | None, found: Found) -> str | None:
    if value is None or value not in found:
        return value
    return "redacted-" + sha256(value.encode("utf-8", "replace")).hexdigest()[:24]
