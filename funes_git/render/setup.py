"""What `init` did, for people: sessions, hooks, coverage, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from funes_git.render import state, words
from funes_git.render.clean import line
from funes_git.render.page import Page, prose
from funes_git.render.state import Coverage, Holdings, Indexed


@dataclass(frozen=True, slots=True)
class Setup:
    """What `init` found and did."""

    repository: str
    hooks: str
    hooks_detail: str
    held: Holdings
    report: Indexed
    linked: Coverage
    embeds: bool
    """Vectors are being made, or are there."""


def setup(page: Page, done: Setup) -> Iterator[str]:
    """The report."""
    held = done.held
    yield page.style.bold(f"{line(done.repository)} has a memory")
    yield ""
    if held.sessions:
        yield f"{words.plural(held.sessions, 'session')} of this repository:"
        yield from state.agents(held)
    yield from state.indexed(done.report)
    yield ""
    yield from state.coverage(page, done.linked)
    yield ""
    detail = line(done.hooks_detail)
    hooks = detail if done.hooks == "installed" else f"hooks {done.hooks}: {detail}"
    yield from prose(page, hooks, "", "  ")
    waiting = held.prose - held.vectors
    if done.embeds and waiting > 0:
        told = f"{words.plural(waiting, 'vector')} being made in the background; words work now"
        yield from prose(page, told, "", "  ")
    yield ""
    yield from _next(page, held)


def _next(page: Page, held: Holdings) -> Iterator[str]:
    rows = [
        ("git funes why FILE:LINE", "the turns behind a line"),
        ("git funes log -5", "the last commits with their sessions"),
        ('git funes recall "WORDS"', "search everything that was said"),
    ]
    if not held.sessions:
        rows = [
            ("git funes index --adopt PATH", "sessions from another machine or folder"),
            ("git funes demo", "see what it does with a sample repository"),
        ]
    yield "next:"
    for command, meaning in rows:
        yield f"  {command:<28}  {page.style.dim(meaning)}"
