"""A recorded edit as a small diff, with the asked lines marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from funes_git.render.clean import safe
from funes_git_parsers.dataclass import dataclass

_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
AROUND = 6


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a diff. `sign` is ' ', '+', '-' or '@' for a break between hunks. Only a row that
    was asked for has a number, the one that was asked for: the numbers in a recorded edit are those
    of its own time, and would mislead."""

    sign: str
    text: str
    number: int | None = None

    @property
    def asked(self) -> bool:
        """Whether this is a line that was asked for."""
        return self.number is not None


@dataclass(frozen=True, slots=True)
class Gap:
    """Rows that were left out."""

    rows: int


def rows(diff: str, asked: Sequence[tuple[int, int]] = (), sign: str = "+") -> list[Row]:
    """The rows of a recorded diff, made safe. `asked` names rows with `sign`, counted from 0, and
    the numbers that they were asked for by."""
    numbers = dict(asked)
    found = []
    count = 0
    for row in _rows(safe(diff)):
        if row.sign == sign:
            found.append(Row(row.sign, row.text, numbers.get(count)))
            count += 1
        else:
            found.append(row)
    return found


def _rows(diff: str) -> Iterator[Row]:
    hunks = 0
    for raw in diff.split("\n"):
        if _HUNK.match(raw):
            if hunks:
                yield Row("@", "")
            hunks += 1
        elif raw.startswith(("--- ", "+++ ")) and not hunks:
            continue
        elif raw[:1] in ("+", "-", " ") and raw:
            yield Row(raw[0], raw[1:])


def window(found: Sequence[Row], limit: int) -> Iterator[Row | Gap]:
    """At most about `limit` rows: around the marked ones, or else from the first change on."""
    if len(found) <= limit:
        yield from found
        return
    keep = _kept(found, limit)
    skipped = 0
    for index, row in enumerate(found):
        if index not in keep:
            skipped += 1
            continue
        if skipped:
            yield Gap(skipped)
            skipped = 0
        yield row
    if skipped:
        yield Gap(skipped)


def _kept(found: Sequence[Row], limit: int) -> set[int]:
    marked = [index for index, row in enumerate(found) if row.asked]
    if not marked:
        first = next((i for i, row in enumerate(found) if row.sign in "+-"), 0)
        start = max(first - 1, 0)
        return set(range(start, min(start + limit, len(found))))
    keep: set[int] = set()
    for radius in range(AROUND, -1, -1):
        keep = {
            index
            for mark in marked
            for index in range(max(mark - radius, 0), min(mark + radius + 1, len(found)))
        }
        if len(keep) <= limit:
            return keep
    return set(sorted(keep)[:limit])
