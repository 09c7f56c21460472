"""Whether two passages say the same: resumed sessions, forks and repeated output. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"\w+")
_RUN = 4
"""Words in a row that are compared at once."""
_FEWEST = 8
"""Of texts with fewer runs only equal ones are the same: they differ in the word that matters."""
_SHARED = 0.8

Runs = frozenset[int]


def folded(text: str) -> str:
    """The text without what does not matter to a reader: case and white space."""
    return " ".join(text.lower().split())


def runs(text: str) -> Runs:
    """What `alike` compares of a text."""
    words = _WORD.findall(text.lower())
    return frozenset(map(hash, zip(*(words[i:] for i in range(_RUN)), strict=False)))


def alike(one: Runs, others: Iterable[Runs]) -> int | None:
    """The place of the first of `others` that holds nearly all of the shorter one's runs, or
    None."""
    for place, other in enumerate(others):
        fewer = min(len(one), len(other))
        if fewer >= _FEWEST and len(one & other) >= _SHARED * fewer:
            return place
    return None
