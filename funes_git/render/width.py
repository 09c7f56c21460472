"""How wide text is on a terminal, and cutting and folding it to a width. Knows no colours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_ENDS = re.compile(r"[.!?:…][\"'”’)\]`*_]*(?=\s)|[。！？]|\n(?=\s*\n)")
TAB = 4


def columns(text: str) -> int:
    """Terminal columns that one line of text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char) or char in "\u200c\u200d" or "\ufe00" <= char <= "\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fit(text: str, width: int) -> str:
    """The line cut to `width` columns, with `…` where something was cut off."""
    if columns(text) <= width:
        return text
    used, kept = 0, []
    for char in text:
        used += _columns(char)
        if used > max(width - 1, 0):
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def squeeze(text: str, width: int) -> str:
    """The line cut to `width` columns in its middle, for `…`: of a path the end tells most, then
    the beginning."""
    if columns(text) <= width:
        return text
    head = fit(text, max(width // 3, 1))
    room, kept = width - columns(head), len(text)
    while kept and columns(text[kept - 1 :]) <= room:
        kept -= 1
    return head + text[kept:]


def pad(text: str, width: int) -> str:
    """The line filled with spaces to `width` columns."""
    return text + " " * max(width - columns(text), 0)


def fold(text: str, width: int) -> Iterator[str]:
    """The lines of `text`, long ones broken at spaces; what follows a break keeps the indent."""
    for raw in text.expandtabs(TAB).split("\n"):
        row = raw.rstrip()
        if columns(row) <= width:
            yield row
            continue
        body = row.lstrip(" ")
        indent = " " * min(len(row) - len(body), width // 2)
        yield from (indent + part for part in _break(body, width - len(indent)))


def _break(body: str, width: int) -> Iterator[str]:
    current = ""
    for word in body.split(" "):
        candidate = f"{current} {word}" if current else word
        if columns(candidate) <= width:
            current = candidate
            continue
        if current:
            yield current
        *full, current = _slices(word, max(width, 2))
        yield from full
    if current:
        yield current


def _slices(word: str, width: int) -> list[str]:
    """A word longer than the line, in pieces of at most `width` columns."""
    pieces, current, used = [], "", 0
    for char in word:
        size = _columns(char)
        if used + size > width:
            pieces.append(current)
            current, used = "", 0
        current += char
        used += size
    return [*pieces, current]


def cut(text: str, limit: int) -> tuple[str, bool]:
    """At most about `limit` characters, ending with a sentence where there is one in the second
    half, else with a word; and whether anything was cut."""
    text = text.strip()
    if len(text) <= limit:
        return text, False
    head = text[: limit + 1]
    ends = [match.end() for match in _ENDS.finditer(head) if limit // 2 <= match.end() <= limit]
    if ends:
        return head[: ends[-1]].rstrip(), True
    space = head.rfind(" ", limit // 2)
    return head[: space if space > 0 else limit].rstrip(), True


def tail(text: str, limit: int) -> tuple[str, bool]:
    """The last of the text, at most `limit` characters, beginning with a paragraph where there is
    one in the first half of them, else with a word; and whether anything was cut."""
    text = text.strip()
    if len(text) <= limit:
        return text, False
    end = text[-limit:]
    starts = [at for gap in ("\n\n", "\n", " ") if 0 <= (at := end.find(gap)) < limit // 2]
    return end[starts[0] if starts else 0 :].lstrip(), True
