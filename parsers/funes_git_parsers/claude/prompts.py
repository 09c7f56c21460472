"""Prompts that a person typed while Claude Code was busy.

They are recorded when they are typed (`queue-operation`), and most a second time when they reach
the agent: as a user record, or as an attachment in the middle of its work. Each is one prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha1
from typing import Any

from funes_git_parsers import scaffold
from funes_git_parsers.base import Block, Item, Retraction, Turn
from funes_git_parsers.claude import records as fields
from funes_git_parsers.claude.files import HARNESS
from funes_git_parsers.claude.state import UNTOLD, Queued, State
from funes_git_parsers.media import elided
from funes_git_parsers.values import seconds

_NOT_TYPED = re.compile(r'\s*(?:/[\w:.-]+(?:\s|$)|\{"task_id":)')


class PromptQueue:
    """The queue in `state`: what is typed, what arrives, and what is still waiting."""

    def __init__(self, state: State) -> None:
        self._state = state

    def operation(self, record: dict[str, Any], session_id: str) -> Iterator[Item]:
        """A `queue-operation` record."""
        operation = record.get("operation")
        if operation == "popAll":  # back into the input line, to be changed
            yield from self._withdrawn()
        text = fields.text_of(fields.content(record))
        is_typed = text.strip() and not _NOT_TYPED.match(text) and not scaffold.kind(text, "user")
        if operation != "enqueue" or not is_typed:
            return
        state = self._state
        last = state.links.get(state.tips.get("", ""), UNTOLD)
        ts = seconds(record.get("timestamp"))
        state.queued.append(Queued(text, session_id, ts, state.seq, last.turn))
        state.trim()

    def _withdrawn(self) -> Iterator[Item]:
        for queued in self._state.queued:
            if queued.uuid and not queued.is_delivered:
                yield Retraction(queued.session_id, queued.uuid)
        self._state.queued = [queued for queued in self._state.queued if queued.is_delivered]

    def arrived(self, text: str) -> Iterator[Item]:
        """A prompt came as a record: if it was queued, the queued one is no prompt of its own."""
        for queued in self._state.queued:
            if queued.text.strip() == text.strip():
                self._state.queued.remove(queued)
                if queued.uuid:
                    yield Retraction(queued.session_id, queued.uuid)
                return

    def delivered(self, turn: Turn, text: str) -> None:
        """A prompt came as an attachment; a user record with the same text may still follow."""
        waiting = Queued(text, turn.session_id, turn.ts, turn.seq, turn.parent_uuid)
        waiting.uuid, waiting.is_delivered = turn.turn_uuid, True
        self._state.queued.append(waiting)
        self._state.trim()

    def answered(self) -> None:
        """The agent went on: what was delivered before has been taken up, and a same text typed
        later is a prompt of its own."""
        if self._state.queued:
            self._state.queued = [q for q in self._state.queued if not q.is_delivered]

    def waiting(self) -> Iterator[Item]:
        """The prompts that did not arrive yet, as turns. They are taken back if they arrive."""
        for queued in self._state.queued:
            if queued.uuid is None:
                queued.uuid = _uuid(queued)
                yield Turn(
                    session_id=queued.session_id,
                    turn_uuid=queued.uuid,
                    seq=queued.seq,
                    ts=queued.ts,
                    role="user",
                    harness=HARNESS,
                    blocks=(Block("text", elided(queued.text)),),
                    parent_uuid=queued.parent,
                    exchange=queued.uuid,
                    is_prompt=True,
                )


def _uuid(queued: Queued) -> str:
    name = f"{queued.session_id}:{queued.ts}:{queued.text}"
    return sha1(name.encode(), usedforsecurity=False).hexdigest()[:32]
