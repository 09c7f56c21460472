"""What `recall` found, in the agent format: the words that answer first, within a budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from funes_git.model import Hit, TurnView
from funes_git.prompts import first_words
from funes_git.render.clean import line, safe
from funes_git.render.excerpt import Finder, excerpt, finder
from funes_git.render.words import plural, short, short_turn, speaker, standing

MORE = "-n N shows more, get the whole turn"
"""Said to who reads the command's answer."""
REPLY = 3_000
"""Characters of recorded text in a reply: with headings, 8 hits are about 1,300 tokens."""
NEAREST = 2
"""Hits that are shown where nothing is relevant."""
_WEIGHTS = (4, 3, 2)
"""Of the first hits; the others count 1."""
_PROMPT, _CLOSING, _NEIGHBOUR, _LEAST = 140, 260, 240, 100


def recall(
    query: str, hits: Sequence[Hit], *, relevant: bool = True, more: str = MORE
) -> Iterator[str]:
    """Hits, best first; unless they are `relevant`, only the nearest. What one does not need of its
    share of the reply, the next may have. `more` says how the reader sees more, if he can."""
    if relevant or not hits:
        how = f" · {more}" if hits and more else ""
        yield f"recall {line(query)} · {plural(len(hits), 'hit')}{how}"
    else:
        hits = hits[:NEAREST]
        yield f"recall {line(query)} · nothing relevant; the nearest {len(hits)}, by score:"
    words = finder(query)
    left = REPLY
    for number, (hit, known) in enumerate(first_told(hits)):
        weights = [_weight(n) for n in range(number, len(hits))]
        room = left * weights[0] // sum(weights)
        said = list(_said(hit, words, room, told=known is not None))
        left -= min(sum(len(text) for _, text in said), room)
        yield ""
        yield _heading(number + 1, hit, known)
        for label, text in said:
            yield f"{label}:"
            yield from (f"> {row}".rstrip() for row in safe(text).split("\n") if row.strip())
        elsewhere = f" --memory {line(hit.memory)}" if hit.memory else ""
        there = f"git -C {line(hit.repository)} funes " if hit.repository else ""
        ids = f"{short(hit.session_id)} {short_turn(hit.session_id, hit.turn_uuid)}"
        yield f"{there}get {ids}{elsewhere}"


def first_told(hits: Sequence[Hit]) -> Iterator[tuple[Hit, int | None]]:
    """Each hit with the number, from 1, of an earlier one of the same exchange."""
    told: dict[tuple[str, ...], int] = {}
    for number, hit in enumerate(hits, 1):
        if hit.exchange is None:
            yield hit, None
            continue
        exchange = (hit.memory, hit.repository, hit.session_id, hit.exchange)
        before = told.setdefault(exchange, number)
        yield hit, before if before < number else None


def _weight(number: int) -> int:
    return _WEIGHTS[number] if number < len(_WEIGHTS) else 1


def _heading(number: int, hit: Hit, known: int | None) -> str:
    from funes_git.render.agent import ended, stamp  # which asks this module for `recall`

    what = (
        f"{hit.block_type} {line(hit.tool)}"
        if hit.tool
        else f"{speaker(hit.role, hit.task)} {hit.block_type}"
    )
    facts = [hit.harness, stamp(hit.ts), what, f"score {hit.score:.2f}"]
    if known:
        facts.append(f"same exchange as [{known}]")
    if hit.branch:
        facts.append(f"branch {line(hit.branch)}")
    if hit.twins:
        facts.append(f"{plural(hit.twins, 'more turn')} the same")
    if hit.commits:
        count = len(hit.commits) - 2
        shown = " ".join(sha[:12] for sha in hit.commits[:2])
        facts.append(f"commits {shown}{f' and {count} more' if count > 0 else ''}")
    if hit.standing:
        facts.append(line(standing(hit.standing)))
    return ended(f"[{number}] {' · '.join(facts)}")


def _said(hit: Hit, words: Finder, room: int, *, told: bool) -> Iterator[tuple[str, str]]:
    """(label, text) of what is quoted of a hit, together about `room` characters; of an exchange
    that was `told` before neither prompt nor closing words."""
    room = max(room, 2 * _LEAST)
    prompt = "" if told else _part(hit.prompt, min(_PROMPT, room // 4), words)
    closing = "" if told else _part(hit.closing, min(_CLOSING, room // 3), None)
    left = room - len(prompt) - len(closing)
    passage = excerpt(hit.text, left * 2 // 3 if hit.also else left, words, cut=hit.cut)
    left -= len(passage)
    if prompt and hit.prompt and hit.prompt.strip() != hit.text.strip():
        yield "prompt", prompt
    for view in hit.before:
        yield from _neighbour("before", view)
    yield hit.block_type, passage
    for other in hit.also:
        if left >= _LEAST:
            text = excerpt(other.text, left, words, cut=other.cut)
            left -= len(text)
            yield f"also, {other.block_type}", text
    for view in hit.after:
        yield from _neighbour("after", view)
    if closing:
        yield "closing", closing


def _part(text: str | None, limit: int, words: Finder) -> str:
    return excerpt(text, limit, words) if text else ""


def _neighbour(label: str, view: TurnView) -> Iterator[tuple[str, str]]:
    if text := first_words(view.turn):
        yield f"{label}, {speaker(view.turn.role, view.task)}", excerpt(text, _NEIGHBOUR, None)
