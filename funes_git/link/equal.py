"""The lines of a commit that equal lines of a pool's edits, and what tells whose they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from funes_git.link.difflines import DiffLine
from funes_git.link.home import astray, unplaced
from funes_git.link.match import Block, Candidate, Candidates, Spot
from funes_git.link.place import Places
from funes_git.link.pool import Pool


class Equal:
    """The lines that one commit added to a file, and the equal lines of edits (`candidates`)."""

    def __init__(
        self, pool: Pool, lines: Sequence[DiffLine], places: Places, bound: float, *, loose: bool
    ) -> None:
        """`loose` if white space may differ; edits made after `bound` are not looked at."""
        self.candidates: Candidates = {}
        self._pool = pool
        self._lines = lines
        self._places = places
        self._bound = bound
        self._loose = loose

    def key(self, line: DiffLine) -> int:
        """The hash by which equal lines are found."""
        return line.loose if self._loose else line.exact

    @cached_property
    def weighty(self) -> list[DiffLine]:
        """The lines that say something."""
        return [line for line in self._lines if line.weight > 0]

    @property
    def mute(self) -> set[int]:
        """The hashes of the others."""
        return {self.key(line) for line in self._lines if line.weight == 0}

    @property
    def edits(self) -> set[int]:
        """The edits that have any of them."""
        return {c.edit for found in self.candidates.values() for c in found}

    def of(self, line: DiffLine) -> Sequence[Candidate]:
        """The lines of edits that are equal to one of the commit."""
        return self.candidates.get(self.key(line), ())

    def rivals(self, block: Block) -> Iterator[list[Block]]:
        """For each line of a block those of other sessions that are equal."""
        session = self._session(block.edit)
        for line, _ in block.pairs:
            others = [c for c in self.of(line) if self._session(c.edit) != session]
            yield [Block(c.edit, [(line, c.pos)]) for c in others]

    def astray(self) -> set[Spot]:
        """See home.astray."""
        numbers: defaultdict[int, list[int]] = defaultdict(list)
        for line in self.weighty:
            numbers[self.key(line)].append(line.number)
        return astray(numbers, self.candidates, self._places.around, self._session)

    def unplaced(self) -> set[Spot]:
        """See home.unplaced."""
        pairs = ((line, c) for line in self.weighty for c in self.of(line))
        return unplaced(pairs, self._is_shared, self._places.sides)

    def _is_shared(self, line: DiffLine, c: Candidate) -> bool:
        """Whether the line may as well be another's: another session wrote it here too, it stood
        here before, or it is more than once in the edit itself."""
        if self._pool.shared(c.edit, self.key(line), self._bound, loose=self._loose):
            return True
        return not self._places.is_only(line.number, c.edit)

    def _session(self, edit: int) -> str:
        return self._pool.edit(edit).session_id
