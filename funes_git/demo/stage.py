"""The folder a demo lives in: a repository, a home of its own, and a clock that the story moves.

Every program started here sees that home and no setting of the user's.
"""

from __future__ import annotations

import random
import shlex
import subprocess
import sys
import uuid
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path

from funes_git import config, redact
from funes_git_parsers.dataclass import dataclass

AGENT_VARIABLES = ("CLAUDE", "CODEX", "ANTHROPIC", "OPENAI", "GIT_", "XDG_", "FUNES_GIT_")
"""Beginnings of the variables that would lead a program out of the folder."""


@dataclass(slots=True)
class Stage:
    """`root` holds everything; `now` is the story's time in seconds since the epoch."""

    root: Path
    now: float = 0.0
    dice: random.Random = field(default_factory=lambda: random.Random("funes-git demo"))

    @property
    def home(self) -> Path:
        """The home folder of everything that runs here."""
        return self.root / "home"

    @property
    def repo(self) -> Path:
        """The sample repository."""
        return self.root / "pocket-cache"

    @property
    def bin(self) -> Path:
        """Holds the `git-funes` that this very installation is."""
        return self.root / "bin"

    def build(self) -> None:
        """Make the folders, an empty repository and the file `env.sh`."""
        for folder in (self.home, self.bin, self.repo):
            folder.mkdir(parents=True)
        program = self.bin / "git-funes"
        command = f'exec {shlex.quote(sys.executable)} -m funes_git "$@"'
        program.write_text(f"#!/bin/sh\n{command}\n")
        program.chmod(0o755)
        (self.home / "gitconfig").write_text(
            "[init]\n\tdefaultBranch = main\n[user]\n\tname = Ada Park\n\temail = ada@example.org\n"
        )
        cache, own = self.home / ".cache/funes-git", config.user_layout()
        cache.mkdir(parents=True)
        (cache / "models").symlink_to(own.models)  # weights that were pulled serve here too
        if redact.is_prepared():
            (cache / "rules").symlink_to(own.rules)  # nor is the scanner prepared again
        (self.root / "env.sh").write_text(self._script())
        self.shell("git init -q")

    def settings(self) -> dict[str, str]:
        """The variables that keep a program inside this folder."""
        return {
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local/share"),
            "GIT_CONFIG_GLOBAL": str(self.home / "gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "HF_HUB_CACHE": str(config.hub_cache()),
            "PATH": f"{self.bin}:{config.environment().get('PATH', '/usr/bin:/bin')}",
        }

    def environment(self) -> dict[str, str]:
        """The whole environment of a program that runs here."""
        kept = {
            name: value
            for name, value in config.environment().items()
            if not name.startswith(AGENT_VARIABLES)
        }
        return {**kept, **self.settings()}

    def _script(self) -> str:
        """A file for a shell to read, with the same effect as `environment`."""
        names = sorted(n for n in config.environment() if n.startswith(AGENT_VARIABLES))
        lines = ["# Lets this shell see the demo's home and settings instead of yours."]
        lines += [f"unset {name}" for name in names]
        lines += [f"export {name}={shlex.quote(text)}" for name, text in self.settings().items()]
        return "\n".join([*lines, f"cd {shlex.quote(str(self.repo))}", ""])

    # --- time and ids ---------------------------------------------------------------------------

    def at(self, moment: str) -> None:
        """Set the clock: `2026-10-05 09:12`, UTC."""
        self.now = datetime.fromisoformat(f"{moment}+00:00").timestamp()

    def tick(self, seconds: float = 2.0) -> None:
        """Let time pass."""
        self.now += seconds

    @property
    def stamp(self) -> str:
        """The time as agents write it."""
        moment = datetime.fromtimestamp(self.now, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def uuid4(self) -> str:
        """A random id, the same one in every demo."""
        return str(uuid.UUID(int=self.dice.getrandbits(128), version=4))

    def uuid7(self) -> str:
        """An id that begins with the time (RFC 9562, version 7)."""
        number = int(self.now * 1000) << 80 | self.dice.getrandbits(80)
        number &= ~(0xF << 76) & ~(0x3 << 62)
        return str(uuid.UUID(int=number | 7 << 76 | 2 << 62))

    # --- work -----------------------------------------------------------------------------------

    def shell(self, command: str) -> str:
        """Run a command in the repository at the story's time; everything that it printed.
        Raises subprocess.CalledProcessError if it fails."""
        date = f"{int(self.now)} +0000"
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.repo,
            env={**self.environment(), "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        return done.stdout

    def write(self, path: str, text: str) -> None:
        """Write a file of the repository."""
        target = self.repo / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def read(self, path: str) -> str:
        """A file of the repository; empty if there is none."""
        target = self.repo / path
        return target.read_text() if target.exists() else ""

    def branch(self) -> str:
        """The branch that is checked out."""
        head = (self.repo / ".git" / "HEAD").read_text().strip()
        return head.removeprefix("ref: refs/heads/")

    def commit(self, message: str) -> None:
        """A person commits everything."""
        self.shell(f"git add -A && git commit -q -m {shlex.quote(message)}")
