"""What the catalog holds, as changes for the memory: where a table of the memory was deleted.

The other way round from recovery.py. Vectors come back as the chunks are embedded again.
"""

from __future__ import annotations

from collections.abc import Iterator

from funes_git.model import Spawn
from funes_git.store.catalog import Catalog
from funes_git.store.changes import Changes, StoredEdit, StoredTurn


def catalog_changes(catalog: Catalog) -> Iterator[Changes]:
    """Everything that the catalog holds, a session at a time; how far sources were read last."""
    for (session_id,) in catalog.rows("SELECT session_id FROM sessions ORDER BY id"):
        yield _changes_of(catalog, session_id)
    changes = Changes()
    for state in catalog.states():
        changes.add_state(state)
    yield changes


def _changes_of(catalog: Catalog, session_id: str) -> Changes:
    changes = Changes()
    if known := catalog.session(session_id):
        changes.sessions[session_id] = known.session
    for turn, retracted, path in catalog.turns_of(session_id):
        changes.add_turn(StoredTurn(turn, path or "", retracted=retracted))
    for chunk in catalog.chunks_of(session_id):
        changes.turns[session_id, chunk.turn_uuid].chunks.append(chunk)
    for edit in catalog.edits_of(session_id):
        changes.edits[edit.edit_id] = StoredEdit(edit)
    changes.spawns.update(Spawn(session_id, *row) for row in catalog.spawns_of(session_id))
    return changes
