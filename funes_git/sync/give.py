"""Giving this repository's turns to the copy of a memory that is to be sent.

Two scanners look at everything first (publish/gate.py): what either of them takes for a secret
goes without its text, and is named. A session with a secret in an id stays here whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any

from funes_git import chunk
from funes_git.model import Link
from funes_git.origin import FOLDER, origin
from funes_git.publish.gate import findings, passed
from funes_git.publish.part import LeftOut, Part, Withheld
from funes_git.publish.select import links_behind, whole
from funes_git.store.catalog import Catalog
from funes_git.store.changes import Changes, Key, StoredEdit, StoredTurn
from funes_git.store.columns import LARGE, link_row, rows_of
from funes_git.store.differences import ids_of_turns
from funes_git.store.heap import trim
from funes_git.store.lance import LanceMemory
from funes_git.store.recovery import changes_of, groups
from funes_git.store.shared import SharedMemory
from funes_git.sync.state import State
from funes_git_parsers.dataclass import dataclass

TABLES = ("edits", "chunks", "blocks", "spawns", "sessions")
"""In the order of writing, as in this repository's own memory."""
AT_ONCE = 4 << 20
"""About the characters that are held at once, unless one session has more."""


@dataclass(slots=True)
class Given:
    """What was given: how many `turns`, what was withheld of them, and the sessions left out."""

    turns: int = 0
    withheld: list[Withheld] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def give(
    local: LanceMemory,
    catalog: Catalog,
    copy: SharedMemory,
    state: State,
    identity: tuple[str, str],
    progress: Callable[[int, int, str], None],
) -> Given:
    """Put the turns that are `sent` into `copy`, in place of what it has of them. `identity` is
    the repository's name and id. The largest session is held at once, or some. Raises
    ScannerMissing."""
    sessions = state.sessions("sent")
    sizes = local.session_sizes()
    giving = _Giving(copy, local, identity)
    done = 0
    for portion in groups({each: sizes.get(each, 0) for each in sessions}):
        sent, known = state.turns("sent", portion), state.turns("theirs", portion)
        for part in whole(changes_of(local, portion), _links(catalog, sent)):
            turns = {turn for session_id, turn in sent if session_id == part.id}
            giving.add(part.only(turns), is_known=any((part.id, turn) in known for turn in turns))
        done += len(portion)
        progress(done, len(sessions), "sessions scanned")
    giving.flush()
    return giving.given


def _links(catalog: Catalog, sent: set[Key]) -> list[Link]:
    commits = catalog.commits_of_turns(sent)
    shas = sorted({sha for each in commits.values() for sha in each})
    sessions = {key[0] for key in sent}
    return [link for link in links_behind(catalog, shas) if link.session_id in sessions]


class _Giving:
    """Gathers sessions, and scans and stores some together: each write costs something."""

    def __init__(
        self,
        copy: SharedMemory,
        local: LanceMemory,
        identity: tuple[str, str],
    ) -> None:
        self._copy = copy
        self._local = local
        self._with_vectors = copy.model == local.model
        self._changed: set[str] = set()
        """Chunks whose text is not that which their vector was made of."""
        self._identity = identity
        self._waiting: list[tuple[Part, bool]] = []
        self._size = 0
        self.given = Given()

    def add(self, part: Part, *, is_known: bool) -> None:
        """Take in a session; `is_known` says whether any of its turns was given before."""
        self._waiting.append((part, is_known))
        self._size += part.size + 500 * len(part.turns)
        if self._size >= AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Scan and store what was gathered."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        self._changed = set()
        found = findings([part for part, _ in waiting])
        new, old = Changes(), Changes()
        links: list[Link] = []
        for part, is_known in waiting:
            clean = passed(part, found)
            if isinstance(clean, LeftOut):
                self.given.left_out.append(clean)
                continue
            self.given.turns += len(clean.turns)
            self.given.withheld += clean.withheld
            links += clean.links
            self._add(old if is_known else new, clean, part)
        for changes, is_new in ((new, True), (old, False)):
            self._store(changes, is_new)
        self._copy.put("links", [link_row(link) for link in links])
        trim()

    def _store(self, changes: Changes, is_new: bool) -> None:
        rows = {table: rows_of(changes, self._identity, table) for table in TABLES}
        if not is_new:
            uuids = sorted({key[1] for key in changes.turns})
            for table in LARGE:
                before = ids_of_turns(self._copy, table, uuids)
                ours = {row for row, key in before.items() if key in changes.turns}
                self._copy.drop(table, ours - {row[0] for row in rows[table]})
        for table in TABLES:
            vectors = self._vectors if table == "chunks" and self._with_vectors else None
            self._copy.put(table, rows[table], vectors, fresh=is_new and table in LARGE)
        if self._with_vectors and not is_new:
            self._add_vectors([row[0] for row in rows["chunks"]])

    def _vectors(self, ids: Sequence[str]) -> Any:
        return self._local.vectors_of([each for each in ids if each not in self._changed])

    def _add_vectors(self, ids: Sequence[str]) -> None:
        """Give chunks that were sent before the vectors that were made since."""
        have = set(self._copy.vectors_of(ids).column("id").to_pylist()) if ids else set()
        found = self._vectors([each for each in ids if each not in have])
        if found.num_rows:
            names = found.column("id").to_pylist()
            self._copy.set_vectors(names, found.column("vector"))

    def _add(self, changes: Changes, clean: Part, part: Part) -> None:
        before = {stored.turn.turn_uuid: stored for stored in part.turns}
        changes.sessions[clean.id] = clean.session
        for stored in clean.turns:
            old = before[stored.turn.turn_uuid]
            new = _stored(stored, old)
            changes.add_turn(new)
            if new.chunks is not old.chunks:
                texts = {each.id: each.text for each in old.chunks}
                self._changed |= {c.id for c in new.chunks if texts.get(c.id) != c.text}
        changes.edits |= {edit.edit_id: StoredEdit(edit) for edit in clean.edits}
        changes.spawns.update(clean.spawns)


def _stored(clean: StoredTurn, before: StoredTurn) -> StoredTurn:
    """The turn as it is sent: cut anew where something of it was withheld, and without the place of
    its file on this machine, but for the tool that it was imported from."""
    tool = origin(before.source_path)
    path = f"/funes/{FOLDER}/{tool}/" if tool else ""
    new = StoredTurn(clean.turn, path, retracted=before.retracted)
    new.chunks = before.chunks
    if clean.turn is not before.turn:
        files = {each.block_idx: each.files for each in before.chunks}
        new.chunks = [
            replace(each, files=files.get(each.block_idx, ())) for each in chunk.chunks(clean.turn)
        ]
    return new
