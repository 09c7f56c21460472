"""`git funes completion`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options


def completion(shell: options.Shell, /) -> int:
    """Print a shell completion script

    Completes `git funes` and `git-funes`; for bash it needs git's own completion.

    Example: git funes completion bash > ~/.local/share/bash-completion/completions/git-funes

    Parameters
    ----------
    shell
        The shell that reads the script.
    """
    from funes_git.commands.scripts import SCRIPTS

    output.choose("agent").lines([SCRIPTS[shell]()])
    return 0
