"""Answers made by hand, for the renderings."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from funes_git.hosts.githooks import HookState
from funes_git.ingest import IndexReport
from funes_git.link.engine import LinkReport
from funes_git.model import (
    Answer,
    BlameLine,
    Block,
    CommitInfo,
    EditRecord,
    Hit,
    Link,
    LogEntry,
    Passage,
    Turn,
    TurnView,
    Unexplained,
    Why,
)
from funes_git.skips import Skip
from funes_git.store.records import Stats, Totals

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
        Passage(
            TURN,
            "thinking",
            "An OrderedDict keeps insertion order, so popitem(last=False) "
            "drops the least recently used entry when every read moves its key to the end.",
        ),
        Passage(
            TURN,
            "text",
            "I'll bound the cache with an `OrderedDict`:\n\n"
            "- `put` moves the key to the end\n- the oldest entry goes when the limit is passed",
        ),
    ),
    turn_ts=NOON + 120,
    edit_path="src/cache.py",
    edit_diff=DIFF,
    asked=((88, 88),),
    asked_rows=((3, 88),),
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

BLAMED = (
    BlameLine(
        87,
        "        if len(self._entries) > self.limit:",
        COMMIT,
        "agent",
        "claude_code",
        SESSION,
        TURN,
        "exact",
    ),
    BlameLine(
        88,
        "            self._entries.popitem(last=False)",
        COMMIT,
        "agent",
        "claude_code",
        SESSION,
        TURN,
        "exact",
    ),
    BlameLine(89, "        return value  # tidy", HUMAN_COMMIT, "human"),
    BlameLine(90, "", HUMAN_COMMIT, "unknown"),
    BlameLine(91, "        # to do", None, "unknown"),
)
LOGGED = (
    LogEntry(HUMAN_COMMIT, (), "no-session"),
    LogEntry(
        COMMIT,
        (
            LINK,
            replace(LINK, path="tests/test_cache.py", lines=((1, 9),)),
            replace(
                LINK, turn_uuid=PROMPT_TURN, relation="removed", path="src/lru.py", level="lines"
            ),
        ),
        None,
    ),
)
HIT = Hit(
    session_id=SESSION,
    turn_uuid=TURN,
    seq=7,
    ts=NOON + 120,
    harness="claude_code",
    branch="bounded",
    role="assistant",
    block_type="thinking",
    tool=None,
    score=0.8312,
    text="An OrderedDict keeps insertion order, so the least recently used entry goes first.",
    prompt="The cache grows without bound in the nightly job.",
    commits=(COMMIT.sha,),
)
VIEWS = (
    TurnView(
        Turn(
            SESSION,
            PROMPT_TURN,
            1,
            NOON,
            "user",
            "claude_code",
            (Block("text", "The cache grows without bound."),),
            is_prompt=True,
        ),
        retracted=False,
    ),
    TurnView(
        Turn(
            SESSION,
            TURN,
            2,
            NOON + 120,
            "assistant",
            "claude_code",
            (
                Block("thinking", "OrderedDict it is."),
                Block(
                    "tool_use",
                    '{"file_path":"src/cache.py","new_string":"a\\nb"}',
                    tool="Edit",
                    tool_use_id="t1",
                ),
                Block("tool_result", "get away\x1b[2J", tool="Edit", is_error=True, exit_code=1),
            ),
            branch="bounded",
            model="claude-sonnet-4-5",
        ),
        retracted=True,
        edits=(
            EditRecord(
                "e1",
                SESSION,
                TURN,
                "t1",
                0,
                NOON + 120,
                "src/cache.py",
                "modify",
                "Edit",
                "tool",
                "/w/src/cache.py",
                diff="@@ -1 +1 @@\n-a\n+b",
            ),
        ),
        commits=(COMMIT.sha,),
    ),
)
STATS = Stats(
    totals=Totals(3, 214, 58, 431, prose=300, vectors=120, redactions=2, skipped=1),
    agents={"claude_code": (2, 180), "codex": (1, 34)},
    sources=3,
    first_ts=NOON - 90 * 86400,
    last_ts=NOON,
    links={"exact": 8, "lines": 30},
    commits=17,
    linked_commits=12,
    unlinked={"no-session": 4, "merge": 1},
)
COVERAGE = LinkReport(commits=17, unlinked=Counter({"no-session": 4, "merge": 1}), seconds=0.31)
COVERAGE.linked.update(exact=8, lines=4)
HOOKS = HookState("installed", Path("/w/.git/hooks"), "hooks are installed in /w/.git/hooks", {})
SKIPS = (
    Skip("not valid JSON", 5, tuple(f"/h/u/.claude/projects/w/a.jsonl:{n}" for n in range(2, 6))),
    Skip("too long", 1, ("/h/u/.codex/sessions/b.jsonl:7",)),
)
REPORT = IndexReport(3, 214, 58, 431, SKIPS, 2, 1.24)
