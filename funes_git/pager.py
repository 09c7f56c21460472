"""The pager, as git uses one: chosen by git itself, started when the text exceeds the screen."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO

from funes_git import config
from funes_git.git import process

Write = Callable[[str], None]


def program() -> str | None:
    """The command that git would page with (GIT_PAGER, core.pager, PAGER, less), or None."""
    code, out, _ = process.attempt(("var", "GIT_PAGER"), Path.cwd())
    command = out.decode("utf-8", "surrogateescape").strip()
    return command if code == 0 and command not in ("", "cat") else None


def environment() -> dict[str, str]:
    """The environment for the pager: LESS and LV as git sets them where they are unset."""
    given = dict(config.environment())
    given.setdefault("LESS", "FRX")
    given.setdefault("LV", "-c")
    given["GIT_PAGER_IN_USE"] = "true"
    return given


@contextmanager
def paged(out: IO[str], height: int) -> Iterator[Write]:
    """Yields a writer of lines. They go to `out`; to a pager from the moment that they would not
    fit on a screen of `height` rows. Waits for the pager to end."""
    page = _Paged(out, height)
    try:
        yield page.write
    finally:
        page.close()


def _put(out: IO[str], text: str) -> None:
    out.write(text + "\n")


class _Paged:
    def __init__(self, out: IO[str], height: int) -> None:
        self._out, self._height = out, height
        self._held: list[str] = []
        self._process: subprocess.Popen[str] | None = None
        self._failed = False

    def write(self, text: str) -> None:
        """One line, or several."""
        if self._process is not None and self._process.stdin is not None:
            _put(self._process.stdin, text)
            return
        self._held.append(text)
        rows = sum(held.count("\n") + 1 for held in self._held)
        if rows >= self._height and not self._failed:
            self._start()

    def _start(self) -> None:
        command = program()
        if command is None:
            self._failed = True
            return
        self._out.flush()
        self._process = subprocess.Popen(  # noqa: S602 - a pager is a shell command, as in git
            command,
            shell=True,
            stdin=subprocess.PIPE,
            env=environment(),
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        held, self._held = self._held, []
        for text in held:
            self.write(text)

    def close(self) -> None:
        """Let the user read to the end. Raises BrokenPipeError if the pager was left before."""
        for text in self._held:
            _put(self._out, text)
        if self._process is None or self._process.stdin is None:
            return
        previous = signal.signal(signal.SIGINT, _ignore)  # ^C belongs to the pager
        try:
            with self._process.stdin:
                pass
        finally:
            self._process.wait()
            signal.signal(signal.SIGINT, previous)


def _ignore(_signal: int, _frame: FrameType | None) -> None:
    """The pager handles it."""
