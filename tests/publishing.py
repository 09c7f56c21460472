"""A repository with sessions behind a release, and the command line that publishes it to a Hub."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from agents import ClaudeSession, Clock
from cli.running import funes
from helpers import GitRepo
from hub import Hub
from memory import Memory

NAME = "ada/memory"
LRU = """\
def cap(entries, limit):
    while len(entries) > limit:
        entries.popitem(last=False)
"""


class Project:
    """A repository in which one session wrote a cache, tagged v1.0.0, and the tools to publish."""

    def __init__(self, repo: GitRepo, home: Path, hub: Hub) -> None:
        self.git, self.home, self.hub = repo, home, hub
        self.clock = Clock()
        repo.write("README.md", "# widget\n")
        repo.commit("Start", date=self.clock.now)
        repo.git("tag", "v0.9.0")
        self.clock.tick(100)
        self.claude = ClaudeSession(repo, home, self.clock)
        self.claude.prompt("Bound the cache, please: it grows without end")
        self.claude.thinks("An LRU bound keeps the hot keys; a timer would drop them too.")
        self.claude.write("src/cache.py", LRU)
        self.claude.says("The cache now drops its oldest entries.")
        self.claude.bash("git add -A && git commit -qm 'Bound the cache' && git rev-parse HEAD")
        repo.git("tag", "v1.0.0")
        self.memory = Memory(repo)
        self.memory.sync()

    @classmethod
    def at(cls, repo: GitRepo, like: Project) -> Project:
        """The same project in another folder."""
        found = cls.__new__(cls)
        found.git, found.home, found.hub = repo, like.home, like.hub
        return found

    def grow(self, name: str, text: str, tag: str | None = None) -> ClaudeSession:
        """Another session writes another file."""
        self.clock.tick(1000)
        session = ClaudeSession(self.git, self.home, self.clock)
        session.prompt(f"Add {name}: {text[:20]}")
        session.write(name, text)
        session.bash(f"git add -A && git commit -qm 'Add {name}' && git rev-parse HEAD")
        if tag:
            self.git.git("tag", tag)
        self.memory.sync()
        return session

    def funes(self, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        """`git funes ARGS` with the Hub, as ada."""
        return funes(*args, cwd=self.git.path, **self.environment() | env)

    def environment(self) -> dict[str, str]:
        """The variables with which a program asks the Hub as ada."""
        return {
            "HF_ENDPOINT": self.hub.url,
            "HF_HOME": str(self.home / "hf"),
            "HF_HUB_OFFLINE": "0",
            "HF_HUB_DISABLE_XET": "1",
            "HF_TOKEN": self.hub.token("ada"),
        }

    def publish(self, *args: str, release: str = "v1.0.0", **env: str) -> dict[str, Any]:
        """Publish to ada/memory as a script would; what came of it."""
        done = self.funes("publish", release, NAME, "--yes", "--format", "json", *args, **env)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def files(self, revision: str = "main") -> dict[str, bytes]:
        """What the dataset holds."""
        return self.hub.content(NAME, revision)
