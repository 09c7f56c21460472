"""`get` for people: whole turns, and the prompts of a session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from funes_git.model import Block, EditRecord, TurnView
from funes_git.prompts import headline, words_of
from funes_git.render import calls, width, words
from funes_git.render import diff as diffs
from funes_git.render.clean import line
from funes_git.render.page import Page, quote
from funes_git.render.why import diff_rows
from funes_git.store.records import SessionRow


def session(page: Page, found: SessionRow, views: Sequence[TurnView]) -> Iterator[str]:
    """A session's prompts, one a line, with what names each of them."""
    own = words.short(found.session.session_id)
    head = f"{words.agent(found.session.harness)} {own}"
    told = f"{words.when(found.first_ts)}, {words.plural(found.turns, 'turn')}"
    yield f"{page.style.agent(head)} {page.style.dim(told)}"
    if found.session.title:
        yield page.fit(f"“{line(found.session.title)}”")
    yield ""
    turns = [view.turn for view in views]
    ids = [words.short_turn(turn.session_id, turn.turn_uuid) for turn in turns]
    wide = max(map(len, ids), default=0)
    for turn, name in zip(turns, ids, strict=True):
        start = f"{name:<{wide}} {words.when(turn.ts)} "
        said = line(headline(words_of(turn) or f"({turn.role}'s turn without words)"))
        yield page.style.dim(start) + page.fit(said, len(start))
    yield ""
    asked = f"{own} {ids[0] if ids else 'TURN'} --window 3{page.asked}"
    yield f"a whole turn: git funes get {asked}"


def turns(page: Page, turn_uuid: str, views: Sequence[TurnView]) -> Iterator[str]:
    """Whole turns, oldest first; the asked one is marked where there are several."""
    for number, view in enumerate(views):
        if number:
            yield ""
        yield from _turn(page, view, len(views) > 1 and view.turn.turn_uuid == turn_uuid)


def _turn(page: Page, view: TurnView, marked: bool) -> Iterator[str]:
    turn, style = view.turn, page.style
    who = words.speaker(turn.role, view.task)
    who = words.agent(turn.harness) if who == "assistant" else who
    own = words.short_turn(turn.session_id, turn.turn_uuid)
    head = f"{'▶ ' if marked else ''}{who} {own}"
    facts = [words.when(turn.ts)]
    facts += [f"on {line(turn.branch)}"] if turn.branch else []
    facts += [line(turn.model)] if turn.model else []
    facts += ["given to a sub-agent"] if view.task else []
    facts += ["taken back by the session"] if view.retracted else []
    tail = width.fit(", ".join(facts), max(page.width - len(head) - 1, 8))
    yield f"{style.found(head) if marked else style.bold(head)} {style.dim(tail)}"
    if view.commits:
        yield style.dim("  in ") + style.commit(" ".join(sha[:7] for sha in view.commits))
    for block in turn.blocks:
        made = [edit for edit in view.edits if _made(block, edit)]
        yield from _block(page, block, shown_below=any(edit.diff for edit in made))
        for edit in made:
            yield from _edit(page, edit)
    for edit in view.edits:
        if not any(_made(block, edit) for block in turn.blocks):
            yield from _edit(page, edit)


def _made(block: Block, edit: EditRecord) -> bool:
    """Whether this call made the edit."""
    return block.type == "tool_use" and block.tool_use_id == edit.tool_use_id


def _edit(page: Page, edit: EditRecord) -> Iterator[str]:
    yield page.style.dim(f"  {edit.operation} {line(edit.path)}")
    rows = diffs.rows(edit.diff)
    yield from diff_rows(page, rows, len(rows))


def _block(page: Page, block: Block, *, shown_below: bool) -> Iterator[str]:
    label = {
        "text": "",
        "thinking": "thinking",
        "tool_use": f"calls {line(block.tool or 'a tool')}",
        "tool_result": f"result of {line(block.tool or 'a tool')}",
    }[block.type]
    notes = [label] if label else []
    notes += [f"put there by the agent's program: {block.scaffold}"] if block.scaffold else []
    notes += ["failed"] if block.is_error else []
    notes += [f"exit {block.exit_code}"] if block.exit_code else []
    if notes:
        yield page.style.dim("  " + ", ".join(notes))
    text = calls.spread(block.text, shown_below) if block.type == "tool_use" else block.text
    if text:
        yield from quote(page, text, whole=True)
