"""`why FILE`: whose its lines are, for people and for agents."""

from __future__ import annotations

from collections.abc import Iterator

from funes_git.render import width, words
from funes_git.render.clean import line
from funes_git.render.page import Page
from funes_git.told import Overview, Portion

MOST = 8
"""Portions that are listed."""

OTHERS = {
    "human": "a person",
    "bot": "a bot",
    "unknown": "not known",
    "uncommitted": words.NOT_COMMITTED,
}


def human(page: Page, found: Overview) -> Iterator[str]:
    """The largest portions, one a line."""
    yield ""
    for portion in found.portions[:MOST]:
        amount = f"{portion.lines:>7,} {_percent(portion, found):>6}  "
        whose = _whose(portion)
        paint = page.style.agent if portion.link else page.style.dim
        left = page.width - len(amount) - width.columns(whose)
        title = f"  “{line(portion.title)}”" if portion.title else ""
        yield amount + paint(whose) + (page.style.dim(width.fit(title, left)) if left > 8 else "")
    if rest := _rest(found):
        yield page.style.dim(" " * 16 + rest)


def agent(found: Overview) -> Iterator[str]:
    """The same in one line each, without the titles."""
    for portion in found.portions[:MOST]:
        amount = f"{words.plural(portion.lines, 'line')} {_percent(portion, found)}"
        yield f"{amount} · {_whose(portion)}"
    if rest := _rest(found):
        yield rest


def _percent(portion: Portion, found: Overview) -> str:
    return f"{100 * portion.lines / found.lines:.0f} %" if found.lines else ""


def _whose(portion: Portion) -> str:
    if portion.link is None:
        return OTHERS[portion.kind]
    session = f"{words.agent(portion.link.harness)} {words.short(portion.link.session_id)}"
    return f"{session}, {words.plural(portion.turns, 'turn')}"


def _rest(found: Overview) -> str:
    rest = found.portions[MOST:]
    if not rest:
        return ""
    lines = words.plural(sum(portion.lines for portion in rest), "line")
    return f"{lines} of {words.plural(len(rest), 'other')}"
