"""Giving this repository's turns to the copy of a memory that is to be sent.

Two scanners look at everything first (publish/gate.py): what either of them takes for a secret
goes without its text, and is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from funes_git.store.columns import link_row, rows_of
from funes_git.store.differences import ids_of_turns
from funes_git.store.lance import LanceMemory
from funes_git.store.shared import SharedMemory

TABLES = ("edits", "chunks", "blocks", "spawns", "sessions")
"""In the order of writing, as in this repository's own memory."""
ID = "its id"


def give(
    local: LanceMemory,
    catalog: Catalog,
    copy: SharedMemory,
    sent: set[Key],
    identity: tuple[str, str],
    progress: Callable[[int, int, str], None],
) -> list[Withheld]:
    """Put these turns into `copy`, in place of what it has of them; what was withheld. `identity`
    is the repository's name and id. One session is held at once. Raises ScannerMissing."""
    sessions = sorted({key[0] for key in sent})
    vectors = local if copy.model == local.model else None
    withheld: list[Withheld] = []
    for number, session_id in enumerate(sessions):
        turns = {turn for session, turn in sent if session == session_id}
        for part in parts(local, {session_id: {WHOLE}}, _links(catalog, session_id, turns)):
            if part.id == session_id:
                withheld += _put(copy, part.only(turns), identity, vectors)
        progress(number + 1, len(sessions), "sessions scanned")
    return withheld


def _links(catalog: Catalog, session_id: str, turns: set[str]) -> list[Link]:
    commits = catalog.commits_of_turns((session_id, turn) for turn in turns)
    shas = sorted({sha for each in commits.values() for sha in each})
    return [link for link in links_behind(catalog, shas) if link.session_id == session_id]


def _put(
    copy: SharedMemory, part: Part, identity: tuple[str, str], vectors: LanceMemory | None
) -> Sequence[Withheld]:
    clean = passed(part, check(texts_of(part)))
    if clean is None:
        return [Withheld(part.id, "", ID, ())]
    before = {stored.turn.turn_uuid: stored for stored in part.turns}
    turns = [_stored(stored, before[stored.turn.turn_uuid]) for stored in clean.turns]
    changes = Changes(
        sessions={clean.id: clean.session},
        turns={(clean.id, stored.turn.turn_uuid): stored for stored in turns},
        edits={edit.edit_id: StoredEdit(edit) for edit in clean.edits},
        spawns=set(clean.spawns),
    )
    rows = {table: rows_of(changes, identity, table) for table in TABLES}
    for table in ("edits", "chunks", "blocks"):
        known = ids_of_turns(copy, table, sorted(before))
        ours = {row for row, key in known.items() if key[0] == clean.id}
        copy.drop(table, ours - {row[0] for row in rows[table]})
    same = (stored for stored in turns if stored.turn is before[stored.turn.turn_uuid].turn)
    said = {each.id for stored in same for each in stored.chunks}

    def made(ids: Sequence[str]) -> Any:
        """Their vectors, but none of a text of which something is withheld."""
        return vectors.vectors_of([each for each in ids if each in said]) if vectors else None

    for table in TABLES:
        copy.put(table, rows[table], made if vectors and table == "chunks" else None)
    copy.put("links", [link_row(link) for link in clean.links])
    return clean.withheld


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
