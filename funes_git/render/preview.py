"""What `recall --stream` shows until the answer is there: a hit a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from funes_git.model import Hit
from funes_git.render import words
from funes_git.render.clean import line
from funes_git.render.excerpt import excerpt, finder
from funes_git.render.page import Page


def lines(page: Page, query: str, hits: Sequence[Hit]) -> Iterator[str]:
    """Hits by words alone, best first, each in one row of the page."""
    asked, style = finder(query), page.style
    found = words.plural(len(hits), "hit") if hits else "nothing"
    yield style.dim(page.fit(f"{found} by words; looking closer…", 1))
    for number, hit in enumerate(hits, 1):
        head = f"{number:>2}. {words.agent(hit.harness)} {words.short(hit.session_id)} "
        text = excerpt(line(hit.text), max(page.width - len(head) - 1, 20), asked, cut=hit.cut)
        text = page.fit(text, len(head) + 1)
        if asked and style.on:
            text = asked.sub(lambda match: style.found(match.group()), text)
        yield style.agent(head) + text
