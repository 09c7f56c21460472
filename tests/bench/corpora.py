"""Memories for the benchmarks of recall: sessions indexed into a repository made for them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from funes_git.git import Repo


def memory_of(sessions: Path, folder: Path) -> Repo:
    """The repository `folder` with every session under `sessions` in its memory, with vectors;
    what an earlier run left there is brought up to date. Raises CalledProcessError."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        git = ["git", "-C", str(folder), "-c", "user.name=b", "-c", "user.email=b@example.org"]
        subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "start"], check=True)
    command = [
        sys.executable,
        "-m",
        "funes_git",
        "index",
        "--adopt",
        "--yes",
        "--wait",
        str(sessions),
    ]
    elsewhere = {"HOME": str(folder.parent), "XDG_CACHE_HOME": str(folder.parent / "cache")}
    subprocess.run(
        command, cwd=folder, env=os.environ | elsewhere, check=True, stdout=subprocess.DEVNULL
    )
    return Repo.discover(folder)


def folders_of(traces: Path, others: Sequence[str]) -> dict[str, Path]:
    """Corpus → folder of its sessions, from the command line: `others` are NAME=FOLDER."""
    named = [pair.partition("=") for pair in others]
    return {"traces": traces.absolute()} | {name: Path(at).absolute() for name, _, at in named}
