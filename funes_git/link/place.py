"""Where a line stands: between which lines in the file of a commit, and in the text of an edit.

A line that everyone writes proves little by its words; standing between the lines that the edit
put it between, it proves as much as a distinctive one. Knows the text of edits as their diffs hold
it; reads files through what it is given.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from funes_git.link.match import GAP, Block

EDGE = "\n"
"""Stands for the begin and the end of a file."""

EVIDENT = 0.5
"""The evidence from which a line is taken to stand at its place."""

FAR = 100
"""Lines after which nothing is near."""

HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)")


@dataclass(frozen=True, slots=True)
class EditText:
    """The lines around and of an edit, by position; `whole` if that is all of the file."""

    lines: dict[int, str] = field(default_factory=dict)
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
                lines[at] = row[1:]
                at += 1
        return cls(lines, whole)

    def beside(self, pos: int, step: int) -> tuple[int, str] | None:
        """The first line that says something above (`step` -1) or below (1) of a position."""
        for at in range(pos + step, pos + step * (GAP + 1), step):
            text = self.lines.get(at)
            if text is None:
                return (at, EDGE) if self.whole else None
            if bare(text):
                return at, bare(text)
        return None


@dataclass(frozen=True, slots=True)
class Place:
    """How a block's surroundings agree with the edit's. `evidence`: for each neighbour of the edit
    that is one in the file too, one over how often it stands there. `elsewhere`: neighbours of the
    edit do stand in the file, but none of them near the block."""

    evidence: float = 0.0
    elsewhere: bool = False


class Places:
    """Compares the places of blocks in one file."""

    def __init__(
        self,
        read: Callable[[], Sequence[str]],
        text_of: Callable[[int], EditText],
        known: Callable[[str], bool],
    ) -> None:
        """`read` gives the lines of the file in the commit, `text_of` the text of an edit by its
        row id; `known` says of a line whether any edit wrote it."""
        self._read = read
        self._text_of = text_of
        self._known = known

    @cached_property
    def _lines(self) -> Sequence[str]:
        return self._read()

    @cached_property
    def _file(self) -> list[str]:
        return [bare(line) for line in self._lines]

    @cached_property
    def _times(self) -> Counter[str]:
        return Counter(self._file)

    def of(self, block: Block) -> Place:
        """The place of `block`."""
        text = self._text_of(block.edit)
        positions = {pos for _, pos in block.pairs}
        evidence, near, stands = 0.0, False, False
        for line, pos in block.pairs:
            for step in (-1, 1):
                wanted = text.beside(pos, step)
                if wanted is None or wanted[0] in positions:
                    continue
                around = self._around(line.number, step)
                if around and around[0] == wanted[1]:
                    evidence += 1 / max(1, self._times[wanted[1]])
                near = near or wanted[1] in around
                stands = stands or wanted[1] in self._times
        return Place(evidence, stands and not near)

    def _around(self, number: int, step: int) -> list[str]:
        """The lines that say something above or below line `number`, nearest first. What edits
        wrote in between does not count for the distance."""
        found: list[str] = []
        strange = 0
        for at in range(number + step, number + step * FAR, step):
            if not 1 <= at <= len(self._file):
                return [*found, EDGE]
            if self._file[at - 1]:
                found.append(self._file[at - 1])
            strange += not self._known(self._lines[at - 1])
            if strange == GAP:
                break
        return found


def bare(text: str) -> str:
    """The line without white space; empty if there is no letter and no digit on it."""
    return "".join(text.split()) if any(c.isalnum() for c in text) else ""
