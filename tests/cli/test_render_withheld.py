"""What may not leave, as `review` tells it."""

from __future__ import annotations

from uuid import UUID

from funes_git.publish.part import Withheld
from funes_git.render import withheld
from funes_git.render.page import Page
from funes_git.render.style import Style

SESSION = str(UUID(int=7))
TURNS = [str(UUID(int=n << 96)) for n in range(1, 24)]
FOUND = [
    *(Withheld(SESSION, turn, "tool_result", ("generic-api-key",)) for turn in TURNS),
    Withheld(SESSION, "", "title", ("private-key", "x\x1b[2J")),
]


def test_for_agents_each_kind_is_one_line_with_its_count_and_the_first_turns() -> None:
    assert list(withheld.for_agents(FOUND)) == [
        "  withheld: 23 tool_result generic-api-key turns: 00000001, 00000002, 00000003, 20 more",
        "  withheld: 1 title private-key,x␛[2J turns: -",
    ]


def test_for_people_each_kind_is_one_paragraph() -> None:
    told = "\n".join(withheld.told(Page(400, Style(False)), FOUND))
    assert told.count("withheld: ") == 2
    assert "tool result (generic-api-key), turns 00000001, 00000002, " in told
    assert "0000000c and 11 more" in told
