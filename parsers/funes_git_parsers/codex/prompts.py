"""Which user messages of a Codex session a person typed.

Codex writes a prompt twice: as a `response_item`, beside messages that it injected itself, and as
an event that names prompts only. The two are brought together here, in either order; where a
session has no such events, what is not scaffolding counts. Knows no tools, edits and cursors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from funes_git_parsers.base import Block, Turn
from funes_git_parsers.codex.items import scaffold
from funes_git_parsers.codex.state import State
from funes_git_parsers.codex.turns import draft
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.scaffold import AGENTS, ENVIRONMENT

_RECENT = 8
_INJECTED = (AGENTS, ENVIRONMENT)


@dataclass(slots=True)
class _Held:
    """A user message whose other half may follow: the turn, or only the event's text."""

    turn: Turn | None
    text: str
    seq: int
    ts: float | None = None
    named: bool = False

    def says(self, text: str) -> bool:
        """Whether it is a message with that text."""
        return self.turn is not None and any(_is_same(text, one) for one in _told(self.turn))


class Prompts:
    """Holds user messages back until the next thing that is not one."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.held: list[_Held] = []

    def message(self, turn: Turn) -> None:
        """A user message of the conversation; its id is given already."""
        new = _Held(turn, "", turn.seq)
        for held in self.held:
            if held.turn is None and new.says(held.text):
                held.turn = turn
                return
        self.held.append(new)

    def event(self, text: str, ts: float | None) -> None:
        """An event says that a person typed `text`."""
        if not text.strip() or scaffold(text, "user") in _INJECTED:
            return
        state = self._state
        state.told = True
        open_turns = [held for held in self.held if held.turn and not held.named]
        for held in open_turns:
            if held.says(text):
                held.named = True
                return
        if _digest(text) in state.recent:
            return
        written = [held for held in open_turns if held.turn and not _is_scaffold(held.turn)]
        if len(written) == 1:
            written[0].named = True
            return
        self.held.append(_Held(None, text, state.seq, ts, named=True))

    def release(self, *, more: bool = False) -> Iterator[Turn]:
        """What was held, judged, in the order of the file. With `more` to come it will be judged
        again, and an event still waits for its message: its turn has no id yet."""
        held, self.held = self.held, []
        state = self._state
        for one in held:
            if more and one.turn is None:
                continue
            prompt = one.named or not (state.told or (one.turn and _is_scaffold(one.turn)))
            extras = state.extras
            turn = one.turn or self._of_event(one)
            if prompt:
                state.open_exchange(one.seq, extras)
                state.exchange = None if state.sub_agent else turn.turn_uuid
            if one.turn and not one.named and not _is_injected(one.turn):
                digests = dict.fromkeys(map(_digest, _told(one.turn)))
                state.recent = (*state.recent, *digests)[-_RECENT:]
            yield replace(
                turn,
                parent_uuid=state.last,
                exchange=state.exchange,
                is_prompt=prompt and not state.sub_agent,
            )
            state.last = turn.turn_uuid

    def _of_event(self, held: _Held) -> Turn:
        """A turn for a prompt that only an event has."""
        blocks = (Block("text", held.text),)
        return draft(self._state, held.ts, "user", blocks, counted=False, before=held.seq)


def _is_scaffold(turn: Turn) -> bool:
    return bool(turn.blocks) and all(block.scaffold for block in turn.blocks)


def _is_injected(turn: Turn) -> bool:
    """Whether it is what no event names: instructions, which may be long, or the environment."""
    return all(block.scaffold in _INJECTED for block in turn.blocks)


def _told(turn: Turn) -> list[str]:
    """The texts of a message: each, and all together."""
    texts = [block.text for block in turn.blocks]
    return [*texts, "\n".join(texts)] if len(texts) > 1 else texts


def _is_same(text: str, other: str) -> bool:
    """Whether the words are the same: two copies may differ in white space at the ends."""
    if text == other:
        return True
    # quick: most begin with another word, and a text may be long
    begin, other_begin = text.lstrip()[:40].split(), other.lstrip()[:40].split()
    return begin[:1] == other_begin[:1] and text.split() == other.split()


def _digest(text: str) -> str:
    """Of the words alone, as `_is_same` compares them."""
    words = " ".join(text.split())
    return hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=8).hexdigest()
