"""`recall` for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from funes_git.model import Hit
from funes_git.render import calls, width, words
from funes_git.render.clean import line
from funes_git.render.page import Page, quote

PROMPT, PASSAGE = 160, 700


def recall(page: Page, query: str, hits: Sequence[Hit]) -> Iterator[str]:
    """Hits, best first: what was asked, what was said, and where it went."""
    if not hits:
        yield f"nothing found for “{line(query)}”"
    finder = _finder(query)
    for number, hit in enumerate(hits, 1):
        if number > 1:
            yield ""
        before = hits[number - 2] if number > 1 else None
        same = before is not None and _request(before) == _request(hit)
        yield from _hit(page, number, hit, finder, same_request=same)


def _request(hit: Hit) -> tuple[str, str | None]:
    return hit.session_id, hit.prompt


def _hit(
    page: Page, number: int, hit: Hit, finder: re.Pattern[str] | None, *, same_request: bool
) -> Iterator[str]:
    style = page.style
    head = f"{number}. {words.agent(hit.harness)} {words.short(hit.session_id)}"
    facts = [words.when(hit.ts), _kind(hit), f"score {hit.score:.2f}"]
    if hit.branch:
        facts.insert(1, f"on {line(hit.branch)}")
    tail = width.fit(", ".join(facts), max(page.width - len(head) - 1, 8))
    yield f"{style.agent(head)} {style.dim(tail)}"
    if hit.commits:
        shown = " ".join(sha[:7] for sha in hit.commits[:4])
        more = f" and {len(hit.commits) - 4} more" if len(hit.commits) > 4 else ""
        yield f"   {style.dim('commits' if len(hit.commits) > 1 else 'commit')} " + (
            style.commit(shown) + more
        )
    if hit.prompt and hit.prompt.strip() != hit.text.strip() and not same_request:
        asked, short = width.cut(line(hit.prompt), PROMPT)
        yield from _folded(page, f"asked: {asked}{' …' if short else ''}")
    text, short = width.cut(_around(_passage(hit), finder), PASSAGE)
    for row in quote(page, f"{text} …" if short else text, "   "):
        yield _highlight(page, row, finder)
    session, turn = hit.session_id, hit.turn_uuid
    yield style.dim(f"   git funes get {words.short(session)} {words.short_turn(session, turn)}")


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
    return "thinking" if hit.block_type == "thinking" else f"{hit.role}'s text"


def _finder(query: str) -> re.Pattern[str] | None:
    """Finds words of the query, at the start of a word, without case."""
    found = sorted(set(re.findall(r"\w{3,}", query)), key=len, reverse=True)
    if not found:
        return None
    return re.compile(r"\b(?:" + "|".join(map(re.escape, found)) + r")\w*", re.IGNORECASE)


def _around(text: str, finder: re.Pattern[str] | None) -> str:
    """A long passage from shortly before the first word of the query."""
    match = finder.search(text) if finder else None
    if match is None or len(text) <= PASSAGE or match.start() < PASSAGE // 2:
        return text
    start = text.rfind("\n", 0, match.start() - PASSAGE // 4)
    return "… " + text[max(start, match.start() - PASSAGE // 2) :].lstrip()


def _highlight(page: Page, row: str, finder: re.Pattern[str] | None) -> str:
    if finder is None or not page.style.on:
        return row
    bar, _, text = row.partition(" │")
    if not text:  # the bar is coloured
        return finder.sub(lambda match: page.style.found(match.group()), row)
    return bar + " │" + finder.sub(lambda match: page.style.found(match.group()), text)
