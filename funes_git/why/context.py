"""What belongs to a link without being its author: who read or spoke of the file before, and what
was tried and taken back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeAlias

from funes_git.git import Repo
from funes_git.link.coverage import NEAR
from funes_git.model import EditRecord, Link, Turn
from funes_git.store.catalog import Catalog
from funes_git.why.reads import call_of, names, reads
from funes_git.why.tried import Tried, tried

if TYPE_CHECKING:
    from funes_git.told import Context

READS, WORDS, TRIED = 5, 3, 5
"""The most of each kind that one answer lists, the nearest to the edit."""

LOOK_BACK = 100
"""Turns of a session before a commit in which reads are looked for."""

SESSIONS = 3
"""Sessions at work at the time of a commit that are asked whether they read a file."""

LATER = float("inf")
"""The time of an edit that has none."""

_Who: TypeAlias = tuple[str, str, str, float | None]
"""A turn: session, turn, agent, time."""


def around(
    repo: Repo,
    catalog: Catalog,
    link: Link,
    edit: EditRecord | None,
    turns: Sequence[Turn],
    until: float,
) -> tuple[Context, ...]:
    """The context of a link, oldest first: of the `turns` before its own, newest first, those that
    read or named the file, and what its session tried there up to `until` (seconds since the epoch)
    and no commit shows."""
    path = edit.path if edit else link.path
    if path is None:
        return ()
    edits = catalog.edits_of_session_at(link.session_id, sorted({path, link.path or path}))
    writing = {row.turn_uuid for row in edits}
    at = LATER if edit is None or edit.ts is None else edit.ts
    earlier = [turn for turn in turns if (turn.ts or 0.0) <= at]
    found = [
        *islice(_reads(earlier, path, writing), READS),
        *islice(_words(earlier, path), WORDS),
        *islice(_tried(tried(repo, catalog, link, edits, until)), TRIED),
    ]
    return tuple(sorted(found, key=lambda item: item.ts or 0.0))


def readers(catalog: Catalog, path: str, at: float) -> tuple[Context, ...]:
    """The turns that read `path` before the time `at` (seconds since the epoch), in the sessions
    that were at work then, oldest first."""
    spans = catalog.sessions_around(at, at - NEAR)
    found: list[Context] = []
    for session_id, *_ in spans[-SESSIONS:]:
        turns = catalog.turns_until(session_id, at, LOOK_BACK)
        edits = catalog.edits_of_session_at(session_id, [path])
        found += islice(_reads(turns, path, {row.turn_uuid for row in edits}), READS)
    return tuple(sorted(found, key=lambda item: item.ts or 0.0))


def _reads(turns: Iterable[Turn], path: str, writing: Collection[str]) -> Iterator[Context]:
    """The turns with a call that reads the file."""
    for turn in turns:
        if turn.turn_uuid in writing:
            continue
        for block in turn.blocks:
            if block.type == "tool_use" and reads(block, path):
                yield _context("read", _by(turn), f"{block.tool or 'tool'} {call_of(block)}")
                break


def _words(turns: Iterable[Turn], path: str) -> Iterator[Context]:
    """The messages that name the file, people's and the agent's."""
    for turn in turns:
        for block in turn.blocks:
            if block.type == "text" and block.scaffold is None and turn.role != "tool":
                part = next((row for row in block.text.split("\n") if names(path, row)), None)
                if part is not None:
                    yield _context("discussed", _by(turn), part.strip())
                    break


def _tried(found: Iterable[Tried]) -> Iterator[Context]:
    for edit, diff, undone in found:
        turn = (edit.session_id, edit.turn_uuid, edit.harness, edit.ts)
        yield _context("rejected", turn, diff, undone=undone)


def _by(turn: Turn) -> _Who:
    return (turn.session_id, turn.turn_uuid, turn.harness, turn.ts)


def _context(
    kind: Literal["read", "discussed", "rejected"], turn: _Who, text: str, *, undone: bool = False
) -> Context:
    from funes_git.told import Context  # most answers have none

    return Context(kind, *turn, text, "session" if undone else None)
