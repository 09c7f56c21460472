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


def excerpt(text: str, limit: int, words: Finder) -> str:
    """At most about `limit` characters of `text`: the sentences or lines with the most of the
    question's words; `…` where something was left out."""
    text = text.strip()
    if len(text) <= limit:
        return text
    start = _start(text, limit, words) if words else 0
    shown, short = width.cut(text[start:], limit)
    return f"{'… ' if start else ''}{shown}{' …' if short else ''}"


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
        return max(found[0][0] - limit // 4, 0)
    # not later than its first word, but with a little before it
    first = next(at for at, _ in found if at >= chosen)
    return max(start for start in starts if start <= max(first - limit // 5, chosen))


def _starts(text: str) -> Iterator[int]:
    for match in _PIECE.finditer(text):
        if match.group().strip():
            yield match.start() + len(match.group()) - len(match.group().lstrip())
