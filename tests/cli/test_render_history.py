"""`blame` and `log` for people and for agents."""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import replace

from inline_snapshot import snapshot
from samples import BLAMED, LINK, LOGGED

from funes_git.model import Step
from funes_git.render import agent, history, json
from funes_git.render.page import Page
from funes_git.render.width import columns


def test_blame_shows_agents_people_and_the_unknown_in_columns() -> None:
    assert "\n".join(history.blame(Page(100), BLAMED)) == snapshot("""\
3f2a1b9 (Claude Code 7d1f0c2a exact 2025-11-03 87)         if len(self._entries) > self.limit:
3f2a1b9 (Claude Code 7d1f0c2a exact 2025-11-03 88)             self._entries.popitem(last=False)
9c0ffee (Ada, human                 2025-11-04 89)         return value  # tidy
9c0ffee (unknown                    2025-11-04 90)
------- (not committed                         91)         # to do\
""")


def test_blame_for_agents_names_each_run_of_lines() -> None:
    assert "\n".join(agent.blame("src/cache.py", BLAMED)) == snapshot("""\
blame src/cache.py

lines 87-88 · claude_code · exact · 3f2a1b9
>         if len(self._entries) > self.limit:
>             self._entries.popitem(last=False)
get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a

line 89 · human · 9c0ffee
>         return value  # tidy

line 90 · unknown · 9c0ffee
>

line 91 · unknown · uncommitted
>         # to do\
""")


def test_blame_of_an_empty_file_is_empty() -> None:
    assert list(history.blame(Page(80), [])) == []


def test_log_shows_turns_beneath_commits() -> None:
    assert "\n".join(r for e in LOGGED for r in history.log(Page(100), e)) == snapshot("""\
9c0ffee Tidy up
    no indexed session covers this time
3f2a1b9 Bound the cache
    Claude Code 7d1f0c2a 0b3e5d11  exact, wrote src/cache.py, tests/test_cache.py
    Claude Code 7d1f0c2a 55aa0c10  lines, removed src/lru.py\
""")


def test_log_for_agents_names_every_turn_in_full() -> None:
    assert "\n".join(r for e in LOGGED for r in agent.log(e)) == snapshot("""\

commit 9c0ffee 2025-11-04T14:00Z Tidy up
no indexed session covers this time

commit 3f2a1b9 2025-11-03T13:05Z Bound the cache
exact wrote src/cache.py:86-88 · claude_code · get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a
exact wrote tests/test_cache.py:1-9 · claude_code · get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a
lines removed src/lru.py:86-88 · claude_code · get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 55aa0c10-1111-4f3c-8a77-1f2e3d4c5b6a\
""")


def test_a_level_that_says_what_the_turn_did_is_said_once() -> None:
    ran = replace(LINK, relation="ran", content="none", level="ran", lines=())
    entry = replace(LOGGED[1], links=(ran,))
    (row,) = list(history.log(Page(100), entry))[1:]
    assert row.endswith("  ran src/cache.py")
    assert list(agent.log(entry))[-1].startswith("ran src/cache.py · claude_code · get ")
    made = replace(ran, relation="committed", path=None)
    (row,) = list(history.log(Page(100), replace(entry, links=(ran, made))))[1:]
    assert row.endswith("  ran and committed src/cache.py")


def test_log_bounds_what_it_lists_beneath_a_commit() -> None:
    links = tuple(replace(LINK, turn_uuid=f"turn-{n}") for n in range(9))
    rows = list(history.log(Page(80), replace(LOGGED[1], links=links)))
    assert rows[-1] == "    and 5 more turns"


def test_hostile_names_stay_in_their_columns() -> None:
    evil = "x\x1b[2J\ny" * 20
    row = replace(BLAMED[2], text=evil, commit=replace(BLAMED[2].commit, author=evil))
    [text] = history.blame(Page(80), [row])
    assert "\x1b" not in text
    assert "\n" not in text
    entry = replace(LOGGED[1], links=(replace(LINK, path=evil),))
    for text in history.log(Page(80), entry):
        assert not set("\x1b\n") & set(text)
        assert columns(text) <= 80


def test_log_gathers_what_follows_from_one_prompt() -> None:
    link = LOGGED[1].links[0]
    links = (link, replace(link, turn_uuid="f" * 8, path="src/other.py"))
    prompts = {(k.session_id, k.turn_uuid): "Bound the cache\nby size" for k in links}
    rows = list(history.log(Page(80), replace(LOGGED[1], links=links, prompts=prompts)))
    assert len(rows) == 3
    assert "src/other.py" in rows[1]
    assert rows[2] == "      “Bound the cache by size”"


def test_log_says_of_which_commits_a_commit_was_made() -> None:
    olds = [Step(f"{n}" * 40, LINK.commit, "squash", "content") for n in "ab"]
    older = Step("c" * 40, "a" * 40, "amend", "reflog")
    entry = replace(LOGGED[1], links=(replace(LINK, chain=(*olds, older)),))
    came = "squashed from aaaaaaa and bbbbbbb"
    (row,) = list(history.log(Page(120), entry))[1:]
    assert row.endswith(f"src/cache.py, {came}")
    assert f" · {came} · get " in list(agent.log(entry))[-1]
    assert [step["how"] for step in json.log(entry)["links"][0]["chain"]] == [
        "squash",
        "squash",
        "amend",
    ]


def test_a_long_path_keeps_the_name_of_its_file() -> None:
    path = "apps/desktop/src-tauri/src/crypto/migrations/ipns_private_keys.rs"
    entry = replace(LOGGED[1], links=(replace(LINK, path=path),))
    rows = list(history.log(Page(80), entry))
    assert "wrote …/ipns_private_keys.rs" in rows[1]
    assert max(map(columns, rows)) <= 80
    assert path in list(history.log(Page(130), entry))[1]
