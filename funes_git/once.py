"""Loading what takes long, once, while something else is done."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Something that takes long to load, and is loaded once; unless there is none, or it fails:
    then it is tried again the next time."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._found: T | None = None

    def start(self) -> None:
        """Begin to load it while something else is done."""
        if self._found is None:
            threading.Thread(target=self._quietly).start()

    def get(self) -> T:
        """What `load` gave. Raises what it raised."""
        with self._lock:
            if self._found is None:
                self._found = self._load()
            return self._found

    def drop(self) -> None:
        """Forget it; the next `get` loads it again."""
        with self._lock:
            self._found = None

    def _quietly(self) -> None:
        with suppress(Exception):  # it is raised again where it is asked for
            self.get()
