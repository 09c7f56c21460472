"""`recall` for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from funes_git.model import Hit, TurnView
from funes_git.prompts import first_words, headline
from funes_git.render import calls, width, words
from funes_git.render.clean import line
from funes_git.render.excerpt import Finder, excerpt, finder
from funes_git.render.hits import NEAREST, first_told
from funes_git.render.page import Page, quote

PROMPT, PASSAGE, ALSO, CLOSING, NEIGHBOUR = 160, 700, 240, 240, 240


def recall(page: Page, query: str, hits: Sequence[Hit], *, relevant: bool = True) -> Iterator[str]:
    """Hits, best first: what was asked, what was said, and where it went. Unless they are
    `relevant`, only the nearest."""
    if not hits:
        yield f"nothing found for “{line(query)}”"
    elif not relevant:
        hits = hits[:NEAREST]
        yield f"nothing relevant found for “{line(query)}”; the nearest:"
        yield ""
    asked = finder(query)
    for number, (hit, known) in enumerate(first_told(hits), 1):
        if number > 1:
            yield ""
        yield from _hit(page, number, hit, asked, known)


def _hit(page: Page, number: int, hit: Hit, asked: Finder, known: int | None) -> Iterator[str]:
    """One hit; of an exchange that hit `known` told of neither prompt nor closing words."""
    style = page.style
    head = f"{number}. {words.agent(hit.harness)} {words.short(hit.session_id)}"
    tail = width.fit(", ".join(_facts(hit)), max(page.width - len(head) - 1, 8))
    yield f"{style.agent(head)} {style.dim(tail)}"
    if hit.commits:
        shown = " ".join(sha[:7] for sha in hit.commits[:4])
        more = f" and {len(hit.commits) - 4} more" if len(hit.commits) > 4 else ""
        yield f"   {style.dim('commits' if len(hit.commits) > 1 else 'commit')} " + (
            style.commit(shown) + more
        )
    if hit.standing:
        yield from _folded(page, f"at HEAD: {line(words.standing(hit.standing))}")
    if known:
        yield from _folded(page, f"same exchange as {known}.")
    elif hit.prompt and hit.prompt.strip() != hit.text.strip():
        yield from _folded(page, f"asked: {_short(line(headline(hit.prompt)), PROMPT)}")
    yield from _neighbours(page, "before", hit.before)
    for row in quote(page, excerpt(_passage(hit), PASSAGE, asked, cut=hit.cut), "   "):
        yield _highlight(page, row, asked)
    for other in hit.also:
        yield style.dim("   also:")
        for row in quote(page, excerpt(other.text, ALSO, asked, cut=other.cut), "   "):
            yield _highlight(page, row, asked)
    yield from _neighbours(page, "after", hit.after)
    if hit.closing and not known:
        yield from _folded(page, f"in the end: {_short(line(hit.closing), CLOSING)}")
    there = f"-C {line(hit.repository)} " if hit.repository else ""
    ids = f"{words.short(hit.session_id)} {words.short_turn(hit.session_id, hit.turn_uuid)}"
    elsewhere = f" --memory {line(hit.memory)}" if hit.memory else ""
    yield style.dim(f"   git {there}funes get {ids}{elsewhere}")


def _facts(hit: Hit) -> Iterator[str]:
    yield words.when(hit.ts)
    yield _kind(hit)
    yield f"score {hit.score:.2f}"
    if hit.memory or hit.repository:
        yield f"in {line(hit.memory or hit.repository)}"
    if hit.twins:
        yield f"{words.plural(hit.twins, 'more turn')} the same"
    if hit.branch:
        yield f"on {line(hit.branch)}"


def _neighbours(page: Page, label: str, views: Sequence[TurnView]) -> Iterator[str]:
    for view in views:
        if said := first_words(view.turn):
            who = words.speaker(view.turn.role, view.task)
            who = words.agent(view.turn.harness) if who == "assistant" else who
            yield page.style.dim(f"   {label}, {who}:")
            yield from quote(page, _short(said, NEIGHBOUR), "   ")


def _short(text: str, limit: int) -> str:
    shown, short = width.cut(text, limit)
    return f"{shown} …" if short else shown


def _passage(hit: Hit) -> str:
    """A passage to be read: of a call's input its fields, as they were meant."""
    if hit.block_type != "tool_use":
        return hit.text
    label, _, text = hit.text.partition("] ") if hit.text.startswith("[") else ("", "", hit.text)
    return calls.spread_part(text if label.startswith("[tool_use") else hit.text)


def _folded(page: Page, text: str) -> Iterator[str]:
    for row in width.fold(text, page.measure - 3):
        yield f"   {row}"


def _kind(hit: Hit) -> str:
    if hit.block_type == "tool_use":
        return f"a call of {line(hit.tool or 'a tool')}"
    if hit.block_type == "tool_result":
        return f"the result of {line(hit.tool or 'a tool')}"
    if hit.block_type == "thinking":
        return "thinking"
    return "a sub-agent's task" if hit.task else f"{hit.role}'s text"


def _highlight(page: Page, row: str, asked: Finder) -> str:
    if asked is None or not page.style.on:
        return row
    bar, _, text = row.partition(" │")
    if not text:  # the bar is coloured
        return asked.sub(lambda match: page.style.found(match.group()), row)
    return bar + " │" + asked.sub(lambda match: page.style.found(match.group()), text)
