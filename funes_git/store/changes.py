"""What is to be written, gathered from batches before it goes to the stores.

Pure data and sums: opens nothing. Each thing is held once, under its key, the newest winning, so
that a store never meets the same key twice in one write.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import field, fields, replace
from hashlib import blake2b
from typing import TypeAlias

from funes_git.model import (
    Batch,
    Chunk,
    EditRecord,
    Session,
    SourceState,
    Spawn,
    Turn,
)
from funes_git.store.pack import blocks_to_json, squeeze, texts_to_json
from funes_git.store.records import pack_keys, unpack_keys
from funes_git_parsers.dataclass import dataclass

Key: TypeAlias = tuple[str, str]
"""(session id, turn)"""
MARKER = "[REDACTED:"


def _digest(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)


class StoredTurn:
    """A turn as it is stored, with its chunks. `digest` is equal only for the same turn with the
    same chunks; `data` is its blocks, packed. Both are made when first asked for, or by `pack`."""

    __slots__ = ("_data", "_digest", "chunks", "retracted", "source_path", "turn", "with_vector")

    def __init__(self, turn: Turn, source_path: str, *, retracted: bool = False) -> None:
        self.turn = turn
        self.source_path = source_path
        self.retracted = retracted
        self.chunks: list[Chunk] = []
        self.with_vector: set[str] = set()
        """The chunks that are known to have a vector: when the catalog is rebuilt."""
        self._data: str | bytes | None = None
        self._digest: int | None = None

    def pack(self) -> None:
        """Make what a store asks for, once the turn has all of its chunks."""
        if self._data is None or self._digest is None:
            body = blocks_to_json(self.turn.blocks)
            self._data = squeeze(body)
            self._digest = _digest("\0".join((body, *self._facts())).encode())

    @property
    def data(self) -> str | bytes:
        """The blocks, packed."""
        if self._data is None:
            self._data = squeeze(blocks_to_json(self.turn.blocks))
        return self._data

    @property
    def digest(self) -> int:
        """A signed 64-bit sum over the turn and its chunks."""
        if self._digest is None:
            body = blocks_to_json(self.turn.blocks)
            self._digest = _digest("\0".join((body, *self._facts())).encode())
        return self._digest

    def _facts(self) -> Iterator[str]:
        """What distinguishes the turn, besides its blocks."""
        t = self.turn
        yield repr((t.seq, t.ts, t.role, t.parent_uuid, t.exchange, t.message_id, t.thread))
        yield repr((t.workdir, t.branch, t.head, t.model, t.is_prompt))
        for c in sorted(self.chunks, key=lambda c: (c.block_idx, c.split_idx)):
            yield from (c.id, repr(c.files), "prose" if c.prose else "", c.text)

    @property
    def redactions(self) -> int:
        """How many redaction markers the turn's blocks hold."""
        return sum(block.text.count(MARKER) for block in self.turn.blocks)


class StoredEdit:
    """An edit as it is stored: `data` is its texts and `added` and `removed` its lines, packed;
    those of `edit` are left out. `digest` is equal only for the same edit."""

    __slots__ = ("added", "data", "digest", "edit", "removed")

    def __init__(self, edit: EditRecord) -> None:
        self.edit = replace(edit, added=(), removed=())
        body = texts_to_json(edit.old, edit.new, edit.diff)
        self.data = squeeze(body)
        self.added = pack_keys(edit.added)
        self.removed = pack_keys(edit.removed)
        about = (edit.session_id, edit.turn_uuid, edit.tool_use_id, edit.n, edit.ts, edit.path)
        what = (edit.operation, edit.tool, edit.origin, edit.recorded_path, edit.old_path)
        texts = "\0".join((body, repr(about), repr(what)))
        self.digest = _digest(texts.encode() + self.added + b"\0" + self.removed)

    def whole(self) -> EditRecord:
        """The edit with its lines."""
        added, removed = (tuple(unpack_keys(data)) for data in (self.added, self.removed))
        return replace(self.edit, added=added, removed=removed)


