"""After a commit, and without any command, the memory knows what was done."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from agents import ClaudeSession, Clock
from helpers import GitRepo

from funes_git import worker
from funes_git.errors import FunesError
from funes_git.git import Repo
from funes_git.store.catalog import Catalog

PATIENCE = 60.0
"""Seconds: long, as other tests run beside it; tests/bench/post_commit.py measures."""
OLD = "SIZE = None\n"
NEW = "SIZE = 128  # hot keys stay, measured on the import job\n"


def funes(repo: GitRepo, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "funes_git", *args],
        cwd=repo.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def linked(repo: Repo, sha: str) -> bool:
    try:
        with Catalog.open(repo.layout.catalog) as catalog:
            return bool(catalog.links_of([sha]).get(sha))
    except FunesError:
        return False  # being written for the first time


def test_a_commit_is_linked_and_its_turn_found_without_a_command(
    repo: GitRepo, hermetic: Path
) -> None:
    clock = Clock(time.time() - 3600)
    repo.write("cache.py", "import functools\n" + OLD)
    repo.commit("start", date=clock.now)
    clock.tick(60)
    earlier = ClaudeSession(repo, hermetic, clock)
    earlier.prompt("What does this project do?")
    earlier.says("It caches keys.")
    found = Repo.discover(repo.path)
    funes(repo, "init", "--no-embed")

    clock.now = time.time() - 30
    session = ClaudeSession(repo, hermetic, clock)
    session.prompt("Bound the cache")
    session.says("A bound of 128 keeps the hot keys.")
    turn = session.edit("cache.py", OLD, NEW)
    started = time.monotonic()
    # a poor PATH, as under a graphical client: the shim must do
    repo.git("commit", "-qam", "Bound the cache", env={"PATH": "/usr/bin:/bin"})
    sha = repo.git("rev-parse", "HEAD")
    while not linked(found, sha) and time.monotonic() - started < PATIENCE:
        time.sleep(0.1)
    assert linked(found, sha), found.layout.log.read_text()
    entry: dict[str, Any] = json.loads(funes(repo, "log", "-1", "--format", "json"))
    assert [link["turn_uuid"] for link in entry["links"]] == [turn]
    hits = json.loads(funes(repo, "recall", "bound of 128 keys", "--format", "json"))["hits"]
    assert session.id in {hit["session_id"] for hit in hits}
    _nothing_is_left(found, started)


def _nothing_is_left(repo: Repo, started: float) -> None:
    while worker.state(repo.layout).pid and time.monotonic() - started < 2 * PATIENCE:
        time.sleep(0.1)
    assert worker.state(repo.layout) == worker.WorkerState(None, 0, 0)
    assert list(repo.layout.spool.iterdir()) == []
