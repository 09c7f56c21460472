"""The changed lines of a stored edit, and which line took the place of which. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

ALIKE = 0.6
"""The share of equal characters (difflib's ratio) from which one line may have been made of
another."""

MOST = 200
"""Characters of a line up to which it is compared."""

_HEADER = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)")


class Row(NamedTuple):
    """A line that an edit added (`+`) or removed (`-`), with its position in the new, or old, text;
    rows of one `block` stand together."""

    sign: str
    pos: int
    text: str
    block: int


def rows(diff: str) -> Iterator[Row]:
    """The changed lines of a diff as unified-diff hunks."""
    old = new = block = 0
    for line in diff.split("\n"):
        header = _HEADER.match(line)
        sign, text = line[:1], line[1:]
        if header:
            old, new = int(header[1]), int(header[2])
            block += 1
        elif sign == "+":
            yield Row(sign, new, text, block)
            new += 1
        elif sign == "-":
            yield Row(sign, old, text, block)
            old += 1
        else:
            old, new, block = old + 1, new + 1, block + 1


def bare(text: str) -> str:
    """The line without white space."""
    return "".join(text.split())


def replaced(diff: str, texts: Sequence[str]) -> list[str]:
    """The lines that an edit took away to put `texts` there: line for line where it put as many as
    it took, else all that stood together."""
    wanted = {bare(text) for text in texts} - {""}
    found: list[str] = []
    blocks: dict[int, tuple[list[Row], list[Row]]] = {}
    for row in rows(diff):
        blocks.setdefault(row.block, ([], []))[row.sign == "+"].append(row)
    for gone, came in blocks.values():
        hits = [n for n, row in enumerate(came) if bare(row.text) in wanted]
        if hits:
            pairs = [gone[n] for n in hits] if len(gone) == len(came) else gone
            found += [row.text for row in pairs if row.text.strip()]
    return list(dict.fromkeys(found))


def likeness(one: str, two: str) -> float:
    """How much of two lines is equal, from 0 to 1."""
    one, two = one.strip()[:MOST], two.strip()[:MOST]
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= ALIKE else 0.0
