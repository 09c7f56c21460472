"""`git funes demo`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import mkdtemp

from funes_git import output
from funes_git.commands import options

WORDS = 60
"""Words that a reader takes in of one answer."""


def demo(*, keep: bool = False, speed: options.Number = 0) -> int:
    """Build a sample repository and walk through it

    Makes a small repository in a temporary folder, with the sessions of two agents that worked on
    it, and runs the main commands there. Your own repositories, agents and settings are neither
    read nor changed.

    Example: git funes demo --keep

    Parameters
    ----------
    keep
        Leave the folder, and say how to go on in it.
    speed
        Words that a reader takes in a minute: pause after each command for as long; 0 for not at
        all.
    """
    from funes_git.demo import story, walk
    from funes_git.demo.stage import Stage

    out = output.choose("human")
    terminal = sys.stdout.isatty()
    root = Path(mkdtemp(prefix="funes-demo-")).resolve()
    stage = Stage(root)
    try:
        stage.build()
        story.tell(stage)
        out.lines(_opening(stage.shell("git rev-list --count HEAD").strip()))
        for step in walk.steps(stage):
            out.lines(["", out.page.style.bold(step.guidance), f"$ {step.command}"])
            sys.stdout.flush()
            walk.run(stage, step, terminal=terminal)
            time.sleep(60 * WORDS / speed if speed > 0 else 0)
        out.lines(_closing(stage.root if keep else None))
    finally:
        if not keep:
            walk.remove(root, stage.repo)
    return 0


def _opening(commits: str) -> list[str]:
    return [
        f"A sample repository: pocket-cache, {commits} commits by Ada, who works with Claude Code",
        "and Codex. Its agents' sessions lie in a home folder of its own.",
    ]


def _closing(kept: Path | None) -> list[str]:
    lines = [""]
    if kept:
        lines += [
            f"Kept in {kept}. To go on there, in a shell of its own:",
            f"  sh -c '. {kept}/env.sh && exec sh'",
            "",
        ]
    else:
        lines += ["To try more on this repository: `git funes demo --keep`.", ""]
    return [
        *lines,
        "In a repository of your own: `git funes init`, then `git funes why FILE:LINE`.",
        "All of it stays in .git/funes; `git funes deinit --purge` takes it away again.",
    ]
