"""A recorded edit as a small diff, with the asked lines marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from funes_git.render.clean import safe

_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
AROUND = 6


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a diff. `sign` is ' ', '+', '-' or '@' for a break between hunks. An `asked` row
    has the number that was asked for, where it is known: the numbers in a recorded edit are those
    of its own time, and would mislead."""

    sign: str
    text: str
    asked: bool = False
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Rows that were left out."""

    rows: int


def rows(
    diff: str, asked: Sequence[str] = (), numbers: Sequence[int] = (), sign: str = "+"
) -> list[Row]:
    """The rows of a recorded diff, made safe; those with `sign` whose text is one of `asked` are
    marked, and numbered where `numbers` holds one for each."""
    wanted: dict[str, list[int | None]] = {}
    known = numbers if len(numbers) == len(asked) else ()
    for place, text in enumerate(asked):
        wanted.setdefault(_loose(safe(text)), []).append(known[place] if known else None)
    wanted.pop("", None)
    return [_marked(row, wanted) if row.sign == sign else row for row in _rows(safe(diff))]


def _marked(row: Row, wanted: dict[str, list[int | None]]) -> Row:
    found = wanted.get(_loose(row.text))
    if found is None:
        return row
    return Row(row.sign, row.text, asked=True, number=found.pop(0) if found else None)


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


def _loose(text: str) -> str:
    return "".join(text.split()).rstrip("␍")


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
