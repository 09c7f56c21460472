"""Commands for tests of the boundary around commands."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from funes_git import output
from funes_git.errors import FunesError, MemoryBusy

SECRET = "what the user said"


def bug() -> int:
    """Fail as only a bug does"""
    raise ValueError(f"could not read {SECRET}")


def trouble() -> int:
    """Fail as users can understand"""
    raise FunesError("the disk is \x1b[2Jodd", hint="git funes doctor")


def busy() -> int:
    """Find the memory busy"""
    raise MemoryBusy("process 7 is writing", hint="try again")


def interrupted() -> int:
    """Be interrupted"""
    _interrupt()
    return 0


def twice() -> int:
    """Be interrupted as git does it, which passes on what the terminal has told already"""
    made = _tidied()
    next(made)
    _interrupt()
    return 0


def _tidied() -> Iterator[None]:
    try:
        yield
    finally:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        print("tidied up", flush=True)


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)


def full() -> int:
    """Find the disk full"""
    Path("/dev/full").write_text("x")
    return 0


def refused() -> int:
    """Take a file for a folder"""
    Path("/dev/null/x").read_text()
    return 0


def lines(*count: str) -> int:
    """Print as many lines"""
    output.choose("human").lines(f"line {n}" for n in range(int(count[0])))
    return 0


def main() -> int:
    """Run the command line with these commands added."""
    from funes_git.cli import main as command_line
    from funes_git.commands import COMMANDS, HELP, Command

    for name in ("bug", "trouble", "busy", "interrupted", "twice", "full", "refused", "lines"):
        COMMANDS[name] = Command(name, f"cli.sample_commands:{name}", HELP, "Be a sample")
    return command_line()


if __name__ == "__main__":
    sys.exit(main())
