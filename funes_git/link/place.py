"""Where a line stands: between which lines in the file of a commit, and in the text of an edit.

A line that everyone writes proves little by its words; standing between the lines that the edit
put it between, it proves as much as a distinctive one. Knows the text of edits as their diffs hold
it; reads files through what it is given.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from funes_git.link.match import GAP, Block

EDGE = "\n"
"""Stands for the begin and the end of a file."""

EVIDENT = 0.5
"""The evidence from which a line is taken to stand at its place."""

SAYS = re.compile(r"[^\W_]")

HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)")


@dataclass(frozen=True, slots=True)
class EditText:
    """The lines around and of an edit, by position; `whole` if that is all of the file."""

    bare: dict[int, str] = field(default_factory=dict)
    """Position → the line without white space; empty if it says nothing."""
    whole: bool = False

    @classmethod
    def of_diff(cls, diff: str, *, whole: bool = False) -> EditText:
        """From unified-diff hunks."""
        lines: dict[int, str] = {}
        at = 0
        for row in diff.split("\n"):
            header = HEADER.match(row)
            if header:
                at = int(header[1])
            elif row[:1] in ("+", " "):
                lines[at] = bare(row[1:])
                at += 1
        return cls(lines, whole)

    def beside(self, pos: int, step: int) -> tuple[int, str] | None:
        """The first line that says something above (`step` -1) or below (1) of a position."""
        for at in range(pos + step, pos + step * (GAP + 1), step):
            text = self.bare.get(at)
            if text is None:
                return (at, EDGE) if self.whole else None
            if text:
                return at, text
        return None


class Places:
    """Compares the places of blocks in one file."""

    def __init__(
        self,
        read: Callable[[], Sequence[str]],
        text_of: Callable[[int], EditText],
        later: Callable[[int], Iterable[int]] = lambda edit: (),
    ) -> None:
        """`read` gives the lines of the file in the commit, `text_of` the text of an edit by its
        row id, `later` the edits of the file that were made after one."""
        self._read = read
        self._text_of = text_of
        self._later = later

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

    def later_evidence(self, block: Block) -> float:
        """The same for what later edits say of the surroundings, as far as they show the lines of
        the block where they stand."""
        best = 0.0
        wanted = {self._line(line.number): line.number for line, _ in block.pairs}
        for edit in self._later(block.edit):
            text = self._text_of(edit)
            places = [(wanted[row], pos) for pos, row in text.bare.items() if row in wanted]
            best = max(best, self._agreement(text, places) or 0.0)
        return best

    def _agreement(self, text: EditText, places: Sequence[tuple[int, int]]) -> float | None:
        """The evidence of (line number, position in the text) that stand for the same lines."""
        positions = {pos for _, pos in places}
        found: float | None = None
        for number, pos in places:
            for step in (-1, 1):
                wanted = text.beside(pos, step)
                if wanted is not None and wanted[0] not in positions:
                    same = wanted[1] == self._beside(number, step)
                    found = (found or 0.0) + same / max(1, self._times[wanted[1]])
        return found

    def _line(self, number: int) -> str:
        return self._file[number - 1] if 1 <= number <= len(self._file) else EDGE

    def _beside(self, number: int, step: int) -> str:
        """The first line that says something above or below line `number`."""
        at = number + step
        while not self._line(at):
            at += step
        return self._line(at)


def bare(text: str) -> str:
    """The line without white space; empty if there is no letter and no digit on it."""
    return "".join(text.split()) if SAYS.search(text) else ""
