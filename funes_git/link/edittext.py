"""The text of an edit as its diff holds it: its lines, and those that stood around them."""

from __future__ import annotations

import re
from dataclasses import field

from funes_git.link.match import GAP
from funes_git_parsers.dataclass import dataclass

EDGE = "\n"
"""Stands for the begin and the end of a file."""

SAYS = re.compile(r"[^\W_]")

HEADER = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)")


@dataclass(frozen=True, slots=True)
class EditText:
    """The lines around and of an edit, without white space, by position; empty where a line says
    nothing. `whole` if that is all of the file."""

    new: dict[int, str] = field(default_factory=dict)
    old: dict[int, str] = field(default_factory=dict)
    kept: list[tuple[int, int]] = field(default_factory=list)
    """(old, new) position of the lines that the edit left as they were."""
    whole: bool = False

    @classmethod
    def of_diff(cls, diff: str, *, whole: bool = False) -> EditText:
        """From unified-diff hunks."""
        text = cls(whole=whole)
        old = new = 0
        for row in diff.split("\n"):
            header = HEADER.match(row)
            if header:
                old, new = int(header[1]), int(header[2])
            sign = row[:1]
            if sign in ("-", " "):
                text.old[old] = bare(row[1:])
            if sign in ("+", " "):
                text.new[new] = bare(row[1:])
            if sign == " ":
                text.kept.append((old, new))
            old += sign in ("-", " ")
            new += sign in ("+", " ")
        return text

    def beside(self, pos: int, step: int) -> tuple[int, str] | None:
        """The first line that says something above (`step` -1) or below (1) of a position."""
        found = _beside(self.new, pos, step)
        if found is None and self.whole:
            rest = range(pos + step, pos + step * (GAP + 1), step)
            edge = next((at for at in rest if at not in self.new), None)
            return None if edge is None else (edge, EDGE)
        return found

    def is_only(self, text: str) -> bool:
        """Whether the edit shows such a line once, and what it replaced did not."""
        return [*self.new.values()].count(text) == 1 and text not in self.old.values()

    def follow(self, text: str, sides: dict[int, set[str]], *, surely: bool) -> None:
        """Add to `sides`, the lines that may stand above (-1) and below (1) of the line `text`,
        those that stand there after this edit, if one of them did before; `surely` if both did, as
        where there are several such lines."""
        for old, new in self.kept:
            if self.new[new] != text:
                continue
            before = {step: _beside(self.old, old, step) for step in sides}
            stood = (found and found[1] in sides[step] for step, found in before.items())
            if all(stood) if surely else any(stood):
                for step in sides:
                    after = _beside(self.new, new, step)
                    sides[step] |= {after[1]} if after else set()


def _beside(lines: dict[int, str], pos: int, step: int) -> tuple[int, str] | None:
    for at in range(pos + step, pos + step * (GAP + 1), step):
        if at not in lines:
            return None
        if lines[at]:
            return at, lines[at]
    return None


def bare(text: str) -> str:
    """The line without white space; empty if there is no letter and no digit on it."""
    return "".join(text.split()) if SAYS.search(text) else ""
