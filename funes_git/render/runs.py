"""What agents ran: `log --ran`, for people, agents and programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from funes_git.prompts import headline
from funes_git.render import json, width
from funes_git.render.agent import CUT, fenced, get_line, stamp
from funes_git.render.clean import line
from funes_git.render.page import Page, quote
from funes_git.render.words import agent as name
from funes_git.render.words import short, short_turn, when

if TYPE_CHECKING:
    from funes_git.runs import Run

COMMAND: Final = 400
"""Characters of a command that are shown; `get` shows it whole."""
_ROW: Final = 80
"""Characters of the row that was looked for which are shown at least."""
_PLACE: Final = {
    "printed": "made",
    "reflog": "at",
    "session": "at or after",
    "recorded": "at or after",
    "history": "at or near",
}


def human(page: Page, run: Run) -> Iterator[str]:
    """When, how it ended and at which commit; the command; by whom and what for."""
    style = page.style
    head = f"{when(run.turn.ts)} "
    ended = _ended(run)
    place, subject = _place(run)
    rest = width.fit(f", {place}{subject}", max(page.width - len(head) - len(ended), 8))
    yield style.dim(head) + (style.bold(ended) if run.failed else ended) + style.dim(rest)
    yield from quote(page, _shown(run), "    ")
    who = f"{name(run.turn.harness)} {short(run.turn.session_id)} "
    who += short_turn(run.turn.session_id, run.turn.turn_uuid)
    told = ", taken back since" if run.retracted else ""
    told += f"  “{line(headline(run.prompt))}”" if run.prompt else ""
    room = max(page.width - len(who) - 4, 8)
    yield f"    {style.agent(who)}{style.dim(width.fit(told, room))}"


def agent(run: Run) -> Iterator[str]:
    """The same, tersely."""
    place, subject = _place(run)
    taken_back = " · taken back" if run.retracted else ""
    yield ""
    yield (
        f"ran · {run.turn.harness} · {stamp(run.turn.ts)} · {_ended(run)}{taken_back}"
        f" · {place}{subject} ·"
    )
    shown = _shown(run)
    yield from fenced(shown)
    if shown != run.command.strip():
        yield CUT
    yield get_line(run.turn.session_id, run.turn.turn_uuid)


def document(run: Run) -> json.Object:
    """One run, printed on a line of its own."""
    return json.document(
        ts=run.turn.ts,
        command=run.command,
        exit_code=run.exit_code,
        failed=run.failed,
        commit=run.commit,
        subject=run.info.subject if run.info else None,
        commit_known=run.known,
        commits=list(run.commits),
        harness=run.turn.harness,
        session_id=run.turn.session_id,
        turn_uuid=run.turn.turn_uuid,
        branch=run.turn.branch,
        workdir=run.turn.workdir,
        prompt=run.prompt,
        retracted=run.retracted,
    )


def _shown(run: Run) -> str:
    """The command; of a long one the row that was looked for, with `…` for what is left out."""
    if run.at + _ROW <= COMMAND:
        text, cut = width.cut(run.command, COMMAND)
        return f"{text} …" if cut else text
    text, cut = width.cut(run.command[run.at :], COMMAND)
    return f"…\n{text} …" if cut else f"…\n{text}"


def _ended(run: Run) -> str:
    if run.exit_code is not None:
        return f"exit {run.exit_code}"
    return {True: "failed", False: "done", None: "end not recorded"}[run.failed]


def _place(run: Run) -> tuple[str, str]:
    """The commit that was checked out, and its subject."""
    if run.commit is None or run.known is None:
        return "commit not known", ""
    shown = run.info.short if run.info else run.commit[:7]
    return f"{_PLACE[run.known]} {shown}", f" {line(run.info.subject)}" if run.info else ""
