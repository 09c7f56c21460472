"""Whose the lines of a file are, for people, for agents and as JSON."""

from __future__ import annotations

from dataclasses import replace

from inline_snapshot import snapshot
from samples import LINK, WHY

from funes_git.render import agent, json, overview
from funes_git.render.page import Page
from funes_git.render.why import why
from funes_git.told import Overview, Portion

PORTIONS = (
    Portion(1200, "agent", LINK, "Bound the cache \x1b[2J for good", 12),
    Portion(700, "human"),
    Portion(100, "unknown"),
)
FILE = replace(WHY, target="src/cache.py", lines=None, answers=(), more=13)
FOUND = replace(FILE, overview=Overview(2000, PORTIONS))


def test_the_portions_of_a_file_for_people() -> None:
    told = "\n".join(why(Page(80), FOUND))
    assert told[: told.index("a person")] == snapshot("""\
src/cache.py: 13 turns behind it

  1,200   60 %  Claude Code 7d1f0c2a, 12 turns  “Bound the cache ␛[2J for good”
    700   35 %  \
""")
    assert "not known" in told


def test_the_portions_of_a_file_for_agents() -> None:
    told = list(agent.why(FOUND))
    assert told[1:4] == [
        "1,200 lines 60 % · Claude Code 7d1f0c2a, 12 turns",
        "700 lines 35 % · a person",
        "100 lines 5 % · not known",
    ]


def test_the_rest_is_summed_up() -> None:
    many = Overview(70, tuple(Portion(7, "agent", LINK, None, 1) for _ in range(10)))
    assert list(overview.human(Page(80), many))[-1].strip() == "14 lines of 2 others"
    assert list(overview.agent(many))[-1] == "14 lines of 2 others"
    assert len(json.why(replace(FILE, overview=many))["overview"]["portions"]) == 10


def test_the_portions_of_a_file_as_json() -> None:
    told = json.why(FOUND)["overview"]
    assert told["lines"] == 2000
    assert [(p["kind"], p["session_id"]) for p in told["portions"]] == [
        ("agent", LINK.session_id),
        ("human", None),
        ("unknown", None),
    ]
    assert json.why(WHY)["overview"] is None
