"""The rows of a release's tables, and a digest of them. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
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


class Digest:
    """A sum over all rows of a release, whatever their order, and over what else it is made of."""

    def __init__(self, about: Sequence[Any]) -> None:
        self._about = json.dumps(about)
        self._sum = 0

    def add(self, tables: Tables) -> None:
        """Take in the rows of a session. Each is hashed, and the hashes are added up, so that none
        of them has to be kept."""
        for name in SHARED:
            for row in tables.get(name, ()):
                listed = [list(v) if hasattr(v, "tolist") else v for v in row]
                line = json.dumps([name, listed]).encode("utf-8", "surrogatepass")
                self._sum = (self._sum + int.from_bytes(sha256(line).digest(), "big")) % 2**256

    def hex(self) -> str:
        """SHA-256 over everything."""
        return sha256(self._about.encode() + self._sum.to_bytes(32, "big")).hexdigest()
