"""How long after a commit the memory knows it, with hooks and no other command: the worker's wait,
reading, linking and indexing words. Three commits in a generated repository.

    PYTHONPATH=.:tests python tests/bench/post_commit.py [--log]
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agents import ClaudeSession, Clock
from helpers import GitRepo

FUNES = [sys.executable, "-m", "funes_git"]


def links_of_head(repo: GitRepo) -> list[object]:
    """What `git funes log -1` says."""
    log = [*FUNES, "log", "-1", "--format", "json"]
    done = subprocess.run(log, cwd=repo.path, capture_output=True, text=True, check=False)
    found: list[object] = json.loads(done.stdout)["links"] if done.returncode == 0 else []
    return found


def main() -> None:
    """Print one line a commit."""
    folder = Path(tempfile.mkdtemp())
    os.environ.update(HOME=f"{folder}/home", XDG_CACHE_HOME=f"{folder}/cache")
    for who in ("AUTHOR", "COMMITTER"):
        os.environ[f"GIT_{who}_NAME"] = os.environ[f"GIT_{who}_EMAIL"] = "bench"
    repo = GitRepo(folder / "repo")
    repo.write("cache.py", "SIZE = 0\n")
    repo.commit("start")
    init = [*FUNES, "init", "--no-embed"]
    subprocess.run(init, cwd=repo.path, check=True, capture_output=True)
    session = ClaudeSession(repo, folder / "home", Clock(time.time() - 5))
    for n in range(1, 4):
        session.prompt(f"Make it {n}")
        session.edit("cache.py", f"SIZE = {n - 1}\n", f"SIZE = {n}\n")
        repo.commit(f"size {n}")
        started = time.monotonic()
        while not links_of_head(repo) and time.monotonic() - started < 120:
            time.sleep(0.1)
        print(f"commit {n}: linked after {time.monotonic() - started:.1f} s")
    if "--log" in sys.argv:
        print((repo.path / ".git/funes/log/worker.log").read_text())
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
