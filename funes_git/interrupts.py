"""^C: one interruption, however often the signal comes, and never a traceback."""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

AGAIN: Final = 1.0
"""Seconds after an interrupt in which another is taken for the same. git passes ^C on to its
commands, which the terminal has told already: it would break into what is being tidied up."""

_last = -AGAIN


def watch() -> None:
    """Take interrupts from now on, unless the parent had them ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
        if sys.unraisablehook is sys.__unraisablehook__:
            sys.unraisablehook = _unraisable


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    global _last
    now = time.monotonic()
    if now - _last >= AGAIN:
        _last = now
        raise KeyboardInterrupt


def _unraisable(args: UnraisableHookArgs) -> None:
    """An impatient person's next ^C may come where Python can only report it."""
    if not isinstance(args.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(args)
