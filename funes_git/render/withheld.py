"""What of a session may not leave: by its place and the rules that say so, never what it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from funes_git.render import words
from funes_git.render.clean import line
from funes_git.render.json import Object
from funes_git.render.page import Page, prose

if TYPE_CHECKING:
    from funes_git.publish.part import Withheld

SHOWN: Final = 12
"""Turns of a session that are listed for one kind of finding."""
NAMED: Final = 3
"""The same where agents read."""


def told(page: Page, withheld: Iterable[Withheld]) -> Iterator[str]:
    """One paragraph for each kind of finding."""
    for (what, rules), turns in _by_kind(withheld, "title").items():
        kind = f"{what.replace('_', ' ')} ({', '.join(rules)})"
        word = "turn" if len(turns) == 1 else "turns"
        places = words.listed([*turns[:SHOWN], *_more(turns, SHOWN)])
        yield from prose(page, f"withheld: {kind}, {word} {places}", hanging="    ")


def for_agents(withheld: Iterable[Withheld]) -> Iterator[str]:
    """One line for each kind of finding: how many, what, the rules, the first turns."""
    for (what, rules), turns in _by_kind(withheld, "-").items():
        places = ", ".join([*turns[:NAMED], *_more(turns, NAMED)])
        yield f"  withheld: {len(turns)} {what} {','.join(rules)} turns: {places}"


def as_json(withheld: Iterable[Withheld]) -> list[Object]:
    """Each finding, with its turn's full id."""
    return [
        {"turn": found.turn_uuid, "what": found.what, "rules": list(found.rules)}
        for found in withheld
    ]


def _by_kind(
    withheld: Iterable[Withheld], unturned: str
) -> dict[tuple[str, tuple[str, ...]], list[str]]:
    """What a finding is and the rules → its turns; `unturned` is what is in none."""
    places: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for each in withheld:
        where = words.short_turn(each.session_id, each.turn_uuid) or unturned
        places.setdefault((line(each.what), tuple(map(line, each.rules))), []).append(where)
    return places


def _more(turns: list[str], shown: int) -> list[str]:
    return [f"{len(turns) - shown:,} more"] if len(turns) > shown else []
