"""Memories of chunks alone, as huggingface/funes publishes them: `chunks.lance` with its seventeen
columns, and nothing else. Turns are put together again from their chunks, to be searched and shown;
of the edits behind them nothing is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from funes_git.chunk import OVERLAP
from funes_git.model import Chunk
from funes_git.store.changes import Changes, StoredTurn
from funes_git.store.lance import LanceMemory
from funes_git.store.lanceclient import literals
from funes_git_parsers import scaffold
from funes_git_parsers.base import Block, Role, Session, Turn
from funes_git_parsers.conversation import Conversation, Message
from funes_git_parsers.values import seconds

COLUMNS = (
    *("id", "text", "session_id", "turn_uuid", "seq", "ts", "role"),
    *("block_type", "tool_name", "block_idx", "split_idx", "harness"),
)
SESSIONS = 20
"""Sessions that are held at once."""
CUT = "\n…\n"
"""Where a long result was searched by its two ends only, so that its middle is not there."""
_ROLES: dict[str, Role] = {"assistant": "assistant", "tool": "tool"}
Row = Mapping[str, Any]


def all_changes(memory: LanceMemory) -> Iterator[Changes]:
    """Everything in the memory, some sessions at a time."""
    query = memory.table("chunks").search().select(["session_id"])
    names = {name for b in query.to_batches() for name in b.column("session_id").to_pylist()}
    waiting = iter(sorted(name for name in names if name))
    while some := list(islice(waiting, SESSIONS)):
        where = f"session_id IN ({literals(some)})"
        found = memory.table("chunks").search().where(where).select(list(COLUMNS))
        changes = Changes()
        for rows in _grouped(found.to_arrow().to_pylist(), "session_id").values():
            _add_session(changes, rows)
        yield changes


def _add_session(changes: Changes, rows: Sequence[Row]) -> None:
    session_id, harness = str(rows[0]["session_id"]), str(rows[0]["harness"] or "funes")
    changes.sessions[session_id] = Session(session_id, harness)
    talk = Conversation(session_id, harness)
    turns = _grouped(rows, "turn_uuid")
    for uuid in sorted(turns, key=lambda name: (turns[name][0]["seq"] or 0, name)):
        said = turns[uuid]
        role = str(said[0]["role"])
        blocks = _grouped(said, "block_idx")
        whole = tuple(_block(blocks[number], role) for number in sorted(blocks))
        message = Message(
            uuid,
            _ROLES.get(role, "user"),
            whole,
            seconds(said[0]["ts"]),
            from_person=role == "user",
        )
        for item in talk.add(message):
            if isinstance(item, Turn):
                stored = StoredTurn(item, "")
                stored.chunks = [_chunk(row, n) for n, row in _numbered(blocks)]
                changes.add_turn(stored)


def _numbered(blocks: Mapping[int, Sequence[Row]]) -> Iterator[tuple[int, Row]]:
    """Each chunk with the number of its block in the turn that is put together."""
    for number, name in enumerate(sorted(blocks)):
        for row in blocks[name]:
            yield number, row


def _grouped(rows: Iterable[Row], name: str) -> dict[Any, list[Row]]:
    found: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[name]].append(row)
    return dict(found)


def _block(rows: Sequence[Row], role: str) -> Block:
    first = rows[0]
    kind, tool = first["block_type"], first["tool_name"] or None
    pieces = [row["text"] or "" for row in sorted(rows, key=lambda row: row["split_idx"] or 0)]
    text = joined(pieces)
    for label in (f"[{kind} {tool}] ", f"[{kind}] "):  # what stands before it to be searched
        text = text.removeprefix(label)
    speaker: Role = "tool" if kind == "tool_result" else _ROLES.get(role, "user")
    mark = scaffold.kind(text, speaker) if kind in ("text", "tool_result") else None
    return Block(kind, text, tool, None, scaffold=mark)


def joined(pieces: Sequence[str]) -> str:
    """The text that was cut into these pieces, each of which begins before the last one ends."""
    text = pieces[0]
    for piece in pieces[1:]:
        most = min(OVERLAP, len(text), len(piece))
        shared = next((n for n in range(most, 0, -1) if text.endswith(piece[:n])), 0)
        text += piece[shared:] if shared else CUT + piece
    return text


def _chunk(row: Row, block: int) -> Chunk:
    return Chunk(
        id=row["id"],
        session_id=row["session_id"],
        turn_uuid=row["turn_uuid"],
        block_idx=block,
        split_idx=row["split_idx"] or 0,
        block_type=row["block_type"],
        tool=row["tool_name"] or None,
        text=row["text"] or "",
        prose=row["block_type"] in ("text", "thinking"),
        files=(),
    )
