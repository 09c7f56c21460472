"""Records that could not be read, counted by reason, with the first places of each."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git_parsers.dataclass import dataclass

PLACES = 20
"""Places that are kept of each reason."""


@dataclass(frozen=True, slots=True)
class Skip:
    """How many records could not be read for one reason, which quotes none of them, and where the
    first of them are: `FILE:LINE`, or as their tool names them."""

    reason: str
    count: int
    places: tuple[str, ...]


class Skips:
    """Gathers them."""

    def __init__(self) -> None:
        self._found: dict[str, Skip] = {}

    def add(self, reason: str, *places: str, count: int = 1) -> None:
        """Count `count` records; `places` are those of the first."""
        before = self._found.get(reason, Skip(reason, 0, ()))
        kept = (*before.places, *places)[:PLACES]
        self._found[reason] = Skip(reason, before.count + count, kept)

    def all(self) -> tuple[Skip, ...]:
        """One for each reason, the most frequent first."""
        return tuple(sorted(self._found.values(), key=lambda skip: (-skip.count, skip.reason)))


def total(skips: Sequence[Skip]) -> int:
    """How many records."""
    return sum(skip.count for skip in skips)
