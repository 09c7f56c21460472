"""The programs that agents call, at fixed paths that no version and no environment changes.

`funes-git` starts this installation (the MCP server, hints). `funes-git-agent` is the hook at the
end of a turn, in shell, which has the git hook write its event. Both lie where the git hooks' shim
lies.
"""

from __future__ import annotations

import sys
from pathlib import Path

from funes_git import config
from funes_git.errors import FunesError
from funes_git.hosts import files, githooks


def launcher() -> Path:
    """What an agent starts the MCP server with."""
    return _folder() / "funes-git"


def launcher_text(python: str = sys.executable) -> str:
    """A program that runs the command line of the Python that has funes-git."""
    quoted = "'" + python.replace("'", "'\\''") + "'"
    return (
        "#!/bin/sh\n"
        "# funes-git launcher 1: called by agents, rewritten by `git funes add`\n"
        f'[ -x {quoted} ] && exec {quoted} -E -P -m funes_git "$@"\n'
        'exec git-funes "$@"\n'
    )


def write() -> None:
    """Write the programs. Raises FunesError where they cannot be written."""
    folder = _folder()
    try:
        for name, body in _programs().items():
            files.write(folder / name, body, mode=0o755)
    except OSError as error:
        raise FunesError(
            f"cannot write into {folder} ({error.strerror})", hint="make that folder writable"
        ) from error


def refresh() -> None:
    """Make the programs that are there start this installation."""
    if launcher().exists():
        write()


def remove() -> None:
    """Delete the programs."""
    for name in _programs():
        files.delete(_folder() / name, config.user_layout().config.parents[1])


def ready() -> bool:
    """Whether the programs are there and of this version."""
    return all(files.read(_folder() / name) == body for name, body in _programs().items())


def _programs() -> dict[str, bytes]:
    return {
        "funes-git": launcher_text().encode(),
        "funes-git-agent": githooks.assets("agent", "funes-git-agent").read_bytes(),
        "funes-hook": githooks.asset().read_bytes(),
    }


def _folder() -> Path:
    return config.user_layout().shim.parent
