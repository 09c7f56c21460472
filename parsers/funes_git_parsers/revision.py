"""Reads sessions whose records may change or vanish at any place, as rows of a database do.

A parser reads such a session whole, as entries: a turn with what belongs to it. The cursor keeps a
digest of each, and the next read yields the entries that are new or different, and retracts the
turns that are gone. Standard library only; knows no agent.
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Iterable, Iterator
from hashlib import sha1
from operator import attrgetter
from typing import Any

from funes_git_parsers.base import (
    Block,
    Cursor,
    Edit,
    Hunk,
    Item,
    PrintedCommit,
    Restart,
    Retraction,
    Session,
    Skipped,
    Spawn,
    Turn,
)
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.values import mapping
from funes_git_parsers.whole import roots_of

_KINDS = (Session, Turn, Block, PrintedCommit, Edit, Hunk, Spawn, Retraction, Skipped)
_FIELDS = {kind: attrgetter(*kind.__slots__) for kind in _KINDS}
_ABOUT = ""
_TURNS = "turns"
_REST = "rest"


@dataclass(frozen=True, slots=True)
class Entry:
    """Items that are yielded together. `key` is the turn's uuid, or empty for what is no turn."""

    key: str
    items: tuple[Item, ...]


def changes(session_id: str, entries: Iterable[Entry], cursor: str | None) -> Iterator[Item]:
    """What of `entries` the read that gave `cursor` did not yield, and a new cursor; also a turn
    that was retracted and is there again.

    A session without any turn is taken as deleted by its agent, not as taken back: then nothing is
    retracted, and the cursor stays what it was.
    """
    turns, rest = _load(cursor)
    entries = list(entries)
    if cursor and not turns and not rest and any(entry.key for entry in entries):
        yield Restart()  # the cursor is not ours: what it stood for is not known
    found: dict[str, str] = {}
    others: list[str] = []
    for entry in entries:
        digest = _digest(entry.items)
        if entry.key:
            is_known = turns.get(entry.key) == digest
            found[entry.key] = digest
        else:
            is_known = digest in rest
            others.append(digest)
        if not is_known:
            yield from entry.items
    if found or not turns:
        yield from (Retraction(session_id, key) for key in turns if key not in found)
        yield Cursor(json.dumps({_TURNS: found, _REST: others}, separators=(",", ":")))
    else:
        yield Cursor(cursor or "")


def roots(entries: Iterable[Entry]) -> set[str]:
    """The folders in which the turns of `entries` ran and the absolute paths that they edited."""
    return roots_of(item for entry in entries for item in entry.items)


def about(session: Session) -> Entry:
    """The entry that tells of the session as a whole."""
    return Entry(_ABOUT, (session,))


def _digest(items: tuple[Item, ...]) -> str:
    # version 2 depends on values alone, not on which of them are the same object
    plain = [_plain(item) for item in items]
    return sha1(marshal.dumps(plain, 2), usedforsecurity=False).hexdigest()[:12]


def _plain(record: Any) -> list[Any]:
    """A record as a list of its kind and its values."""
    kind = type(record)
    found = [kind.__name__, *_FIELDS[kind](record)]
    for at, value in enumerate(found):
        if type(value) is tuple and value and type(value[0]) in _FIELDS:
            found[at] = [_plain(each) for each in value]
    return found


def _load(cursor: str | None) -> tuple[dict[str, str], set[str]]:
    """What `changes` saved; nothing if the text is anything else."""
    try:
        saved = mapping(json.loads(cursor or ""))
    except (ValueError, RecursionError):
        return {}, set()
    others = saved.get(_REST)
    rest = others if isinstance(others, list) else []
    return mapping(saved.get(_TURNS)), {each for each in rest if isinstance(each, str)}
