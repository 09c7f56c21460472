"""What several turns of one answer share is told with the first of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from funes_git.model import Answer


def said_once(answers: Iterable[Answer]) -> Iterator[Answer]:
    """The answers, each without the agent's words before its prompt if an earlier one has them."""
    seen = set()
    for answer in answers:
        said = answer.in_answer_to
        key = (answer.link.session_id, said.turn_uuid) if said else None
        yield replace(answer, in_answer_to=None) if key in seen and said else answer
        seen.add(key)
