"""The command line: one app, one boundary where every error becomes a message and an exit code.

0 done, 1 error, 2 usage, 3 bug, 75 memory busy, 130 interrupted. cyclopts is imported only for what
`commands.quick` leaves to it: help, completion of abbreviations, wrong command lines.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Final

from funes_git import interrupts
from funes_git.commands import COMMANDS, GROUPS, Command, quick
from funes_git.errors import FunesError, UsageError
from funes_git.failures import failure

if TYPE_CHECKING:
    from cyclopts import App

EPILOGUE: Final = """\
Before the command: -C PATH runs it there, --no-pager pages nothing.

Start with `git funes init`, then ask `git funes why FILE:LINE`.
See it first: `git funes demo`. More on each command: `git funes why -h`.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line (that of the process for None); the exit code."""
    _open_streams()
    interrupts.watch()
    try:
        code = _run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except BrokenPipeError:
        _close_quietly()
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _failed(error)
    return code


def _run(argv: list[str]) -> int:
    argv = _global_options(argv)
    if argv[:1] == ["help"]:
        argv = [*argv[1:2], "-h"]
    if argv[:1] == ["--version"]:
        print(f"git-funes {_version()}")
        return 0
    if argv[:1] == ["worker"]:  # what the hooks' shim falls back to; not for people
        from funes_git import worker

        return worker.main(argv[1:])
    if argv[:1] == ["hint"]:  # what agents' hooks ask; not for people either
        from funes_git.commands import hints

        return hints.main(argv[1:])
    if not argv or argv[0] in ("-h", "--help"):
        return _parsed(["-h"], None)
    command = _command(argv[0])
    _stand()
    rest = _spelled_out(command, argv[1:])
    function = command.load()
    bound = quick.bind(function, rest)
    try:
        if bound is not None:
            return function(*bound.args, **bound.kwargs)
        return _parsed([command.name, *rest], command)
    except KeyboardInterrupt:
        _stopped(command)
        raise


def _stopped(command: Command) -> None:
    """Say what an interrupt leaves behind."""
    from funes_git import output

    output.choose(None).progress_done()
    output.note(f"stopped; {command.stopped}" if command.stopped else "stopped")


def _command(name: str) -> Command:
    if name in COMMANDS:
        return COMMANDS[name]
    if name.startswith("-"):
        raise UsageError(f"unknown option: {name}", hint="git funes -h")
    from funes_git.commands import mistakes

    raise mistakes.unknown_command(name)


def _global_options(argv: list[str]) -> list[str]:
    """Take off what stands before the command: `-C PATH`, as often as given, and `--no-pager`."""
    while argv:
        if argv[0] == "--no-pager":
            from funes_git import output

            output.no_pager()
            argv = argv[1:]
        elif argv[0] == "-C":
            if len(argv) < 2:
                raise UsageError("-C needs a path", hint="git funes -h")
            _change_folder(argv[1])
            argv = argv[2:]
        else:
            break
    return argv


def _stand() -> None:
    try:
        Path.cwd()
    except OSError as error:
        raise FunesError(f"the current folder is gone: {error.strerror}", hint="cd") from error


def _change_folder(path: str) -> None:
    try:
        if path:
            os.chdir(path)
    except OSError as error:
        raise FunesError(
            f"cannot change to {path}: {error.strerror}", hint="git funes -C PATH …"
        ) from error


def _spelled_out(command: Command, argv: list[str]) -> list[str]:
    """git's own short forms: `-5` for `-n 5`, `--merged` for `--merged=HEAD`, paths after `--`."""
    end = argv.index("--") if "--" in argv else len(argv)
    before, after = argv[:end], argv[end:]
    if command.counts:
        before = [
            part
            for token in before
            for part in (("-n", token[1:]) if re.fullmatch(r"-\d+", token) else (token,))
        ]
    before = [f"{token}=HEAD" if token in command.bare else token for token in before]
    if command.paths:
        after = [f"--path={path}" for path in after[1:]]
    return before + after


def build_app(explained: str | None = None) -> App:
    """The cyclopts app. Commands are named by string, so that none is imported for the overview;
    the `explained` one takes its help from its own docstring."""
    from cyclopts import App, Group, Parameter

    from funes_git.commands.help import Columns

    groups = {name: Group(name, sort_key=number) for number, name in enumerate(GROUPS)}
    app = App(
        name="git funes",
        help="The memory of a git repository: which agent's turn wrote a line, and why",
        help_epilogue="" if explained else EPILOGUE,
        help_format="plaintext",
        help_formatter=Columns(),
        version=_version,
        default_parameter=Parameter(negative=(), show_default=False),
        group_parameters=Group("Options"),
        group_commands=groups[GROUPS[-1]],
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
    )
    for number, command in enumerate(COMMANDS.values()):
        app.command(
            command.target,
            name=command.name,
            help=_explanation(command) if command.name == explained else command.help,
            group=groups[command.group],
            sort_key=number,
        )
    return app


def _explanation(command: Command) -> str:
    """The command's docstring up to its parameters, each paragraph on one line: cyclopts folds."""
    from inspect import cleandoc

    text = cleandoc(command.load().__doc__ or "").partition("\nParameters\n")[0]
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


def _parsed(argv: list[str], command: Command | None) -> int:
    from cyclopts import CycloptsError

    try:
        code = build_app(command.name if command else None)(argv)
    except CycloptsError as error:
        from funes_git.commands import mistakes

        raise mistakes.usage_error(command, argv, error) from error
    except SystemExit as ended:
        # rich makes this of a reader that left
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        raise
    return code if isinstance(code, int) else 0


def _version() -> str:
    from funes_git.version import version_of

    return version_of("funes-git")


def _open_streams() -> None:
    """Started with `>&-`, Python has None for a stream: give it one that goes nowhere. Paths may
    hold bytes that are no text, and a terminal need not know every character."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _close_quietly() -> None:
    """Nobody reads our output any more: let the interpreter's last flush go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _failed(error: Exception) -> int:
    """Say what happened; the exit code."""
    from funes_git import output

    try:
        sys.stdout.flush()
    except OSError:
        _close_quietly()
    found = failure(error)
    output.error(found.message, found.hint)
    return found.code
