"""`why` for people: who wrote this, when, on what request, and how we know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from funes_git.model import Answer, Passage, Unexplained, Why
from funes_git.render import diff as diffs
from funes_git.render import width, words
from funes_git.render.clean import line
from funes_git.render.evidence import evidence
from funes_git.render.once import said_once
from funes_git.render.page import Page, commit_line, prose, quote

PROMPT, WORDS, ROWS = 600, 700, 16
"""The most characters of the prompt and of one passage, and lines of the diff, in one answer."""
PASSAGES = 3


def why(page: Page, found: Why) -> Iterator[str]:
    """The lines of the whole answer."""
    if found.chain:
        from funes_git.render import chain  # rarely asked for

        yield from chain.human(page, found)
        return
    if found.deletions:
        from funes_git.render import deleted  # rarely asked for

        yield from deleted.human(page, found)
        return
    yield from _heading(page, found)
    if found.shares is not None:
        from funes_git.render import shares  # only of a commit

        yield from shares.human(page, found.shares)
    if found.overview is not None:
        from funes_git.render import overview  # only of a file

        yield from overview.human(page, found.overview)
    for number, answer in enumerate(said_once(found.answers)):
        yield page.rule() if number else ""
        yield from answer_rows(page, answer)
    for number, gap in enumerate(found.unexplained):
        if number == 0:
            yield page.rule() if found.answers else ""
        yield from _unexplained(page, gap)
    if found.more:
        yield page.rule()
        more = words.plural(found.more, "more turn")
        every = len(found.answers) + found.more
        yield f"{more}: git funes why {line(found.target)} -n {every}{page.asked}"


def _heading(page: Page, found: Why) -> Iterator[str]:
    where = line(found.path) if found.path else line(found.target)
    lines = f", {words.ranges((found.lines,))}" if found.path and found.lines else ""
    at = f", at {line(found.rev)}" if found.path and found.rev not in ("", "HEAD") else ""
    count = len(found.answers) + found.more
    told = words.plural(count, "turn") + " behind it" if count else "no turn of an agent found"
    yield page.style.bold(page.about("", where, f"{lines}{at}: {told}"))


def answer_rows(
    page: Page, answer: Answer, did: str = "wrote", edit: Iterable[str] | None = None
) -> Iterator[str]:
    """One turn: its commit, session, prompt, words, edit and evidence. `did` is what it did with
    the asked lines, in at most eight letters; `edit` is told instead of the recorded edit."""
    style = page.style
    gone = answer.link.content == "span"
    told = words.NO_COMMIT if gone else words.NOT_COMMITTED
    if answer.commit is not None:
        told = commit_line(_narrow(page, 9), answer.commit)
    yield style.dim("commit   ") + told
    if came := words.origin(answer.link.chain):
        yield style.dim("         " + page.fit(came, 9))
    yield style.dim("session  ") + _session(_narrow(page, 9), answer)
    if answer.title:
        yield style.dim("         ") + width.fit(f"“{line(answer.title)}”", page.width - 9)
    if sum(last - first + 1 for first, last in answer.asked) > 1:
        for number, row in enumerate(width.fold(words.ranges(answer.asked), page.measure - 9)):
            yield (" " * 9 if number else style.dim(f"{did:<9}")) + row
    yield ""
    yield from _prompt(page, answer)
    yield from _passages(page, answer)
    yield from _edit(page, answer) if edit is None else edit
    if answer.context:
        from funes_git.render import context  # most answers have none

        yield from context.human(page, answer.context, answer.turn_ts)
        yield ""
    yield from _evidence(page, answer)


def _narrow(page: Page, by: int) -> Page:
    return Page(page.width - by, page.style)


def _session(page: Page, answer: Answer) -> str:
    head = f"{words.agent(answer.link.harness)} {words.short(answer.link.session_id)}"
    tail = words.when(answer.turn_ts)
    away = ""
    if answer.turn_ts is not None and answer.commit is not None:
        away = _distance(answer.commit.author_time - answer.turn_ts)
    for part in (away, line(answer.model or "")):
        if part and len(head) + len(tail) + len(part) + 3 <= page.width:
            tail += f", {part}"
    return f"{page.style.agent(head)} {page.style.dim(tail)}"


def _distance(seconds: float) -> str:
    if abs(seconds) < 60:
        return ""
    return f"{words.span(abs(seconds))} {'before' if seconds > 0 else 'after'} the commit"


def _label(page: Page, name: str, note: str = "") -> str:
    return page.style.bold(name) + (page.style.dim(f"  {note}") if note else "")


def _prompt(page: Page, answer: Answer) -> Iterator[str]:
    if answer.task:
        yield from _task(page, answer.task)
    if not answer.prompt:
        yield _label(page, "Prompt", "not recorded")
        yield ""
        return
    if answer.in_answer_to:
        yield _label(page, "The agent had said")
        yield from _passage(page, answer, answer.in_answer_to)
        yield ""
    text, short = width.cut(answer.prompt, PROMPT)
    earlier = (answer.turn_ts or 0) - (answer.prompt_ts or answer.turn_ts or 0)
    yield _label(page, "Prompt", f"{words.span(earlier)} earlier" if earlier >= 60 else "")
    yield from quote(page, f"{text} …" if short else text)
    if short and answer.prompt_part and answer.prompt_part not in text:
        yield page.style.dim("  further down, about this file")
        part, cut = width.cut(answer.prompt_part, PROMPT)
        yield from quote(page, f"{part} …" if cut else part)
    if short and answer.prompt_uuid:
        yield page.style.dim(f"  whole: {page.get(answer.link.session_id, answer.prompt_uuid)}")
    yield ""
    if answer.dispatch:
        yield _label(page, "Before it gave the task, the agent wrote")
        text, short = width.tail(answer.dispatch.text, WORDS)
        yield from quote(page, f"… {text}" if short else text)
        if short:
            yield page.style.dim(
                f"  whole: {page.get(answer.link.session_id, answer.dispatch.turn_uuid)}"
            )
        yield ""


def _task(page: Page, task: str) -> Iterator[str]:
    """What a sub-agent was asked to do."""
    text, short = width.cut(task, PROMPT)
    yield _label(page, "Task", "given to a sub-agent")
    yield from quote(page, f"{text} …" if short else text)
    yield ""


def _passages(page: Page, answer: Answer) -> Iterator[str]:
    shown = answer.passages[-PASSAGES:]
    left_out = len(answer.passages) - len(shown)
    if not shown:
        return
    note = f"{words.plural(left_out, 'earlier passage')} not shown" if left_out else ""
    yield _label(page, "Before the edit, the agent wrote", note)
    for number, passage in enumerate(shown):
        if number:
            yield ""
        yield from _passage(page, answer, passage)
    yield ""


def _passage(page: Page, answer: Answer, passage: Passage) -> Iterator[str]:
    text, short = width.cut(passage.text, WORDS)
    if passage.block_type == "thinking":
        yield page.style.dim("  thinking")
    yield from quote(page, f"{text} …" if short else text)
    if short:
        yield page.style.dim(f"  whole: {page.get(answer.link.session_id, passage.turn_uuid)}")


def _edit(page: Page, answer: Answer) -> Iterator[str]:
    if not answer.edit_path and not answer.edit_diff:
        return
    yield _label(page, "Edit", line(answer.edit_path or ""))
    sign = "-" if answer.link.relation == "removed" else "+"
    yield from diff_rows(page, diffs.rows(answer.edit_diff or "", answer.asked_rows, sign), ROWS)
    yield ""


def diff_rows(page: Page, rows: Sequence[diffs.Row], limit: int) -> Iterator[str]:
    """At most about `limit` rows of a diff; `▶` marks the asked lines, with their numbers."""
    digits = max((len(str(row.number)) for row in rows if row.number), default=0)
    for row in diffs.window(rows, limit):
        if isinstance(row, diffs.Gap):
            yield page.style.dim(f"    ⋯ {words.plural(row.rows, 'more line')}")
        elif row.sign == "@":
            yield page.style.dim("    ⋯")
        else:
            yield from _row(page, row, digits)


def _row(page: Page, row: diffs.Row, digits: int) -> Iterator[str]:
    """A line of the diff: what was asked for whole, the rest cut to the page."""
    style = page.style
    gutter = f"{row.number or '':>{digits}} " if digits else ""
    text = row.text.expandtabs(width.TAB).rstrip()
    paint = {"+": style.added, "-": style.removed}.get(row.sign, str)
    if not row.asked:
        text = page.fit(f"{row.sign} {text}".rstrip(), 4 + len(gutter))
        yield f"    {gutter}{paint(text)}".rstrip()
        return
    mark, sign = f"  {style.found('▶')} {style.found(gutter)}", row.sign
    for part in width.fold(text, max(page.width - 6 - len(gutter), 8)):
        yield mark + style.bold(paint(f"{sign} {part}".rstrip()))
        mark, sign = " " * (4 + len(gutter)), " "


def _evidence(page: Page, answer: Answer) -> Iterator[str]:
    sentences = evidence(answer)
    level = answer.link.level
    yield _label(page, "Evidence", f"{level}: {words.EVIDENCE[level]}")
    for sentence in sentences:
        yield from prose(page, sentence[0].upper() + sentence[1:] + ".")
    if answer.link.turn_uuid:
        around = page.get(answer.link.session_id, answer.link.turn_uuid, 3)
        yield page.style.dim(f"  around it: {around}")
    else:
        session = line(answer.link.session_id)
        yield from prose(page, f"The session {session} is not indexed.")


def _unexplained(page: Page, gap: Unexplained) -> Iterator[str]:
    style = page.style
    kinds = {
        "human": "a person wrote this",
        "bot": "a bot committed this",
        "unknown": "not known who wrote this",
        "uncommitted": words.NOT_COMMITTED,
    }
    place = words.ranges(gap.lines) + ": " if gap.lines else ""
    heading = place + kinds[gap.kind]
    for row in width.fold(heading[0].upper() + heading[1:], page.measure):
        yield style.bold(row)
    if gap.commit is not None:
        yield style.dim("  commit ") + commit_line(_narrow(page, 9), gap.commit)
    yield from prose(page, line(gap.detail or _reason(gap)))
    if gap.context:
        from funes_git.render import context  # most have none

        yield from context.human(page, gap.context)
    following = words.REASON_NEXT.get(gap.reason) if gap.reason else None
    if following and "git funes" not in gap.detail:
        yield style.dim(f"  try: {following}")
    if gap.kind == "uncommitted":
        yield style.dim("  try: git funes index   (reads what sessions have added since)")


def _reason(gap: Unexplained) -> str:
    told = words.REASON_WORDS if gap.lines else words.REASON_OF_COMMIT
    reason = told[gap.reason] if gap.reason else "nothing more is known"
    if gap.kind == "uncommitted":
        reason = words.UNCOMMITTED
    return reason[0].upper() + reason[1:] + "."
