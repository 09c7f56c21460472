"""Sessions that stay here whole, since an id in them looks like a secret: which, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from funes_git.render import words
from funes_git.render.clean import line
from funes_git.render.json import Object
from funes_git.render.words import plural

if TYPE_CHECKING:
    from funes_git.publish.part import LeftOut


def told(left_out: Iterable[LeftOut]) -> Iterator[str]:
    """Each session, with the turn and the rule, and how to look at it."""
    for each in left_out:
        session, turn = words.short(each.session), words.short_turn(each.session, each.turn)
        where = f"turn {turn}: " if turn else ""
        yield (
            f"session {session} ({plural(each.turns, 'turn')}) was left out whole:"
            f" an id of it looks like a secret ({where}{line(', '.join(each.rules))})"
        )
        yield f"  to look at it: git funes get {session}{f' {turn}' if turn else ''}"


def for_agents(left_out: Iterable[LeftOut]) -> Iterator[str]:
    """The same, one line each."""
    for each in left_out:
        rules = line(",".join(each.rules))
        yield f"left_out {line(each.session)} turns={each.turns} {line(each.turn) or '-'} {rules}"


def as_json(left_out: Iterable[LeftOut]) -> list[Object]:
    """The same, as objects."""
    return [
        {
            "session": each.session,
            "turn": each.turn,
            "turns": each.turns,
            "rules": list(each.rules),
        }
        for each in left_out
    ]
