"""The walk through the sample repository: what to look at, in which order, and the commands.

The commands are run as a user would run them, by a shell, and print for themselves.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from funes_git import worker
from funes_git.demo.stage import Stage
from funes_git.errors import FunesError
from funes_git.layout import Layout
from funes_git_parsers.dataclass import dataclass

PATIENCE = 10.0
"""Seconds that the background worker gets to end before the folder is removed."""


@dataclass(frozen=True, slots=True)
class Step:
    """A line of guidance and the command that it is about."""

    guidance: str
    command: str


def steps(stage: Stage) -> Iterator[Step]:
    """The walk, for a stage on which the story has been told."""
    cache, store = "src/pocket/cache.py", "src/pocket/store.py"
    evicts = f"{cache}:{_line(stage, cache, 'popitem')}"
    limit = f"{cache}:{_line(stage, cache, 'limit=4096')}"
    saves = f"{store}:{_line(stage, store, 'json.dump')}"
    meaning = _has_model(stage)
    yield Step(
        "Enable it: find the agents' sessions, read them, tie them to the commits.",
        "git funes init --wait" if meaning else "git funes init",
    )
    yield Step(
        "Why does this line throw values away? The answer is older than the file's name.",
        f"git funes why {evicts}",
    )
    yield Step(
        "And why 4096? A person changed the agent's line, so no agent gets the credit.",
        f"git funes why {limit}",
    )
    yield Step(
        "A squash made one commit of three; the lines still find their turns.",
        f"git funes why {saves}",
    )
    yield Step("Who wrote which line of the file?", f"git funes blame -L 15,30 {cache}")
    yield Step(
        f"Search {'by meaning' if meaning else 'the words of'} what was said, tried and rejected.",
        "git funes recall -3 'should entries expire by age?'",
    )
    yield Step("The last commits with the sessions behind them.", "git funes log -4")
    yield Step(
        "All of it can be computed again, from the sessions and git alone.",
        "git funes link --all",
    )


def _has_model(stage: Stage) -> bool:
    """Whether weights are on this machine; without any, vectors cannot be waited for."""
    models = json.loads(stage.shell("git funes models --format json"))["models"]
    return any(model["used"] and model["from"] for model in models)


def _line(stage: Stage, path: str, text: str) -> int:
    """The number of the first line of a file with this text."""
    lines = stage.read(path).splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def run(stage: Stage, step: Step, *, terminal: bool) -> None:
    """Run a step's command on this process's own output. Raises FunesError if it fails."""
    # without a terminal still what people see, but without colours
    shown = {} if terminal else {"GIT_PAGER_IN_USE": "true", "NO_COLOR": "1"}
    environment = {**stage.environment(), "GIT_PAGER": "cat", **_quick(), **shown}
    command = ["sh", "-c", step.command]
    done = subprocess.run(command, cwd=stage.repo, env=environment, check=False)
    if done.returncode != 0:
        raise FunesError(
            f"`{step.command}` failed with exit code {done.returncode}", hint="git funes doctor"
        )


def _quick() -> Mapping[str, str]:
    return {"FUNES_GIT_WORKER_DELAY": "0"}


def remove(root: Path, repo: Path) -> None:
    """Remove the folder, once nothing works in it any more."""
    layout = Layout(repo / ".git" / "funes")
    end = time.monotonic() + PATIENCE
    while worker.state(layout).pid is not None and time.monotonic() < end:
        time.sleep(0.1)
    shutil.rmtree(root, ignore_errors=True)
