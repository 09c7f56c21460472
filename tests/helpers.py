"""Real repositories for tests."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest


class GitRepo:
    """A real git repository in a folder, driven by the real git."""

    def __init__(self, path: Path, *init_args: str) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *init_args)

    @classmethod
    def at(cls, path: Path) -> GitRepo:
        """The repository that stands at `path` already."""
        found = cls.__new__(cls)
        found.path = path
        return found

    def git(self, *args: str, env: dict[str, str] | None = None) -> str:
        """Run git here; its standard output without the last newline. Raises on failure."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**os.environ, **(env or {})},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"git {' '.join(args)}: {done.stderr}"
        return done.stdout.rstrip("\n")

    def write(self, path: str, text: str) -> Path:
        """Write a file of the working tree, with its folders."""
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def commit(self, message: str, *, date: float | None = None, add: bool = True) -> str:
        """Commit everything at `date` (seconds since the epoch); the full commit id."""
        if add:
            self.git("add", "-A")
        env = {}
        if date is not None:
            stamp = f"{int(date)} +0000"
            env = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        self.git("commit", "-q", "--allow-empty", "-m", message, env=env)
        return self.git("rev-parse", "HEAD")


def share_caches(home: Path) -> None:
    """Let a fresh home use what another test has made: the secret scanner's compiled rules (5 s)
    and the optimised model."""
    cache = home / ".cache" / "funes-git"
    cache.mkdir(parents=True, exist_ok=True)
    for name in ("rules", "graphs"):
        shared = Path(tempfile.gettempdir(), f"funes-git-tests-{os.getuid()}", name)
        shared.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = cache / name
        place.unlink(missing_ok=True)  # a demo's home has those of its user, where there are any
        place.symlink_to(shared)


def without_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no package with weights were installed."""
    monkeypatch.setattr("funes_git.shipped.find", lambda files, memo: None)
