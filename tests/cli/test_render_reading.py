"""`recall` and `get` for people and for agents."""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import replace

import pytest
from inline_snapshot import snapshot
from samples import HIT, NOON, SESSION, TURN, VIEWS

from funes_git.model import Passage, Session
from funes_git.render import agent, calls, excerpt, hits, reading, turns
from funes_git.render.page import Page
from funes_git.render.style import Style
from funes_git.store.records import SessionRow


def test_hits_show_prompt_passage_session_and_commit() -> None:
    hits = [HIT, replace(HIT, block_type="tool_use", tool="Bash", prompt=None, commits=())]
    assert "\n".join(reading.recall(Page(80), "used entry", hits)) == snapshot("""\
1. Claude Code 7d1f0c2a 2025-11-03 13:02, thinking, score 0.83, on bounded
   commit 3f2a1b9
   asked: The cache grows without bound in the nightly job.
   │ An OrderedDict keeps insertion order, so the least recently used entry goes
   │ first.
   git funes get 7d1f0c2a 0b3e5d11

2. Claude Code 7d1f0c2a 2025-11-03 13:02, a call of Bash, score 0.83, on bounded
   │ An OrderedDict keeps insertion order, so the least recently used entry goes
   │ first.
   git funes get 7d1f0c2a 0b3e5d11\
""")


def test_words_of_the_query_stand_out() -> None:
    text = "\n".join(reading.recall(Page(80, Style(True)), "order entries", [HIT]))
    assert "\x1b[1;35morder\x1b[0m" in text
    assert "\x1b[1;35mentry" not in text


def test_a_long_passage_is_shown_from_where_the_words_are() -> None:
    hit = replace(HIT, text="filler words\n" * 200 + "the needle is here\n" + "tail\n" * 300)
    text = "\n".join(reading.recall(Page(80), "needle", [hit]))
    assert "the needle is here" in text
    assert len(text) < 1500


def test_a_passage_that_begins_within_a_text_begins_at_a_word() -> None:
    cut = replace(HIT, text="okup table has an index. It is small.", cut=True, prompt=None)
    cut = replace(cut, also=(Passage("t2", "text", "der of the rows", cut=True),))
    for rows in (
        "\n".join(reading.recall(Page(80), "index", [cut])),
        "\n".join(agent.recall("index", [cut])),
    ):
        assert " … table has an index. It is small." in rows
        assert " … of the rows" in rows
        assert "okup" not in rows
    long = "unbroken sentence without an end " * 40 + "with a needle in it"
    shown = excerpt.excerpt(long, 200, excerpt.finder("needle"))
    assert shown.startswith("… ")
    assert shown[2:].split()[0] in long.split()
    assert "needle" in shown


def test_no_hit_says_so() -> None:
    assert list(reading.recall(Page(80), "x\x1b[2J", [])) == ["nothing found for “x␛[2J”"]


ANSWERED = replace(
    HIT,
    also=(Passage("t2", "text", "A TTL does not help here."),),
    closing="The cache holds 128 entries now.",
    twins=2,
    before=(VIEWS[0],),
    after=(VIEWS[1],),
)


def test_an_exchange_for_people() -> None:
    assert "\n".join(reading.recall(Page(80), "used entry", [ANSWERED])) == snapshot("""\
1. Claude Code 7d1f0c2a 2025-11-03 13:02, thinking, score 0.83, 2 more turns th…
   commit 3f2a1b9
   asked: The cache grows without bound in the nightly job.
   before, user:
   │ The cache grows without bound.
   │ An OrderedDict keeps insertion order, so the least recently used entry goes
   │ first.
   also:
   │ A TTL does not help here.
   after, Claude Code:
   │ OrderedDict it is.
   in the end: The cache holds 128 entries now.
   git funes get 7d1f0c2a 0b3e5d11\
""")


def test_hits_for_agents_end_with_get() -> None:
    assert "\n".join(agent.recall("used entry", [HIT])) == snapshot("""\
recall used entry · 1 hit · -n N shows more, get the whole turn

[1] claude_code · 2025-11-03T13:02Z · assistant thinking · score 0.83 · branch bounded · commits 3f2a1b900000
prompt:
> The cache grows without bound in the nightly job.
thinking:
> An OrderedDict keeps insertion order, so the least recently used entry goes first.
get 7d1f0c2a 0b3e5d11\
""")


