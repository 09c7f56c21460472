"""What is said of a wrong command line: what was expected, and the command that was meant.

Takes cyclopts' errors apart by their fields; knows nothing else of cyclopts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from funes_git.commands import COMMANDS, Command, quick
from funes_git.errors import UsageError

MEANT: Final = {
    "search": "git funes recall WORDS",
    "find": "git funes recall WORDS",
    "grep": "git funes recall WORDS",
    "show": "git funes get SESSION TURN, or git funes why COMMIT",
    "explain": "git funes why FILE:LINE",
    "annotate": "git funes blame FILE",
    "version": "git funes --version",
    "uninstall": "git funes deinit",
    "sync": "git funes index",
    "update": "git funes index",
}
"""What other programs call something that we have."""

NEEDED: Final = {
    "why": ("why needs FILE:LINE, FILE or a commit", "git funes why FILE:LINE"),
    "blame": ("blame needs a file", "git funes blame FILE"),
    "get": ("get needs a session, as log and recall name it", "git funes log -5"),
    "completion": ("completion needs a shell: bash, zsh or fish", "git funes completion bash"),
}
"""What a command cannot do without, and an example."""


def unknown_command(name: str) -> UsageError:
    """For a command that there is not."""
    close = get_close_matches(name.lower(), COMMANDS, n=1)
    hint = f"git funes {close[0]}" if close else "git funes -h"
    return UsageError(f"git funes has no command {name!r}", hint=MEANT.get(name.lower(), hint))


def usage_error(command: Command | None, argv: Sequence[str], error: Exception) -> UsageError:
    """For a command line that cyclopts refused with `error`."""
    if command is None:
        return UsageError(_said(error), hint="git funes -h")
    kind = type(error).__name__
    if kind == "MissingArgumentError":
        return _missing(command, error)
    if kind == "UnusedCliTokensError":
        return _too_many(command, getattr(error, "unused_tokens", None) or [])
    if kind == "UnknownOptionError":
        token = getattr(error, "token", None)
        return _unknown_option(command, token.keyword or token.value if token else "")
    return UsageError(_invalid(error), hint=f"git funes {command.name} -h")


def _said(error: Exception) -> str:
    return str(error).strip().rstrip(".")


def _missing(command: Command, error: Exception) -> UsageError:
    argument = getattr(error, "argument", None)
    name = str(argument.names[-1]) if argument else ""
    more = f"git funes {command.name} -h"
    if argument is None or argument.index is None:
        return UsageError(f"{name} needs a value", hint=more)
    if command.name not in NEEDED:
        return UsageError(f"{command.name} needs {name.lstrip('-').upper()}", hint=more)
    message, example = NEEDED[command.name]
    return UsageError(message, hint=f"{example}   (more: {more})")


def _too_many(command: Command, tokens: Sequence[str]) -> UsageError:
    known = quick.spec(command.load())
    takes = len(known.positional) if known else 0
    most = {0: "no arguments", 1: "one argument", 2: "two arguments"}.get(takes, "fewer arguments")
    hint = f"git funes {command.name} -h"
    if command.name == "why" and tokens and re.fullmatch(r"\d+(-\d+)?", tokens[0]):
        hint = f"git funes why FILE:{tokens[0]}"
    return UsageError(f"{command.name} takes {most}; too much: {' '.join(tokens)}", hint=hint)


def _unknown_option(command: Command, option: str) -> UsageError:
    option = option.partition("=")[0]
    known = quick.spec(command.load())
    options = list(known.options) if known else []
    if option == "-C":
        hint = f"git funes -C PATH {command.name}   (before the command)"
    elif option == "--json" and "--format" in options:
        hint = f"git funes {command.name} --format json"
    else:
        close = get_close_matches(option, options, n=1, cutoff=0.75)
        meant = f"   (do you mean {close[0]}?)" if close else ""
        hint = f"git funes {command.name} -h{meant}"
    return UsageError(f"unknown option: {option}", hint=hint)


def _invalid(error: Exception) -> str:
    """The value that cannot be; for a number, said so."""
    said = _said(error)
    number = re.fullmatch(r'Invalid value for (\S+): unable to convert "(.*)" into int', said)
    return f"{number[1]} needs a number, not {number[2]!r}" if number else said
