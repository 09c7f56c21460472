"""The commands `forget` and `scrub` as users type them."""

from __future__ import annotations

import json
from pathlib import Path

from agents import ClaudeSession, Clock
from cli.running import funes, on_terminal
from helpers import GitRepo

from funes_git.git import Repo


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
    assert f"forget 1 turn of 1 session for good: {session.id[:8]}? [y/n]" in asked
    assert f"git funes forget {session.id[:8]} --before 2031-01-01 --dry-run" in asked


def test_scrub_says_what_it_found(repo: GitRepo, hermetic: Path) -> None:
    repo.write("a.py", "one = 1\n")
    ClaudeSession(repo, hermetic, Clock()).prompt("Count")
    assert funes("index", "--no-embed", cwd=repo.path).returncode == 0
    done = funes("scrub", cwd=repo.path)
    assert (done.returncode, done.stdout) == (0, "no secret was found\n"), done.stderr