def test_an_exchange_for_agents() -> None:
    assert "\n".join(agent.recall("used entry", [ANSWERED])) == snapshot("""\
recall used entry · 1 hit · -n N shows more, get the whole turn

[1] claude_code · 2025-11-03T13:02Z · assistant thinking · score 0.83 · branch bounded · 2 more turns the same · commits 3f2a1b900000
prompt:
> The cache grows without bound in the nightly job.
before, user:
> The cache grows without bound.
thinking:
> An OrderedDict keeps insertion order, so the least recently used entry goes first.
also, text:
> A TTL does not help here.
after, assistant:
> OrderedDict it is.
closing:
> The cache holds 128 entries now.
get 7d1f0c2a 0b3e5d11\
""")


def test_prompt_and_closing_words_of_an_exchange_are_said_once() -> None:
    first = replace(ANSWERED, exchange="t0")
    later = replace(first, text="A lock guards it.", before=(), after=(), also=())
    other = replace(later, exchange="t9")  # of the same words: "yes", "go on"
    text = "\n".join(agent.recall("entry", [first, other, later]))
    assert text.count("prompt:") == text.count("closing:") == 2
    assert text.split("\n\n")[3].startswith("[3] ")
    assert " · same exchange as [1] · " in text.split("\n\n")[3]
    people = "\n".join(reading.recall(Page(80), "entry", [first, other, later]))
    assert people.count("asked:") == people.count("in the end:") == 2
    assert "same exchange as 1" in people.split("\n\n")[2]


def test_where_nothing_is_relevant_the_nearest_are_shown() -> None:
    rows = list(agent.recall("used entry", [HIT] * 8, relevant=False))
    assert rows[0] == "recall used entry · nothing relevant; the nearest 2, by score:"
    assert len([row for row in rows if row.startswith("get ")]) == 2
    rows = list(reading.recall(Page(80), "used entry", [HIT] * 8, relevant=False))
    assert rows[0] == "nothing relevant found for “used entry”; the nearest:"
    assert len([row for row in rows if "git funes get" in row]) == 2


def test_a_reply_for_agents_is_held_to_its_budget() -> None:
    long = "word " * 2000
    hit = replace(HIT, text=long, prompt=long, closing=long, also=(Passage("t2", "text", long),))
    for count in (1, 3, 8, 30):
        rows = list(agent.recall("needle", [hit] * count))
        said = sum(len(row) for row in rows if row.startswith(">"))
        assert hits.REPLY // 2 < said < hits.REPLY + count * 250
        assert len([row for row in rows if row.startswith("get ")]) == count


def test_the_first_hits_have_the_most_room() -> None:
    long = "word " * 2000
    rows = "\n".join(agent.recall("needle", [replace(HIT, text=long)] * 8)).split("\n\n")
    assert len(rows[1]) > len(rows[2]) > len(rows[4]) >= len(rows[8])


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        ("short", "x", "short"),
        ("One. " * 40 + "The needle is here. " + "Two. " * 40, "needles", "The needle is here."),
        ("a\n" * 90 + "first needle\n" + "b\n" * 90 + "needle and thread\n" + "c\n" * 90,
         "needle thread", "needle and thread"),
        ("x" * 300 + " needle " + "y" * 300, "needle", "needle"),
        ("z. " * 200, "needle", "z. z."),
        ("z. " * 200, "the of", "z. z."),
    ],
)  # fmt: skip
def test_an_excerpt_is_the_part_about_the_question(text: str, words: str, shown: str) -> None:
    found = excerpt.excerpt(text, 100, excerpt.finder(words))
    assert shown in found
    assert len(found) <= 105


