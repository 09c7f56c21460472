"""The one sink: data to standard output, talk to standard error.

Chooses the format, the width and the colours; prints what the renderings made. Knows nothing of
what is printed.
"""

from __future__ import annotations

import json as jsonlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from funes_git import config
from funes_git.render import clean
from funes_git.render.page import Page
from funes_git.render.style import Style
from funes_git_parsers.dataclass import dataclass

Format: TypeAlias = Literal["human", "agent", "json"]

QUIET, TURN = 30.0, 20.0
"""Seconds that a pipe hears nothing of one thing that is being done, and before the next one."""

_no_pager = False
_heard = (time.monotonic(), "")
"""When a pipe was last told what is being done, and what that was."""


def no_pager() -> None:
    """`--no-pager` was given."""
    global _no_pager
    _no_pager = True


@dataclass(frozen=True, slots=True)
class Output:
    """How this run talks. `page` holds width and colours for the human renderings."""

    format: Format
    page: Page

    def lines(self, lines: Iterable[str]) -> None:
        """Print lines of data; through a pager where a person reads and they exceed the screen."""
        if self.format != "human" or _no_pager or not sys.stdout.isatty():
            sys.stdout.writelines(f"{line}\n" for line in lines)
            return
        from funes_git.pager import paged

        with paged(sys.stdout, screen()[1]) as write:
            for line in lines:
                write(line)

    @contextmanager
    def meanwhile(self, lines: Iterable[str]) -> Iterator[None]:
        """While something is looked for, show lines of one row each, as far as they fit on the
        screen; then take them away. Only on a terminal, and where people read."""
        if not self.live:
            yield
            return
        rows = list(islice(lines, max(screen()[1] - 1, 1)))
        sys.stdout.writelines(f"{row}\n" for row in rows)
        sys.stdout.flush()
        try:
            yield
        finally:
            sys.stdout.write(f"\x1b[{len(rows)}A\x1b[J" if rows else "")
            sys.stdout.flush()

    @property
    def live(self) -> bool:
        """Whether what was printed can be overwritten."""
        able = config.environment().get("TERM", "dumb") != "dumb"
        return self.format == "human" and sys.stdout.isatty() and able

    def recorded(self, repository: str, lines: Iterable[str]) -> None:
        """Print lines of the agent format behind its header, once the first of them is there."""
        from funes_git.render import agent

        rest = agent.pointing(lines, self.page.asked)
        first = list(islice(rest, 1))
        self.lines(chain([agent.header(repository)], first, rest))

    def json(self, value: dict[str, Any]) -> None:
        """Print one JSON document on one line; ASCII only, so that no recorded text acts."""
        print(jsonlib.dumps(value, separators=(",", ":")))

    def progress(self, done: int, total: int, what: str) -> None:
        """One line on a terminal that is overwritten; elsewhere a line now and then, so that a long
        run is seen to be alive. Nothing for JSON."""
        if self.format == "json":
            return
        share = f"{done:,} of {total:,} " if total else f"{done:,} " if done else ""
        if not sys.stderr.isatty():
            _now_and_then(f"{share}{what}…", what)
            return
        width = max(screen()[0] - 1, 20)
        bar = _bar(done / total) if total else ""
        text = f"{bar}{share}{clean.line(what)}"[:width]
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    def progress_done(self) -> None:
        """Take the progress line away."""
        if self.format != "json" and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _now_and_then(text: str, what: str) -> None:
    global _heard
    now, (last, before) = time.monotonic(), _heard
    if now - last >= (QUIET if what == before else TURN):
        _heard = now, what
        note(text)


def _bar(share: float) -> str:
    filled = int(min(max(share, 0.0), 1.0) * 20)
    return f"[{'#' * filled}{'.' * (20 - filled)}] "


def choose(wanted: Format | None, memory: str | None = None) -> Output:
    """How to print: as asked, else for people on a terminal and for agents in a pipe. `memory` is
    the one that is asked, where it is not the repository's own."""
    terminal = _read_by_people()
    shown: Format = wanted or ("human" if terminal else "agent")
    colour = shown == "human" and terminal and not config.no_color() and _git_colours()
    return Output(shown, Page(max(screen()[0], 20), Style(colour), memory))


def screen() -> tuple[int, int]:
    """Columns and rows of the terminal: as COLUMNS and LINES say, else its own size, else 80 by 24.
    (`shutil` has this too, but takes longer to import than most answers to make.)"""
    given = [config.environment().get(name, "") for name in ("COLUMNS", "LINES")]
    columns, rows = (int(text) if text.isascii() and text.isdigit() else 0 for text in given)
    try:
        real = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        real = os.terminal_size((80, 24))
    return columns or real.columns or 80, rows or real.lines or 24


def _read_by_people() -> bool:
    """Whether people read what is printed: a terminal, or git's own pager before us."""
    return config.environment().get("GIT_PAGER_IN_USE") in ("true", "1") or sys.stdout.isatty()


def _git_colours() -> bool:
    """What `color.funes`, else `color.ui`, says for a terminal."""
    from funes_git.git import process

    asked = ("config", "--get-colorbool", "color.funes", "true")
    return process.attempt(asked, Path.cwd())[1].strip() != b"false"


def stream(text: str) -> None:
    """Print a part of a text at once; it need not end a line."""
    sys.stdout.write(clean.safe(text))
    sys.stdout.flush()


def can_ask() -> bool:
    """Whether somebody can be asked: a terminal to type on and one to read."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str) -> bool:
    """A question that is answered yes or no; the end of input is no."""
    sys.stderr.write(f"{clean.line(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def note(text: str) -> None:
    """Say something on standard error that is no data."""
    print(clean.safe(text), file=sys.stderr)


def warn(text: str) -> None:
    """Say something on standard error that the user should look at."""
    note(f"warning: {text}")


def error(message: str, hint: str | None) -> None:
    """What went wrong, and what to run next."""
    note(f"error: {message}")
    if hint:
        note(f"hint: {hint}")
