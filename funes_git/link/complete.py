"""Whether a commit shows all of an edit: then each of its lines is believed, wherever it stands."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from funes_git.link.difflines import DiffLine
from funes_git.link.match import GAP, Candidate

Row = tuple[int, set[int]]
"""The number of a line of the commit, and where an edit has it."""


class Complete:
    """Says of an edit whether the commit shows all of it, and as one piece of text."""

    def __init__(
        self,
        shown: Counter[int],
        weights: Mapping[int, float],
        due: Callable[[int], int],
        least: float,
    ) -> None:
        """`shown` and `weights` say how many lines of each edit are believed already, and what they
        weigh; `due` how many it has to show; `least` what all must weigh."""
        self._shown = shown.copy()
        self._weights = defaultdict(float, weights)
        self._rows: dict[int, list[Row]] = defaultdict(list)
        self._due = due
        self._least = least

    def add(self, line: DiffLine, candidates: Iterable[Candidate]) -> None:
        """Take in a line of the commit, in order, with what may explain it."""
        positions: dict[int, set[int]] = defaultdict(set)
        for candidate in candidates:
            positions[candidate.edit].add(candidate.pos)
        for edit, found in positions.items():
            self._shown[edit] += 1
            self._weights[edit] += line.weight
            self._rows[edit].append((line.number, found))

    def __call__(self, edit: int) -> bool:
        """Whether all of `edit` is there."""
        return (
            self._weights[edit] >= self._least
            and self._shown[edit] >= self._due(edit)
            and (_in_order(self._rows[edit]) or _together(self._rows[edit]))
        )


def _in_order(rows: Iterable[Row]) -> bool:
    last = -1
    for _, positions in rows:
        last = min((pos for pos in positions if pos > last), default=-1)
        if last < 0:
            return False
    return True


def _together(rows: Sequence[Row]) -> bool:
    """Whether the lines stand close together, each but once: a formatter may have sorted them."""
    positions = set[int]().union(*(found for _, found in rows))
    return len(rows) <= len(positions) and all(
        after - before <= GAP for (before, _), (after, _) in itertools.pairwise(rows)
    )
