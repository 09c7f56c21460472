"""What belongs to an answer without being its author, for people and for agents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from funes_git.render import diff as diffs
from funes_git.render import width, words
from funes_git.render.chain import changed, changed_rows
from funes_git.render.clean import line
from funes_git.render.page import Page, prose
from funes_git.told import Context

TEXT = 200
"""Characters of a call or of a message that are shown."""

WHAT: Final = {"read": "read the file", "discussed": "spoke of it", "rejected": "tried"}
UNDONE: Final = {
    "session": "the session took it back",
    None: "in no commit: taken back by a person, or not committed yet",
}


def human(page: Page, items: Sequence[Context], edited: float | None = None) -> Iterator[str]:
    """A heading, then each turn with its words, or its lines. `edited` is when the edit was made
    (seconds since the epoch), if one is known."""
    before = edited is not None and all((item.ts or 0.0) <= edited for item in items)
    told = f"before the {'edit' if before else 'commit'}; not authors"
    yield page.style.bold("Context") + page.style.dim(f"  {told}")
    for item in items:
        turn = words.short_turn(item.session_id, item.turn_uuid)
        session = f"{words.agent(item.harness)} {words.short(item.session_id)} {turn}"
        told = f"{WHAT[item.kind]}, {words.when(item.ts)}, {session}"
        if item.kind == "rejected":
            yield from prose(page, f"{told}; {UNDONE[item.undone]}")
            added, removed = _lines(item.text)
            yield from changed(page, "-", removed)
            yield from changed(page, "+", added)
        else:
            yield from prose(page, told)
            yield page.style.dim("    " + width.fit(line(item.text), max(page.width - 4, 8)))


def agent(items: Sequence[Context]) -> Iterator[str]:
    """One line for each turn, then its words, or its lines, behind `>`."""
    from funes_git.render.agent import fenced, get_line, stamp  # for people, not needed

    for item in items:
        undone = f" · {UNDONE[item.undone]}" if item.kind == "rejected" else ""
        get = get_line(item.session_id, item.turn_uuid)
        yield f"context, not author: {WHAT[item.kind]} · {stamp(item.ts)}{undone} · {get}"
        if item.kind == "rejected":
            added, removed = _lines(item.text)
            yield from changed_rows("-", removed)
            yield from changed_rows("+", added)
        else:
            yield from fenced(line(item.text), TEXT)


def _lines(diff: str) -> tuple[list[str], list[str]]:
    """The lines that a diff added, and those that it removed."""
    rows = diffs.rows(diff)
    return [r.text for r in rows if r.sign == "+"], [r.text for r in rows if r.sign == "-"]
