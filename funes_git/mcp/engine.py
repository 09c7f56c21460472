"""The search engines of a server: made by the first question, dropped when nobody asks any more.

At rest a server holds no model and no index. Used by one thread alone (SQLite wants that).
"""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Final

from funes_git import config
from funes_git.errors import UsageError
from funes_git.filters import Filters
from funes_git.recall import Found
from funes_git.recall.several import Opener, Place, kept, search
from funes_git.store.heap import trim

IDLE: Final = 300.0
"""Seconds without a question after which the engine is dropped."""


class Engine:
    """Opens the engine of each memory that is asked, and keeps them while they are. They follow the
    memories as these grow; other settings or memories make others."""

    def __init__(self) -> None:
        self._held = ExitStack()
        self._opened: Opener | None = None
        self._of: tuple[object, ...] = ()
        self._idle = IDLE
        self._asked = 0.0

    def ask(self, places: Sequence[Place], question: str, filters: Filters, k: int) -> Found:
        """The best hits of all `places`. Raises UsageError for a wrong setting, and what
        `several.search` raises."""
        settings = places[0].repo.settings
        now = (*(place.repo.layout.root for place in places), *sorted(settings.items()))
        if self._opened is None or now != self._of:
            self.drop()
            self._idle, self._of = _idle_seconds(settings), now
            self._opened = self._held.enter_context(kept())
        return search(places, question, filters, k, opened=self._opened)

    def asked(self) -> None:
        """The client has just had an answer."""
        self._asked = time.monotonic()

    def rest(self) -> None:
        """Drop what is open if the client has asked nothing for so long."""
        if self._opened is not None and time.monotonic() - self._asked >= self._idle:
            self.drop()

    def drop(self) -> None:
        """Give everything back to the system."""
        if self._opened is None:
            return
        self._held.close()
        self._opened = None
        gc.collect()
        trim()


def _idle_seconds(settings: Mapping[str, str]) -> float:
    """After how long the engine is dropped. Raises UsageError for a setting that is no number."""
    said = config.variable("idle") or settings.get("idle")
    try:
        return float(said) if said else IDLE
    except ValueError:
        raise UsageError(
            f"funes.idle is {said!r}, not a number of seconds", "git config funes.idle 300"
        ) from None
