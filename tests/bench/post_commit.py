"""How long after a commit the memory knows it, with hooks and no other command: the worker's wait,
reading, linking and indexing words. Three commits in a generated repository.

    python tests/bench/post_commit.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

from agents import ClaudeSession, Clock
from helpers import GitRepo


def main() -> None:
    """Print one line a commit."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HOME=f"{folder}/home", XDG_CACHE_HOME=f"{folder}/cache")
        for who in ("AUTHOR", "COMMITTER"):
            os.environ[f"GIT_{who}_NAME"] = os.environ[f"GIT_{who}_EMAIL"] = "bench"
        repo = GitRepo(Path(folder) / "repo")
        repo.write("cache.py", "SIZE = 0\n")
        repo.commit("start")
        funes = [sys.executable, "-m", "funes_git"]
        subprocess.run(
            [*funes, "init", "--no-embed"], cwd=repo.path, check=True, capture_output=True
        )
        session = ClaudeSession(repo, Path(folder) / "home", Clock(time.time() - 5))
        for n in range(1, 4):
            session.prompt(f"Make it {n}")
            session.edit("cache.py", f"SIZE = {n - 1}\n", f"SIZE = {n}\n")
            repo.commit(f"size {n}")
            started = time.monotonic()
            links: list[object] = []
            while not links and time.monotonic() - started < 120:
                time.sleep(0.1)
                log = [*funes, "log", "-1", "--format", "json"]
                out = subprocess.run(
                    log, cwd=repo.path, capture_output=True, text=True, check=False
                )
                links = json.loads(out.stdout)["links"] if out.returncode == 0 else []
            print(f"commit {n}: linked after {time.monotonic() - started:.1f} s")


if __name__ == "__main__":
    main()