@dataclass(slots=True)
class Changes:
    """Everything of one write. `size` is about its bytes of text."""

    sessions: dict[str, Session] = field(default_factory=dict)
    turns: dict[Key, StoredTurn] = field(default_factory=dict)
    edits: dict[str, StoredEdit] = field(default_factory=dict)
    spawns: set[Spawn] = field(default_factory=set)
    retractions: set[Key] = field(default_factory=set)
    states: dict[tuple[str, str, str], SourceState] = field(default_factory=dict)
    size: int = 0
    again: bool = False
    """Of a source that is read from the start though it was read before."""
    _holders: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, batch: Batch) -> Changes:
        """What `batch` holds. A turn's chunks come in the turn's own batch."""
        changes = cls()
        changes.add(batch)
        return changes

    def add(self, batch: Batch) -> None:
        """Take in what `batch` holds."""
        source_path = str(batch.state.source.path) if batch.state else ""
        for session in batch.sessions:
            known = self.sessions.get(session.session_id)
            self.sessions[session.session_id] = merged(known, session) if known else session
        for turn in batch.turns:
            self.add_turn(StoredTurn(turn, source_path))
        for chunk in batch.chunks:
            self.turns[chunk.session_id, chunk.turn_uuid].chunks.append(chunk)
            self.size += len(chunk.text) + 300
        for edit in batch.edits:
            self._add_edit(edit)
        self.spawns.update(batch.spawns)
        self.retractions.update((r.session_id, r.turn_uuid) for r in batch.retractions)
        if batch.state:
            self.add_state(batch.state)

    def update(self, newer: Changes) -> None:
        """Take in what `newer` holds."""
        for session_id, session in newer.sessions.items():
            known = self.sessions.get(session_id)
            self.sessions[session_id] = merged(known, session) if known else session
        self.turns.update(newer.turns)
        self.edits.update(newer.edits)
        self.spawns.update(newer.spawns)
        self.retractions.update(newer.retractions)
        self.states.update(newer.states)
        self.size += newer.size
        for key, stored in newer.turns.items():
            self._holders.setdefault((stored.turn.harness, key[1]), key[0])

    def pack(self) -> None:
        """Do beforehand what a store would have to do for each turn."""
        for stored in self.turns.values():
            stored.pack()

    def keys(self) -> set[Key]:
        """The turns that are here, and those that edits here belong to."""
        edited = ((e.edit.session_id, e.edit.turn_uuid) for e in self.edits.values())
        return self.turns.keys() | set(edited)

    def drop(self, gone: Container[Key]) -> None:
        """Leave out these turns with all that belongs to them."""
        self.turns = {key: turn for key, turn in self.turns.items() if key not in gone}
        named = {key[0] for key in self.turns}
        self.sessions = {
            name: session
            for name, session in self.sessions.items()
            if name in named or session != Session(name, session.harness)
        }
        self.edits = {
            name: e
            for name, e in self.edits.items()
            if (e.edit.session_id, e.edit.turn_uuid) not in gone
        }
        self.spawns = {s for s in self.spawns if (s.session_id, s.turn_uuid) not in gone}
        self.retractions = {key for key in self.retractions if key not in gone}

    def add_state(self, state: SourceState) -> None:
        """Take in how far a source was read."""
        source = state.source
        self.states[source.harness, str(source.path), source.key] = state

    def add_turn(self, stored: StoredTurn) -> None:
        """Take in a turn in place of an older version of it."""
        turn = stored.turn
        self.turns[turn.session_id, turn.turn_uuid] = stored
        self.sessions.setdefault(turn.session_id, Session(turn.session_id, turn.harness))
        self.size += sum(len(block.text) for block in turn.blocks) + 500

    def _add_edit(self, edit: EditRecord) -> None:
        self.edits[edit.edit_id] = StoredEdit(edit)
        self.size += len(edit.old or "") + len(edit.new or "") + len(edit.diff)
        self.size += 500 + 100 * (len(edit.added) + len(edit.removed))

    def touched(self) -> list[str]:
        """The ids of the sessions that anything here belongs to, sorted."""
        found = set(self.sessions)
        found.update(key[0] for key in self.turns)
        found.update(e.edit.session_id for e in self.edits.values())
        found.update(s.session_id for s in self.spawns)
        found.update(key[0] for key in self.retractions)
        return sorted(found)

    def by_session(self) -> dict[str, Changes]:
        """Each session's own turns, edits and sub-agents, in the order of `touched`."""
        found = {session_id: Changes() for session_id in self.touched()}
        for session_id, session in self.sessions.items():
            found[session_id].sessions[session_id] = session
        for key, stored in self.turns.items():
            found[key[0]].turns[key] = stored
        for edit_id, edit in self.edits.items():
            found[edit.edit.session_id].edits[edit_id] = edit
        for spawn in self.spawns:
            found[spawn.session_id].spawns.add(spawn)
        return found

    def retractions_by_session(self) -> dict[str, list[str]]:
        """The turns to be retracted that are not among `turns`, by session."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for session_id, turn_uuid in sorted(self.retractions - self.turns.keys()):
            found[session_id].append(turn_uuid)
        return dict(found)

    def holders(self, harness: str, turn_uuids: Iterable[str]) -> dict[str, str]:
        """Turn → the session that holds it, of those turns of `harness` that came by `update`."""
        owners = ((uuid, self._holders.get((harness, uuid))) for uuid in turn_uuids)
        return {uuid: owner for uuid, owner in owners if owner}

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write."""
        return self.only_states and not self.states

    @property
    def only_states(self) -> bool:
        """Whether nothing but how far sources were read is new."""
        rest = (self.sessions, self.turns, self.edits, self.spawns, self.retractions)
        return not any(rest)


@dataclass(slots=True)
class Stale:
    """Rows that turns had before they were stored again: ids of chunks, and blocks as (session
    id, turn, number in the turn; -1 for that of a turn without blocks). `replaced` says whether
    anything in the changes was stored before, in another version."""

    chunks: list[str] = field(default_factory=list)
    blocks: list[tuple[str, str, int]] = field(default_factory=list)
    replaced: bool = False


def merged(known: Session, new: Session) -> Session:
    """What is known of a session when `new` adds to `known`: fields that are None leave what was
    known before."""
    names = (f.name for f in fields(Session))
    told = {name: value for name in names if (value := getattr(new, name)) is not None}
    return replace(known, **told)
