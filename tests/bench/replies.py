"""How long the replies of `git funes mcp` are, and what a hint before an edit costs: over the
demo's repository and a real one. Tokens are those of `render/budget.py`."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from mcp_client import McpServer
from recall_latency import say

from funes_git.demo import story
from funes_git.demo.stage import Stage
from funes_git.render import budget

Row = TypeVar("Row")

MOST = 200
"""Questions of one kind."""
LOOK_UP = """
import json, os, sys, time
from pathlib import Path
from funes_git.commands import hints
event = json.load(sys.stdin)
before, clock = os.times(), time.perf_counter()
said = hints.hint(event, Path.cwd())
clock, after = time.perf_counter() - clock, os.times()
print(json.dumps([clock, sum(after[:4]) - sum(before[:4]), len(said)]))
"""
"""A look-up in a process of its own, as a hook has it: its seconds, its processor time with that of
the git it ran, and the characters that it found to say."""


class Place:
    """A repository with a memory, and the home of whoever works there."""

    def __init__(self, repo: Path, home: Path, env: dict[str, str]) -> None:
        self.repo, self.env = repo, {**env, "HOME": str(home)}

    def run(self, *command: str) -> str:
        """Standard output of a command that must succeed."""
        done = subprocess.run(
            command, cwd=self.repo, env={**os.environ, **self.env}, capture_output=True, check=True
        )
        return done.stdout.decode("utf-8", "replace")

    def files(self) -> list[str]:
        """The files of text at HEAD, some of them if there are many."""
        found = self.run("git", "grep", "-Il", "", "HEAD").splitlines()
        return _some([name.removeprefix("HEAD:") for name in found])

    def lines(self) -> Iterator[tuple[str, int, str]]:
        """File, number and text of lines in these files, some of them if there are many."""
        read = ((file, (self.repo / file).read_text("utf-8", "replace")) for file in self.files())
        rows = [
            (file, number, line)
            for file, text in read
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
        ]
        yield from _some(rows)


def of_demo(folder: Path) -> Place:
    """The demo's repository."""
    stage = Stage(folder)
    stage.build()
    story.tell(stage)
    stage.shell("git funes init --no-embed")
    return Place(stage.repo, stage.home, {"GIT_CONFIG_GLOBAL": str(stage.home / "gitconfig")})


def of_repository(repo: Path, sessions: Path, folder: Path) -> Place:
    """A copy of a repository, with the sessions in a folder as those of its user."""
    folder.mkdir()
    subprocess.run(["git", "clone", "-q", str(repo), str(folder / "repo")], check=True)
    place = Place(folder / "repo", folder, {"XDG_CACHE_HOME": str(folder / "cache")})
    funes = (sys.executable, "-m", "funes_git")
    place.run(*funes, "index", "--no-embed", "--adopt", "--yes", str(sessions))
    place.run(*funes, "link", "--all")
    return place


def replies(place: Place, what: str) -> None:
    """Ask what agents ask, with the defaults, and print how long the replies are."""
    commits = _some(place.run("git", "log", "--no-merges", "--format=%h").split())
    subjects = _some(place.run("git", "log", "--no-merges", "--format=%s").splitlines())
    with McpServer(place.repo, **place.env) as server:
        server.initialize()
        asked = {
            "recall": [server.call("recall", query=subject) for subject in subjects if subject],
            "why LINE": [server.call("why", target=f"{f}:{n}") for f, n, _ in place.lines()],
            "why FILE": [server.call("why", target=file) for file in place.files()],
            "why COMMIT": [server.call("why", target=commit) for commit in commits],
            "log": [server.call("log")],
        }
    for name, said in asked.items():
        sizes = [budget.tokens(reply) for reply in said]
        say(f"{what}, {name}: median of {len(sizes)} replies", statistics.median(sizes), "tokens")
        say(f"{what}, {name}: longest", max(sizes), "tokens")


def hints(place: Place, what: str) -> None:
    """Look up what is to be said before edits of single lines."""
    clocks, spent, lengths = [], [], []
    for file, _, text in _some(list(place.lines()), 40):
        edit = {"file_path": file, "old_string": text, "new_string": "x"}
        event = {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": edit}
        done = subprocess.run(
            [sys.executable, "-c", LOOK_UP],
            input=json.dumps(event),
            cwd=place.repo,
            env={**os.environ, **place.env},
            capture_output=True,
            text=True,
            check=True,
        )
        clock, processor, length = json.loads(done.stdout)
        clocks.append(clock * 1000)
        spent.append(processor * 1000)
        lengths.append(length)
    told = f"{sum(map(bool, lengths))} of {len(lengths)} lines have one"
    say(f"{what}, hint before an edit: look-up, median ({told})", statistics.median(clocks), "ms")
    say(f"{what}, the same, longest", max(clocks), "ms")
    say(f"{what}, the same, processor time, median", statistics.median(spent), "ms")
    say(f"{what}, the same, processor time, longest", max(spent), "ms")
    say(f"{what}, the same, longest hint", max(lengths), "characters")


def _some(rows: Sequence[Row], most: int = MOST) -> list[Row]:
    """At most so many, evenly spread."""
    return list(rows[:: -(-len(rows) // most) or 1])
