"""Running the command line as users do: in a process of its own."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import prefork

ROOT = Path(__file__).parents[2]


def environment(**changes: str) -> dict[str, str]:
    """The test's environment, in which this checkout is what gets imported."""
    paths = os.pathsep.join((str(ROOT), str(ROOT / "parsers"), str(ROOT / "tests")))
    return {"LC_ALL": "C.UTF-8", **os.environ, "PYTHONPATH": paths, **changes}


def funes(*args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """`git funes ARGS`, with its output and exit code."""
    return prefork.run(args, cwd, environment(**env))


def started(*args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """The same in a process that starts from nothing."""
    return prefork.started(args, cwd, environment(**env))


def on_terminal(*args: str, cwd: Path, typed: str, **env: str) -> tuple[int, str]:
    """`git funes ARGS` on a terminal on which somebody types: exit code, and what stood there."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "funes_git", *args],
        cwd=cwd,
        env=environment(**env),
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    os.write(master, typed.encode())
    code = process.wait(120)
    said = os.read(master, 100_000).decode()
    os.close(master)
    return code, said
