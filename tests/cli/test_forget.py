"""The commands `forget` and `scrub` as users type them."""

from __future__ import annotations

import json
from pathlib import Path

from agents import ClaudeSession, Clock
from cli.running import funes
from helpers import GitRepo


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


def test_scrub_says_what_it_found(repo: GitRepo, hermetic: Path) -> None:
    repo.write("a.py", "one = 1\n")
    ClaudeSession(repo, hermetic, Clock()).prompt("Count")
    assert funes("index", "--no-embed", cwd=repo.path).returncode == 0
    done = funes("scrub", cwd=repo.path)
    assert (done.returncode, done.stdout) == (0, "no secret was found\n"), done.stderr
