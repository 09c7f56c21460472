"""Line numbers as ranges. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

MOST = 1_000_000
"""Lines that a file has at most, where only someone's word says which of them it has."""


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
