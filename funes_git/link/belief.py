"""Which blocks of equal lines are believed: for what the lines say, and for where they stand.

A name that is not given costs little, a wrong one costs trust; so what could be chance is not
believed. Pure but for the places it asks for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from funes_git.link.difflines import DiffLine
from funes_git.link.match import Block, Candidates
from funes_git.link.place import EVIDENT
from funes_git.link.pool import MUTE
from funes_git.link.weight import COMMON, ENOUGH, LIGHT
from funes_git_parsers.dataclass import dataclass

SURE = 2 * ENOUGH
"""The weight from which a block is believed wherever it stands."""

BOTH = 1.5
"""The evidence of place that it takes both neighbours to reach."""

HALF = ENOUGH / 2
"""The weight from which removed lines that are all of a hunk are believed."""


@dataclass(frozen=True, slots=True)
class Heavy:
    """Believes in weight alone: where there is nothing else to go by."""

    least: float

    def __call__(self, block: Block) -> bool:
        """Whether `block` weighs at least so much."""
        return block.score >= self.least


class Surroundings(Protocol):
    """What is known of the places of blocks: see place.Places."""

    def evidence(self, block: Block) -> float | None: ...
    def later_evidence(self, block: Block) -> float: ...
    def returned(self, block: Block) -> float: ...
    def alone(self, block: Block) -> bool: ...


@dataclass(frozen=True, slots=True)
class Placed:
    """Believes in what stands where the edit put it, or is too much to be chance.

    A single distinctive line may as well have been typed by somebody else; so it is believed beside
    one of the lines that the edit, or a later one, shows beside it. Less distinctive lines need
    that too, and that the commit shows the better part of the edit, or the lines on both sides.
    What another session wrote too, with as good a place, and what differs in white space, is
    believed between both neighbours only.
    """

    places: Surroundings
    rivals: Callable[[Block], Iterable[Sequence[Block]]]
    """For each line of a block the edits of other sessions that may show it as well."""
    moved: Callable[[int, int], bool]
    """Whether this very commit removes the line of an edit (row id, position) elsewhere."""
    due: Callable[[int], int]
    """How many lines an edit still has to show."""
    all_of: Callable[[int], bool]
    """Whether it shows all of it in order, and that weighs enough to be sure."""
    replaced: Callable[[int], bool]
    """Whether the commit takes away all that the edit did, and that says something."""
    shown: Counter[int]
    """How many lines of each edit are believed so far; counted here."""
    strict: bool = False
    """Only the place of a line proves it: it was taken back by a later edit, or it was written in
    another file."""

    def __call__(self, block: Block) -> bool:
        """Whether `block` is believed."""
        found = self._believes(block)
        if found:
            self.shown[block.edit] += _said(block)
        return found

    def _believes(self, block: Block) -> bool:
        if block.score >= SURE:
            return True
        if block.score <= 0:
            return False
        evidence = self.places.evidence(block)
        if self._enough(block, evidence or 0.0):
            return not self._is_contested(block, evidence or 0.0)
        if self.strict:
            return False
        if block.score > LIGHT and (self._is_kept(block) or self._replaced(block)):
            return True
        if evidence is None:
            return block.score >= ENOUGH and not self._is_little(block)
        return block.score > COMMON and (self._followed(block) or self._returned(block))

    def _followed(self, block: Block) -> bool:
        """Whether it stands where later edits leave it."""
        light, little = block.score < ENOUGH, self._is_little(block)
        if light and little:
            return False
        doubtful = block.loose or little or (light and not self._is_only_one(block))
        return self.places.later_evidence(block) >= (BOTH if doubtful else EVIDENT)

    def _returned(self, block: Block) -> bool:
        """Whether it stands where a commit removed it. Of equal lines it may have been another that
        stood there: so what is not distinctive needs both neighbours."""
        if block.score <= LIGHT:
            return False
        evidence = self.places.returned(block)
        if block.score < ENOUGH:
            return evidence >= BOTH and self._is_only_one(block)
        return self._enough(block, evidence) and not self._is_contested(block, evidence)

    def _enough(self, block: Block, evidence: float) -> bool:
        if evidence >= BOTH:
            return True
        if evidence < EVIDENT or block.loose:
            return False
        return block.score >= ENOUGH or not self._is_little(block)

    def _is_kept(self, block: Block) -> bool:
        """Whether all of the edit came here, or was moved here, and is the only one of its kind."""
        if self.all_of(block.edit) or all(self.moved(block.edit, p) for _, p in block.pairs):
            return self._is_only_one(block)
        return False

    def _replaced(self, block: Block) -> bool:
        """Whether it is most of what the edit put for what the commit takes away as well."""
        if self._is_little(block) or not self.replaced(block.edit):
            return False
        return self._is_only_one(block)

    def _is_only_one(self, block: Block) -> bool:
        """Whether it could be no other session's; nor, where it says little, another line of the
        file that is equal."""
        if block.score < ENOUGH and not self.places.alone(block):
            return False
        return not any(self.rivals(block))

    def _is_contested(self, block: Block, evidence: float) -> bool:
        """Whether other sessions' edits stand at the place of every line as well."""
        return evidence < BOTH and all(
            any(self._fits(rival) for rival in rivals) for rivals in self.rivals(block)
        )

    def _fits(self, rival: Block) -> bool:
        evidence = self.places.evidence(rival) or 0.0
        return max(evidence, self.places.returned(rival)) >= EVIDENT

    def _is_little(self, block: Block) -> bool:
        """Whether most of what the edit still has to show is missing."""
        return 2 * (self.shown[block.edit] + _said(block)) < self.due(block.edit)


def _said(block: Block) -> int:
    """How many of its lines say something: as many as count for what is due."""
    return sum(line.loose not in MUTE for line, _ in block.pairs)


class Whole:
    """Believes in a removed block that weighs enough, or is all of an edit or of a hunk."""

    def __init__(self, lines: Sequence[DiffLine], candidates: Candidates) -> None:
        counts = Counter(line.exact for line in lines)
        self._hunks = Counter(line.hunk for line in lines)
        self._ambiguous = {key for key, n in counts.items() if n > len(candidates.get(key, ()))}
        self._sizes = {c.edit: c.size for found in candidates.values() for c in found}

    def __call__(self, block: Block) -> bool:
        """Whether `block` is believed."""
        if block.score >= ENOUGH:
            return True
        if block.score <= 0 or any(line.exact in self._ambiguous for line, _ in block.pairs):
            return False
        if len(block.pairs) >= self._sizes[block.edit]:
            return True
        inside = Counter(line.hunk for line, _ in block.pairs)
        return block.score > HALF and all(n == self._hunks[hunk] for hunk, n in inside.items())
