"""`why COMMIT` for people, for agents and as JSON."""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import replace

from inline_snapshot import snapshot
from samples import ANSWER, COMMIT, HUMAN_COMMIT, LINK, WHY

from funes_git.model import Step
from funes_git.render import agent, json, shares
from funes_git.render.page import Page
from funes_git.render.why import why
from funes_git.told import FileShare, Part, Shares

RAN = replace(LINK, relation="ran", content="none", level="ran", lines=())
STEP = Step("d4e5f6a" + "0" * 33, COMMIT.sha, "rebase", "hook")
FILES = (
    FileShare(
        "src/cache.py",
        "modified",
        10,
        2,
        (Part(7, "agent", LINK), Part(2, "human"), Part(1, "unknown", reason="no-session")),
    ),
    FileShare("picture.png", "added", 0, 0, (Part(0, "agent", RAN),)),
    FileShare("evil\x1b[2J\n.py", "deleted", 0, 3, ()),
)
SHARES = Shares(COMMIT, FILES, LINK, (STEP,))
FOUND = replace(WHY, target="3f2a1b9", path=None, lines=None, answers=(), shares=SHARES)


def test_the_shares_of_a_commit_for_people() -> None:
    assert "\n".join(why(Page(80), FOUND)) == snapshot("""\
3f2a1b9: no turn of an agent found

commit d4e5f6a has become 3f2a1b9 (rebase)
committed by Claude Code 7d1f0c2a: its own git command printed the id
  src/cache.py  +10 -2
      7   70 %  Claude Code 7d1f0c2a 0b3e5d11, exact
      2   20 %  a person
      1   10 %  not known: no indexed session covers this time
  picture.png  +0 -0
                Claude Code 7d1f0c2a 0b3e5d11, ran: a command of it wrote the f…
  evil␛[2J .py  +0 -3\
""")


def test_the_shares_of_a_commit_for_agents() -> None:
    text = "\n".join(agent.why(FOUND))
    assert text == snapshot("""\
why 3f2a1b9 · 0 turns
commit d4e5f6a has become 3f2a1b9 (rebase)
committed by Claude Code 7d1f0c2a: its own git command printed the id
src/cache.py · +10 -2 · 7 lines 70 % Claude Code 7d1f0c2a 0b3e5d11, exact; 2 lines 20 % a person; 1 line 10 % not known: no indexed session covers this time
picture.png · +0 -0 · Claude Code 7d1f0c2a 0b3e5d11, ran: a command of it wrote the file
evil␛[2J .py · +0 -3\
""")
    assert "\x1b" not in text


def test_a_commit_that_no_session_made() -> None:
    nobody = Shares(HUMAN_COMMIT, FILES * 20, None)
    told = list(shares.agent(nobody))
    assert told[0] == "committed by Ada; no session is known to have made it"
    assert told[-1] == "and 30 more files"
    assert list(shares.human(Page(80), nobody))[-1] == "  and 30 more files"


def test_the_shares_of_a_commit_as_json() -> None:
    told = json.why(FOUND)["shares"]
    assert told["made_by"]["session_id"] == LINK.session_id
    assert [step["how"] for step in told["became"]] == ["rebase"]
    assert [part["share"] for part in told["files"][0]["parts"]] == [0.7, 0.2, 0.1]
    assert told["files"][1]["parts"][0]["share"] is None
    assert json.why(WHY)["shares"] is None


def test_an_answer_names_the_commit_that_its_own_was_made_of() -> None:
    answer = replace(ANSWER, link=replace(LINK, chain=(STEP,)))
    found = replace(WHY, answers=(answer,))
    assert "         rebased from d4e5f6a" in list(why(Page(80), found))
    assert any(row.endswith("asked line 88 · rebased from d4e5f6a") for row in agent.why(found))
    (told,) = json.why(found)["answers"]
    assert told["chain"][0]["old"] == STEP.old
