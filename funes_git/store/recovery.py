"""What the memory holds, as changes for the catalog: for a rebuild, or after a crash.

The memory is read session by session, so that no more than the largest is held at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from funes_git.store.changes import Changes, StoredEdit
from funes_git.store.columns import (
    chunk_from,
    edit_from,
    session_from,
    spawn_from,
    state_from,
    turn_from,
)
from funes_git.store.lance import LanceMemory

ROWS_AT_ONCE = 5_000


def all_changes(
    memory: LanceMemory, progress: Callable[[int, int], None] | None = None
) -> Iterator[Changes]:
    """Everything in the memory, in portions; `progress` is told records (blocks and edits) done and
    in all, since these take the time."""
    sizes = memory.session_sizes()
    known = dict.fromkeys(memory.ids("sessions"), 0) | sizes
    done = 0
    for group in groups(known):
        yield changes_of(memory, group)
        done += sum(known[session_id] for session_id in group)
        if progress:
            progress(done, sum(known.values()))
    yield states_of(memory, memory.ids("sources"))


def changes_of(memory: LanceMemory, session_ids: Sequence[str]) -> Changes:
    """Everything that the memory holds of some sessions."""
    changes = Changes()
    for row in memory.rows("sessions", "id", session_ids):
        changes.sessions[row["id"]] = session_from(row)
    _add_turns(changes, memory, session_ids)
    for row in memory.rows("edits", "session_id", session_ids):
        changes.edits[row["id"]] = StoredEdit(edit_from(row))
    for row in memory.rows("spawns", "session_id", session_ids):
        changes.spawns.add(spawn_from(row))
    return changes


def states_of(memory: LanceMemory, source_ids: Sequence[str]) -> Changes:
    """How far some sources were read, by their row ids."""
    changes = Changes()
    for row in memory.rows("sources", "id", source_ids):
        changes.add_state(state_from(row))
    return changes


def _add_turns(changes: Changes, memory: LanceMemory, session_ids: Sequence[str]) -> None:
    blocks: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in memory.rows("blocks", "session_id", session_ids):
        blocks[row["session_id"], row["turn_uuid"]].append(row)
    turns = sorted(
        (turn_from(rows) for rows in blocks.values()),
        key=lambda s: (s.turn.session_id, s.turn.seq, s.turn.ts or 0.0, s.turn.turn_uuid),
    )
    for stored in turns:
        changes.add_turn(stored)
        if stored.retracted:  # the turn may be known, and this not
            changes.retractions.add((stored.turn.session_id, stored.turn.turn_uuid))
    chunks = memory.rows("chunks", "session_id", session_ids)
    for row in sorted(chunks, key=lambda r: (r["block_idx"], r["split_idx"])):
        owner = changes.turns.get((row["session_id"], row["turn_uuid"]))
        if owner is not None:  # else the writer was killed before it stored the turn
            owner.chunks.append(chunk_from(row))
            if row["with_vector"]:
                owner.with_vector.add(row["id"])


def groups(sizes: Mapping[str, int], rows_at_once: int = ROWS_AT_ONCE) -> Iterator[list[str]]:
    """The sessions, in portions whose rows can be held at once: the largest alone, or some."""
    group: list[str] = []
    rows = 0
    for session_id in sorted(sizes):
        if group and rows + sizes[session_id] > rows_at_once:
            yield group
            group, rows = [], 0
        group.append(session_id)
        rows += sizes[session_id]
    if group:
        yield group
