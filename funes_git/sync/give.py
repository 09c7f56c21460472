"""Giving this repository's turns to the copy of a memory that is to be sent.

Two scanners look at everything first (publish/gate.py): what either of them takes for a secret
goes without its text, and is named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from typing import Any

from funes_git import chunk
from funes_git.model import Link
from funes_git.origin import FOLDER, origin
from funes_git.publish.gate import check, passed, texts_of
from funes_git.publish.part import Part, Withheld
from funes_git.publish.select import WHOLE, links_behind, parts
from funes_git.store.catalog import Catalog
from funes_git.store.changes import Changes, Key, StoredEdit, StoredTurn
from funes_git.store.columns import LARGE, link_row, rows_of
from funes_git.store.differences import ids_of_turns
from funes_git.store.lance import LanceMemory
from funes_git.store.shared import SharedMemory

TABLES = ("edits", "chunks", "blocks", "spawns", "sessions")
"""In the order of writing, as in this repository's own memory."""
AT_ONCE = 8 << 20
"""About the characters that are held at once, unless one session has more."""
ID = "its id"


def give(
    local: LanceMemory,
    catalog: Catalog,
    copy: SharedMemory,
    sent: set[Key],
    known: Container[Key],
    identity: tuple[str, str],
    progress: Callable[[int, int, str], None],
) -> list[Withheld]:
    """Put these turns into `copy`, in place of what it has of those that are `known` there; what
    was withheld. `identity` is the repository's name and id. Some sessions are held at once. Raises
    ScannerMissing."""
    turns: defaultdict[str, set[str]] = defaultdict(set)
    for session_id, turn_uuid in sent:
        turns[session_id].add(turn_uuid)
    giving = _Giving(copy, local, known, identity)
    for number, session_id in enumerate(sorted(turns), 1):
        links = _links(catalog, session_id, turns[session_id])
        for part in parts(local, {session_id: {WHOLE}}, links):
            if part.id == session_id:
                giving.add(part.only(turns[session_id]))
        progress(number, len(turns), "sessions scanned")
    giving.flush()
    return giving.withheld


def _links(catalog: Catalog, session_id: str, turns: set[str]) -> list[Link]:
    commits = catalog.commits_of_turns((session_id, turn) for turn in turns)
    shas = sorted({sha for each in commits.values() for sha in each})
    return [link for link in links_behind(catalog, shas) if link.session_id == session_id]


class _Giving:
    """Gathers sessions, and scans and stores some together: each write costs something."""

    def __init__(
        self,
        copy: SharedMemory,
        local: LanceMemory,
        known: Container[Key],
        identity: tuple[str, str],
    ) -> None:
        self._copy = copy
        self._local = local
        self._with_vectors = copy.model == local.model
        self._changed: set[str] = set()
        """Chunks whose text is not that which their vector was made of."""
        self._known = known
        self._identity = identity
        self._waiting: list[Part] = []
        self._size = 0
        self.withheld: list[Withheld] = []

    def add(self, part: Part) -> None:
        """Take in a session."""
        self._waiting.append(part)
        self._size += part.size + 500 * len(part.turns)
        if self._size >= AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Scan and store what was gathered."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        rules = check(text for part in waiting for text in texts_of(part))
        new, old = Changes(), Changes()
        links: list[Link] = []
        for part in waiting:
            clean = passed(part, rules)
            if clean is None:
                self.withheld.append(Withheld(part.id, "", ID, ()))
                continue
            self.withheld += clean.withheld
            links += clean.links
            is_known = any((part.id, s.turn.turn_uuid) in self._known for s in part.turns)
            self._add(old if is_known else new, clean, part)
        for changes, is_new in ((new, True), (old, False)):
            self._store(changes, is_new)
        self._copy.put("links", [link_row(link) for link in links])

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
            columns = (found.column(name).to_pylist() for name in ("id", "vector"))
            self._copy.set_vectors(*columns)

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
