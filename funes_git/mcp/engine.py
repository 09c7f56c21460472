"""The search engine of a server: made by the first question, dropped when nobody asks any more.

At rest a server holds no model and no index. Used by one thread alone (SQLite wants that).
"""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from funes_git import config
from funes_git.errors import UsageError
from funes_git.git import Repo
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.store.catalog import Catalog

IDLE: Final = 300.0
"""Seconds without a question after which the engine is dropped."""


class Engine:
    """Opens the engine of a memory and keeps it while it is asked. It follows the memory as that
    grows; other settings make another one."""

    def __init__(self) -> None:
        self._open: tuple[Recall, Catalog] | None = None
        self._of: tuple[object, ...] = ()
        self._idle = IDLE
        self._asked = 0.0

    def of(self, repo: Repo) -> Recall:
        """The engine for a question now. Raises UsageError for a wrong setting, and what
        `Catalog.open` raises."""
        now = (repo.layout.root, *sorted(repo.settings.items()))
        if self._open is None or now != self._of:
            self.drop()
            self._idle = _idle_seconds(repo.settings)
            catalog = Catalog.open(repo.layout.catalog)
            self._open, self._of = (Recall(repo, catalog, Models(repo.settings)), catalog), now
        return self._open[0]

    def asked(self) -> None:
        """The client has just had an answer."""
        self._asked = time.monotonic()

    def rest(self) -> None:
        """Drop what is open if the client has asked nothing for so long."""
        if self._open is not None and time.monotonic() - self._asked >= self._idle:
            self.drop()

    def drop(self) -> None:
        """Give everything back to the system."""
        if self._open is None:
            return
        for opened in self._open:
            opened.close()
        self._open = None
        gc.collect()
        _trim()


def _idle_seconds(settings: Mapping[str, str]) -> float:
    """After how long the engine is dropped. Raises UsageError for a setting that is no number."""
    said = config.variable("idle") or settings.get("idle")
    try:
        return float(said) if said else IDLE
    except ValueError:
        raise UsageError(
            f"funes.idle is {said!r}, not a number of seconds", "git config funes.idle 300"
        ) from None


def _trim() -> None:
    """Let the C library give freed memory back, where it can (glibc)."""
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
