"""The tree of records that a session is, and which of its branches were given up.

Every entry names its parent; the last one is the leaf. An entry that follows an earlier one than
the leaf starts a new branch, and what led to the old leaf is given up, until something follows it
again. Knows nothing of what is in an entry, nor of any agent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, Final

from funes_git_parsers.dataclass import dataclass

MAX_ENTRIES: Final = 2_048
"""The youngest entries can be parents; older ones are forgotten, in one read as in many."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry's place: its parent, how far it is from its root, the nearest turn on its chain
    (its own, if it is a turn), and the prompt that this turn follows from."""

    parent: str | None = None
    depth: int = 0
    turn: str | None = None
    exchange: str | None = None


_ABOVE_ALL: Final = Entry(depth=-1)


@dataclass(slots=True)
class Tree:
    """The youngest entries by id, the leaf with its entry (`above` what comes next), and the turns
    given up since the last `taken_back`."""

    entries: dict[str, Entry] = field(default_factory=dict)
    leaf: str | None = None
    above: Entry = _ABOVE_ALL
    given_up: dict[str, None] = field(default_factory=dict)

    def follow(self, parent: str | None) -> None:
        """Move to `parent`, where the next entry will be added. One that is not known (its record
        could not be read, or is forgotten) counts as the leaf."""
        if parent != self.leaf and (parent is None or parent in self.entries):
            self._leave(parent)
            self.leaf, self.above = parent, self.entries.get(parent or "", _ABOVE_ALL)

    def add(self, entry_id: str, turn: str | None, exchange: str | None) -> None:
        """A new leaf below the old one. `turn` is None if it is no turn."""
        above = self.above
        if turn is None:
            turn, exchange = above.turn, above.exchange
        self.above = self.entries[entry_id] = Entry(self.leaf, above.depth + 1, turn, exchange)
        self.leaf = entry_id
        while len(self.entries) > MAX_ENTRIES:
            del self.entries[next(iter(self.entries))]

    def taken_back(self) -> Iterator[str]:
        """The turns that were given up and did not come back; each is told once."""
        yield from self.given_up
        self.given_up.clear()

    def _leave(self, parent: str | None) -> None:
        """Climb from the leaf and from `parent` to where they meet."""
        old, new = self.leaf, parent
        while old != new:
            if new is None or (old is not None and self._depth(old) >= self._depth(new)):
                old = self._climb(old, lost=True)
            else:
                new = self._climb(new, lost=False)

    def _climb(self, entry_id: str | None, *, lost: bool) -> str | None:
        entry = self.entries.get(entry_id or "")
        if entry is None:
            return None
        if entry.turn == entry_id and entry_id is not None:
            if lost:
                self.given_up[entry_id] = None
            else:
                self.given_up.pop(entry_id, None)
        return entry.parent if entry.parent in self.entries else None

    def _depth(self, entry_id: str) -> int:
        return self.entries[entry_id].depth

    def plain(self) -> list[Any]:
        """As JSON values, for a cursor."""
        rows = [[name, e.parent, e.depth, e.turn, e.exchange] for name, e in self.entries.items()]
        return [self.leaf, rows]

    @staticmethod
    def revived(value: Any) -> Tree:
        """What `plain` gave. Raises TypeError or ValueError for anything else."""
        leaf, rows = value
        entries = {name: Entry(*fields) for name, *fields in rows}
        return Tree(entries, leaf, entries.get(leaf or "", _ABOVE_ALL))
