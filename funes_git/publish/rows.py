"""The rows of a release's tables, and a digest of them. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, TypeAlias

from funes_git import chunk
from funes_git.publish.part import Part
from funes_git.publish.traces import name_of
from funes_git.store.changes import StoredEdit, StoredTurn
from funes_git.store.columns import (
    SHARED,
    Values,
    block_rows,
    chunk_rows,
    edit_row,
    link_row,
    session_row,
    spawn_row,
)

Tables: TypeAlias = dict[str, list[Values]]


def of(part: Part, identity: tuple[str, str]) -> Tables:
    """The rows of a session by their tables; `identity` is the repository's name and id. Its text
    is cut into chunks anew, since what was cleaned is shorter; its file is its trace."""
    turns = [_stored(part, stored) for stored in part.turns]
    return {
        "edits": [edit_row(StoredEdit(edit)) for edit in part.edits],
        "chunks": list(chunk_rows(turns, *identity)),
        "blocks": list(block_rows(turns)),
        "spawns": [spawn_row(spawn) for spawn in part.spawns],
        "sessions": [session_row(part.session)],
        "links": [link_row(link) for link in part.links],
    }


def _stored(part: Part, stored: StoredTurn) -> StoredTurn:
    turn = stored.turn
    new = StoredTurn(turn, name_of(turn.session_id), retracted=stored.retracted)
    if not stored.retracted:
        new.chunks = [
            replace(each, files=part.files.get((turn.turn_uuid, each.block_idx), ()))
            for each in chunk.chunks(turn)
        ]
    return new


def unchanged(part: Part) -> set[str]:
    """The chunks whose text is that which is stored, so that their vectors say nothing else."""
    stored = {chunk.id: chunk.text for turn in part.turns for chunk in turn.chunks}
    return {
        each.id
        for turn in part.turns
        for each in chunk.chunks(turn.turn)
        if stored.get(each.id) == each.text
    }


def digest(tables: Iterable[Tables], about: Sequence[Any]) -> str:
    """SHA-256 over all rows, whatever their order, and over what else a release is made of."""
    total = sha256(json.dumps(about).encode())
    for line in sorted(_lines(tables)):
        total.update(line)
    return total.hexdigest()


def _lines(tables: Iterable[Tables]) -> Iterator[bytes]:
    for each in tables:
        for name in SHARED:
            for row in each.get(name, ()):
                listed = [list(v) if hasattr(v, "tolist") else v for v in row]
                yield sha256(json.dumps([name, listed]).encode("utf-8", "surrogatepass")).digest()
