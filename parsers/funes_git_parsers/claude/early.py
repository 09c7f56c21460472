"""Records that stand before the one they follow.

Claude Code writes at the same time what the model streams and what its tools and reminders bring,
so a record's parent may come a few records after it. Such a record waits for its parent, and what
follows it waits with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from funes_git_parsers.claude.state import MAX_EARLY, Early, State
from funes_git_parsers.values import noted

MAX_SIZE: Final = 1 << 17
"""A record with more characters of JSON does not wait: the cursor would have to hold it."""


class Waiting:
    """The records in `state` that wait, the oldest first."""

    def __init__(self, state: State) -> None:
        self._state = state

    def keeps(self, parent: str | None, uuid: str, record: dict[str, Any] | None) -> bool:
        """Whether a record waits from now on; `record` is None for one that was not decoded.

        The first of a file does not: its parent is in another file.
        """
        state = self._state
        if parent is None or parent in state.links or not state.links:
            return False
        kept = _slim(record) if record else None
        if len(state.early) >= MAX_EARLY or not _fits(kept):
            return False
        state.early.append(Early(state.seq, parent, uuid, kept))
        return True

    def ended(self, *, every: bool = False) -> Iterator[Early]:
        """Those whose parent is there by now, or has not come for too long, or `every` one. Each is
        to be read before the next is asked for, since that may wait for it."""
        early = self._state.early
        while early:
            at = next((n for n, one in enumerate(early) if one.parent in self._state.links), None)
            if at is None and not every and self._state.seq - early[0].seq < MAX_EARLY:
                return
            yield early.pop(at or 0)


def _slim(record: dict[str, Any]) -> dict[str, Any]:
    """The record without what its message says too."""
    result = record.get("toolUseResult")
    if not isinstance(result, dict):
        return record
    kept = {key: value for key, value in result.items() if key not in ("stdout", "file")}
    return {**record, "toolUseResult": kept}


def _fits(record: dict[str, Any] | None) -> bool:
    try:
        return len(noted(record)) <= MAX_SIZE
    except RecursionError:
        return False
