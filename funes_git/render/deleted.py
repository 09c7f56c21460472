"""`why --deleted`: who took something away, newest first, for people and for agents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from shlex import quote

from funes_git.model import Why
from funes_git.render import agent as agents
from funes_git.render import words
from funes_git.render.chain import changed, changed_rows
from funes_git.render.clean import line
from funes_git.render.once import said_once
from funes_git.render.page import Page, commit_line, prose
from funes_git.render.why import answer_rows
from funes_git.told import Stage

NEVER = "in no commit of any branch or tag: a session wrote this, and it is gone again"


def human(page: Page, found: Why) -> Iterator[str]:
    """The lines of the whole answer."""
    count = words.plural(len(found.deletions) + found.more, "deletion")
    what = (line(found.path), "") if found.path else (f"“{line(found.target)}", "”")
    yield page.style.bold(page.about(f"{count} of ", what[0], f"{what[1]}, newest first"))
    for number, stage in enumerate(_once(found.deletions)):
        yield page.rule() if number else ""
        yield from _human(page, stage)
    if found.more:
        yield page.rule()
        more = words.plural(found.more, "more deletion")
        asked = f"{quote(line(found.target))} -n {_all(found)}{page.asked}"
        yield f"{more}: git funes why --deleted {asked}"


def _all(found: Why) -> int:
    return len(found.deletions) + found.more


def _human(page: Page, stage: Stage) -> Iterator[str]:
    if stage.via == "edit":
        yield page.style.bold(NEVER[0].upper() + NEVER[1:])
    if stage.answer is None:
        told = commit_line(page, stage.commit) if stage.commit else words.NOT_COMMITTED
        yield told
        yield from (page.style.bold(row) for row in prose(page, _who(stage)))
        yield from _text(page, stage)
    else:
        text = None if stage.answer.edit_diff else (*_text(page, stage), "")
        yield from answer_rows(page, stage.answer, "took out", text)


def _text(page: Page, stage: Stage) -> Iterator[str]:
    """What is gone, by the commit."""
    yield f"  {line(stage.path)}"
    yield from changed(page, "-", stage.removed)


def _once(stages: Sequence[Stage]) -> Iterator[Stage]:
    answers = said_once(stage.answer for stage in stages if stage.answer)
    for stage in stages:
        yield replace(stage, answer=next(answers)) if stage.answer else stage


def _who(stage: Stage) -> str:
    if stage.kind == "unknown":
        reason = words.REASON_OF_COMMIT[stage.reason] if stage.reason else "nothing more is known"
        return f"deleted, and it is not known by whom: {reason}"
    if stage.kind == "human":
        return "deleted by a person"
    if stage.kind == "bot":
        return "deleted by a bot"
    return "deleted by a person, or by a session that is not indexed"


def agent(found: Why) -> Iterator[str]:
    """The deletions, numbered, behind the heading."""
    for number, stage in enumerate(_once(found.deletions), 1):
        told = agents.commit_of(stage.commit) if stage.commit else words.NOT_COMMITTED
        told = NEVER if stage.via == "edit" else told
        yield ""
        yield f"[{number}] {told}"
        if stage.answer is None:
            yield _who(stage)
        if stage.answer is None or not stage.answer.edit_diff:
            yield f"removed from {line(stage.path)}:"
            yield from changed_rows("-", stage.removed)
        if stage.answer is not None:
            yield from agents.answer_rows(stage.answer)
    if found.more:
        yield ""
        yield f"more: why --deleted {quote(line(found.target))} -n {_all(found)}"
