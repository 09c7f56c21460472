"""`why --chain` for people, for agents and as JSON."""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import replace

from inline_snapshot import snapshot
from samples import ANSWER, COMMIT, HUMAN_COMMIT, LINK, WHY

from funes_git.render import agent, json
from funes_git.render.page import Page
from funes_git.render.why import why
from funes_git.told import Stage

OLD = "            self._entries.popitem(last=False)"
NEW = "            self._entries.popitem(False)"
DRAFT = replace(ANSWER, link=replace(LINK, content="span", proof="none", level="lines"))
CHAIN = (
    Stage(HUMAN_COMMIT, "src/cache.py", "wrote", "human", "git", (NEW,), (OLD,)),
    Stage(COMMIT, "src/cache.py", "wrote", "agent", "git", (OLD,), answer=ANSWER),
    Stage(COMMIT, "src/cache.py", "wrote", "agent", "edit", ("\x1b[2Jpass",), answer=DRAFT),
    Stage(COMMIT, "src/cache.py", "formatted", "human", "git", ("a",), ("b",)),
    Stage(COMMIT, "src/cache.py", "wrote", "unknown", "git", ("a",) * 11, reason="no-session"),
    Stage(None, "src/cache.py", "wrote", "uncommitted", "git", ("a",)),
)
FOUND = replace(WHY, chain=CHAIN, more=2)


def test_a_chain_for_people() -> None:
    assert "\n".join(why(Page(80), FOUND)) == snapshot("""\
src/cache.py, line 88: 8 stages, newest first

9c0ffee 2025-11-04 14:00 Tidy up (Ada)
  changed by a person, on top of Claude Code 7d1f0c2a
    -             self._entries.popitem(last=False)
    +             self._entries.popitem(False)

3f2a1b9 2025-11-03 13:05 Bound the cache (Ada)
  written by Claude Code 7d1f0c2a, 2025-11-03 13:02, exact
  │ The cache grows without bound in the nightly job. Please make it evict the
  │ oldest entries, and keep the public interface as it is.
    +             self._entries.popitem(last=False)
  git funes get 7d1f0c2a 0b3e5d11 --window 3

before 3f2a1b9 2025-11-03 13:05 Bound the cache (Ada)
  written by Claude Code 7d1f0c2a, 2025-11-03 13:02, lines
  never committed: what is above it replaced this before the commit was made
  │ The cache grows without bound in the nightly job. Please make it evict the
  │ oldest entries, and keep the public interface as it is.
    + ␛[2Jpass
  git funes get 7d1f0c2a 0b3e5d11 --window 3

3f2a1b9 2025-11-03 13:05 Bound the cache (Ada)
  only formatted: this commit is listed to be looked through
    - b
    + a

3f2a1b9 2025-11-03 13:05 Bound the cache (Ada)
  written, and it is not known by whom: no indexed session covers this time
    + a
    + a
    + a
    + a
    + a
    + a
    + a
    + a
    ⋯ 3 more lines

not committed yet
  written by a person, or a session that is not indexed
    + a

2 more stages: git funes why --chain src/cache.py:88 -n 8\
""")


def test_a_chain_for_agents() -> None:
    text = "\n".join(agent.why(FOUND))
    assert text == snapshot("""\
why --chain src/cache.py:88 · 8 stages, newest first

[1] commit 9c0ffee 2025-11-04T14:00Z Tidy up
src/cache.py · changed by a person, on top of Claude Code 7d1f0c2a
lines:
> -            self._entries.popitem(last=False)
> +            self._entries.popitem(False)

[2] commit 3f2a1b9 2025-11-03T13:05Z Bound the cache
src/cache.py · written by Claude Code 7d1f0c2a, 2025-11-03T13:02Z, exact
prompt:
> The cache grows without bound in the nightly job. Please make it evict the oldest entries, and keep the public interface as it is.
lines:
> +            self._entries.popitem(last=False)
get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a

[3] before commit 3f2a1b9 2025-11-03T13:05Z Bound the cache
src/cache.py · written by Claude Code 7d1f0c2a, 2025-11-03T13:02Z, lines · never committed: what is above it replaced this before the commit was made
prompt:
> The cache grows without bound in the nightly job. Please make it evict the oldest entries, and keep the public interface as it is.
lines:
> +␛[2Jpass
get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a

[4] commit 3f2a1b9 2025-11-03T13:05Z Bound the cache
src/cache.py · only formatted: this commit is listed to be looked through
lines:
> -b
> +a

[5] commit 3f2a1b9 2025-11-03T13:05Z Bound the cache
src/cache.py · written, and it is not known by whom: no indexed session covers this time
lines:
> +a
> +a
> +a
> +a
> +a
> +a
> +a
> +a
(3 more lines)

[6] not committed yet
src/cache.py · written by a person, or a session that is not indexed
lines:
> +a

more: why --chain src/cache.py:88 -n 8\
""")
    assert "\x1b" not in text


def test_a_chain_as_json() -> None:
    stages = json.why(FOUND)["chain"]
    assert [stage["via"] for stage in stages] == ["git", "git", "edit", "git", "git", "git"]
    assert stages[0]["answer"] is None
    assert (stages[0]["added"], stages[0]["removed"]) == ([NEW], [OLD])
    assert stages[1]["answer"]["session_id"] == LINK.session_id
    assert json.why(WHY)["chain"] == []
