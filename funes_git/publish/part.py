"""What of one session goes into a release, and every string in it."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import field, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any, TypeVar

from funes_git.model import EditRecord, Link, Session, Spawn
from funes_git.store.changes import StoredTurn
from funes_git_parsers.dataclass import dataclass

IDS = frozenset(
    {
        *("session_id", "turn_uuid", "parent_uuid", "exchange", "message_id", "thread"),
        *("tool_use_id", "edit_id", "parent_session_id", "id"),
    }
)
"""The fields that name records: what refers to what."""

CODED = frozenset(
    {
        *("role", "harness", "type", "operation", "origin", "relation", "content", "proof"),
        *("level", "commit", "scaffold", "verb", "how", "by", "sha", "old_sha", "head"),
    }
)
"""The fields whose values are from a list of ours or are git's ids."""

T = TypeVar("T")


@dataclass(slots=True)
class Part:
    """The turns of a session that stand behind a release, in their order, with their edits, the
    sub-agents that they started and their links."""

    session: Session
    turns: list[StoredTurn] = field(default_factory=list)
    edits: list[EditRecord] = field(default_factory=list)
    spawns: list[Spawn] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    files: dict[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    """(turn, block) → the paths that it read or wrote."""
    withheld: list[Withheld] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The session's id."""
        return self.session.session_id

    def by_turn(self) -> dict[str, str]:
        """Turn → the exchange that it belongs to, a sub-agent's turns to the exchange that started
        it; empty for turns before the first prompt."""
        own = {stored.turn.turn_uuid: stored.turn.exchange or "" for stored in self.turns}
        starters = {spawn.thread: spawn.turn_uuid for spawn in self.spawns}
        threads = {stored.turn.turn_uuid: stored.turn.thread for stored in self.turns}
        found = {}
        for uuid in own:
            at, seen = uuid, {uuid}
            while (starter := starters.get(threads.get(at) or "")) in own and starter not in seen:
                at = starter
                seen.add(at)
            found[uuid] = own[at]
        return found

    @property
    def exchanges(self) -> list[str]:
        """The exchanges that the turns belong to, in their order."""
        return list(dict.fromkeys(self.by_turn().values()))

    @property
    def size(self) -> int:
        """Characters of text in its blocks."""
        return sum(len(block.text) for stored in self.turns for block in stored.turn.blocks)

    def of(self, exchanges: Container[str]) -> Part:
        """The same without the turns of other exchanges, and what hangs on them."""
        kept = {uuid for uuid, exchange in self.by_turn().items() if exchange in exchanges}
        return self.only(kept)

    def only(self, turns: Container[str]) -> Part:
        """The same with these turns alone, and what hangs on them."""
        return Part(
            self.session,
            [stored for stored in self.turns if stored.turn.turn_uuid in turns],
            [edit for edit in self.edits if edit.turn_uuid in turns],
            [spawn for spawn in self.spawns if spawn.turn_uuid in turns],
            [link for link in self.links if link.turn_uuid in turns],
            {key: files for key, files in self.files.items() if key[0] in turns},
            [found for found in self.withheld if found.turn_uuid in turns],
        )

    def digests(self) -> dict[str, str]:
        """Exchange → a digest of everything that is said and done in it."""
        owner = self.by_turn()
        sums = {exchange: sha256() for exchange in owner.values()}
        for stored in self.turns:
            sums[owner[stored.turn.turn_uuid]].update(_bytes((stored.turn, stored.retracted)))
        for edit in self.edits:
            sums[owner[edit.turn_uuid]].update(_bytes(edit))
        return {exchange: each.hexdigest() for exchange, each in sums.items()}


@dataclass(frozen=True, slots=True)
class Withheld:
    """Something that may not leave: where it is, what kind of thing, and the rules that say so."""

    session_id: str
    turn_uuid: str
    what: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A session that may not leave at all, since a secret is in an id: `secret`, which is never
    shown. `turn_uuid` is of the turn that has it, empty where the session has it; `turns` is how
    many stay; `rules` say so."""

    session_id: str
    turn_uuid: str
    secret: str
    turns: int
    rules: tuple[str, ...]

    @property
    def session(self) -> str:
        """The session's id, as it may be shown."""
        return self._shown(self.session_id)

    @property
    def turn(self) -> str:
        """The turn's id, as it may be shown."""
        return self._shown(self.turn_uuid)

    def _shown(self, name: str) -> str:
        return name[:8] if name == self.secret else name


def _bytes(record: object) -> bytes:
    return repr(record).encode("utf-8", "surrogatepass") + b"\0"


def strings(record: object, name: str = "") -> Iterator[tuple[str, str]]:
    """(name of its field, text) of every string in a record."""
    if isinstance(record, str):
        yield name, record
    elif isinstance(record, tuple | list):
        for item in record:
            yield from strings(item, name)
    elif is_dataclass(record) and not isinstance(record, type):
        for each in fields(record):
            yield from strings(getattr(record, each.name), each.name)


def mapped(record: T, change: Callable[[str, str], str]) -> T:
    """The record with every string that is no id and from no list of ours changed; the same object
    where nothing changes. `change` is given the name of the field and the text."""
    return _mapped(record, change, "")  # type: ignore[no-any-return]


def _mapped(value: Any, change: Callable[[str, str], str], name: str) -> Any:
    if isinstance(value, str):
        return value if name in CODED else change(name, value)
    if isinstance(value, tuple):
        new = tuple([_mapped(item, change, name) for item in value])
        return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    if is_dataclass(value) and not isinstance(value, type):
        found = {}
        for each in fields(value):
            old = getattr(value, each.name)
            new = _mapped(old, change, each.name)
            if new is not old:
                found[each.name] = new
        return replace(value, **found) if found else value
    return value
