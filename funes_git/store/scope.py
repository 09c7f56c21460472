"""What a search of the derived stores is narrowed by: plain data, no library.

What depends on git or on links is resolved to turns before it gets here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias

from funes_git_parsers.dataclass import dataclass

Value: TypeAlias = str | int


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents may answer. `groups` must all hold; a group holds if one of its fields has
    one of the values. Fields: `turn` and `exchange` (`turn_key`), `session`, `kind`, `role`,
    `harness`, `branch`, `files`. `since` and `until` are inclusive, in seconds since the epoch."""

    groups: tuple[tuple[tuple[str, tuple[Value, ...]], ...], ...] = ()
    since: float | None = None
    until: float | None = None

    @property
    def everything(self) -> bool:
        """Whether nothing is filtered out."""
        return not self.groups and self.since is None and self.until is None

    def narrowed(self, *group: tuple[str, Iterable[Value]]) -> Scope:
        """This scope with one more group that must hold."""
        added = tuple((name, tuple(values)) for name, values in group)
        return Scope((*self.groups, added), self.since, self.until)


@lru_cache(1024)
def turn_key(session_id: str, turn_uuid: str) -> int:
    """A turn (or the prompt that names an exchange) as a signed 64-bit number."""
    digest = blake2b(f"{session_id}\0{turn_uuid}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def chunk_key(chunk_id: str) -> int:
    """A chunk's id, 16 hex digits, as a signed 64-bit number."""
    number = int(chunk_id, 16)
    return number - (1 << 64) if number >> 63 else number


def chunk_id(key: int) -> str:
    """The chunk id that `chunk_key` gave `key` for."""
    return f"{key % (1 << 64):016x}"
