"""`blame` and `log` for people, in the manner of `git blame` and `git log --oneline`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from funes_git.model import BlameLine, Link, LogEntry
from funes_git.origin import label
from funes_git.prompts import headline
from funes_git.render import width, words
from funes_git.render.clean import line, source
from funes_git.render.page import Page

LISTED = 4
"""The most links that `log` shows beneath a commit."""


def blame(page: Page, lines: Sequence[BlameLine]) -> Iterator[str]:
    """Commit, author, date, line number, text."""
    authors = [_author(row) for row in lines]
    wide = max((width.columns(author) for author in authors), default=0)
    digits = len(str(lines[-1].number)) if lines else 1
    short = max((len(row.commit.short) for row in lines if row.commit), default=7)
    for row, author in zip(lines, authors, strict=True):
        yield _blamed(page, row, width.pad(author, wide), digits, short)


def _blamed(page: Page, row: BlameLine, author: str, digits: int, short: int) -> str:
    style = page.style
    commit = row.commit.short if row.commit else "-" * short
    day = words.day(row.commit.author_time) if row.commit else " " * 10
    tail = f" {day} {row.number:>{digits}}) "
    paint = style.agent if row.kind == "agent" else style.dim
    text = source(row.text)  # never cut: it is what was asked for
    return f"{style.commit(f'{commit:<{short}}')} ({paint(author)}{style.dim(tail)}{text}".rstrip()


def _author(row: BlameLine) -> str:
    if row.kind == "agent":
        session = words.short(row.session_id or "")
        return f"{words.agent(row.harness or 'agent')} {session} {row.level}"
    if row.kind in ("human", "bot") and row.commit is not None:
        return f"{width.fit(line(row.commit.author), 24)}, {row.kind}"
    return row.kind if row.commit is not None else "not committed"


def log(page: Page, entry: LogEntry) -> Iterator[str]:
    """One commit as `git log --oneline` shows it, with the turns behind it beneath."""
    commit = entry.commit
    room = max(page.width - len(commit.short) - 1, 8)
    yield f"{page.style.commit(commit.short)} {width.fit(line(commit.subject), room)}"
    grouped = _by_request(entry)
    for prompt, links in grouped[:LISTED]:
        yield _behind(page, links)
        if prompt:
            yield "      " + page.style.dim(
                width.fit(f"“{line(headline(prompt))}”", page.width - 6)
            )
    if len(grouped) > LISTED:
        yield page.style.dim(f"    and {words.plural(len(grouped) - LISTED, 'more turn')}")
    if not grouped:
        reason = words.REASON_OF_COMMIT[entry.reason] if entry.reason else "no session behind it"
        yield page.style.dim(f"    {reason}")


def _by_request(entry: LogEntry) -> list[tuple[str | None, list[Link]]]:
    """The links that follow from one prompt together (of each turn, where it is not known), in the
    order of their best."""
    grouped: dict[tuple[str, str], tuple[str | None, list[Link]]] = {}
    for link in entry.links:
        prompt = entry.prompts.get((link.session_id, link.turn_uuid))
        key = (link.session_id, prompt or link.turn_uuid)
        grouped.setdefault(key, (prompt, []))[1].append(link)
    return list(grouped.values())


def _behind(page: Page, links: Sequence[Link]) -> str:
    first = links[0]
    session = words.short(first.session_id)
    turn = words.short_turn(first.session_id, first.turn_uuid)
    head = f"{words.agent(first.harness)} {session} {turn}"
    level = min(links, key=lambda link: words.LEVELS.index(link.level)).level
    verbs = dict.fromkeys(link.relation for link in links)
    paths = list(dict.fromkeys(line(link.path) for link in links if link.path))
    told = words.behind(level, list(verbs))
    if level == "imported":
        told = f"imported from {label(first.source)}"
    more = f" and {words.plural(len(paths) - 2, 'more file')}" if len(paths) > 2 else ""
    if came := words.origin(first.chain):
        more += f", {came}"
    room = max(page.width - len(head) - 6, 8)
    shown = _named(paths[:2], room - width.columns(told + more) - 1)
    told = width.fit(f"{told} {shown}{more}" if shown else told + more, room)
    return f"    {page.style.agent(head)}  {page.style.dim(told)}"


def _named(paths: Sequence[str], room: int) -> str:
    """The paths; where they do not fit into `room` columns, by their last parts."""
    whole = ", ".join(paths)
    if width.columns(whole) <= room:
        return whole
    return ", ".join(f"…/{path.rpartition('/')[2]}" if "/" in path else path for path in paths)
