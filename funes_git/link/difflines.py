"""The lines of a commit's diff of one file, hashed and weighed. Pure."""

from __future__ import annotations

from collections import Counter

from funes_git.git.patch import FileChange
from funes_git.linehash import exact_hash, loose_hash
from funes_git.link.weight import COMMON, weight
from funes_git_parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a commit's diff. `hunk` numbers the hunks; `weight` is after repetition; a `common`
    line is one that everyone writes, or that stands several times in the file."""

    number: int
    hunk: int
    exact: int
    loose: int
    weight: float
    common: bool = False


def added_lines(change: FileChange, before: Counter[str]) -> list[DiffLine]:
    """The lines that the commit added, weighed: a line that stands several times in the file is
    worth so many times less. `before` counts the lines of the file in the commit's parent."""
    times = before + Counter(text.rstrip() for hunk in change.hunks for _, text in hunk.added)
    times.subtract(text.rstrip() for hunk in change.hunks for _, text in hunk.removed)
    return [
        _line(number, index, text, max(1, times[text.rstrip()]))
        for index, hunk in enumerate(change.hunks)
        for number, text in hunk.added
    ]


def removed_lines(change: FileChange) -> list[DiffLine]:
    """The lines that the commit removed, by their numbers in the old version."""
    old = Counter(text.rstrip() for hunk in change.hunks for _, text in hunk.removed)
    return [
        _line(number, index, text, old[text.rstrip()])
        for index, hunk in enumerate(change.hunks)
        for number, text in hunk.removed
    ]


def _line(number: int, hunk: int, text: str, times: int) -> DiffLine:
    said = weight(text)
    common = times > 1 or said <= COMMON
    return DiffLine(number, hunk, exact_hash(text), loose_hash(text), said / times, common)
