"""Line numbers as ranges. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

MOST = 1_000_000
"""Lines that a file has at most, where only someone's word says which of them it has."""
_SPAN = re.compile(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", re.ASCII)


def ranges(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Sorted numbers as inclusive ranges."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return tuple((first, last) for first, last in found)


def span(first: int | None, last: int | None) -> Iterator[tuple[int, int]]:
    """The inclusive range that another program names; nothing if no file has such lines."""
    if first and last and 0 < first <= last <= MOST:
        yield first, last


def named_in(words: str) -> Iterator[tuple[int, int]]:
    """The inclusive ranges of `1-3,5`, as far as a file may have such lines."""
    for part in words.split(","):
        if found := _SPAN.fullmatch(part):
            yield from span(int(found[1]), int(found[2] or found[1]))


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Inclusive ranges, which may overlap, as sorted ones that do not."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


def size(spans: Iterable[tuple[int, int]]) -> int:
    """How many numbers are in ranges that do not overlap."""
    return sum(last - first + 1 for first, last in spans)
