"""The commands, by name: where each lives, and one line about it. Imports none of them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple

SETUP, ASK, KEEP, SHARE, HELP = "Set up", "Ask", "Keep", "Share", "More"
GROUPS: Final = (SETUP, ASK, KEEP, SHARE, HELP)

READ = "what was read is kept: the same command goes on from there"
DONE = "what was done is kept: the same command goes on from there"
LEVEL = "neither memory has lost anything: the same command brings them level"
PARTLY = "it may not be complete: run the same command again"
RERUN = "nothing is lost: the same command does it anew"
LATER = "what is not linked yet is linked before the next answer"
"""What is said of commands that were interrupted."""


class Command(NamedTuple):
    """A command: `target` is `module:function`; `help` is imperative, without a full stop."""

    name: str
    target: str
    group: str
    help: str
    counts: bool = False
    """Takes `-5` for `-n 5`."""
    paths: bool = False
    """What follows `--` are paths, as for `git log`."""
    bare: tuple[str, ...] = ()
    """Options that mean HEAD where no `=` gives them a revision."""
    stopped: str = ""
    """What is so after an interrupt, of a command that does more than answer."""

    def load(self) -> Callable[..., int]:
        """Import and return the function."""
        module, _, function = self.target.partition(":")
        loaded: Callable[..., int] = getattr(import_module(module), function)
        return loaded


def _command(
    name: str,
    group: str,
    text: str,
    *,
    counts: bool = False,
    paths: bool = False,
    bare: tuple[str, ...] = (),
    stopped: str = "",
) -> Command:
    target = f"funes_git.commands.{name}:{name}"
    return Command(name, target, group, text, counts, paths, bare, stopped)


COMMANDS: Final = {
    command.name: command
    for command in (
        _command("demo", SETUP, "Build a sample repository and walk through it", stopped=RERUN),
        _command("init", SETUP, "Enable this repository: hooks, first index, links", stopped=DONE),
        _command("deinit", SETUP, "Remove the hooks, and with --purge the memory"),
        _command("add", SETUP, "Let an agent ask the memory by itself"),
        Command(
            "remove",
            "funes_git.commands.add:remove",
            SETUP,
            "Take funes-git out of an agent's settings",
        ),
        _command("why", ASK, "Show the turns behind a line, function, file or commit", counts=True),
        _command("blame", ASK, "Show for each line which agent or person wrote it"),
        _command("log", ASK, "Show commits with the turns behind them", counts=True, paths=True),
        _command(
            "recall",
            ASK,
            "Search everything that was said and done",
            counts=True,
            bare=("--merged", "--unmerged"),
        ),
        _command(
            "ask",
            ASK,
            "Borrow an agent for one answer from the memory",
            counts=True,
            bare=("--merged", "--unmerged"),
        ),
        _command("get", ASK, "Show a whole turn, and what is around it"),
        _command("mcp", ASK, "Serve the memory to an agent as MCP tools"),
        _command("find", ASK, "List the memories that were published on the Hub", counts=True),
        _command("push", KEEP, "Send what is new to a private memory elsewhere", stopped=LEVEL),
        _command("pull", KEEP, "Take what is new from a private memory elsewhere", stopped=LEVEL),
        _command("index", KEEP, "Read new turns of the agents' sessions", stopped=READ),
        Command(
            "import",
            "funes_git.commands.imports:import_",
            KEEP,
            "Take in what another tool recorded, or a memory in a file",
            stopped=READ,
        ),
        _command("export", KEEP, "Write the whole memory to one file", stopped=RERUN),
        _command(
            "link", KEEP, "Tie turns to commits and lines, and report coverage", stopped=LATER
        ),
        _command(
            "forget",
            KEEP,
            "Take sessions, old turns or files out of the memory, for good",
            stopped=PARTLY,
        ),
        Command(
            "scrub",
            "funes_git.commands.forget:scrub",
            KEEP,
            "Take out of the memory what is taken for a secret today",
            stopped=PARTLY,
        ),
        _command("models", KEEP, "Show which model weights are used, or pull them", stopped=RERUN),
        _command(
            "reindex", KEEP, "Rebuild everything that is derived from the memory", stopped=RERUN
        ),
        _command("status", KEEP, "Show what is indexed, linked and pending"),
        _command("doctor", KEEP, "Prove that hooks, stores, models and scanner work"),
        _command("review", SHARE, "Look at what a release would publish, and decide about it"),
        _command(
            "publish", SHARE, "Publish the memory behind a release as a dataset", stopped=DONE
        ),
        _command("withdraw", SHARE, "Take a release out of a published memory", stopped=DONE),
        _command("completion", HELP, "Print a shell completion script"),
    )
}
