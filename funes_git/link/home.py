"""Which of several equal lines is whose: each edit's is where its neighbours are.

Two edits may write the same line at two places of one file. Both lines then match both edits, and
which edit is the newer says nothing: the lines that stood around each edit do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import combinations, permutations, product
from typing import TypeAlias

from funes_git.link.difflines import DiffLine
from funes_git.link.match import Candidate, Candidates, Spot
from funes_git.link.place import Run

MOST = 1000
"""Pairs of equal lines up to which they are compared: not what a generator repeats."""

FEW = 64
"""The same, up to which two are compared with two."""

Runs: TypeAlias = Mapping[Spot, Sequence[Run]]
"""How far the surroundings of a line and an edit agree, above and below."""


def astray(
    numbers: dict[int, list[int]],
    candidates: Candidates,
    around: Callable[[int, int, int], Sequence[Run]],
    session: Callable[[int], str],
) -> set[Spot]:
    """The pairs of equal lines that are not each other's, for where they stand: where the
    surroundings of one edit differ, another edit that wrote the same line has them, and has no
    place that is more like its own. So are those of which it cannot be told which session's they
    are.

    `numbers` are the commit's lines by the hash that `candidates` go by, `around` how far the lines
    above and below a line are those of an edit, `session` whose an edit is."""
    found: set[Spot] = set()
    for key, rows in candidates.items():
        lines = numbers.get(key, ())
        if lines and len(rows) > 1 and len(rows) * len(lines) <= MOST:
            runs = {(n, c.edit, c.pos): around(n, c.edit, c.pos) for n in lines for c in rows}
            found |= _misplaced(runs)
            if len(runs) <= FEW:
                found |= _untold(lines, rows, runs, session)
    return found


def unplaced(
    pairs: Iterable[tuple[DiffLine, Candidate]],
    shared: Callable[[DiffLine, Candidate], bool],
    sides: Callable[[int, int, int], Collection[bool]],
) -> set[Spot]:
    """Those of the `pairs` of a line that says not whose it is, and an edit that did not put it
    there: above and below stand other lines than the edit, or a later one, put there.

    Such a line is one that everyone writes, that stands several times in the file, or that somebody
    else may have written too (`shared`). `sides` says for each side of a line of which an edit
    says anything whether it agrees; of one that is shared both must be known."""
    found: set[Spot] = set()
    for line, c in pairs:
        others = shared(line, c)
        if line.common or others:
            agree = sides(line.number, c.edit, c.pos)
            if not all(agree) or len(agree) < 1 + others:
                found.add((line.number, c.edit, c.pos))
    return found


def _misplaced(runs: Runs) -> set[Spot]:
    at_line: dict[int, list[Spot]] = defaultdict(list)
    of_edit: dict[tuple[int, int], list[Spot]] = defaultdict(list)
    for s in runs:
        at_line[s[0]].append(s)
        of_edit[s[1:]].append(s)
    homes = {s for s in runs if not any(_better(runs[o], runs[s]) for o in of_edit[s[1:]])}
    return {s for s in runs if any(o in homes and _better(runs[o], runs[s]) for o in at_line[s[0]])}


def _untold(
    lines: Sequence[int], rows: Sequence[Candidate], runs: Runs, session: Callable[[int], str]
) -> set[Spot]:
    """The pairs of two lines and two sessions' edits with the same surroundings, of which the
    order says one thing and the distance from where the newer edit was another."""
    found: set[Spot] = set()
    for (above, below), (one, other) in product(combinations(lines, 2), combinations(rows, 2)):
        first, last = sorted((one, other), key=lambda c: c.pos)
        newer = max(one, other, key=lambda c: c.rank)
        near = abs(below - newer.pos) < abs(above - newer.pos)
        if (
            first.pos == last.pos
            or near == (newer is last)
            or session(one.edit) == session(other.edit)
        ):
            continue
        spots = {(n, c.edit, c.pos) for n in (above, below) for c in (one, other)}
        if not any(_better(runs[a], runs[b]) for a, b in permutations(spots, 2)):
            found |= spots
    return found


def _better(one: Sequence[Run], other: Sequence[Run]) -> bool:
    """Whether `one` agrees with its surroundings where `other` differs, and not the other way."""
    return _agrees(one, other) and not _agrees(other, one)


def _agrees(one: Sequence[Run], other: Sequence[Run]) -> bool:
    return any(b.differs and a.equal > b.equal for a, b in zip(one, other, strict=True))
