"""Line numbers as ranges. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def ranges(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Sorted numbers as inclusive ranges."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return tuple((first, last) for first, last in found)
