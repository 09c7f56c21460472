"""At most one background worker in a repository.

The worker holds a lock, which the system gives back however the worker ends. Beside it lies a note
of who holds it, so that a hook can see, with the shell's own commands, that it need not start
another one (hooks/git/funes-hook).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from funes_git.errors import MemoryBusy
from funes_git.layout import Layout
from funes_git.store.lock import FileLock


@contextmanager
def hold(layout: Layout) -> Iterator[bool]:
    """Hold the worker's lock; False if another process does, or the memory cannot be written."""
    try:
        lock = FileLock.take(layout.worker_lock)
    except (MemoryBusy, OSError):
        yield False
        return
    with lock:
        with suppress(OSError):
            _note(layout).write_text(f"{os.getpid()} {_started(os.getpid()) or ''}\n")
        try:
            yield True
        finally:
            _note(layout).unlink(missing_ok=True)


def running(layout: Layout) -> int | None:
    """The process id of the worker, as its note says and the system confirms."""
    try:
        words = _note(layout).read_text().split()
        pid = int(words[0])
        os.kill(pid, 0)
    except (OSError, ValueError, IndexError):
        return None
    return pid if [_started(pid)] in (words[1:], [None]) else None


def ask(layout: Layout) -> None:
    """Ask the worker that runs for one more round."""
    with suppress(OSError):
        _word(layout).touch()


def asked(layout: Layout) -> bool:
    """Whether somebody asked for one more round."""
    return _word(layout).exists()


def answered(layout: Layout) -> None:
    """The round begins."""
    _word(layout).unlink(missing_ok=True)


def _note(layout: Layout) -> Path:
    return layout.root / "worker.pid"


def _word(layout: Layout) -> Path:
    return layout.root / "worker.again"


def _started(pid: int) -> str | None:
    """When a process started, in the kernel's clock ticks since boot (proc(5), field 22 of stat);
    None where there is no /proc. Tells a process from a later one with the same id."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[19]
    except (OSError, IndexError):
        return None
