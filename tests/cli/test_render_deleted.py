"""`why --deleted` for people, for agents and as JSON."""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import replace

from inline_snapshot import snapshot
from samples import ANSWER, COMMIT, HUMAN_COMMIT, LINK, WHY

from funes_git.model import Passage
from funes_git.render import agent, json
from funes_git.render.page import Page
from funes_git.render.why import why
from funes_git.told import Stage

GONE = "        self._entries[key] = value"
ANSWERED = replace(
    ANSWER,
    link=replace(LINK, relation="removed", content="span", lines=((86, 86),)),
    asked_rows=((0, 86),),
    passages=(),
)
NEVER = replace(ANSWERED, commit=None, prompt=None)
RAN = replace(ANSWERED, edit_path=None, edit_diff=None, prompt=None)
FOUND = replace(
    WHY,
    target="self._entries[key] = value",
    path=None,
    lines=None,
    deletions=(
        Stage(COMMIT, "src/cache.py", "removed", "agent", "git", (), (GONE,), ANSWERED),
        Stage(None, "src/cache.py", "removed", "agent", "edit", (), (GONE,), NEVER),
        Stage(COMMIT, "src/cache.py", "removed", "agent", "git", (), ("\x1b[2Jx",) * 9, RAN),
        Stage(HUMAN_COMMIT, "src/cache.py", "removed", "human", "git", (), (GONE,)),
        Stage(HUMAN_COMMIT, "a.py", "removed", "unknown", "git", (), (GONE,), reason="no-session"),
        Stage(None, "a.py", "removed", "uncommitted", "git", (), (GONE,)),
    ),
    more=1,
)


def test_deletions_for_people() -> None:
    assert "\n".join(why(Page(80), FOUND)) == snapshot("""\
7 deletions of “self._entries[key] = value”, newest first

commit   3f2a1b9 2025-11-03 13:05 Bound the cache (Ada)
session  Claude Code 7d1f0c2a 2025-11-03 13:02, 3 minutes before the commit

Prompt  2 minutes earlier
  │ The cache grows without bound in the nightly job. Please make it evict the
  │ oldest entries, and keep the public interface as it is.

Edit  src/cache.py
             def put(self, key, value):
  ▶ 86 -         self._entries[key] = value
       +         self._entries[key] = value
       +         self._entries.move_to_end(key)
       +         if len(self._entries) > self.limit:
       +             self._entries.popitem(last=False)
                 return value

Evidence  exact: lines and commit
  The text that it replaced is what this commit replaced, and the session's own
  git command printed this commit's id.
  Its one line is gone (line 86 in that commit).
  around it: git funes get 7d1f0c2a 0b3e5d11 --window 3
────────────────────────────────────────────────────────────────────────────────
In no commit of any branch or tag: a session wrote this, and it is gone again
commit   none shows it
session  Claude Code 7d1f0c2a 2025-11-03 13:02, claude-sonnet-4-5

Prompt  not recorded

Edit  src/cache.py
             def put(self, key, value):
  ▶ 86 -         self._entries[key] = value
       +         self._entries[key] = value
       +         self._entries.move_to_end(key)
       +         if len(self._entries) > self.limit:
       +             self._entries.popitem(last=False)
                 return value

Evidence  exact: lines and commit
  Its edit shows this, and no commit does.
  Its one line is gone (line 86).
  around it: git funes get 7d1f0c2a 0b3e5d11 --window 3
────────────────────────────────────────────────────────────────────────────────
commit   3f2a1b9 2025-11-03 13:05 Bound the cache (Ada)
session  Claude Code 7d1f0c2a 2025-11-03 13:02, 3 minutes before the commit

Prompt  not recorded

  src/cache.py
    - ␛[2Jx
    - ␛[2Jx
    - ␛[2Jx
    - ␛[2Jx
    - ␛[2Jx
    - ␛[2Jx
    - ␛[2Jx
    - ␛[2Jx
    ⋯ 1 more line

Evidence  exact: lines and commit
  The text that it replaced is what this commit replaced, and the session's own
  git command printed this commit's id.
  1 matching line (line 86 in that commit).
  around it: git funes get 7d1f0c2a 0b3e5d11 --window 3
────────────────────────────────────────────────────────────────────────────────
9c0ffee 2025-11-04 14:00 Tidy up (Ada)
  deleted by a person
  src/cache.py
    -         self._entries[key] = value
────────────────────────────────────────────────────────────────────────────────
9c0ffee 2025-11-04 14:00 Tidy up (Ada)
  deleted, and it is not known by whom: no indexed session covers this time
  a.py
    -         self._entries[key] = value
────────────────────────────────────────────────────────────────────────────────
not committed yet
  deleted by a person, or by a session that is not indexed
  a.py
    -         self._entries[key] = value
────────────────────────────────────────────────────────────────────────────────
1 more deletion: git funes why --deleted 'self._entries[key] = value' -n 7\
""")


