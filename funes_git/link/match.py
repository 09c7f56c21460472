"""Which of a commit's lines which edit wrote: blocks of equal lines, newest edit first.

Pure: given the lines that a commit added to (or removed from) one file, and the lines that edits
added (or removed) there and that are still to be committed, it says which equal which. Lines that
stand in the same order at the same distance form a block. Whether a block proves anything is not
decided here (belief.py), except that lines beside a believed block go with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from funes_git.link.difflines import DiffLine

GAP = 4
"""Lines that a person may have put or changed between two lines of one block."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that an edit wrote (or removed) and that may be what a commit shows."""

    edit: int
    """The edit's row id in the catalog."""
    rank: int
    """The newer the edit, the higher."""
    pos: int
    size: int
    """Lines of the edit that could match, for knowing whether a block is all of it."""


Candidates: TypeAlias = dict[int, list[Candidate]]
"""The hash of a line (the loose one where white space may differ) → what may explain it."""


@dataclass(slots=True)
class Block:
    """Lines of one edit that a commit shows, with what they prove."""

    edit: int
    pairs: list[tuple[DiffLine, int]] = field(default_factory=list)
    """(line of the commit, position in the edit)"""
    score: float = 0.0
    loose: bool = False
    """Equal but for white space."""


@dataclass(frozen=True, slots=True)
class Matching:
    """The blocks that are believed, and the lines that matched something but prove nothing."""

    blocks: tuple[Block, ...]
    doubtful: frozenset[int]


def match(
    lines: Sequence[DiffLine],
    candidates: Candidates,
    believe: Callable[[Block], bool],
    *,
    loose: bool = False,
    near: bool = True,
) -> Matching:
    """Give each line to the newest edit whose block holds it and that `believe` holds for.

    With `near`, a block beside believed lines of the same edit, in the same order, is believed for
    that."""
    free = {line.number: line for line in lines}
    used: set[tuple[int, int]] = set()
    believed: list[Block] = []
    doubtful: set[int] = set()
    for edit, found in _by_edit(lines, candidates, loose):
        anchors: list[tuple[DiffLine, int]] = []
        for block in _blocks(edit, found, free, used, loose):
            if believe(block) or (near and _near(block, anchors)):
                believed.append(block)
                anchors += block.pairs
                used.update((edit, pos) for _, pos in block.pairs)
                for line, _ in block.pairs:
                    free.pop(line.number, None)
            else:
                doubtful.update(line.number for line, _ in block.pairs)
    return Matching(tuple(believed), frozenset(doubtful & free.keys()))


def _by_edit(
    lines: Sequence[DiffLine], candidates: Candidates, loose: bool
) -> Iterable[tuple[int, list[tuple[DiffLine, Candidate]]]]:
    """The possible pairs of each edit, newest edit first."""
    pairs: dict[int, list[tuple[DiffLine, Candidate]]] = defaultdict(list)
    for line in lines:
        for candidate in candidates.get(line.loose if loose else line.exact, ()):
            pairs[candidate.edit].append((line, candidate))
    return sorted(pairs.items(), key=lambda item: -item[1][0][1].rank)


def _blocks(
    edit: int,
    found: list[tuple[DiffLine, Candidate]],
    free: dict[int, DiffLine],
    used: set[tuple[int, int]],
    loose: bool,
) -> Iterator[Block]:
    """Blocks of one edit, heaviest first, of lines that are still `free` and positions that are
    not `used` when a block's turn comes."""
    rows = [(line, c.pos) for line, c in found if line.number in free and (edit, c.pos) not in used]
    for pairs in sorted(_diagonals(rows), key=lambda p: (-sum(r[0].weight for r in p), -len(p))):
        left = [
            (line, pos) for line, pos in pairs if line.number in free and (edit, pos) not in used
        ]
        if left:
            yield Block(edit, left, sum(line.weight for line, _ in left), loose)


def _diagonals(rows: list[tuple[DiffLine, int]]) -> list[list[tuple[DiffLine, int]]]:
    """Rows at the same distance between commit and edit, cut where more than GAP lines are
    missing."""
    by_shift: dict[int, list[tuple[DiffLine, int]]] = defaultdict(list)
    for line, pos in rows:
        by_shift[pos - line.number].append((line, pos))
    groups = []
    for group in by_shift.values():
        group.sort(key=lambda row: row[0].number)
        start = 0
        for i in range(1, len(group)):
            if group[i][0].number - group[i - 1][0].number > GAP:
                groups.append(group[start:i])
                start = i
        groups.append(group[start:])
    return groups


def _near(block: Block, anchors: list[tuple[DiffLine, int]]) -> bool:
    """Whether the block stands beside believed lines of the same edit, in the same order."""
    for line, pos in block.pairs:
        for other, other_pos in anchors:
            distance = line.number - other.number
            if (
                line.hunk == other.hunk
                and 0 < abs(distance) <= GAP
                and (pos - other_pos) * distance > 0
                and abs(pos - other_pos) <= GAP
            ):
                return True
    return False
