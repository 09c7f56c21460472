"""What people want forgotten: it is taken out of what is stored, and of all that would be again."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from funes_git.store.changes import Changes, Key
from funes_git_parsers.dataclass import dataclass

Kind: TypeAlias = Literal["session", "turn", "before", "file", "span"]
"""`span` is no wish, but when something that was forgotten happened: first and last time."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Sessions by their ids, turns by their keys, turns from before a time (seconds since the
    epoch), and turns about files that match a pattern: the whole path, or a folder of it."""

    sessions: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    """As `row` writes them: JSON, since an id may hold anything."""
    before: float | None = None
    files: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str]]) -> Forgotten:
        """From (kind, value) as decisions.sqlite keeps them."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for kind, value in rows:
            found[kind].append(value)
        before = max(map(float, found["before"]), default=None)
        sessions, keys = frozenset(found["session"]), frozenset(found["turn"])
        return cls(sessions, keys, before, tuple(found["file"]))

    def __bool__(self) -> bool:
        return bool(self.sessions or self.keys or self.files or self.before is not None)

    def names(self, key: Key) -> bool:
        """Whether a turn is named, by itself or by its session."""
        return key[0] in self.sessions or (bool(self.keys) and json.dumps(key) in self.keys)

    def row(self, key: Key) -> tuple[Kind, str]:
        """(kind, value) that names a turn: its session where that is to be forgotten."""
        return ("session", key[0]) if key[0] in self.sessions else ("turn", json.dumps(key))

    def turns(self, changes: Changes) -> set[Key]:
        """The turns in `changes` that are to be forgotten, and those that edits there belong to."""
        files: defaultdict[Key, set[str]] = defaultdict(set)
        times: dict[Key, float | None] = {}
        for key, stored in changes.turns.items():
            times[key] = stored.turn.ts
            for chunk in stored.chunks:
                files[key].update(chunk.files)
        for each in changes.edits.values():
            key = (each.edit.session_id, each.edit.turn_uuid)
            times.setdefault(key, each.edit.ts)
            files[key].update(filter(None, (each.edit.path, each.edit.old_path)))
        return {key for key, ts in times.items() if self._holds(key, ts, files[key])}

    def _holds(self, key: Key, ts: float | None, files: Iterable[str]) -> bool:
        if self.names(key):
            return True
        if self.before is not None and ts is not None and ts < self.before:
            return True
        return any(_matches(path, pattern) for path in files for pattern in self.files)

    def clear(self, changes: Changes) -> None:
        """Take it out of `changes`, with what is known of sessions of which no turn is left."""
        gone = self.turns(changes)
        changes.drop(gone)
        left = {key[0] for key in changes.turns}
        empty = self.sessions | ({key[0] for key in gone} - left)
        for session_id in empty & changes.sessions.keys():
            del changes.sessions[session_id]
        changes.spawns = {each for each in changes.spawns if each.session_id not in empty}
        changes.retractions = {key for key in changes.retractions if key[0] not in empty}


def _matches(path: str, pattern: str) -> bool:
    folder = pattern.rstrip("/") + "/"
    return fnmatchcase(path, pattern) or fnmatchcase(path, f"{folder}*")
