"""What the human renderings share: the page's width and colours, quoted text, labelled lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from funes_git.model import CommitInfo
from funes_git.render import width
from funes_git.render.clean import line, safe
from funes_git.render.style import Style
from funes_git.render.words import short, short_turn, when
from funes_git_parsers.dataclass import dataclass

MEASURE = 100
"""Prose is folded to at most this many columns, however wide the terminal is."""


@dataclass(frozen=True, slots=True)
class Page:
    """Where a rendering is shown: `width` in columns; `memory` is the one that was asked, if it is
    another than the repository's own."""

    width: int = 80
    style: Style = field(default_factory=Style)
    memory: str | None = None

    @property
    def measure(self) -> int:
        """Columns for prose."""
        return min(self.width, MEASURE)

    @property
    def asked(self) -> str:
        """What a command needs besides to ask the same memory."""
        import shlex  # most answers are the repository's own

        return f" --memory {shlex.quote(line(self.memory))}" if self.memory else ""

    def get(self, session_id: str, turn_uuid: str, window: int = 0) -> str:
        """The command that shows a turn, and that many around it."""
        around = f" --window {window}" if window else ""
        ids = f"{short(session_id)} {short_turn(session_id, turn_uuid)}"
        return f"git funes get {ids}{around}{self.asked}"

    def rule(self) -> str:
        """A line between answers."""
        return self.style.dim("─" * self.measure)

    def fit(self, text: str, indent: int = 0) -> str:
        """One line cut to the page."""
        return width.fit(text, max(self.width - indent, 8))

    def about(self, before: str, name: str, after: str) -> str:
        """One line of which the name is cut where it is too long: what is said of it is not."""
        room = max(self.width - width.columns(before + after), 8)
        return self.fit(before + width.squeeze(name, room) + after)


def quote(page: Page, text: str, indent: str = "  ", *, whole: bool = False) -> Iterator[str]:
    """Recorded words, folded, each line with a bar before it; unless they are to be `whole`, runs
    of empty lines become one."""
    bar = page.style.dim("│")
    empty = False
    for row in width.fold(safe(text), page.measure - len(indent) - 2):
        if whole or row or not empty:
            yield f"{indent}{bar} {row}".rstrip() if not page.style.on else f"{indent}{bar} {row}"
        empty = not row


def commit_line(page: Page, commit: CommitInfo) -> str:
    """`3f2a1b9 2025-11-03 14:05 Bound the cache (Ada)`, cut to the page."""
    head = f"{commit.short} {when(commit.author_time)} "
    room = page.width - len(head)
    author = f" ({line(commit.author)})"
    subject = line(commit.subject)
    if width.columns(subject) + width.columns(author) > room:
        author = ""
    return (
        page.style.commit(commit.short)
        + page.style.dim(f" {when(commit.author_time)} ")
        + width.fit(subject, max(room, 8))
        + page.style.dim(author)
    )


def prose(page: Page, text: str, indent: str = "  ", hanging: str | None = None) -> Iterator[str]:
    """A sentence of ours, folded; lines after the first start with `hanging`."""
    later = indent if hanging is None else hanging
    for number, row in enumerate(width.fold(text, page.measure - len(later))):
        yield (later if number else indent) + row
