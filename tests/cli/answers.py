"""Answers made by hand, for the renderings."""

from __future__ import annotations

from dataclasses import replace

from funes_git.model import Answer, CommitInfo, Link, Passage, Unexplained, Why

SESSION = "7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10"
TURN = "0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a"
PROMPT_TURN = "55aa0c10-1111-4f3c-8a77-1f2e3d4c5b6a"
NOON = 1762174800.0  # 2025-11-03 13:00 UTC

COMMIT = CommitInfo(
    sha="3f2a1b9" + "0" * 33,
    short="3f2a1b9",
    author="Ada",
    email="ada@example.org",
    author_time=NOON + 300,
    commit_time=NOON + 300,
    subject="Bound the cache",
)
HUMAN_COMMIT = replace(
    COMMIT, sha="9c0ffee" + "1" * 33, short="9c0ffee", subject="Tidy up", author_time=NOON + 90000
)
LINK = Link(
    commit=COMMIT.sha,
    session_id=SESSION,
    turn_uuid=TURN,
    harness="claude_code",
    relation="wrote",
    content="lines",
    proof="printed",
    level="exact",
    score=12.5,
    path="src/cache.py",
    lines=((86, 88),),
)
DIFF = """@@ -85,2 +85,6 @@
     def put(self, key, value):
-        self._entries[key] = value
+        self._entries[key] = value
+        self._entries.move_to_end(key)
+        if len(self._entries) > self.limit:
+            self._entries.popitem(last=False)
         return value"""
ANSWER = Answer(
    commit=COMMIT,
    link=LINK,
    prompt="The cache grows without bound in the nightly job. Please make it evict the oldest "
    "entries, and keep the public interface as it is.",
    prompt_uuid=PROMPT_TURN,
    prompt_ts=NOON,
    passages=(
        Passage(TURN, "thinking", "An OrderedDict keeps insertion order, so popitem(last=False) "
                "drops the least recently used entry when every read moves its key to the end."),
        Passage(TURN, "text", "I'll bound the cache with an `OrderedDict`:\n\n"
                "- `put` moves the key to the end\n- the oldest entry goes when the limit is passed"),
    ),
    turn_ts=NOON + 120,
    edit_path="src/cache.py",
    edit_diff=DIFF,
    asked=((88, 88),),
    asked_text=("            self._entries.popitem(last=False)",),
    model="claude-sonnet-4-5",
)
UNKNOWN = Unexplained(
    lines=((90, 92),),
    commit=HUMAN_COMMIT,
    kind="unknown",
    reason="no-session",
    detail="",
)
WHY = Why(
    target="src/cache.py:88",
    path="src/cache.py",
    rev="HEAD",
    lines=(88, 88),
    answers=(ANSWER,),
    unexplained=(),
)
