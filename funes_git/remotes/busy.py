"""Waiting for a Hub that is busy."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from funes_git.remotes.huberrors import Busy

TRIES = 4
MOST = 60.0
"""Seconds that are waited at once; whoever is asked to wait longer is told so instead."""
T = TypeVar("T")


def patiently(call: Callable[[], T], sleep: Callable[[float], None] = time.sleep) -> T:
    """What `call` gives; it is made again where the Hub was busy, after as many seconds as the Hub
    asked for. Raises what `call` raises."""
    for number in range(1, TRIES):
        try:
            return call()
        except Busy as error:
            wait = float(2**number if error.seconds is None else error.seconds)
            if wait > MOST:
                raise
            sleep(wait)
    return call()
