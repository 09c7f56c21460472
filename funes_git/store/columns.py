"""The tables of `memory/` as plain columns, and how records become their rows and come back.

Knows nothing of Lance or Arrow (lance.py does). Types are `utf8`, `int64`, `float64`, `bool`,
`list<utf8>`, `list<int64>` and `vector`. The first seventeen columns of `chunks` are those of
huggingface/funes, in its order and types, so that its memories and ours can be read alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path
from typing import Any, TypeAlias

from funes_git.model import (
    Block,
    Chunk,
    EditRecord,
    LineKey,
    Session,
    Source,
    SourceState,
    Spawn,
    Turn,
)
from funes_git.store.changes import Changes, StoredTurn
from funes_git.store.pack import commit_values, commits_from

Rows: TypeAlias = list[dict[str, Any]]
DEFAULT_MODEL = "BAAI/bge-small-en-v1.5"
DEFAULT_SIZE = 384

_UTF8, _INT, _FLOAT, _BOOL = "utf8", "int64", "float64", "bool"
CHUNKS = {
    **dict.fromkeys(("id", "text", "session_id", "workdir", "turn_uuid", "parent_uuid"), _UTF8),
    "seq": _INT,
    **dict.fromkeys(("ts", "role", "block_type", "tool_name", "source_path"), _UTF8),
    **dict.fromkeys(("block_idx", "split_idx"), _INT),
    "vector": "vector",
    **dict.fromkeys(("harness", "repo"), _UTF8),
    # ours
    **dict.fromkeys(("repo_id", "branch", "head"), _UTF8),
    "files": "list<utf8>",
    **dict.fromkeys(("model", "exchange", "thread"), _UTF8),
    "prose": _BOOL,
}
BLOCKS = {
    **dict.fromkeys(("id", "session_id", "turn_uuid"), _UTF8),
    "block_idx": _INT,
    **dict.fromkeys(("block_type", "text", "tool_name", "tool_use_id"), _UTF8),
    "is_error": _BOOL,
    "exit_code": _INT,
    **dict.fromkeys(("commits", "scaffold"), _UTF8),
    "seq": _INT,
    "ts": _FLOAT,
    **dict.fromkeys(("role", "harness", "parent_uuid", "exchange", "message_id", "thread"), _UTF8),
    **dict.fromkeys(("workdir", "branch", "head", "model", "source_path"), _UTF8),
    **dict.fromkeys(("is_prompt", "retracted"), _BOOL),
}
_EDIT_TEXTS = ("path", "operation", "tool", "origin", "recorded_path", "old_path", "old", "new")
_KEYS = tuple(f"{side}_{part}" for side in ("added", "removed") for part in LineKey.__slots__)
EDITS = {
    **dict.fromkeys(("id", "session_id", "turn_uuid", "tool_use_id"), _UTF8),
    "n": _INT,
    "ts": _FLOAT,
    **dict.fromkeys((*_EDIT_TEXTS, "diff"), _UTF8),
    **dict.fromkeys(_KEYS, "list<int64>"),
}
SESSIONS: dict[str, str] = dict.fromkeys(
    ("id", "harness", "title", "parent_session_id", "version", "repository_url"), _UTF8
)
SPAWNS: dict[str, str] = dict.fromkeys(("id", "session_id", "turn_uuid", "thread"), _UTF8)
SOURCES = {
    **dict.fromkeys(("id", "harness", "path", "key", "cursor"), _UTF8),
    **dict.fromkeys(("size", "mtime_ns", "skipped", "turns"), _INT),
}
TABLES: dict[str, dict[str, str]] = {
    # in the order of writing: a turn is known to be stored once its block rows are, so they come
    # after what belongs to them; the cursor comes last
    "edits": EDITS,
    "chunks": CHUNKS,
    "blocks": BLOCKS,
    "spawns": SPAWNS,
    "sessions": SESSIONS,
    "sources": SOURCES,
}


def row_id(*parts: object) -> str:
    """The first 16 hex digits of sha1 over the parts, joined by colons."""
    return sha1(":".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()[:16]


def workdir_facet(path: str | None) -> str:
    """A working directory as huggingface/funes names it: everything that is no ASCII letter or
    digit becomes a dash; empty if nothing is left."""
    munged = re.sub(r"[^A-Za-z0-9]", "-", (path or "").strip())
    return munged if munged.strip("-") else ""


def iso_time(ts: float | None) -> str:
    """Seconds since the epoch as UTC with milliseconds and a Z; empty for None."""
    if ts is None:
        return ""
    moment = datetime.fromtimestamp(ts, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def chunk_rows(turns: Iterable[StoredTurn], repo: str, repo_id: str) -> Iterator[dict[str, Any]]:
    """The rows of `chunks` of these turns, without vectors."""
    for stored in turns:
        t = stored.turn
        shared: dict[str, Any] = {
            "session_id": t.session_id,
            "workdir": workdir_facet(t.workdir),
            "turn_uuid": t.turn_uuid,
            "parent_uuid": t.parent_uuid,
            "seq": t.seq,
            "ts": iso_time(t.ts),
            "role": t.role,
            "source_path": stored.source_path,
            "harness": t.harness,
            "repo": repo,
            "repo_id": repo_id,
            "branch": t.branch,
            "head": t.head,
            "model": t.model,
            "exchange": t.exchange,
            "thread": t.thread,
        }
        for chunk in stored.chunks:
            own = {"block_type": chunk.block_type, "tool_name": chunk.tool, "prose": chunk.prose}
            place = {"block_idx": chunk.block_idx, "split_idx": chunk.split_idx}
            text = {"id": chunk.id, "text": chunk.text, "files": list(chunk.files)}
            yield {**shared, **own, **place, **text}


def chunk_from(row: Mapping[str, Any]) -> Chunk:
    """The chunk of a row of `chunks`."""
    return Chunk(
        id=row["id"],
        session_id=row["session_id"],
        turn_uuid=row["turn_uuid"],
        block_idx=row["block_idx"],
        split_idx=row["split_idx"],
        block_type=row["block_type"],
        tool=row["tool_name"],
        text=row["text"],
        prose=row["prose"],
        files=tuple(row["files"] or ()),
    )


_TURN = ("session_id", "turn_uuid", "seq", "ts", "role", "harness")
_CHAIN = ("parent_uuid", "exchange", "message_id", "thread", "workdir", "branch", "head", "model")


def block_rows(turns: Iterable[StoredTurn]) -> Iterator[dict[str, Any]]:
    """The rows of `blocks` of these turns; a turn without blocks has one, numbered -1."""
    for stored in turns:
        t = stored.turn
        shared: dict[str, Any] = {name: getattr(t, name) for name in (*_TURN, *_CHAIN)}
        shared["is_prompt"] = t.is_prompt
        shared["retracted"] = stored.retracted
        shared["source_path"] = stored.source_path
        for n, block in enumerate(t.blocks):
            yield {**shared, "id": row_id(t.session_id, t.turn_uuid, n), **_block(n, block)}
        if not t.blocks:
            yield {**shared, "id": row_id(t.session_id, t.turn_uuid, -1), "block_idx": -1}


def _block(n: int, block: Block) -> dict[str, Any]:
    commits = json.dumps(commit_values(block.commits)) if block.commits else None
    return {
        "block_idx": n,
        "block_type": block.type,
        "text": block.text,
        "tool_name": block.tool,
        "tool_use_id": block.tool_use_id,
        "is_error": block.is_error,
        "exit_code": block.exit_code,
        "commits": commits,
        "scaffold": block.scaffold,
    }


def turn_from(rows: list[Mapping[str, Any]]) -> StoredTurn:
    """The turn of its rows of `blocks`, in any order."""
    first = rows[0]
    rows = sorted((r for r in rows if r["block_idx"] >= 0), key=lambda r: r["block_idx"])
    blocks = tuple(_block_from(r) for r in rows)
    values: dict[str, Any] = {name: first[name] for name in (*_TURN, *_CHAIN, "is_prompt")}
    turn = Turn(blocks=blocks, **values)
    return StoredTurn(turn, first["source_path"], retracted=first["retracted"])


def _block_from(row: Mapping[str, Any]) -> Block:
    return Block(
        type=row["block_type"],
        text=row["text"],
        tool=row["tool_name"],
        tool_use_id=row["tool_use_id"],
        is_error=row["is_error"],
        exit_code=row["exit_code"],
        commits=commits_from(json.loads(row["commits"])) if row["commits"] else (),
        scaffold=row["scaffold"],
    )


def edit_row(edit: EditRecord) -> dict[str, Any]:
    """The row of `edits` of an edit."""
    row: dict[str, Any] = {n: getattr(edit, n) for n in EDITS if n != "id" and n not in _KEYS}
    row["id"] = edit.edit_id
    for name in _KEYS:
        side, part = name.split("_")
        row[name] = [getattr(key, part) for key in getattr(edit, side)]
    return row


def edit_from(row: Mapping[str, Any]) -> EditRecord:
    """The edit of a row of `edits`."""
    values: dict[str, Any] = {n: row[n] for n in EDITS if n != "id" and n not in _KEYS}
    for side in ("added", "removed"):
        parts = (row[f"{side}_{part}"] for part in LineKey.__slots__)
        values[side] = tuple(LineKey(*key) for key in zip(*parts, strict=True))
    return EditRecord(edit_id=row["id"], **values)


def state_row(state: SourceState) -> dict[str, Any]:
    """The row of `sources` of how far a source was read."""
    s = state.source
    name = {"harness": s.harness, "path": str(s.path), "key": s.key}
    seen = {"size": s.size, "mtime_ns": s.mtime_ns, "cursor": state.cursor}
    counts = {"skipped": state.skipped, "turns": state.turns}
    return {"id": row_id(s.harness, s.path, s.key), **name, **seen, **counts}


def state_from(row: Mapping[str, Any]) -> SourceState:
    """How far a source was read, of a row of `sources`."""
    path = Path(row["path"])
    source = Source(row["harness"], path, row["size"], row["mtime_ns"], row["key"])
    return SourceState(source, row["cursor"], row["skipped"], row["turns"])


def session_row(session: Session) -> dict[str, Any]:
    """The row of `sessions` of a session."""
    row = {name: getattr(session, name) for name in SESSIONS if name != "id"}
    return {"id": session.session_id, **row}


def session_from(row: Mapping[str, Any]) -> Session:
    """The session of a row of `sessions`."""
    return Session(session_id=row["id"], **{name: row[name] for name in SESSIONS if name != "id"})


def stale_block_ids(blocks: Iterable[tuple[str, str, int]]) -> list[str]:
    """The row ids of blocks given as (session id, turn, number)."""
    return [row_id(*block) for block in blocks]


def spawn_row(spawn: Spawn) -> dict[str, Any]:
    """The row of `spawns` of the start of a sub-agent."""
    key = (spawn.session_id, spawn.turn_uuid, spawn.thread)
    return dict(zip(SPAWNS, (row_id(*key), *key), strict=True))


def spawn_from(row: Mapping[str, Any]) -> Spawn:
    """The start of a sub-agent of a row of `spawns`."""
    return Spawn(row["session_id"], row["turn_uuid"], row["thread"])


def rows_of(changes: Changes, table: str, repo: str, repo_id: str) -> Rows:
    """Everything in `changes` that goes into `table`."""
    turns = changes.turns.values()
    makers: dict[str, Callable[[], Iterable[dict[str, Any]]]] = {
        "edits": lambda: (edit_row(stored.edit) for stored in changes.edits.values()),
        "chunks": lambda: chunk_rows(turns, repo, repo_id),
        "blocks": lambda: block_rows(turns),
        "spawns": lambda: map(spawn_row, changes.spawns),
        "sessions": lambda: map(session_row, changes.sessions.values()),
        "sources": lambda: map(state_row, changes.states.values()),
    }
    return list(makers[table]())
