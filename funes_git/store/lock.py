"""The lock that lets one process write: a file locked with flock that holds the writer's pid.

The lock is the kernel's: it goes when the process does, however that ends. The file stays.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Self

from funes_git.errors import MemoryBusy

PAUSE = 0.05
"""Seconds between two tries."""


class FileLock:
    """A lock that this process holds. A context manager; released at its end."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    @classmethod
    def take(cls, path: Path, wait: float = 0.0) -> Self:
        """Take the lock, trying for `wait` seconds. Raises MemoryBusy, which names the pid."""
        until = time.monotonic() + wait
        while True:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                while not _try(fd):
                    if time.monotonic() >= until:
                        raise _busy(path)
                    time.sleep(PAUSE)
                if cls(fd).stands(path):
                    os.ftruncate(fd, 0)
                    os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
                    return cls(fd)
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)  # deleted while we waited for it

    def stands(self, path: Path) -> bool:
        """Whether the file at `path` is still the one that is locked: not deleted, nor replaced."""
        try:
            found, held = path.stat(), os.fstat(self._fd)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == (held.st_dev, held.st_ino)

    def release(self) -> None:
        """Let others in. Releasing twice is harmless."""
        if self._fd >= 0:
            os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()


def holder(path: Path) -> int | None:
    """The pid of the process that holds the lock at `path`, 0 if it has not said yet; None if
    nobody does."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return None if _try(fd) else _pid(fd)
    finally:
        os.close(fd)


def _try(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _pid(fd: int) -> int:
    said = os.pread(fd, 32, 0).strip()
    return int(said) if said.isdigit() else 0


def _busy(path: Path) -> MemoryBusy:
    pid = holder(path)
    who = f"process {pid}" if pid else "another process"
    return MemoryBusy(
        f"{who} is writing the memory",
        hint="try again when it is done" + (f" (ps {pid} shows it)" if pid else ""),
    )
