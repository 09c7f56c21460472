"""Which times the indexed sessions cover."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable

AFTER = 3600.0
"""Seconds after its last turn that a session is taken to cover: what was committed long after it
ended may be the work of one that is lost."""

NEAR = 12 * 3600.0
"""Seconds after its last turn in which what a session had read or shown may still be committed."""

SKEW = 120.0
"""Seconds by which an edit may seem younger than the commit that shows it, as clocks differ.
A session covers no more than that before its first turn, as it tells nothing of earlier commits."""


class Coverage:
    """The union of the sessions' times."""

    def __init__(self, spans: Iterable[tuple[str, str, float | None, float | None]]) -> None:
        """`spans` as `Catalog.session_spans` gives them: session, harness, first and last time."""
        self._spans: list[tuple[float, float]] = []
        times = sorted(
            (first - SKEW, last + AFTER)
            for _, _, first, last in spans
            if first is not None and last is not None
        )
        for first, last in times:
            if self._spans and first <= self._spans[-1][1]:
                self._spans[-1] = (self._spans[-1][0], max(self._spans[-1][1], last))
            else:
                self._spans.append((first, last))

    @classmethod
    def of_forgotten(cls, kept: str | None) -> Coverage:
        """The times of what was forgotten, as the catalog keeps them in its setting `forgotten`."""
        return cls(("", "", first, last) for first, last in json.loads(kept or "[]"))

    def covers(self, at: float) -> bool:
        """Whether a session was at work around `at` (seconds since the epoch)."""
        index = bisect_right(self._spans, (at, float("inf"))) - 1
        return index >= 0 and self._spans[index][1] >= at
