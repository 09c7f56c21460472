"""Makes the turns of a Codex session: gives each its id, its place and the state it ran in.

Knows no records.
"""

from __future__ import annotations

from typing import Final

from funes_git_parsers.base import Block, Role, Turn
from funes_git_parsers.codex.state import State

HARNESS: Final = "codex"


def draft(
    state: State,
    ts: float | None,
    role: Role,
    blocks: tuple[Block, ...],
    *,
    counted: bool,
    before: int | None = None,
) -> Turn:
    """The next turn, not yet on the chain.

    `counted`: huggingface/funes counts it, and its id is the one that it has there. Any other turn
    has the `seq` of the counted one before it (before number `before` if given, else the next).
    `ts` None: the format has no times, and the turn gets that of the session's start.
    """
    if counted:
        seq, uuid = state.seq, state.numbered(state.seq)
        state.seq += 1
    else:
        seq, uuid = (state.seq if before is None else before) - 1, state.extra(state.extras)
        state.extras += 1
    return Turn(  # by position: names take twice as long
        state.session,
        uuid,
        seq,
        state.started if ts is None else ts,
        role,
        HARNESS,
        blocks,
        state.last,
        state.exchange,
        None,
        None,
        state.cwd,
        state.branch,
        state.head,
        state.model,
    )
