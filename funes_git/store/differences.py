"""What each turn is, as one number: to find what changed since two memories met.

Knows the tables by name; what is asked of Lance goes through LanceMemory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import TypeAlias

from funes_git.store.changes import Key
from funes_git.store.database import Database
from funes_git.store.lance import LanceMemory
from funes_git.store.lanceclient import literals
from funes_git.store.shared import SharedMemory

AT_ONCE = 5_000
"""Turns that are asked about at once."""
MARKS = {
    "blocks": ("id", "text", "tool_name", "is_error", "scaffold", "ts", "exchange", "retracted"),
    "edits": ("id", "path", "operation", "old", "new", "diff"),
    "chunks": ("id", "vector IS NOT NULL"),
}
"""Table → what two versions of a row may differ in."""


Mark: TypeAlias = tuple[str, str, int]
"""(session id, turn, a number that changes with it)"""
_OF_CATALOG = """SELECT s.session_id, t.turn_uuid, t.digest, t.retracted,
  (SELECT exclusive(digest) FROM edits WHERE turn = t.id),
  (SELECT sum(vector) FROM chunks WHERE turn = t.id AND gone = 0)
  FROM sessions s JOIN turns t ON t.session = s.id WHERE t.digest IS NOT NULL"""


class _Exclusive:
    """The numbers of an SQL group, by exclusive or."""

    def __init__(self) -> None:
        self._sum = 0

    def step(self, number: int) -> None:
        self._sum ^= number

    def finalize(self) -> int:
        return self._sum


def of_catalog(catalog: Database) -> Iterator[Mark]:
    """Each turn with a number that changes with it, its edits, and how many of its chunks have a
    vector."""
    catalog.db.create_aggregate("exclusive", 1, _Exclusive)
    for session_id, turn_uuid, digest, retracted, edits, vectors in catalog.each(_OF_CATALOG):
        yield session_id, turn_uuid, digest ^ retracted ^ (edits or 0) ^ (vectors or 0) << 8


def of_memory(memory: LanceMemory, session_ids: Sequence[str] | None = None) -> Iterator[Mark]:
    """Numbers that change with the rows of a turn, one for each row: all of a turn's together, by
    exclusive or, are its mark. It is not the number that the catalog gives. Texts stay on the disk,
    and one batch of marks is held at once. With `session_ids`, of these sessions."""
    for name, parts in MARKS.items():
        said = ", ".join(f"coalesce(cast({part} as string), '')" for part in parts)
        columns = {"session_id": "session_id", "turn_uuid": "turn_uuid"}
        query = memory.table(name).search().select({**columns, "mark": f"md5(concat({said}))"})
        if session_ids is not None:
            query = query.where(f"session_id IN ({literals(session_ids)})")
        for batch in query.to_batches():
            values = (batch.column(column).to_pylist() for column in (*columns, "mark"))
            for session_id, turn_uuid, mark in zip(*values, strict=True):
                yield session_id, turn_uuid, int(mark[:15], 16)


def ids_of_turns(memory: LanceMemory, table: str, turn_uuids: Sequence[str]) -> dict[str, Key]:
    """The row ids that a table holds of these turns, each with its (session id, turn)."""
    found: dict[str, Key] = {}
    for start in range(0, len(turn_uuids), AT_ONCE):
        some = literals(turn_uuids[start : start + AT_ONCE])
        query = memory.table(table).search().where(f"turn_uuid IN ({some})")
        for row in query.select(["id", "session_id", "turn_uuid"]).to_arrow().to_pylist():
            found[row["id"]] = (row["session_id"], row["turn_uuid"])
    return found


def repositories(memory: LanceMemory) -> set[tuple[str, str]]:
    """What the chunks say of their repositories: (names with spaces between, id)."""
    pairs = memory.distinct("chunks", ("repo", "repo_id"))
    return {(repo or "", repo_id or "") for repo, repo_id in pairs}


def sessions_of_others(memory: LanceMemory, is_ours: Callable[[tuple[str, str]], bool]) -> set[str]:
    """The sessions that have chunks, and none of a repository (names, id) that is ours."""
    found = memory.distinct("chunks", ("session_id", "repo", "repo_id"))
    ours = {session for session, *pair in found if is_ours((pair[0] or "", pair[1] or ""))}
    return {session for session, *_ in found} - ours


def drop_sessions(memory: SharedMemory, gone: Iterable[str]) -> None:
    """Delete everything of these sessions."""
    if names := literals(sorted(gone)):
        for table in memory.tables:
            column = "id" if table == "sessions" else "session_id"
            memory.table(table).delete(f"{column} IN ({names})")


def drop_turns(memory: SharedMemory, gone: Set[Key], sessions: Iterable[str]) -> None:
    """Delete these turns with their edits, and these sessions, of which none is left."""
    uuids = sorted({key[1] for key in gone})
    for table in ("chunks", "blocks", "edits", "spawns", "links"):
        found = ids_of_turns(memory, table, uuids)
        memory.drop(table, [row for row, key in found.items() if key in gone])
    drop_sessions(memory, sessions)