def test_deletions_for_agents() -> None:
    text = "\n".join(agent.why(FOUND))
    assert text == snapshot("""\
why --deleted self._entries[key] = value · 7 deletions, newest first

[1] commit 3f2a1b9 2025-11-03T13:05Z Bound the cache
claude_code · 2025-11-03T13:02Z · exact · removed · asked line 88
evidence: the text that it replaced is what this commit replaced, and the session's own git command printed this commit's id; its one line is gone (line 86 in that commit)
prompt:
> The cache grows without bound in the nightly job. Please make it evict the oldest entries, and keep the public interface as it is.
edit src/cache.py:
>      def put(self, key, value):
>▶-        self._entries[key] = value
> +        self._entries[key] = value
> +        self._entries.move_to_end(key)
> +        if len(self._entries) > self.limit:
> +            self._entries.popitem(last=False)
>          return value
get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a

[2] in no commit of any branch or tag: a session wrote this, and it is gone again
claude_code · 2025-11-03T13:02Z · exact · removed · asked line 88
evidence: its edit shows this, and no commit does; its one line is gone (line 86)
edit src/cache.py:
>      def put(self, key, value):
>▶-        self._entries[key] = value
> +        self._entries[key] = value
> +        self._entries.move_to_end(key)
> +        if len(self._entries) > self.limit:
> +            self._entries.popitem(last=False)
>          return value
get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a

[3] commit 3f2a1b9 2025-11-03T13:05Z Bound the cache
removed from src/cache.py:
> -␛[2Jx
> -␛[2Jx
> -␛[2Jx
> -␛[2Jx
> -␛[2Jx
> -␛[2Jx
> -␛[2Jx
> -␛[2Jx
(1 more line)
claude_code · 2025-11-03T13:02Z · exact · removed · asked line 88
evidence: the text that it replaced is what this commit replaced, and the session's own git command printed this commit's id; 1 matching line (line 86 in that commit)
get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a

[4] commit 9c0ffee 2025-11-04T14:00Z Tidy up
deleted by a person
removed from src/cache.py:
> -        self._entries[key] = value

[5] commit 9c0ffee 2025-11-04T14:00Z Tidy up
deleted, and it is not known by whom: no indexed session covers this time
removed from a.py:
> -        self._entries[key] = value

[6] not committed yet
deleted by a person, or by a session that is not indexed
removed from a.py:
> -        self._entries[key] = value

more: why --deleted 'self._entries[key] = value' -n 7\
""")
    assert "\x1b" not in text


def test_deletions_as_json() -> None:
    stages = json.why(FOUND)["deletions"]
    assert [stage["kind"] for stage in stages] == [
        "agent",
        "agent",
        "agent",
        "human",
        "unknown",
        "uncommitted",
    ]
    assert stages[0]["removed"] == [GONE]
    assert stages[0]["answer"]["relation"] == "removed"
    assert json.why(WHY)["deletions"] == []


def test_what_the_agent_had_said_is_told_once() -> None:
    said = Passage("0a0a0a0a-0000-4000-8000-000000000001", "text", "Shall I take it out?")
    one = replace(ANSWERED, in_answer_to=said, prompt="Yes")
    stage = replace(FOUND.deletions[0], answer=one)
    found = replace(FOUND, deletions=(stage, stage), more=0)
    lines = replace(WHY, answers=(one, one))
    for told in (found, lines):
        for text in ("\n".join(why(Page(80), told)), "\n".join(agent.why(told))):
            assert (text.count("Shall I take it out?"), text.count("Yes")) == (1, 2)


def test_deleted_lines_are_taken_out() -> None:
    answer = replace(ANSWERED, asked=((17, 18), (20, 20)))
    found = replace(FOUND, deletions=(replace(FOUND.deletions[0], answer=answer),), more=0)
    text = "\n".join(why(Page(80), found))
    assert "took out lines 17–18, 20\n" in text
    assert "wrote    lines" not in text
