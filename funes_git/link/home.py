"""Which of several equal lines is whose: each edit's is where its neighbours are.

Two edits may write the same line at two places of one file. Both lines then match both edits, and
which edit is the newer says nothing: the lines that stood around each edit do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import product

from funes_git.link.match import Candidate, Candidates, Spot
from funes_git.link.place import Run

MOST = 1000
"""Pairs of equal lines up to which they are compared: not what a generator repeats."""


def astray(
    numbers: dict[int, list[int]],
    candidates: Candidates,
    around: Callable[[int, int, int], Sequence[Run]],
) -> set[Spot]:
    """The pairs of equal lines that are not each other's, for where they stand: where the
    surroundings of one edit differ, another edit that wrote the same line has them, and has no
    place that is more like its own.

    `numbers` are the commit's lines by the hash that `candidates` go by, `around` how far the lines
    above and below a line are those of an edit."""
    found: set[Spot] = set()
    for key, rows in candidates.items():
        lines = numbers.get(key, ())
        if len(rows) > 1 and len(rows) * len(lines) <= MOST:
            found |= _astray(lines, rows, around)
    return found


def _astray(
    lines: Iterable[int],
    rows: Sequence[Candidate],
    around: Callable[[int, int, int], Sequence[Run]],
) -> set[Spot]:
    runs = {
        (line, row.edit, row.pos): around(line, row.edit, row.pos)
        for line, row in product(lines, rows)
    }
    at_line: dict[int, list[Spot]] = defaultdict(list)
    of_edit: dict[tuple[int, int], list[Spot]] = defaultdict(list)
    for s in runs:
        at_line[s[0]].append(s)
        of_edit[s[1:]].append(s)
    homes = {s for s in runs if not any(_better(runs[o], runs[s]) for o in of_edit[s[1:]])}
    return {s for s in runs if any(o in homes and _better(runs[o], runs[s]) for o in at_line[s[0]])}


def _better(one: Sequence[Run], other: Sequence[Run]) -> bool:
    """Whether `one` agrees with its surroundings where `other` differs, and not the other way."""
    return _agrees(one, other) and not _agrees(other, one)


def _agrees(one: Sequence[Run], other: Sequence[Run]) -> bool:
    return any(b.differs and a.equal > b.equal for a, b in zip(one, other, strict=True))
