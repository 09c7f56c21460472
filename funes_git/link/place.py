"""Where a line stands: between which lines in the file of a commit, and in the text of an edit.

A line that everyone writes proves little by its words; standing between the lines that the edit
put it between, it proves as much as a distinctive one. Reads files and edits through what it is
given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from funes_git.link.edittext import EDGE, EditText, bare
from funes_git.link.match import Block
from funes_git_parsers.dataclass import dataclass

EVIDENT = 0.5
"""The evidence from which a line is taken to stand at its place."""

EDGE_WORTH = 0.4
"""The evidence of standing first or last: another first line may have stood there."""

FAR = 50
"""The lines that are compared on each side of a line to tell equal lines apart."""


@dataclass(frozen=True, slots=True)
class Run:
    """How many lines on one side of a line are those that an edit shows there, and whether the next
    one differs; it does not where the edit says no more."""

    equal: int
    differs: bool


class Places:
    """Compares the places of blocks in one file."""

    def __init__(
        self,
        read: Callable[[], Sequence[str]],
        text_of: Callable[[int], EditText],
        later: Callable[[int], Iterable[int]] = lambda edit: (),
        stood: Callable[[int, int], Iterable[Sequence[str]]] = lambda edit, pos: (),
    ) -> None:
        """`read` gives the lines of the file in the commit, `text_of` the text of an edit by its
        row id, `later` the edits of the file that were made after one, `stood` the files from which
        commits removed the line of an edit, each line as `bare` gives it."""
        self._read = read
        self._text_of = text_of
        self._later = later
        self._stood = stood

    @cached_property
    def _file(self) -> list[str]:
        return [bare(line) for line in self._read()]

    @cached_property
    def _times(self) -> Counter[str]:
        return Counter(self._file)

    def evidence(self, block: Block) -> float | None:
        """How the surroundings of `block` agree with what its edit says of them: for each neighbour
        that is one in the file too, one over how often it stands there. None if the edit does not
        say what stood around."""
        places = [(line.number, pos) for line, pos in block.pairs]
        return self._agreement(self._text_of(block.edit), places)

    def around(self, number: int, edit: int, pos: int) -> tuple[Run, Run]:
        """How far the lines above and below line `number` are those around a position of an
        edit."""
        text = self._text_of(edit)
        return self._run(text, number, pos, -1), self._run(text, number, pos, 1)

    def _run(self, text: EditText, number: int, pos: int, step: int) -> Run:
        for equal in range(FAR):
            wanted = text.beside(pos, step)
            if wanted is None:
                return Run(equal, differs=False)
            pos = wanted[0]
            number, found = _next(self._file, number, step)
            if found != wanted[1]:
                return Run(equal, differs=True)
            if found == EDGE:
                return Run(equal + 1, differs=False)
        return Run(FAR, differs=False)

    def is_only(self, number: int, edit: int) -> bool:
        """Whether such a line as `number` is in the text of an edit but once."""
        return self._text_of(edit).is_only(self._line(number))

    def sides(self, number: int, edit: int, pos: int) -> list[bool]:
        """For each side of which an edit says what stands beside its line at `pos`: whether that,
        or what a later edit shows there, stands beside line `number`."""
        wanted = self._sides(number, edit, pos, surely=True)
        return [self._beside(number, step) in side for step, side in wanted.items() if side]

    def later_evidence(self, block: Block) -> float:
        """The same, with the surroundings followed through later edits, which changed what stood
        beside a line and show the line itself as it was."""
        found = 0.0
        for line, pos in block.pairs:
            for step, wanted in self._sides(line.number, block.edit, pos, surely=False).items():
                beside = self._beside(line.number, step)
                found += (beside in wanted) * self._worth(beside)
        return found

    def _sides(self, number: int, edit: int, pos: int, *, surely: bool) -> dict[int, set[str]]:
        """What an edit, and those that were made after it, show above (-1) and below (1) of its
        line at `pos`; followed only where that is not what stands beside line `number`, and
        `surely` as EditText.follow has it."""
        text = self._text_of(edit)
        first = {step: text.beside(pos, step) for step in (-1, 1)}
        sides = {step: {side[1]} if side else set() for step, side in first.items()}
        if any(self._beside(number, step) not in side for step, side in sides.items()):
            for later in self._later(edit):
                self._text_of(later).follow(self._line(number), sides, surely=surely)
        return sides

    def returned(self, block: Block) -> float:
        """The same, with what stood around the lines where commits removed them."""
        inside = {line.number for line, _ in block.pairs}
        return sum(
            max(
                (self._alike(line.number, old, inside) for old in self._stood(block.edit, pos)),
                default=0.0,
            )
            for line, pos in block.pairs
        )

    def alone(self, block: Block) -> bool:
        """Whether no line of the block stands twice in the file."""
        return all(self._times[self._line(line.number)] == 1 for line, _ in block.pairs)

    def _alike(self, number: int, old: Sequence[str], inside: set[int]) -> float:
        """How the surroundings of line `number` agree with those that it has in an `old` file, if
        it stands there once; but for those that are `inside` the same block."""
        if old.count(self._line(number)) != 1:
            return 0.0
        there = old.index(self._line(number)) + 1
        found = 0.0
        for step in (-1, 1):
            at, text = _next(self._file, number, step)
            if at not in inside and text == _next(old, there, step)[1]:
                found += self._worth(text)
        return found

    def _worth(self, text: str) -> float:
        return EDGE_WORTH if text == EDGE else 1 / max(1, self._times[text])

    def _agreement(self, text: EditText, places: Sequence[tuple[int, int]]) -> float | None:
        """The evidence of (line number, position in the text) that stand for the same lines."""
        positions = {pos for _, pos in places}
        found: float | None = None
        for number, pos in places:
            for step in (-1, 1):
                wanted = text.beside(pos, step)
                if wanted is not None and wanted[0] not in positions:
                    same = wanted[1] == self._beside(number, step)
                    found = (found or 0.0) + same * self._worth(wanted[1])
        return found

    def _line(self, number: int) -> str:
        return _line(self._file, number)

    def _beside(self, number: int, step: int) -> str:
        """The first line that says something above or below line `number`."""
        return _next(self._file, number, step)[1]


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1] if 1 <= number <= len(lines) else EDGE


def _next(lines: Sequence[str], number: int, step: int) -> tuple[int, str]:
    """The first line that says something above or below line `number`, and its number."""
    at = number + step
    while not _line(lines, at):
        at += step
    return at, _line(lines, at)
