"""Whether the client is still there.

The end of standard input says so, but not where another process has inherited its other end; so the
reader of our output and the process that started us are looked at too.
"""

from __future__ import annotations

import os
import select
from contextlib import suppress
from pathlib import Path


class Client:
    """The program that started this process, and reads what goes to `output` (a descriptor, of
    which a copy is kept: the SDK moves it)."""

    def __init__(self, output: int) -> None:
        self._poll = select.poll()
        self._poll.register(os.dup(output), 0)  # errors and hang-ups are told unasked
        self._parents = _parents()

    def gone(self) -> bool:
        """Whether nobody reads our output, or whoever started us has ended."""
        hung_up = any(event & (select.POLLERR | select.POLLHUP) for _, event in self._poll.poll(0))
        return hung_up or _parents() != self._parents


def _parents() -> tuple[int, ...]:
    """Our parent; where that is git (`git funes mcp`), which waits for us whatever happens, its
    parent too."""
    parent = os.getppid()
    with suppress(OSError, ValueError):
        # https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: pid (name) state ppid …
        name, _, rest = Path(f"/proc/{parent}/stat").read_text("ascii", "replace").rpartition(")")
        if name.endswith("(git"):
            return parent, int(rest.split()[1])
    return (parent,)
