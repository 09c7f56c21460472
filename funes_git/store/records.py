"""The rows that the catalog gives and takes besides `funes_git.model`: plain frozen data."""

from __future__ import annotations

from array import array
from dataclasses import field
from typing import Literal

from funes_git.model import LineKey
from funes_git_parsers.base import Operation, Session
from funes_git_parsers.dataclass import dataclass


def pack_keys(keys: tuple[LineKey, ...]) -> bytes:
    """Line keys as 64-bit integers in threes (pos, exact, loose), in the machine's byte order."""
    flat = array("q")
    for key in keys:
        flat.extend((key.pos, key.exact, key.loose))
    return flat.tobytes()


def unpack_keys(data: bytes) -> list[LineKey]:
    """The line keys that `pack_keys` packed."""
    flat = flat_keys(data)
    return [LineKey(*flat[i : i + 3]) for i in range(0, len(flat), 3)]


def flat_keys(data: bytes) -> array[int]:
    """The packed line keys without an object for each: pos, exact, loose, pos, exact, loose, …"""
    return array("q", data)


@dataclass(frozen=True, slots=True)
class EditRow:
    """What linking needs of a stored edit. `id` is the catalog's own number, which changes when
    the catalog is rebuilt; `edit_id` stays."""

    id: int
    edit_id: str
    session_id: str
    turn_uuid: str
    harness: str
    thread: str | None
    ts: float | None
    path: str
    old_path: str | None
    operation: Operation
    origin: Literal["tool", "shell"]
    tool: str
    retracted: bool
    packed_added: bytes
    packed_removed: bytes

    @property
    def added(self) -> list[LineKey]:
        """The lines that the edit added; decoded at each call."""
        return unpack_keys(self.packed_added)

    @property
    def removed(self) -> list[LineKey]:
        """The lines that the edit removed; decoded at each call."""
        return unpack_keys(self.packed_removed)

    @property
    def flat_added(self) -> array[int]:
        """`added` as pos, exact, loose, pos, exact, loose, …: faster where there are many."""
        return flat_keys(self.packed_added)

    @property
    def flat_removed(self) -> array[int]:
        """`removed` as pos, exact, loose, …"""
        return flat_keys(self.packed_removed)


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A searched passage with what filters and answers need of its turn.

    `rowid` grows with every change: a chunk that is stored again, changed, or taken back comes
    again under a new one. `gone` chunks have lost their turn's text or their turn was retracted:
    of them only `rowid` and `id` mean anything. `new` ones are known not to have been stored
    before.
    """

    rowid: int
    id: str
    session_id: str
    turn_uuid: str
    seq: int
    ts: float | None
    role: str
    harness: str
    branch: str | None
    exchange: str | None
    thread: str | None
    block_idx: int
    split_idx: int
    block_type: str
    tool: str | None
    prose: bool
    files: tuple[str, ...]
    text: str
    gone: bool
    new: bool = False


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session with what was counted over its turns. `first_ts` and `last_ts` in seconds since
    the epoch; `source_path` is the agent's own file."""

    session: Session
    first_ts: float | None
    last_ts: float | None
    turns: int
    edits: int
    source_path: str | None


@dataclass(frozen=True, slots=True)
class HookEvent:
    """What one git hook reported: truth, since neither the memory nor git can tell it again.

    `id` names the event, so that reading it twice stores it once. `rewrites` are (old, new) commit
    ids, from post-rewrite."""

    id: str
    hook: str
    at: float
    sha: str | None = None
    worktree: str | None = None
    branch: str | None = None
    rewrites: tuple[tuple[str, str], ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts over everything stored."""

    sessions: int = 0
    turns: int = 0
    edits: int = 0
    chunks: int = 0
    prose: int = 0
    vectors: int = 0
    redactions: int = 0
    skipped: int = 0

    def since(self, before: Totals) -> Totals:
        """What came on top of `before`."""
        return Totals(
            self.sessions - before.sessions,
            self.turns - before.turns,
            self.edits - before.edits,
            self.chunks - before.chunks,
            self.prose - before.prose,
            self.vectors - before.vectors,
            self.redactions - before.redactions,
            self.skipped - before.skipped,
        )


@dataclass(frozen=True, slots=True)
class AgentTotals:
    """What is stored of one agent: `newest` in seconds since the epoch, the versions in no
    order."""

    sessions: int = 0
    turns: int = 0
    newest: float | None = None
    skipped: int = 0
    versions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stats:
    """What `status` shows. Times in seconds since the epoch. `vectors` of `totals` counts the
    prose chunks that have one. `commits` counts those that linking has looked at."""

    totals: Totals
    agents: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Harness → (sessions, turns)."""
    sources: int = 0
    first_ts: float | None = None
    last_ts: float | None = None
    links: dict[str, int] = field(default_factory=dict)
    """Level → links."""
    commits: int = 0
    linked_commits: int = 0
    unlinked: dict[str, int] = field(default_factory=dict)
    """Reason → commits."""
    indexed_at: float | None = None
    last_error: tuple[float, str] | None = None
    """When the background worker last failed, and how."""
