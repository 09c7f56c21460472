"""Where commits stand in the history, as linking keeps it (link/graph.py), so that which of two
came first is known without the history being read. Standard library only.

What is kept is true for ever, also of commits whose links are dropped: a commit's parents never
change. (Where a shallow clone is deepened, everything is linked anew.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from funes_git.store.database import Database

PLACED = ("places", "chains", "joins")
"""The tables."""

Place: TypeAlias = tuple[int, int, int]
"""A commit's chain, its position there from 0, and its generation: the number of commits on the
longest way from a root to it."""

Join: TypeAlias = tuple[int, int, int, int, int, int]
"""A commit, by its place, with a parent on another chain, by its place."""

Placed: TypeAlias = tuple[Mapping[str, Place], Sequence[Join]]
"""Commits, by their ids, that have been placed, and their joins."""


class AncestryReading(Database):
    """The places of the commits that linking has looked at."""

    def place_of(self, sha: str) -> Place | None:
        """Where a commit stands, if it is known."""
        sql = "SELECT chain, position, generation FROM places WHERE sha = ?"
        row: Place | None = self.one(sql, (sha,))
        return row

    def chains(self) -> int:
        """How many chains there are; they are numbered from 0."""
        row = self.one("SELECT max(id) FROM chains")
        return 0 if row is None or row[0] is None else int(row[0]) + 1

    def length_of(self, chain: int) -> int:
        """How many commits a chain has."""
        row = self.one("SELECT length FROM chains WHERE id = ?", (chain,))
        return int(row[0]) if row else 0

    def joins_from(self, chain: int, first: int, last: int, oldest: int) -> Iterator[Join]:
        """The joins of the commits of a chain from position `first` to `last`, the last first, to
        parents of generation `oldest` or later."""
        sql = (
            "SELECT * FROM joins WHERE chain = ? AND position BETWEEN ? AND ?"
            " AND old_generation >= ? ORDER BY position DESC"
        )
        with self.errors():
            yield from self.db.execute(sql, (chain, first, last, oldest))

    def joins_to(self, chain: int, first: int, last: int, newest: int) -> Iterator[Join]:
        """The joins to the commits of a chain from position `first` to `last`, the first first,
        from commits of generation `newest` or earlier."""
        sql = (
            "SELECT * FROM joins WHERE old_chain = ? AND old_position BETWEEN ? AND ?"
            " AND generation <= ? ORDER BY old_position"
        )
        with self.errors():
            yield from self.db.execute(sql, (chain, first, last, newest))


class AncestryWriting(Database):
    """Keeping places. The caller holds the writer lock."""

    def _keep(self, placed: Placed) -> None:
        places, joins = placed
        lengths: dict[int, int] = {}
        for chain, position, _ in places.values():
            lengths[chain] = max(lengths.get(chain, 0), position + 1)
        each = ((sha, *place) for sha, place in places.items())
        self.db.executemany("INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?)", each)
        self.db.executemany("INSERT OR IGNORE INTO joins VALUES (?, ?, ?, ?, ?, ?)", joins)
        self.db.executemany("INSERT OR REPLACE INTO chains VALUES (?, ?)", lengths.items())

    def forget_places(self) -> None:
        """Drop what is known of ancestry, before everything is linked anew."""
        with self.transaction():
            for table in PLACED:
                self.db.execute(f"DELETE FROM {table}")