def test_whole_turns_with_their_edits() -> None:
    assert "\n".join(turns.turns(Page(80), TURN, VIEWS)) == snapshot("""\
user 55aa0c10 2025-11-03 13:00
  │ The cache grows without bound.

▶ Claude Code 0b3e5d11 2025-11-03 13:02, on bounded, claude-sonnet-4-5, taken b…
  in 3f2a1b9
  thinking
  │ OrderedDict it is.
  calls Edit
  │ file_path: src/cache.py
  modify src/cache.py
    - a
    + b
  result of Edit, failed, exit 1
  │ get away␛[2J\
""")


def test_whole_turns_for_agents() -> None:
    text = "\n".join(agent.turns(VIEWS))
    assert text == snapshot("""\

user · claude_code · 2025-11-03T13:00Z
text:
> The cache grows without bound.
get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 55aa0c10-1111-4f3c-8a77-1f2e3d4c5b6a

assistant · claude_code · 2025-11-03T13:02Z · commits 3f2a1b900000 · taken back
thinking:
> OrderedDict it is.
tool_use Edit:
> {"file_path":"src/cache.py","new_string":"a\\nb"}
tool_result Edit:
> get away␛[2J
get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a\
""")
    assert text.endswith(f"get {SESSION} {TURN}")


def test_nothing_of_a_turn_is_left_out() -> None:
    long = "\n".join(f"line {n}" for n in range(5000))
    view = replace(
        VIEWS[0], turn=replace(VIEWS[0].turn, blocks=(replace(VIEWS[0].turn.blocks[0], text=long),))
    )
    assert "│ line 4999" in "\n".join(turns.turns(Page(80), "", [view]))
    assert "> line 4999" in "\n".join(agent.turns([view]))


def test_a_call_that_was_found_is_no_json() -> None:
    text = (
        '[tool_use Write] {"file_path":"a.py","content":"\\"\\"\\"Ask.\\"\\"\\"\\nimport os","n":3}'
    )
    hit = replace(HIT, block_type="tool_use", tool="Write", text=text)
    shown = "\n".join(reading.recall(Page(80), "ask", [hit]))
    assert '   │ file_path: a.py\n   │ content: """Ask."""\n   │ import os\n   │ n: 3\n' in shown
    assert (
        calls.spread_part('x = \\"a\\"\\ny","replace_all":false}')
        == 'x = "a"\ny\nreplace_all: false'
    )


def test_text_is_shown_as_it_is() -> None:
    text = "a\n\n\n\nb"
    blocks = (replace(VIEWS[0].turn.blocks[0], text=text),)
    view = replace(VIEWS[0], turn=replace(VIEWS[0].turn, blocks=blocks))
    assert "  │ a\n  │\n  │\n  │\n  │ b" in "\n".join(turns.turns(Page(80), "", [view]))


def test_an_edit_that_no_call_here_made_comes_last() -> None:
    edit = replace(VIEWS[1].edits[0], tool_use_id="elsewhere")
    text = "\n".join(turns.turns(Page(80), "", [replace(VIEWS[1], edits=(edit,))]))
    assert "  │   a\n  │   b\n" in text
    assert text.endswith("  modify src/cache.py\n    - a\n    + b")


def test_a_patch_is_not_shown_beside_its_diff() -> None:
    patch = "*** Begin Patch\n*** End Patch"
    assert calls.spread(patch) == patch
    assert calls.spread(patch, shown_below=True) == ""
    assert calls.spread('{"cmd":"ls"}', shown_below=True) == "cmd: ls"


def test_a_session_lists_its_prompts() -> None:
    row = SessionRow(Session(SESSION, "claude_code", "Bound it"), NOON, NOON, 2, 1, None)
    assert "\n".join(turns.session(Page(60), row, VIEWS[:1])) == snapshot("""\
Claude Code 7d1f0c2a 2025-11-03 13:00, 2 turns
“Bound it”

55aa0c10 2025-11-03 13:00 The cache grows without bound.

a whole turn: git funes get 7d1f0c2a 55aa0c10 --window 3\
""")
    assert "\n".join(agent.prompts(VIEWS[:1])) == snapshot("""\

user · claude_code · 2025-11-03T13:00Z
> The cache grows without bound.
get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 55aa0c10-1111-4f3c-8a77-1f2e3d4c5b6a\
""")
