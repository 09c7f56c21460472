"""What a parser may not say, and what our own make of content that would make them say it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from funes_git.wellformed import check
from funes_git_parsers.base import (
    Block,
    Cursor,
    Edit,
    Hunk,
    PrintedCommit,
    Restart,
    Retraction,
    Session,
    Skipped,
    Source,
    Spawn,
    Turn,
)
from funes_git_parsers.claude.hunks import of_patch
from funes_git_parsers.codex.outcome import outcome
from funes_git_parsers.harness import named
from funes_git_parsers.patch import hunks_of_unified
from funes_git_parsers.values import integer, moment

BLOCK = Block("tool_result", "ok", "Bash", "c1", False, 0, (PrintedCommit("abcd", "commit"),))
TURN = Turn("s", "t", 1, 1.5, "tool", "claude_code", (BLOCK,), blobs=(("a.py", "abcd"),))
EDIT = Edit("s", "t", "c", 0, None, "a.py", "modify", "Edit", hunks=(Hunk(1, 1, ("-a", "+b")),))


@pytest.mark.parametrize(
    "item",
    [
        TURN,
        EDIT,
        Session("s", "claude_code"),
        Spawn("s", "t", "x"),
        Retraction("s", "t"),
        Skipped(1, "no JSON"),
        Cursor(""),
        Restart(),
        Source("claude_code", Path("x"), 1, 2),
    ],
)
def test_every_record_can_be_well_formed(item: Any) -> None:
    check(item)


@pytest.mark.parametrize(
    "item",
    [
        None,
        "text",
        {"session_id": "s"},
        replace(TURN, seq=10**30),
        replace(TURN, seq=True),
        replace(TURN, seq="1"),
        replace(TURN, ts=float("nan")),
        replace(TURN, ts="2025-12-29"),
        replace(TURN, role="robot"),
        replace(TURN, session_id=None),
        replace(TURN, workdir=b"/x"),
        replace(TURN, workdir="/x\ud800"),
        replace(TURN, blocks=[BLOCK]),
        replace(TURN, blocks=("text",)),
        replace(TURN, blocks=(replace(BLOCK, exit_code=2**63),)),
        replace(TURN, blocks=(replace(BLOCK, text="half \ud800"),)),
        replace(TURN, blocks=(replace(BLOCK, commits=("abcd",)),)),
        replace(TURN, blobs=(("a.py",),)),
        replace(EDIT, hunks=(Hunk(10**30, 1, ("+a",)),)),
        replace(EDIT, hunks=(Hunk(1, 1, (b"+a",)),)),  # type: ignore[arg-type]
        replace(EDIT, operation="move"),
        replace(EDIT, path=Path("a.py")),
        Source("claude_code", "x", 1, 2),  # type: ignore[arg-type]
        Source("claude_code", Path("x"), 1, 10**30),
    ],
)
def test_what_no_store_can_hold_is_refused(item: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        check(item)


@pytest.mark.parametrize("number", [10**30, -(10**30), 2**32, True, 1.5, "1"])
def test_our_parsers_take_no_number_that_is_none(number: object) -> None:
    assert integer(number) is None
    assert of_patch([{"oldStart": number, "newStart": 1, "lines": ["+a"]}]) == ()


def test_a_time_in_the_year_5000_is_none() -> None:
    assert (moment(1e11), moment(9.5e12)) == (None, None)
    assert moment(1_767_000_000_000) == moment(1_767_000_000) == 1_767_000_000.0


DIGITS = "9" * 5000


def test_more_digits_than_python_reads_are_no_number() -> None:
    assert hunks_of_unified(f"@@ -{DIGITS},1 +{DIGITS} @@\n-a\n+b\n") == ()
    found = outcome(f"Exit code: {DIGITS}\nWall time: 1\nOutput:\nx")
    assert found is not None
    assert found.exit_code is None


def test_a_token_is_no_name_of_an_agent() -> None:
    assert named("Claude Code") == "claude_code"
    assert named("gpt 4 all") == "gpt_4_all"
    assert named("x1" * 18) == named("a" * 40) == "unknown"
