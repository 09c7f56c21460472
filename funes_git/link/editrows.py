"""Edits as linking sees them, and what commits did to their lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from funes_git.model import LineKey, Operation
from funes_git_parsers.dataclass import dataclass

ADDED, REMOVED, RELEASED = "added", "removed", "released"
WHOLE = -1
"""The position that stands for an edit as a whole, where its text is not known."""


class EditRow(Protocol):
    """An edit as the catalog gives it."""

    @property
    def id(self) -> int: ...
    @property
    def edit_id(self) -> str: ...
    @property
    def session_id(self) -> str: ...
    @property
    def turn_uuid(self) -> str: ...
    @property
    def harness(self) -> str: ...
    @property
    def ts(self) -> float | None: ...
    @property
    def path(self) -> str: ...
    @property
    def old_path(self) -> str | None: ...
    @property
    def operation(self) -> Operation: ...
    @property
    def added(self) -> Sequence[LineKey]: ...
    @property
    def removed(self) -> Sequence[LineKey]: ...


Elsewhere: TypeAlias = Callable[[EditRow, int], bool]
"""Whether a line with this hash, exact or loose, stands where the edit was made, if that is another
file than the one that is asked about."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a commit did to one line of an edit: `kind` is ADDED, REMOVED or RELEASED."""

    edit: int
    pos: int
    kind: str
    commit: str


Claims: TypeAlias = dict[tuple[int, int], list[Claim]]
"""(edit, position) → what commits did to that line."""
