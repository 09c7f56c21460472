"""What belongs to a link without being its author: who read or spoke of the file before, and what
was tried and taken back."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from funes_git.link.coverage import NEAR
from funes_git.model import Block, EditRecord, Link, Turn
from funes_git.store.catalog import Catalog
from funes_git.store.records import EditRow

if TYPE_CHECKING:
    from funes_git.told import Context

READS, WORDS, TRIED = 5, 3, 5
"""The most of each kind that one answer lists, the nearest to the edit."""

LOOK_BACK = 100
"""Turns of a session before a commit in which reads are looked for."""

SESSIONS = 3
"""Sessions at work at the time of a commit that are asked whether they read a file."""

SHELLS = frozenset(("Bash", "bash", "shell", "exec_command", "local_shell", "exec", "terminal"))
READING = (
    r"(?:^|[|;&(\s\"'`/])(?:cat|sed|head|tail|less|more|nl|bat|rg|grep|ag|awk|wc|diff|tac|cut|"
    r"git\s+(?:show|diff|log|blame|grep))\b"
)
"""Commands that show what is in a file. Those that write one are known by their edits."""

_Who: TypeAlias = tuple[str, str, str, float | None]
"""A turn: session, turn, agent, time."""

_WORD = re.compile(r"[\w.~/\\-]+")


def names(path: str, text: str) -> bool:
    """Whether `text` names the file: by its path, a longer one that ends in it, or the last parts
    of it."""
    base = path.rpartition("/")[2]
    if base not in text:
        return False
    for word in _WORD.findall(text):
        said = word.replace("\\", "/").rstrip(".").removeprefix("./")
        if said.endswith(base) and (
            f"/{said}".endswith(f"/{path}") or f"/{path}".endswith(f"/{said}")
        ):
            return True
    return False


def around(
    catalog: Catalog, link: Link, edit: EditRecord | None, turns: Sequence[Turn], until: float
) -> tuple[Context, ...]:
    """The context of a link, oldest first: of the `turns` before its own, newest first, those that
    read or named the file, and what its session tried there up to `until` (seconds since the epoch)
    and took back."""
    path = edit.path if edit else link.path
    if path is None:
        return ()
    edits = catalog.edits_of_session_at(link.session_id, sorted({path, link.path or path}))
    writing = {row.turn_uuid for row in edits}
    earlier = [turn for turn in turns if turn.turn_uuid != link.turn_uuid]
    found = [
        *list(_reads(earlier, path, writing))[:READS],
        *list(_words(earlier, path))[:WORDS],
        *list(_tried(catalog, link, edits, until))[:TRIED],
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
        found += list(_reads(turns, path, {row.turn_uuid for row in edits}))[:READS]
    return tuple(sorted(found, key=lambda item: item.ts or 0.0))


def _reads(turns: Iterable[Turn], path: str, writing: Collection[str]) -> Iterator[Context]:
    """The turns with a call that reads the file."""
    for turn in turns:
        if turn.turn_uuid in writing:
            continue
        for block in turn.blocks:
            if block.type == "tool_use" and _reads_it(block, path):
                yield _context("read", _by(turn), f"{block.tool or 'tool'} {_call(block)}")
                break


def _reads_it(block: Block, path: str) -> bool:
    if not names(path, block.text):
        return False
    return block.tool not in SHELLS or re.search(READING, _call(block)) is not None


def _call(block: Block) -> str:
    """A shell's command, or another tool's arguments, as they were given."""
    try:
        arguments = json.loads(block.text)
    except ValueError:
        return block.text
    command = (
        arguments.get("command") or arguments.get("cmd") if isinstance(arguments, dict) else None
    )
    if isinstance(command, list):
        command = " ".join(str(part) for part in command)
    return str(command or block.text)


def _words(turns: Iterable[Turn], path: str) -> Iterator[Context]:
    """The messages that name the file, people's and the agent's."""
    for turn in turns:
        for block in turn.blocks:
            if block.type == "text" and block.scaffold is None and turn.role != "tool":
                part = next((row for row in block.text.split("\n") if names(path, row)), None)
                if part is not None:
                    yield _context("discussed", _by(turn), part.strip())
                    break


def _tried(
    catalog: Catalog, link: Link, edits: Sequence[EditRow], until: float
) -> Iterator[Context]:
    """The edits of the session that no commit shows, newest first."""
    others = [e for e in edits if e.edit_id != link.edit_id and e.ts is not None and e.ts <= until]
    others = [edit for edit in others if edit.packed_added and not edit.retracted]
    if not others:
        return
    shown = {claim[0] for claim in catalog.claims_of([edit.id for edit in others])}
    for edit in reversed([edit for edit in others if edit.id not in shown]):
        later = {k.exact for e in edits if (e.ts or 0.0) > (edit.ts or 0.0) for k in e.removed}
        undone = all(key.exact in later for key in edit.added)
        if not undone and not link.commit.strip("0"):
            continue  # it may still stand in the working tree
        record = catalog.edit(edit.edit_id)
        turn = (edit.session_id, edit.turn_uuid, edit.harness, edit.ts)
        yield _context("rejected", turn, record.diff if record else "", undone=undone)


def _by(turn: Turn) -> _Who:
    return (turn.session_id, turn.turn_uuid, turn.harness, turn.ts)


def _context(
    kind: Literal["read", "discussed", "rejected"], turn: _Who, text: str, *, undone: bool = False
) -> Context:
    from funes_git.told import Context  # most answers have none

    return Context(kind, *turn, text, "session" if undone else None)
