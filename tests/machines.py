"""Machines of a team in a test: each has a home, a clone and a login, and runs the command line in
processes of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from agents import ClaudeSession, Clock
from cli.running import funes
from helpers import GitRepo, share_caches
from hub import Hub


class Machine:
    """`repo` is the clone; without `origin` an empty repository."""

    def __init__(self, folder: Path, hub: Hub | None = None, origin: GitRepo | None = None) -> None:
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        share_caches(self.home)
        self.clock = Clock()
        if origin is None:
            self.repo = GitRepo(folder / "widget")
        else:
            subprocess.run(
                ["git", "clone", "-q", str(origin.path), str(folder / "widget")], check=True
            )
            self.repo = GitRepo.at(folder / "widget")
        self.env = {"HOME": str(self.home), "HF_HOME": str(self.home / "hf")}
        if hub is not None:
            self.env |= {
                "HF_ENDPOINT": hub.url,
                "HF_HUB_OFFLINE": "0",
                "HF_TOKEN": hub.token("ada"),
            }
            if hub.xet is None:
                self.env["HF_HUB_DISABLE_XET"] = "1"

    def claude(self) -> ClaudeSession:
        """A new session on this machine."""
        self.clock.tick(600)
        return ClaudeSession(self.repo, self.home, clock=self.clock)

    def session(self, path: str, *lines: str, prompt: str = "Do it") -> ClaudeSession:
        """A session that wrote these lines to a new file, which is committed."""
        claude = self.claude()
        claude.prompt(prompt)
        claude.says(f"I write {path}, since the plan says so.")
        claude.write(path, "".join(f"{line}\n" for line in lines))
        self.repo.commit(prompt, date=self.clock.tick(60))
        return claude

    def run(self, *args: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
        """A command that ends with this exit code."""
        done = funes(*args, cwd=self.repo.path, **{**self.env, **env})
        assert done.returncode == code, (done.stdout, done.stderr)
        return done

    def json(self, *args: str, **env: str) -> dict[str, Any]:
        """What a command says as JSON."""
        found: dict[str, Any] = json.loads(self.run(*args, "--format", "json", **env).stdout)
        return found

    def index(self) -> None:
        """Read what is new, without vectors."""
        self.run("index", "--no-embed")

    def push(self, *args: str, **env: str) -> dict[str, Any]:
        """`git funes push`."""
        return self.json("push", *args, "--no-embed", **env)

    def pull(self, *args: str, **env: str) -> dict[str, Any]:
        """`git funes pull`."""
        return self.json("pull", *args, "--no-embed", **env)

    def authors(self, target: str, *args: str) -> list[str]:
        """The sessions behind a target, as `why` tells."""
        return [each["session_id"] for each in self.json("why", target, *args)["answers"]]

    def hits(self, words: str, *args: str) -> set[str]:
        """The sessions that `recall` finds."""
        return {hit["session_id"] for hit in self.json("recall", words, *args)["hits"]}
