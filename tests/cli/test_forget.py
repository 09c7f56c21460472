"""The commands `forget` and `scrub` as users type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from cli.running import funes, on_terminal
from helpers import GitRepo

from funes_git.dates import whole
from funes_git.git import Repo

ZONE = "UTC-05:30"  # east of Greenwich, as POSIX writes it
DAY = 1779215400
"""Midnight before 2026-05-20 in that zone."""


def test_forget_asks_shows_and_forgets(repo: GitRepo, hermetic: Path) -> None:
    repo.write("a.py", "one = 1\n")
    repo.commit("start")
    session = ClaudeSession(repo, hermetic, Clock())
    session.prompt("Count")
    session.says("The zeppelin is counted.")
    assert funes("index", "--no-embed", cwd=repo.path).returncode == 0

    nothing = funes("forget", cwd=repo.path)
    assert (nothing.returncode, "git funes forget -h" in nothing.stderr) == (2, True)
    unknown = funes("forget", "zzz", "--yes", cwd=repo.path)
    assert (unknown.returncode, "no session of this repository" in unknown.stderr) == (1, True)
    unasked = funes("forget", session.id, cwd=repo.path)
    assert (unasked.returncode, "--yes" in unasked.stderr) == (2, True)
    undated = funes("forget", "--before", "someday", "--yes", cwd=repo.path)
    assert (undated.returncode, "git funes forget --before" in undated.stderr) == (2, True)

    shown = funes("forget", session.id[:8], "--dry-run", "--format", "json", cwd=repo.path)
    told = json.loads(shown.stdout)
    whole = {"session_id": session.id, "turns": 2, "whole": True}
    assert (told["forgotten"], told["sessions"]) == (False, [whole])
    assert funes("get", session.id, cwd=repo.path).returncode == 0

    done = funes("forget", session.id[:8], "--yes", cwd=repo.path)
    assert done.stdout.startswith("forgot 2 turns of 1 session\n"), done.stderr
    assert funes("get", session.id, cwd=repo.path).returncode == 1

    again = funes("forget", session.id[:8], "--yes", cwd=repo.path)
    assert (again.returncode, again.stdout) == (0, f"{session.id[:8]} was forgotten before\n")
    explained = funes("index", "--explain", session.id[:8], cwd=repo.path).stdout
    assert "left out: it was forgotten" in explained
    assert "--adopt" not in explained


def test_what_matches_nothing_changes_nothing(repo: GitRepo, hermetic: Path) -> None:
    repo.write("a.py", "one = 1\n")
    repo.commit("start")
    ClaudeSession(repo, hermetic, Clock()).prompt("Count")
    assert funes("index", "--no-embed", cwd=repo.path).returncode == 0
    layout = Repo.discover(repo.path).layout
    before = layout.decisions.read_bytes(), layout.catalog.stat().st_ino
    done = funes("forget", "--file", "nowhere/*", cwd=repo.path)
    assert (done.returncode, done.stdout) == (0, "no turn matches, so nothing is forgotten\n")
    assert (layout.decisions.read_bytes(), layout.catalog.stat().st_ino) == before


def test_the_question_names_the_sessions(repo: GitRepo, hermetic: Path) -> None:
    repo.write("a.py", "one = 1\n")
    repo.commit("start")
    session = ClaudeSession(repo, hermetic, Clock())
    session.prompt("Count")
    assert funes("index", "--no-embed", cwd=repo.path).returncode == 0
    named = (session.id[:8], "--before", "2031-01-01")
    code, asked = on_terminal("forget", *named, cwd=repo.path, typed="n\n")
    assert code == 1
    read = "(--before is 2031-01-01 00:00)"
    assert f"forget 1 turn of 1 session {read} for good: {session.id[:8]}? [y/n]" in asked
    assert f"git funes forget {session.id[:8]} --before 2031-01-01 --dry-run" in asked


def test_a_day_alone_means_its_midnight(repo: GitRepo, hermetic: Path) -> None:
    """The local one, whatever the time of day is: git itself fills that in."""
    repo.write("a.py", "one = 1\n")
    repo.commit("start", date=DAY + 60)
    session = ClaudeSession(repo, hermetic, Clock(DAY - 60))
    session.prompt("What was said the day before")
    session.clock = Clock(DAY + 60)
    session.prompt("What was said on that day")
    assert funes("index", "--no-embed", cwd=repo.path, TZ=ZONE).returncode == 0
    done = funes("forget", "--before", "2026-05-20", "--dry-run", cwd=repo.path, TZ=ZONE)
    assert done.stdout.startswith("would forget 1 turn of 1 session (--before is 2026-05-20 00:00)")
    told = funes("log", "--since", "2026-05-20", "--format", "json", cwd=repo.path, TZ=ZONE)
    assert len(told.stdout.splitlines()) == 1
    told = funes("log", "--until", "20 May 2026", "--format", "json", cwd=repo.path, TZ=ZONE)
    assert told.stdout == ""


@pytest.mark.parametrize(
    ("text", "is_day"),
    [
        *((day, True) for day in ("2026-05-20", "20.05.2026", "2026/5/20", "May 20, 2026")),
        *((day, True) for day in ("20th May 2026", "may 20", "last.monday", "Today", "yesterday")),
        *((time, False) for time in ("2026-05-20 10:00", "2 weeks ago", "1.month", "noon", "now")),
        *((time, False) for time in ("2026-05-20T10:00:00Z", "@1779235200", "", "someday")),
    ],
)
def test_days_are_told_from_moments(text: str, is_day: bool) -> None:
    assert (whole(text) != text) == is_day


def test_scrub_says_what_it_found(repo: GitRepo, hermetic: Path) -> None:
    repo.write("a.py", "one = 1\n")
    ClaudeSession(repo, hermetic, Clock()).prompt("Count")
    assert funes("index", "--no-embed", cwd=repo.path).returncode == 0
    done = funes("scrub", cwd=repo.path)
    assert (done.returncode, done.stdout) == (0, "no secret was found\n"), done.stderr
