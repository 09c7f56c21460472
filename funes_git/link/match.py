"""Which of a commit's lines which edit wrote: blocks of equal lines, newest edit first.

Pure: given the lines that a commit added to (or removed from) one file, and the lines that edits
added (or removed) there and that are still to be committed, it says which equal which. Lines that
stand in the same order at the same distance form a block. Whether a block proves anything is not
decided here (belief.py), except that lines beside a believed block go with it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from funes_git.link.difflines import DiffLine
from funes_git_parsers.dataclass import dataclass

GAP = 4
"""Lines that a person may have put or changed between two lines of one block."""

_BESIDE = (*range(-GAP, 0), *range(1, GAP + 1))


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

Pair: TypeAlias = tuple[DiffLine, int]
"""(line of the commit, position in the edit)"""

Spot: TypeAlias = tuple[int, int, int]
"""(line of the commit, row id of an edit, position in the edit)"""


@dataclass(slots=True)
class Block:
    """Lines of one edit that a commit shows, with what they prove."""

    edit: int
    pairs: list[Pair] = field(default_factory=list)
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
    known: Mapping[int, Sequence[Pair]] | None = None,
    astray: Collection[Spot] = (),
    unplaced: Collection[Spot] = (),
) -> Matching:
    """Give each line to the newest edit whose block holds it and that `believe` holds for, but for
    pairs that are `astray`. Those that are `unplaced` count in their blocks, and are given to none.

    `known` are the lines of each edit that are believed already: a block beside believed lines of
    the same edit, in the same order, is believed for that; None if none is to be."""
    left = _Left({line.number for line in lines})
    believed: list[Block] = []
    doubtful: set[int] = set()
    for edit, found in _by_edit(lines, candidates, loose, astray):
        anchors = _Anchors(known.get(edit, ()) if known is not None else ())
        waiting: list[Block] = []
        rows = [(line, c.pos) for line, c in found if line.number in left.lines]
        for block in left.of(_blocks(edit, rows, loose)):
            if believe(block):
                doubtful.update(line.number for line, _ in block.pairs)
                kept, rest = _touching(_placed(block, unplaced))
                left.take(kept)
                believed += [kept] if kept.pairs else []
                anchors.add(kept.pairs if known is not None else ())
                waiting.append(rest)
            else:
                waiting.append(block)
                doubtful.update(line.number for line, _ in block.pairs)
        # of equal lines beside believed ones, the one that is shifted least
        waiting.sort(key=lambda block: (block.score <= 0, anchors.shift(block)))
        for block in left.of(waiting):
            if anchors.shift(block) <= GAP:
                kept, _ = _touching(_placed(block, unplaced), anchors.numbers)
                left.take(kept)
                believed += [kept] if kept.pairs else []
                anchors.add(kept.pairs)
    return Matching(tuple(believed), frozenset(doubtful & left.lines))


class _Left:
    """What is still to be matched: each line is one edit's, each line of an edit is one line."""

    def __init__(self, lines: set[int]) -> None:
        self.lines = lines
        self._used: set[tuple[int, int]] = set()

    def of(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """What is left of each block when its turn comes."""
        for block in blocks:
            pairs = [
                (line, pos)
                for line, pos in block.pairs
                if line.number in self.lines and (block.edit, pos) not in self._used
            ]
            if pairs:
                yield Block(block.edit, pairs, sum(line.weight for line, _ in pairs), block.loose)

    def take(self, block: Block) -> None:
        """The lines of `block` are matched."""
        self.lines.difference_update(line.number for line, _ in block.pairs)
        self._used.update((block.edit, pos) for _, pos in block.pairs)


class _Anchors:
    """The believed lines of one edit, by their numbers in the commit."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.numbers: dict[int, list[Pair]] = defaultdict(list)
        self.add(pairs)

    def add(self, pairs: Iterable[Pair]) -> None:
        """More of them."""
        for line, pos in pairs:
            self.numbers[line.number].append((line, pos))

    def shift(self, block: Block) -> int:
        """How far the block is shifted against those that stand beside it, in the same order; more
        than GAP if there are none."""
        found = GAP + 1
        for line, pos in block.pairs:
            for distance in _BESIDE:
                for other, other_pos in self.numbers.get(line.number - distance, ()):
                    wanted = pos - other_pos
                    if line.hunk == other.hunk and wanted * distance > 0 and abs(wanted) <= GAP:
                        found = min(found, abs(distance - wanted))
        return found


def _by_edit(
    lines: Sequence[DiffLine], candidates: Candidates, loose: bool, astray: Collection[Spot]
) -> Iterable[tuple[int, list[tuple[DiffLine, Candidate]]]]:
    """The possible pairs of each edit, newest edit first."""
    pairs: dict[int, list[tuple[DiffLine, Candidate]]] = defaultdict(list)
    for line in lines:
        for candidate in candidates.get(line.loose if loose else line.exact, ()):
            if (line.number, candidate.edit, candidate.pos) not in astray:
                pairs[candidate.edit].append((line, candidate))
    return sorted(pairs.items(), key=lambda item: -item[1][0][1].rank)


def _blocks(edit: int, rows: list[Pair], loose: bool) -> list[Block]:
    """Blocks of one edit, heaviest first; of equal ones, that which is shifted most like the lines
    of the edit that can be at one place only, or least, if all can be at several."""
    groups = _diagonals(rows)
    blocks = [Block(edit, pairs, sum(line.weight for line, _ in pairs), loose) for pairs in groups]
    if len(blocks) < 2:
        return blocks
    lines, positions = Counter(line.number for line, _ in rows), Counter(pos for _, pos in rows)
    shifts = {
        line.number - pos
        for line, pos in rows
        if lines[line.number] == positions[pos] == 1 and line.weight > 0
    } or {0}

    def strays(block: Block) -> int:
        line, pos = block.pairs[0]
        return min(abs(line.number - pos - shift) for shift in shifts)

    return sorted(blocks, key=lambda block: (-block.score, -len(block.pairs), strays(block)))


def _diagonals(rows: list[Pair]) -> list[list[Pair]]:
    """Rows at the same distance between commit and edit, cut where more than GAP lines are
    missing."""
    by_shift: dict[int, list[Pair]] = defaultdict(list)
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


def _placed(block: Block, unplaced: Collection[Spot]) -> Block:
    """The block without the lines that are not at their places."""
    pairs = [(ln, pos) for ln, pos in block.pairs if (ln.number, block.edit, pos) not in unplaced]
    return replace(block, pairs=pairs, score=sum(line.weight for line, _ in pairs))


def _touching(block: Block, anchored: Collection[int] = ()) -> tuple[Block, Block]:
    """The part of a block that may be believed, and the rest: blank lines and braces go with the
    lines that they touch, of the block and of those `anchored`, not over another's line."""
    numbers = {*anchored, *(line.number for line, _ in block.pairs if line.weight > 0)}
    for step in (1, -1):
        for line, _ in block.pairs[::step]:
            if line.number - step in numbers:
                numbers.add(line.number)
    kept = [pair for pair in block.pairs if pair[0].number in numbers]
    rest = [pair for pair in block.pairs if pair[0].number not in numbers]
    return replace(block, pairs=kept), Block(block.edit, rest, 0.0, block.loose)
