"""The tables of `memory/` as plain columns, and how records become their rows and come back.

Knows nothing of Lance or Arrow (lance.py does). Types are `utf8`, `int64`, `float64`, `bool`,
`list<utf8>`, `list<int64>` and `vector`. The first seventeen columns of `chunks` are those of
huggingface/funes, in its order and types, so that its memories and ours can be read alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha1
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeAlias

from funes_git.model import (
    Block,
    Chunk,
    EditRecord,
    LineKey,
    Link,
    Session,
    Source,
    SourceState,
    Spawn,
    Step,
    Turn,
)
from funes_git.store.changes import Changes, StoredEdit, StoredTurn
from funes_git.store.pack import commit_values, commits_from
from funes_git.store.records import flat_keys

Rows: TypeAlias = list[dict[str, Any]]
"""What is read: rows by the names of their columns."""
Values: TypeAlias = tuple[Any, ...]
"""What is written: a row's values in the order of its table's columns, but for its vector."""
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
LINKS = {
    **dict.fromkeys(("id", "sha", "session_id", "turn_uuid", "harness"), _UTF8),
    **dict.fromkeys(("relation", "content", "proof", "level"), _UTF8),
    "score": _FLOAT,
    "path": _UTF8,
    "lines": "list<int64>",
    **dict.fromkeys(("source", "edit_id", "chain"), _UTF8),
}
"""Of a memory that was published or pushed: `lines` are first and last in turn, `chain` is JSON."""
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

SHARED = {name: TABLES[name] for name in TABLES if name != "sources"} | {"links": LINKS}
"""The tables of a memory that leaves the machine: without where its sessions were read from, and
with its links, which nobody else can compute before they have the history."""

EVERY_TABLE = TABLES | SHARED

LARGE = ("edits", "chunks", "blocks")
"""The tables whose rows are all new where nothing of a write was stored before."""


def row_id(*parts: object) -> str:
    """The first 16 hex digits of sha1 over the parts, joined by colons."""
    return sha1(":".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()[:16]


@lru_cache(1024)
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


def chunk_rows(turns: Iterable[StoredTurn], repo: str, repo_id: str) -> Iterator[Values]:
    """The rows of `chunks` of these turns, without vectors."""
    for stored in turns:
        t = stored.turn
        place = (t.session_id, workdir_facet(t.workdir), t.turn_uuid, t.parent_uuid)
        about = (*place, t.seq, iso_time(t.ts), t.role)
        where = (t.harness, repo, repo_id, t.branch, t.head)
        rest = (t.model, t.exchange, t.thread)
        for c in stored.chunks:
            what = (c.block_type, c.tool, stored.source_path, c.block_idx, c.split_idx)
            yield (c.id, c.text, *about, *what, *where, c.files, *rest, c.prose)


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
_chain = attrgetter(*_CHAIN)
_session = attrgetter("session_id", *(n for n in SESSIONS if n != "id"))
_edit = attrgetter("edit_id", *(n for n in EDITS if n != "id" and n not in _KEYS))


def block_rows(turns: Iterable[StoredTurn]) -> Iterator[Values]:
    """The rows of `blocks` of these turns; a turn without blocks has one, numbered -1."""
    for stored in turns:
        t = stored.turn
        key = (t.session_id, t.turn_uuid)
        about = (t.seq, t.ts, t.role, t.harness, *_chain(t))
        shared = (*about, stored.source_path, t.is_prompt, stored.retracted)
        for n, block in enumerate(t.blocks):
            yield (row_id(*key, n), *key, n, *_block(block), *shared)
        if not t.blocks:
            yield (row_id(*key, -1), *key, -1, *[None] * 8, *shared)


def _block(block: Block) -> Values:
    commits = json.dumps(commit_values(block.commits)) if block.commits else None
    what = (block.type, block.text, block.tool, block.tool_use_id)
    return (*what, block.is_error, block.exit_code, commits, block.scaffold)


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


def edit_row(stored: StoredEdit) -> Values:
    """The row of `edits` of an edit."""
    flat = (flat_keys(stored.added), flat_keys(stored.removed))
    parts = len(fields(LineKey))
    return (*_edit(stored.edit), *(list(keys[n::parts]) for keys in flat for n in range(parts)))


def edit_from(row: Mapping[str, Any]) -> EditRecord:
    """The edit of a row of `edits`."""
    values: dict[str, Any] = {n: row[n] for n in EDITS if n != "id" and n not in _KEYS}
    for side in ("added", "removed"):
        parts = (row[f"{side}_{part}"] for part in LineKey.__slots__)
        values[side] = tuple(LineKey(*key) for key in zip(*parts, strict=True))
    return EditRecord(edit_id=row["id"], **values)


def source_id(source: Source) -> str:
    """The id of the row of `sources` of a source."""
    return row_id(source.harness, source.path, source.key)


def state_row(state: SourceState) -> Values:
    """The row of `sources` of how far a source was read."""
    s = state.source
    name = (source_id(s), s.harness, str(s.path), s.key, state.cursor)
    return (*name, s.size, s.mtime_ns, state.skipped, state.turns)


def state_from(row: Mapping[str, Any]) -> SourceState:
    """How far a source was read, of a row of `sources`."""
    path = Path(row["path"])
    source = Source(row["harness"], path, row["size"], row["mtime_ns"], row["key"])
    return SourceState(source, row["cursor"], row["skipped"], row["turns"])


def session_from(row: Mapping[str, Any]) -> Session:
    """The session of a row of `sessions`."""
    return Session(session_id=row["id"], **{name: row[name] for name in SESSIONS if name != "id"})


def link_row(link: Link) -> Values:
    """The row of `links` of a link."""
    lines = [number for each in link.lines for number in each]
    chain = json.dumps([[step.old, step.new, step.how, step.by] for step in link.chain])
    key = (link.commit, link.session_id, link.turn_uuid, link.relation, link.content, link.proof)
    where = (link.path, lines, link.source, link.edit_id)
    about = (link.level, link.score, *where, chain)
    own = row_id(*key, *where)
    return (own, link.commit, link.session_id, link.turn_uuid, link.harness, *key[3:], *about)


def link_from(row: Mapping[str, Any]) -> Link:
    """The link of a row of `links`."""
    flat = row["lines"] or []
    values: dict[str, Any] = {name: row[name] for name in LINKS if name not in ("id", "sha")}
    values["lines"] = tuple(zip(flat[::2], flat[1::2], strict=True))
    values["chain"] = tuple(Step(*step) for step in json.loads(row["chain"] or "[]"))
    return Link(commit=row["sha"], **values)


def stale_block_ids(blocks: Iterable[tuple[str, str, int]]) -> list[str]:
    """The row ids of blocks given as (session id, turn, number)."""
    return [row_id(*block) for block in blocks]


def session_row(session: Session) -> Values:
    """The row of `sessions` of a session."""
    values: Values = _session(session)
    return values


def spawn_row(spawn: Spawn) -> Values:
    """The row of `spawns` of the start of a sub-agent."""
    key = (spawn.session_id, spawn.turn_uuid, spawn.thread)
    return (row_id(*key), *key)


def spawn_from(row: Mapping[str, Any]) -> Spawn:
    """The start of a sub-agent of a row of `spawns`."""
    return Spawn(row["session_id"], row["turn_uuid"], row["thread"])


def rows_of(changes: Changes, identity: tuple[str, str], table: str) -> list[Values]:
    """Everything in `changes` that goes into `table`; `identity` is the repository's name and
    id."""
    turns = changes.turns.values()
    makers: dict[str, Callable[[], Iterable[Values]]] = {
        "edits": lambda: map(edit_row, changes.edits.values()),
        "chunks": lambda: chunk_rows(turns, *identity),
        "blocks": lambda: block_rows(turns),
        "spawns": lambda: map(spawn_row, changes.spawns),
        "sessions": lambda: map(session_row, changes.sessions.values()),
        "sources": lambda: map(state_row, changes.states.values()),
    }
    return list(makers[table]())
