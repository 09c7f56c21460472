"""`recall` and `get` for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from funes_git.model import Block, Hit, TurnView
from funes_git.render import diff as diffs
from funes_git.render import width, words
from funes_git.render.clean import line
from funes_git.render.page import Page, quote
from funes_git.render.why import diff_rows

PROMPT, PASSAGE = 160, 700

UNESCAPED = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
ESCAPED = re.compile(r'\\([nt"\\/])')


def recall(page: Page, query: str, hits: Sequence[Hit]) -> Iterator[str]:
    """Hits, best first: what was asked, what was said, and where it went."""
    if not hits:
        yield f"nothing found for “{line(query)}”"
    finder = _finder(query)
    for number, hit in enumerate(hits, 1):
        if number > 1:
            yield ""
        yield from _hit(page, number, hit, finder)


def _hit(page: Page, number: int, hit: Hit, finder: re.Pattern[str] | None) -> Iterator[str]:
    style = page.style
    head = f"{number}. {words.agent(hit.harness)} {words.short(hit.session_id)}"
    facts = [words.when(hit.ts), _kind(hit), f"score {hit.score:.2f}"]
    if hit.branch:
        facts.insert(1, f"on {line(hit.branch)}")
    tail = width.fit(", ".join(facts), max(page.width - len(head) - 1, 8))
    yield f"{style.agent(head)} {style.dim(tail)}"
    if hit.commits:
        shown = " ".join(sha[:7] for sha in hit.commits[:4])
        more = f" and {len(hit.commits) - 4} more" if len(hit.commits) > 4 else ""
        yield f"   {style.dim('commits' if len(hit.commits) > 1 else 'commit')} " + (
            style.commit(shown) + more
        )
    if hit.prompt and hit.prompt.strip() != hit.text.strip():
        asked, short = width.cut(line(hit.prompt), PROMPT)
        yield from _folded(page, f"asked: {asked}{' …' if short else ''}")
    text, short = width.cut(_around(_passage(hit), finder), PASSAGE)
    for row in quote(page, f"{text} …" if short else text, "   "):
        yield _highlight(page, row, finder)
    session, turn = hit.session_id, hit.turn_uuid
    yield style.dim(f"   git funes get {words.short(session)} {words.short_turn(session, turn)}")


def _passage(hit: Hit) -> str:
    """A passage to be read: of a call's input, which is JSON and may be cut anywhere, the line
    breaks and quotes as they were meant."""
    if hit.block_type != "tool_use":
        return hit.text
    return ESCAPED.sub(lambda match: UNESCAPED[match[1]], hit.text)


def _folded(page: Page, text: str) -> Iterator[str]:
    for row in width.fold(text, page.measure - 3):
        yield f"   {row}"


def _kind(hit: Hit) -> str:
    if hit.block_type == "tool_use":
        return f"a call of {line(hit.tool or 'a tool')}"
    if hit.block_type == "tool_result":
        return f"the result of {line(hit.tool or 'a tool')}"
    return "thinking" if hit.block_type == "thinking" else f"{hit.role}'s text"


def _finder(query: str) -> re.Pattern[str] | None:
    """Finds words of the query, at the start of a word, without case."""
    found = sorted(set(re.findall(r"\w{3,}", query)), key=len, reverse=True)
    if not found:
        return None
    return re.compile(r"\b(?:" + "|".join(map(re.escape, found)) + r")\w*", re.IGNORECASE)


def _around(text: str, finder: re.Pattern[str] | None) -> str:
    """A long passage from shortly before the first word of the query."""
    match = finder.search(text) if finder else None
    if match is None or len(text) <= PASSAGE or match.start() < PASSAGE // 2:
        return text
    start = text.rfind("\n", 0, match.start() - PASSAGE // 4)
    return "… " + text[max(start, match.start() - PASSAGE // 2) :].lstrip()


def _highlight(page: Page, row: str, finder: re.Pattern[str] | None) -> str:
    if finder is None or not page.style.on:
        return row
    bar, _, text = row.partition(" │")
    if not text:  # the bar is coloured
        return finder.sub(lambda match: page.style.found(match.group()), row)
    return bar + " │" + finder.sub(lambda match: page.style.found(match.group()), text)


def turns(page: Page, turn_uuid: str, views: Sequence[TurnView]) -> Iterator[str]:
    """Whole turns, oldest first; the asked one is marked where there are several."""
    for number, view in enumerate(views):
        if number:
            yield ""
        yield from _turn(page, view, len(views) > 1 and view.turn.turn_uuid == turn_uuid)


def _turn(page: Page, view: TurnView, marked: bool) -> Iterator[str]:
    turn, style = view.turn, page.style
    who = words.agent(turn.harness) if turn.role == "assistant" else turn.role
    own = words.short_turn(turn.session_id, turn.turn_uuid)
    head = f"{'▶ ' if marked else ''}{who} {own}"
    facts = [words.when(turn.ts)]
    facts += [f"on {line(turn.branch)}"] if turn.branch else []
    facts += [line(turn.model)] if turn.model else []
    facts += ["taken back by the session"] if view.retracted else []
    tail = width.fit(", ".join(facts), max(page.width - len(head) - 1, 8))
    yield f"{style.found(head) if marked else style.bold(head)} {style.dim(tail)}"
    if view.commits:
        yield style.dim("  in ") + style.commit(" ".join(sha[:7] for sha in view.commits))
    for block in turn.blocks:
        yield from _block(page, block)
    for edit in view.edits:
        yield style.dim(f"  {edit.operation} {line(edit.path)}")
        rows = diffs.rows(edit.diff)
        yield from diff_rows(page, rows, len(rows))


def _block(page: Page, block: Block) -> Iterator[str]:
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
    yield from quote(page, _readable(block))


def _readable(block: Block) -> str:
    """A call's input spread over lines: the same words, one field each."""
    if block.type != "tool_use":
        return block.text
    try:
        fields = json.loads(block.text)
    except ValueError:
        return block.text
    if not isinstance(fields, dict):
        return block.text
    return "\n".join(f"{key}: {_value(value)}" for key, value in fields.items())


def _value(value: object) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return value if "\n" not in value else "\n" + "\n".join(f"  {r}" for r in value.split("\n"))
