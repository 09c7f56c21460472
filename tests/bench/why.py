"""How long `git funes why FILE:LINE` takes, cold, beside `git blame -L` on the same line; and how
long linking the history takes.

    python tests/bench/why.py [COMMITS [SESSIONS]]
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus import generate


def timed(command: list[str], cwd: Path, env: dict[str, str]) -> float:
    """Milliseconds that a command takes."""
    started = time.perf_counter()
    subprocess.run(command, cwd=cwd, env=env, capture_output=True, check=True)
    return (time.perf_counter() - started) * 1000


def main(commits: int = 1000, sessions: int = 300, rounds: int = 20) -> None:
    """Print one line a figure."""
    with tempfile.TemporaryDirectory() as name:
        corpus = generate(Path(name), commits=commits, sessions=sessions)
        env = {**os.environ, "HOME": str(corpus.home), "XDG_CACHE_HOME": f"{name}/cache"}
        funes = [sys.executable, "-m", "funes_git"]
        index = timed([*funes, "index", "--no-embed", "--format", "json"], corpus.repo, env)
        print(f"index, words only: {index / 1000:.1f} s")
        link = timed([*funes, "link", "--all", "--format", "json"], corpus.repo, env)
        print(f"link --all, {commits} commits, {sessions} sessions: {link / 1000:.1f} s")
        rng = random.Random(2)
        blame, why, bare = [], [], []
        for _ in range(rounds):
            path = rng.choice([p for p in corpus.files if (corpus.repo / p).exists()])
            line = rng.randint(1, len(corpus.files[path]))
            blame.append(timed(["git", "blame", f"-L{line},{line}", path], corpus.repo, env))
            why.append(timed([*funes, "why", f"{path}:{line}"], corpus.repo, env))
            bare.append(timed([sys.executable, "-c", "pass"], corpus.repo, env))
        print(f"git blame -L: {statistics.median(blame):.1f} ms (median of {rounds})")
        print(f"git funes why FILE:LINE: {statistics.median(why):.1f} ms")
        over = statistics.median(w - b for w, b in zip(why, blame, strict=True))
        print(f"over git blame -L: {over:.1f} ms (paired)")
        print(f"python -c pass: {statistics.median(bare):.1f} ms")
        print(f"why, in times of python -c pass: {over / statistics.median(bare):.1f}")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
