"""`why --chain`: the stages of some lines, newest first, for people and for agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from funes_git.model import Why
from funes_git.render import width, words
from funes_git.render.clean import line, safe, source
from funes_git.render.page import Page, commit_line, prose, quote
from funes_git.told import Stage

PROMPT, ROWS = 300, 8
"""Characters of a prompt, and lines of each side of a change, that one stage shows."""

VIA: Final = {
    "edit": "never committed: what is above it replaced this before the commit was made",
    "place": "never committed: a person changed this, which stood in that place, before the commit",
    "likeness": "perhaps: a line that no commit has, and that reads much like what is above it",
    "again": "the same lines, before they were taken away and brought back",
}

DRAFTS: Final = ("edit", "place", "likeness")
"""How what no commit shows was found."""


def human(page: Page, found: Why) -> Iterator[str]:
    """The lines of the whole chain."""
    where = words.ranges((found.lines,) if found.lines else ())
    count = words.plural(len(found.chain) + found.more, "stage")
    yield page.style.bold(
        page.about("", line(found.path or ""), f", {where}: {count}, newest first")
    )
    for stage, below in pairwise((*found.chain, None)):
        assert stage is not None
        yield ""
        yield from _human(page, stage, below)
    if found.more:
        yield ""
        more = words.plural(found.more, "more stage")
        yield f"{more}: git funes why --chain {line(found.target)} -n {_all(found)}{page.asked}"


def _all(found: Why) -> int:
    return len(found.chain) + found.more


def _human(page: Page, stage: Stage, below: Stage | None) -> Iterator[str]:
    style = page.style
    before = "before " if stage.via in DRAFTS else ""
    told = before + commit_line(page, stage.commit) if stage.commit else words.NOT_COMMITTED
    yield told if stage.commit else style.commit(told)
    paint = style.agent if stage.answer else style.bold
    told = _who(stage, below, words.when)
    yield from (paint(row) for row in prose(page, told))
    if stage.via in VIA:
        yield from (style.dim(row) for row in prose(page, VIA[stage.via]))
    if stage.answer and stage.answer.prompt:
        text, short = width.cut(stage.answer.prompt, PROMPT)
        yield from quote(page, f"{text} …" if short else text)
    yield from changed(page, "-", stage.removed)
    yield from changed(page, "+", stage.added)
    if stage.answer:
        link = stage.answer.link
        yield style.dim(f"  {page.get(link.session_id, link.turn_uuid, 3)}")


def changed(page: Page, sign: str, texts: Sequence[str]) -> Iterator[str]:
    """Lines that were added (`+`) or removed (`-`), for people."""
    paint = page.style.added if sign == "+" else page.style.removed
    for text in texts[:ROWS]:
        row = safe(text).expandtabs(width.TAB).rstrip()
        yield "    " + paint(page.fit(f"{sign} {row}".rstrip(), 4))
    if len(texts) > ROWS:
        yield page.style.dim(f"    ⋯ {words.plural(len(texts) - ROWS, 'more line')}")


def _who(stage: Stage, below: Stage | None, when: Callable[[float | None], str]) -> str:
    """One stage in a sentence without a full stop; `below` is the one before it in time."""
    if stage.what == "formatted":
        return "only formatted: this commit is listed to be looked through"
    verb = "removed" if stage.what == "removed" else "changed" if stage.removed else "written"
    if stage.answer:
        at = when(stage.answer.turn_ts)
        return f"{verb} by {_session(stage)}, {at}, {stage.answer.link.level}"
    if stage.kind == "unknown":
        reason = words.REASON_OF_COMMIT[stage.reason] if stage.reason else "nothing more is known"
        return f"{verb}, and it is not known by whom: {reason}"
    who = {"human": "a person", "bot": "a bot"}
    person = who.get(stage.kind, "a person, or a session that is not indexed")
    on_top = f", on top of {_session(below)}" if below and below.answer else ""
    return f"{verb} by {person}{on_top}"


def _session(stage: Stage) -> str:
    assert stage.answer is not None
    link = stage.answer.link
    return f"{words.agent(link.harness)} {words.short(link.session_id)}"


def agent(found: Why) -> Iterator[str]:
    """The stages, numbered, behind the heading."""
    for number, (stage, below) in enumerate(pairwise((*found.chain, None)), 1):
        assert stage is not None
        yield ""
        yield from _agent(stage, below, number)
    if found.more:
        yield ""
        yield f"more: why --chain {line(found.target)} -n {_all(found)}"


def _agent(stage: Stage, below: Stage | None, number: int) -> Iterator[str]:
    from funes_git.render.agent import commit_of, fenced, get_line, stamp  # for people, not needed

    before = "before " if stage.via in DRAFTS else ""
    told = before + commit_of(stage.commit) if stage.commit else words.NOT_COMMITTED
    yield f"[{number}] {told}"
    told = f" · {VIA[stage.via]}" if stage.via in VIA else ""
    yield f"{line(stage.path)} · {_who(stage, below, stamp)}{told}"
    if stage.answer and stage.answer.prompt:
        yield "prompt:"
        yield from fenced(stage.answer.prompt, PROMPT)
    if stage.added or stage.removed:
        yield "lines:"
        yield from changed_rows("-", stage.removed)
        yield from changed_rows("+", stage.added)
    if stage.answer:
        yield get_line(stage.answer.link.session_id, stage.answer.link.turn_uuid)


def changed_rows(sign: str, texts: Sequence[str]) -> Iterator[str]:
    """The same for agents."""
    for text in texts[:ROWS]:
        yield f"> {sign}{source(text)}".rstrip()
    if len(texts) > ROWS:
        yield f"({words.plural(len(texts) - ROWS, 'more line')})"
