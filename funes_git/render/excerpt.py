"""The part of a long text that is about a question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from funes_git.render import width
from funes_git.store.words import is_stop_word

Finder: TypeAlias = re.Pattern[str] | None
"""Finds a question's words."""

_PIECE = re.compile(r"[^\n]+?(?:[.!?:;](?=\s)|$)|\n", re.MULTILINE)
_GAP = re.compile(r"\s+")
_LONGEST = 40
"""Characters that the rest of a word may have which is left out."""
_LEAST = 4
"""Letters of a word by which its other forms are found too."""


def finder(question: str) -> Finder:
    """Finds words that begin as those of the question do, without case."""
    words = {word for word in re.findall(r"\w{2,}", question) if not is_stop_word(word)}
    stems = {word[: max(_LEAST, len(word) - 2)] if len(word) > _LEAST else word for word in words}
    if not stems:
        return None
    longest_first = sorted(stems, key=lambda stem: (-len(stem), stem))
    return re.compile(r"\b(?:" + "|".join(map(re.escape, longest_first)) + r")\w*", re.IGNORECASE)


def excerpt(text: str, limit: int, words: Finder, *, cut: bool = False) -> str:
    """At most about `limit` characters of `text`: the sentences or lines with the most of the
    question's words; `…` where something was left out. A text that is `cut` may begin within a
    word, and is shown from the next one on."""
    text = text.strip()
    if cut:
        text = text[_word(text, 0) :]
    start = _start(text, limit, words) if words and len(text) > limit else 0
    shown, short = width.cut(text[start:], limit)
    return f"{'… ' if start or cut else ''}{shown}{' …' if short else ''}"


def _start(text: str, limit: int, words: re.Pattern[str]) -> int:
    """Where the stretch of `limit` characters with the most different words begins: at a sentence
    or line; the first of equals."""
    found = [(match.start(), match.group().lower()[:_LEAST]) for match in words.finditer(text)]
    if not found:
        return 0
    starts = list(_starts(text))
    best, chosen = 0, 0
    for start in starts:
        held = len({word for at, word in found if start <= at < start + limit})
        if held > best:
            best, chosen = held, start
    if not best:  # a sentence longer than the limit, with its words beyond it
        start = max(found[0][0] - limit // 4, 0)
        return min(_word(text, start), found[0][0]) if start else 0
    # not later than its first word, but with a little before it
    first = next(at for at, _ in found if at >= chosen)
    return max(start for start in starts if start <= max(first - limit // 5, chosen))


def _word(text: str, start: int) -> int:
    """Where the word after the one at `start` begins; `start` where none does soon."""
    gap = _GAP.search(text, start, start + _LONGEST)
    return gap.end() if gap and gap.end() < len(text) else start


def _starts(text: str) -> Iterator[int]:
    for match in _PIECE.finditer(text):
        if match.group().strip():
            yield match.start() + len(match.group()) - len(match.group().lstrip())
