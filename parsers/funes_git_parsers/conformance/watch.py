"""Notices what a parser does to files, and that it ends."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

_heard: list[tuple[str, str]] | None = None
_installed = False


def _listen(event: str, args: tuple[object, ...]) -> None:
    if _heard is None or event not in ("open", "sqlite3.connect"):
        return
    name = args[0]
    if isinstance(name, bytes):
        name = name.decode("utf-8", "surrogateescape")
    if isinstance(name, str):
        _heard.append((event, name.removeprefix("file://").partition("?")[0]))


@contextmanager
def opened(below: Path) -> Iterator[list[str]]:
    """The names of files below a folder that are opened meanwhile; filled at the end. Databases
    and what is opened to read them are left out."""
    global _heard, _installed
    if not _installed:
        sys.addaudithook(_listen)
        _installed = True
    names: list[str] = []
    _heard = []
    try:
        yield names
    finally:
        heard, _heard = _heard, None
        names += [name for event, name in heard if event == "open" and name.startswith(str(below))]


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raises AssertionError in what takes longer than `seconds` of processor time. Does nothing
    where the system has no such timer."""
    is_possible = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
    )
    if not is_possible:
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"took longer than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def photograph(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder with its bytes and modification time."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
