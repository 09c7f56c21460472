"""What each turn is, as one number: to find what changed since two memories met.

Knows the tables by name; what is asked of Lance goes through LanceMemory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set

from funes_git.store.changes import Key
from funes_git.store.database import Database
from funes_git.store.lance import LanceMemory, literals
from funes_git.store.shared import SharedMemory

MARKS = {
    "blocks": ("id", "text", "tool_name", "is_error", "scaffold", "ts", "exchange", "retracted"),
    "edits": ("id", "path", "operation", "old", "new", "diff"),
    "chunks": ("id", "vector IS NOT NULL"),
}
"""Table → what two versions of a row may differ in."""


def of_catalog(catalog: Database) -> dict[Key, int]:
    """Turn → a number that changes with the turn, its edits, and how many of its chunks have a
    vector."""
    keys: dict[int, Key] = {}
    found: dict[int, int] = {}
    sql = (
        "SELECT t.id, s.session_id, t.turn_uuid, t.digest, t.retracted FROM turns t"
        " JOIN sessions s ON s.id = t.session WHERE t.digest IS NOT NULL"
    )
    for number, session_id, turn_uuid, digest, retracted in catalog.rows(sql):
        keys[number] = (session_id, turn_uuid)
        found[number] = digest ^ retracted
    for number, digest in catalog.rows("SELECT turn, digest FROM edits"):
        if number in found:
            found[number] ^= digest
    counted = "SELECT turn, sum(vector) FROM chunks WHERE gone = 0 GROUP BY turn"
    for number, vectors in catalog.rows(counted):
        if number in found:
            found[number] ^= vectors << 8
    return {key: found[number] for number, key in keys.items()}


def of_memory(memory: LanceMemory) -> dict[Key, int]:
    """Turn → a number that changes with its rows. Not the number that the catalog gives. Texts stay
    on the disk, and one batch of marks is held at once."""
    found: defaultdict[Key, int] = defaultdict(int)
    for name, parts in MARKS.items():
        said = ", ".join(f"coalesce(cast({part} as string), '')" for part in parts)
        columns = {"session_id": "session_id", "turn_uuid": "turn_uuid"}
        query = memory.table(name).search().select({**columns, "mark": f"md5(concat({said}))"})
        for batch in query.to_batches():
            values = (batch.column(column).to_pylist() for column in (*columns, "mark"))
            for session_id, turn_uuid, mark in zip(*values, strict=True):
                found[session_id, turn_uuid] ^= int(mark[:15], 16)
    return dict(found)


def ids_of_turns(memory: LanceMemory, table: str, turn_uuids: Sequence[str]) -> dict[str, Key]:
    """The row ids that a table holds of these turns, each with its (session id, turn)."""
    if not turn_uuids:
        return {}
    query = memory.table(table).search().where(f"turn_uuid IN ({literals(turn_uuids)})")
    rows = query.select(["id", "session_id", "turn_uuid"]).to_arrow().to_pylist()
    return {row["id"]: (row["session_id"], row["turn_uuid"]) for row in rows}


def repositories(memory: LanceMemory) -> set[tuple[str, str]]:
    """What the chunks say of their repositories: (names with spaces between, id)."""
    found: set[tuple[str, str]] = set()
    for batch in memory.table("chunks").search().select(["repo", "repo_id"]).to_batches():
        both = (batch.column(name).to_pylist() for name in ("repo", "repo_id"))
        found.update((repo or "", repo_id or "") for repo, repo_id in zip(*both, strict=True))
    return found


def sessions_of_others(
    memory: SharedMemory, is_ours: Callable[[tuple[str, str]], bool]
) -> set[str]:
    """The sessions that have chunks, and none of a repository (names, id) that is ours."""
    every: set[str] = set()
    ours: set[str] = set()
    for row in memory.columns("chunks", ("session_id", "repo", "repo_id")):
        every.add(row["session_id"])
        if row["session_id"] not in ours and is_ours((row["repo"] or "", row["repo_id"] or "")):
            ours.add(row["session_id"])
    return every - ours


def drop_sessions(memory: SharedMemory, gone: Iterable[str]) -> None:
    """Delete everything of these sessions."""
    if names := literals(sorted(gone)):
        for table in memory.tables:
            column = "id" if table == "sessions" else "session_id"
            memory.table(table).delete(f"{column} IN ({names})")


def drop_turns(memory: SharedMemory, gone: Set[Key], every: Set[Key]) -> None:
    """Delete these turns with their edits, and the sessions of which none of `every` is left."""
    uuids = sorted({key[1] for key in gone})
    for table in ("chunks", "blocks", "edits", "spawns", "links"):
        found = ids_of_turns(memory, table, uuids)
        memory.drop(table, [row for row, key in found.items() if key in gone])
    drop_sessions(memory, {key[0] for key in gone} - {key[0] for key in every - gone})
