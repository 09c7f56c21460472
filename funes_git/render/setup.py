"""What `init` did, for people: sessions, hooks, coverage, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from funes_git.origin import label
from funes_git.render import state, words
from funes_git.render.clean import line
from funes_git.render.page import Page, prose

if TYPE_CHECKING:
    from funes_git.hosts.catalogue import Agent
    from funes_git.hosts.githooks import HookState
    from funes_git.ingest import IndexReport
    from funes_git.link.engine import LinkReport
    from funes_git.store.records import Stats


Vectors: TypeAlias = Literal["made", "coming", "no-weights", "unwanted"]


class Setup(NamedTuple):
    """What `init` found and did, and what becomes of the vectors."""

    repository: str
    hooks: HookState
    stats: Stats
    report: IndexReport
    linked: LinkReport
    vectors: Vectors
    unwired: Sequence[Agent] = ()
    """The agents that could ask the memory by themselves and do not yet."""
    recorded: Sequence[str] = ()
    """The other tools that have recorded something here which is not imported yet."""


def setup(page: Page, done: Setup) -> Iterator[str]:
    """The report, and what to do next."""
    yield page.style.bold(f"{line(done.repository)} has a memory")
    yield ""
    yield from _report(page, done)
    yield ""
    yield from _next(page, done)


def begun(page: Page, done: Setup) -> Iterator[str]:
    """The report where another memory is met next."""
    if done.stats.totals.sessions:
        yield from _report(page, done)
    else:
        yield "no agent's session on this machine yet"
        yield from prose(page, state.hooks(done.hooks), "", "  ")


def _report(page: Page, done: Setup) -> Iterator[str]:
    totals = done.stats.totals
    if totals.sessions:
        yield f"{words.plural(totals.sessions, 'session')} of this repository:"
        yield from state.agents(done.stats)
    yield from state.indexed(done.report)
    yield ""
    yield from state.coverage(page, done.linked)
    yield ""
    yield from prose(page, state.hooks(done.hooks), "", "  ")
    waiting = totals.prose - totals.vectors
    if waiting > 0 and done.vectors == "coming":
        told = f"{words.plural(waiting, 'vector')} being made in the background; words work now"
        yield from prose(page, told, "", "  ")
    elif waiting > 0 and done.vectors == "no-weights":
        yield from prose(page, state.PULL, "", "  ")


def _next(page: Page, done: Setup) -> Iterator[str]:
    rows = [
        ("git funes why FILE:LINE", "the turns behind a line"),
        ("git funes log -5", "the last commits with their sessions"),
        ('git funes recall "WORDS"', "search everything that was said"),
    ]
    if not done.stats.totals.sessions:
        rows = [
            ("git funes index --adopt PATH", "sessions from another machine or folder"),
            ("git funes demo", "see what it does with a sample repository"),
        ]
    rows[:0] = [
        (f"git funes import {tool}", f"this repository has what {label(tool)} recorded")
        for tool in done.recorded
    ]
    if unwired := [agent.label for agent in done.unwired]:
        whom = "themselves" if len(unwired) > 1 else "itself"
        rows.append(("git funes add", f"let {words.listed(unwired)} ask by {whom}"))
    yield "next:"
    for command, meaning in rows:
        yield f"  {command:<28}  {page.style.dim(meaning)}"
