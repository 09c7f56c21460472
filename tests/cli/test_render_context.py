"""What belongs to an answer without being its author, for people, for agents and as JSON."""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import replace

from inline_snapshot import snapshot
from samples import ANSWER, DIFF, NOON, SESSION, TURN, UNKNOWN, WHY

from funes_git.render import agent, json
from funes_git.render.page import Page
from funes_git.render.why import why
from funes_git.told import Context

TURNS = (SESSION, TURN, "claude_code", NOON)
ITEMS = (
    Context("read", *TURNS, 'Read {"file_path":"src/cache.py"}'),
    Context("discussed", *TURNS, "cache.py \x1b[2J grows"),
    Context("rejected", *TURNS, DIFF, "session"),
    Context("rejected", *TURNS, "@@ -1,0 +1,1 @@\n+a", None),
)
ANSWERED = replace(WHY, answers=(replace(ANSWER, context=ITEMS),))
GAP = replace(WHY, answers=(), unexplained=(replace(UNKNOWN, context=ITEMS[:1]),))


def part(rows: list[str], first: str, last: str) -> str:
    """The rows from the one that starts with `first` to before the one that starts with `last`."""
    start = next(n for n, row in enumerate(rows) if row.startswith(first))
    return "\n".join(rows[start : next(n for n, r in enumerate(rows) if r.startswith(last))])


def test_the_context_of_an_answer_for_people() -> None:
    assert part(list(why(Page(80), ANSWERED)), "Context", "Evidence") == snapshot("""\
Context  before the edit; not authors
  read the file, 2025-11-03 13:00, Claude Code 7d1f0c2a 0b3e5d11
    Read {"file_path":"src/cache.py"}
  spoke of it, 2025-11-03 13:00, Claude Code 7d1f0c2a 0b3e5d11
    cache.py ␛[2J grows
  tried, 2025-11-03 13:00, Claude Code 7d1f0c2a 0b3e5d11; the session took it
  back
    -         self._entries[key] = value
    +         self._entries[key] = value
    +         self._entries.move_to_end(key)
    +         if len(self._entries) > self.limit:
    +             self._entries.popitem(last=False)
  tried, 2025-11-03 13:00, Claude Code 7d1f0c2a 0b3e5d11; in no commit: taken
  back by a person, or not committed yet
    + a
""")


def test_what_came_after_the_edit_is_not_said_to_come_before_it() -> None:
    later = replace(ITEMS[2], ts=NOON + 121)
    found = replace(WHY, answers=(replace(ANSWER, context=(*ITEMS[:2], later)),))
    assert "Context  before the commit; not authors" in list(why(Page(80), found))


def test_the_context_of_an_answer_for_agents() -> None:
    assert part(list(agent.why(ANSWERED)), "context", "get ") == snapshot("""\
context, not author: read the file · 2025-11-03T13:00Z · get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a
> Read {"file_path":"src/cache.py"}
context, not author: spoke of it · 2025-11-03T13:00Z · get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a
> cache.py ␛[2J grows
context, not author: tried · 2025-11-03T13:00Z · the session took it back · get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a
> -        self._entries[key] = value
> +        self._entries[key] = value
> +        self._entries.move_to_end(key)
> +        if len(self._entries) > self.limit:
> +            self._entries.popitem(last=False)
context, not author: tried · 2025-11-03T13:00Z · in no commit: taken back by a person, or not committed yet · get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a
> +a\
""")


def test_the_context_of_a_line_without_an_answer() -> None:
    assert "\n".join(list(why(Page(80), GAP))[2:]) == snapshot("""\
Lines 90–92: not known who wrote this
  commit 9c0ffee 2025-11-04 14:00 Tidy up (Ada)
  No indexed session covers this time.
Context  before the commit; not authors
  read the file, 2025-11-03 13:00, Claude Code 7d1f0c2a 0b3e5d11
    Read {"file_path":"src/cache.py"}
  try: git funes index --adopt PATH   (if the session ran elsewhere)\
""")
    assert list(agent.why(GAP))[-1].startswith("> Read")


def test_the_context_as_json() -> None:
    (told,) = json.why(ANSWERED)["answers"]
    assert [(item["kind"], item["undone"]) for item in told["context"]] == [
        ("read", None),
        ("discussed", None),
        ("rejected", "session"),
        ("rejected", None),
    ]
    assert json.why(GAP)["unexplained"][0]["context"][0]["turn_uuid"] == TURN
