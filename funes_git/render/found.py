"""Memories on the Hub that `find` lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from funes_git.render import words
from funes_git.render.clean import line
from funes_git.render.json import Object
from funes_git.render.page import Page

if TYPE_CHECKING:
    from funes_git.remotes.hub import About

SHOWN = 4
"""Releases that are named."""


def lines(page: Page, found: Sequence[About]) -> Iterator[str]:
    """One memory a paragraph: its name, what it is about, its releases."""
    if not found:
        yield "no memory was found"
    for each in found:
        facts = [line(each.repository)] if each.repository else []
        facts += [words.size(each.size)] if each.size is not None else []
        facts += [f"changed {words.day(each.changed)}"] if each.changed is not None else []
        facts += ["private"] if each.private else []
        yield f"{page.style.agent(line(each.name))} {page.style.dim(', '.join(facts))}".rstrip()
        if each.releases:
            shown = ", ".join(line(name) for name in each.releases[:SHOWN])
            more = len(each.releases) - SHOWN
            yield f"  releases {shown}{f' and {more} more' if more > 0 else ''}"


def as_json(each: About) -> Object:
    """One of `memories`."""
    return {
        "memory": each.name,
        "repository": each.repository,
        "releases": list(each.releases),
        "size": each.size,
        "changed_at": each.changed,
        "private": each.private,
    }
