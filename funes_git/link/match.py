"""Which of a commit's lines which edit wrote: blocks of equal lines, newest edit first.

Pure: given the lines that a commit added to (or removed from) one file, and the lines that edits
added (or removed) there and that are still to be committed, it says which equal which. Lines that
stand in the same order at the same distance form a block; a block is believed for the weight of its
lines (weight.py), or for being whole.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from funes_git.link.weight import ENOUGH

GAP = 4
"""Lines that a person may have put or changed between two lines of one block."""

HALF = ENOUGH / 2
"""The weight from which a block that is all of a hunk is believed."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a commit's diff. `hunk` numbers the hunks; `weight` is after repetition."""

    number: int
    hunk: int
    exact: int
    loose: int
    weight: float


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
    candidates: dict[int, list[Candidate]],
    *,
    loose: bool = False,
    trusted: frozenset[int] = frozenset(),
    enough: float | None = None,
    strict: bool = False,
) -> Matching:
    """Give each line to the newest edit whose block holds it.

    `candidates` maps a line's hash (the loose one if `loose`) to what may explain it. Edits in
    `trusted` (their session's own `git commit` made this commit) need no more than one line that is
    not blank. `enough` is the weight that a block must reach (ENOUGH if None); `strict` accepts
    nothing less.
    """
    least = ENOUGH if enough is None else enough
    counts = Counter(_key(line, loose) for line in lines)
    hunk_sizes = Counter(line.hunk for line in lines)
    free = {line.number: line for line in lines}
    used: set[tuple[int, int]] = set()
    believed: list[Block] = []
    doubtful: set[int] = set()
    for edit, found in _by_edit(lines, candidates, loose):
        ambiguous = {key for key, n in counts.items() if n > len(candidates.get(key, ()))}
        anchors: list[tuple[DiffLine, int]] = []
        for block in _blocks(edit, found, free, used, loose):
            keys = {_key(line, loose) for line, _ in block.pairs}
            sure = block.score >= least or (edit in trusted and block.score > 0)
            whole = not keys & ambiguous and _whole(block, found, hunk_sizes)
            if sure or (not strict and (whole or _near(block, anchors))):
                believed.append(block)
                anchors += block.pairs
                used.update((edit, pos) for _, pos in block.pairs)
                for line, _ in block.pairs:
                    free.pop(line.number, None)
            else:
                doubtful.update(line.number for line, _ in block.pairs)
    return Matching(tuple(believed), frozenset(doubtful & free.keys()))


def _key(line: DiffLine, loose: bool) -> int:
    return line.loose if loose else line.exact


def _by_edit(
    lines: Sequence[DiffLine], candidates: dict[int, list[Candidate]], loose: bool
) -> Iterable[tuple[int, list[tuple[DiffLine, Candidate]]]]:
    """The possible pairs of each edit, newest edit first."""
    pairs: dict[int, list[tuple[DiffLine, Candidate]]] = defaultdict(list)
    for line in lines:
        for candidate in candidates.get(_key(line, loose), ()):
            pairs[candidate.edit].append((line, candidate))
    return sorted(pairs.items(), key=lambda item: -item[1][0][1].rank)


def _blocks(
    edit: int,
    found: list[tuple[DiffLine, Candidate]],
    free: dict[int, DiffLine],
    used: set[tuple[int, int]],
    loose: bool,
) -> Iterable[Block]:
    """Blocks of one edit, heaviest first, no line or position in two of them."""
    rows = [(line, c.pos) for line, c in found if line.number in free and (edit, c.pos) not in used]
    taken_lines: set[int] = set()
    taken_positions: set[int] = set()
    for pairs in sorted(_diagonals(rows), key=lambda p: (-sum(r[0].weight for r in p), -len(p))):
        left = [
            (line, pos)
            for line, pos in pairs
            if line.number not in taken_lines and pos not in taken_positions
        ]
        if left:
            taken_lines.update(line.number for line, _ in left)
            taken_positions.update(pos for _, pos in left)
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


def _whole(block: Block, found: list[tuple[DiffLine, Candidate]], hunk_sizes: Counter[int]) -> bool:
    """Whether the block is all that its edit wrote, or all of a hunk and more than boilerplate."""
    if block.score > 0 and len(block.pairs) >= found[0][1].size:
        return True
    inside = Counter(line.hunk for line, _ in block.pairs)
    return block.score > HALF and all(n == hunk_sizes[hunk] for hunk, n in inside.items())


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
