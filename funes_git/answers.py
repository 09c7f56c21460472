"""Making an answer of a link: the prompt, the agent's words before the edit, the edit itself."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git.git import BlamedLine
from funes_git.model import Answer, CommitInfo, Link, Passage
from funes_git.spans import ranges
from funes_git.store.catalog import Catalog
from funes_git_parsers.base import Turn

LOOK_BACK = 40
"""Turns before the edit in which the agent's own words are looked for."""

PASSAGES = 4
"""Passages that an answer quotes: the ones nearest to the edit."""


class AnswerMaker:
    """Builds answers from the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def answer(self, commit: CommitInfo, link: Link, asked: Sequence[BlamedLine]) -> Answer:
        """What `link` says of `commit`, for the `asked` lines of a file (none for a commit)."""
        view = self._catalog.turn(link.session_id, link.turn_uuid)
        prompt = self._catalog.prompt_of(link.session_id, link.turn_uuid)
        edit = self._catalog.edit(link.edit_id) if link.edit_id else None
        session = self._catalog.session(link.session_id)
        turn = view.turn if view else None
        lines = sorted(asked, key=lambda line: line.number)
        return Answer(
            commit=commit,
            link=link,
            prompt=_words(prompt) if prompt else None,
            prompt_uuid=prompt.turn_uuid if prompt else None,
            prompt_ts=prompt.ts if prompt else None,
            passages=self._passages(link, turn),
            turn_ts=turn.ts if turn else None,
            edit_path=edit.path if edit else None,
            edit_diff=edit.diff if edit else None,
            asked=ranges([line.number for line in lines]),
            asked_text=tuple(line.text for line in lines),
            title=session.session.title if session else None,
            model=turn.model if turn else None,
            retracted=view.retracted if view else False,
            source_gone=self._source_gone(link.session_id),
        )

    def _passages(self, link: Link, turn: Turn | None) -> tuple[Passage, ...]:
        """The text and thinking nearest before the edit in its exchange, oldest first."""
        turns = [*([turn] if turn else [])]
        turns += self._catalog.before(link.session_id, link.turn_uuid, LOOK_BACK)
        found: list[Passage] = []
        for earlier in turns:
            if earlier.role != "assistant":
                continue
            for block in reversed(earlier.blocks):
                if block.type in ("text", "thinking") and not block.scaffold and block.text.strip():
                    found.append(Passage(earlier.turn_uuid, block.type, block.text))
            if len(found) >= PASSAGES:
                break
        return tuple(reversed(found[:PASSAGES]))

    def _source_gone(self, session_id: str) -> bool:
        source = self._catalog.source_of(session_id)
        return source is not None and not source.exists()


def _words(turn: Turn) -> str:
    """The words of a prompt, without what the harness put beside them."""
    texts = [b.text for b in turn.blocks if b.type == "text" and not b.scaffold]
    return "\n".join(texts).strip()
