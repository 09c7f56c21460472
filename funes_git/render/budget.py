"""Fitting a reply in the agent format into a number of tokens.

What is left out is never silent: a shortened answer keeps its first rows and its `get` line, the
answers that do not fit keep their heading and their `get` line, and the last line says how to see
more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from funes_git.render import width
from funes_git.render.words import plural

_PIECE = re.compile(r"[A-Za-z]+|[0-9]+| +|\w|.|\n")
_GET = re.compile(r"\bget \S+ \S+$")

RESERVE = 40
"""Tokens kept for what is said about the rest."""


def tokens(text: str) -> int:
    """About how many tokens a language model takes `text` for; rather too many than too few.

    Within a few percent of the tokenizer that Anthropic published for Claude 2, on source, prose,
    logs, diffs and ids (which cost as much as prose three times their length).
    """
    return int(sum(map(_piece, _PIECE.findall(text))) + 0.999)


def _piece(piece: str) -> float:
    first = piece[0]
    if not first.isascii():
        return 1.0 if first.isalnum() else 1.6
    if first.isalpha():
        return max(1.0, len(piece) / 5)
    if first.isdigit():
        return (len(piece) + 1) // 2
    if first == " ":
        return float(len(piece) > 1)
    return 0.8


def within(lines: Iterable[str], most: int, more: str) -> Iterator[str]:
    """The lines of a reply, shortened to about `most` tokens; `more` says how to see the rest."""
    head, *sections = _sections(lines)
    head = _cut(head, most // 2)
    left = most - _cost(head)
    yield from head
    if sum(map(_cost, sections)) <= left:
        yield from (row for section in sections for row in section)
        return
    left -= RESERVE + tokens(more)
    whole = 0
    while whole < len(sections) and (cost := _cost(sections[whole])) <= left:
        yield from sections[whole]
        left -= cost
        whole += 1
    named = whole
    for kept in _rest(sections[whole:], left):
        yield from kept
        named += 1
    yield from ("", _said(len(sections), named, whole, most), f"({more})")


def _rest(sections: Sequence[Sequence[str]], left: int) -> Iterator[list[str]]:
    """The first of the answers shortened, of the others their heading and the way to them."""
    pointers = [_pointer(section) for section in sections[1:]]
    first = _cut(sections[0], left - min(sum(map(_cost, pointers)), left // 3))
    for kept in (first, *pointers):
        left -= _cost(kept)
        if left < 0:
            return
        yield kept


def _said(count: int, named: int, whole: int, most: int) -> str:
    rest = f", {plural(count - named, 'more is', 'more are')} not shown" if named < count else ""
    return f"({whole} of {count:,} whole{rest}: the reply is held to about {most:,} tokens)"


def _sections(lines: Iterable[str]) -> list[list[str]]:
    """The reply's head, then each answer: an empty line stands before it (rule 7)."""
    sections: list[list[str]] = [[]]
    for line in lines:
        if not line:
            sections.append([])
        sections[-1].append(line)
    return sections


def _cost(rows: Sequence[str]) -> int:
    return tokens("\n".join(rows)) + 1


def _pointer(section: Sequence[str]) -> list[str]:
    """An answer's heading and the way to it."""
    rows = [*section[:2], *(row for row in section[2:][-1:] if _GET.search(row))]
    return [width.cut(row, 200)[0] for row in rows]


def _cut(section: Sequence[str], most: int) -> list[str]:
    """The first rows of an answer, what is left out, and the way to it, in about `most` tokens."""
    if _cost(section) <= most:
        return list(section)
    last = [row for row in section[1:][-1:] if _GET.search(row)]
    body = section[: len(section) - len(last)]
    left = most - _cost(last) - 10
    kept: list[str] = []
    for row in body:
        cost = tokens(row) + 1
        if cost > left:
            share = len(row) * max(left, 0) // cost
            kept += [f"{row[:share]} …"] if share > 40 else []
            break
        kept.append(row)
        left -= cost
    out = len(body) - len(kept)
    return [*kept, f"({plural(out, 'more line')})" if out else "(cut)", *last]
