"""How long `git funes -h` and `git funes status` take, as multiples of `python -c pass`.

    python tests/bench/startup.py [ROUNDS]

Builds a small repository with a session, and prints one line per figure. The commands take turns,
so that a busy machine slows all of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent), str(TESTS.parent / "parsers")]

from agents import ClaudeSession  # noqa: E402
from helpers import GitRepo  # noqa: E402

FUNES = [sys.executable, "-m", "funes_git"]
COMMANDS = {
    "git funes -h": ([*FUNES, "-h"], 18),
    "git funes status": ([*FUNES, "status"], 10),
    "git funes why FILE:LINE": ([*FUNES, "why", "a.py:2"], None),
}
BASE = [sys.executable, "-c", "pass"]


def prepare(folder: Path) -> GitRepo:
    """A repository with one session, indexed; the process's environment is made its world."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its bytecode
    os.environ.update(
        PYTHONPYCACHEPREFIX=str(folder / "bytecode"),
        HOME=str(folder / "home"),
        GIT_CONFIG_GLOBAL=os.devnull,
        PYTHONPATH=os.pathsep.join(sys.path[1:3]),
        **{
            f"GIT_{who}_{what}": "ada"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
    )
    repo = GitRepo(folder / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit("Start")
    session = ClaudeSession(repo, folder / "home")
    session.prompt("Print it")
    session.edit("a.py", "x = 1\n", "x = 1\nprint(f'the answer is {x}')\n")
    session.bash("git commit -qam 'Print it' && git rev-parse HEAD")
    subprocess.run([*FUNES, "init", "--no-embed"], cwd=repo.path, check=True, capture_output=True)
    return repo


def seconds(command: list[str], cwd: Path) -> float:
    """How long one run takes."""
    started = time.perf_counter()
    subprocess.run(command, cwd=cwd, check=True, capture_output=True)
    return time.perf_counter() - started


def main(rounds: int) -> None:
    """Measure and print."""
    taken: dict[str, list[float]] = {"python -c pass": [], **{name: [] for name in COMMANDS}}
    with tempfile.TemporaryDirectory() as folder:
        repo = prepare(Path(folder))
        for command, _ in COMMANDS.values():
            seconds(command, repo.path)
        for _ in range(rounds):
            taken["python -c pass"].append(seconds(BASE, repo.path))
            for name, (command, _) in COMMANDS.items():
                taken[name].append(seconds(command, repo.path))
    base = median(taken["python -c pass"])
    print(f"python -c pass: {base * 1000:.1f} ms")
    for name, (_, limit) in COMMANDS.items():
        ratio = median(taken[name]) / base
        target = f" (at most {limit})" if limit else ""
        print(f"{name}: {ratio:.1f} times python -c pass{target}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
