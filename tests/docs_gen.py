"""Writes what the documentation says of the commands from the commands themselves.

`python tests/docs_gen.py` writes docs/reference/cli.md, docs/reference/agents.md (agents_page.py),
docs/reference/mcp.md (mcp_page.py)
and docs/git-funes.1; a test holds them to it.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "parsers")]

import agents_page  # noqa: E402
import mcp_page  # noqa: E402
from linking_gen import PAGE, linking_page  # noqa: E402
from rich.console import Console  # noqa: E402

from funes_git.cli import build_app  # noqa: E402
from funes_git.commands import COMMANDS, GROUPS, Command, quick  # noqa: E402
from funes_git.commands.narrowed import taken  # noqa: E402
from funes_git.commands.options import NARROWING  # noqa: E402

CLI_INTRO = """\
# Commands

What `git funes -h` and `git funes COMMAND -h` print. `git-funes` and `funes-git` are the same
program.

Before the command, `-C PATH` runs it in another folder and `--no-pager` pages nothing. `-5` is
short for `-n 5`. Output formats, configuration and exit codes: [json.md](json.md),
[agent-format.md](agent-format.md), [config.md](config.md).
"""
MAN_HEAD = """\
.TH GIT\\-FUNES 1 "" "funes\\-git" "Git Manual"
.SH NAME
git\\-funes \\- the memory of a git repository: which agent's turn wrote a line, and why
.SH SYNOPSIS
.B git funes
.RI [ "\\-C PATH" ]
.RI [ \\-\\-no\\-pager ]
.I COMMAND
.RI [ OPTIONS ]
.SH DESCRIPTION
Coding agents keep their sessions in folders of their own: the prompts, what was tried, and the
edits.
.B git funes
reads them, keeps every turn beside the repository, ties turns to commits and lines, and answers.
.PP
Start with
.BR "git funes init" ;
then ask
.BR "git funes why FILE:LINE" .
To see it first, run
.BR "git funes demo" .
"""
MAN_TAIL = """\
.SH OUTPUT
Data goes to standard output, talk to standard error. A terminal gets the human format, a pipe the
compact agent format;
.B \\-\\-format json
prints JSON whose fields are added to, never renamed. Long output is paged as git pages it.
.SH EXIT STATUS
.TP
0
done, also where nothing was found
.TP
1
an error; with
.B \\-\\-exit\\-code
also where nothing was found
.TP
2
the command line makes no sense
.TP
3
a bug in funes\\-git
.TP
75
another process is writing the memory
.TP
130
interrupted
.SH FILES
.TP
.I $GIT_COMMON_DIR/funes
the memory and everything derived from it; never committed, pushed or cloned
.TP
.I ~/.cache/funes\\-git
pulled model weights, what is known of session files, crash records; under memories, what is derived
of other memories that were asked
.TP
.I ~/.config/funes\\-git
the repositories that are enabled, and the program that hooks call
.SH SEE ALSO
.BR git (1),
.BR git\\-blame (1),
.BR git\\-log (1)
"""


def help_text(name: str | None) -> str:
    """What `-h` prints, 90 columns wide."""
    out = StringIO()
    console = Console(file=out, width=90, color_system=None, force_terminal=False)
    build_app(name).help_print([name] if name else [], console=console)
    return "\n".join(line.rstrip() for line in out.getvalue().strip().splitlines())


def cli_reference() -> str:
    """docs/reference/cli.md."""
    parts = [CLI_INTRO, f"```text\n{help_text(None)}\n```\n"]
    for group in GROUPS:
        parts.append(f"## {group}\n")
        for command in COMMANDS.values():
            if command.group == group:
                text = help_text(command.name)
                parts.append(f"### git funes {command.name}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def man_page() -> str:
    """docs/git-funes.1."""
    parts = [MAN_HEAD]
    for group in GROUPS:
        parts.append(f".SH {group.upper()}\n")
        for command in COMMANDS.values():
            if command.group == group:
                parts.append(_man_command(command))
    return "".join([*parts, MAN_TAIL])


def _man_command(command: Command) -> str:
    function = command.load()
    head, _, parameters = inspect.cleandoc(function.__doc__ or "").partition("\nParameters\n")
    _, *paragraphs = head.strip().split("\n\n")
    rows = [
        f".SS git funes {_roff(command.name)}{_roff(_arguments(function))}",
        _roff(command.help),
    ]
    rows[-1] += "."
    for paragraph in paragraphs:
        text = " ".join(paragraph.split())
        example = text.removeprefix("Example: ")
        rows += [".PP", _roff(text) if example == text else f"Example:\n.B {_roff(example)}"]
    flags = _flags(function)
    said = re.findall(r"^(\w+)\n((?:    .*\n?)+)", parameters, re.MULTILINE)
    by = NARROWING.get(str(function.__annotations__.get("only")))
    if by is not None:
        said += [(name, narrowing.said) for name, narrowing in taken(by=by).items()]
    for name, text in said:
        rows += [".TP", f".B {_roff(flags.get(name, name.upper()))}", _roff(" ".join(text.split()))]
    return "\n".join(rows) + "\n"


def _arguments(function: Callable[..., int]) -> str:
    known = quick.spec(function)
    if known is None:
        return ""
    names = [
        name.upper() if number < known.required else f"[{name.upper()}]"
        for number, (name, _) in enumerate(known.positional)
    ]
    names += [f"[{known.rest.upper()}…]"] if known.rest else []
    return "".join(f" {name}" for name in names)


def _flags(function: Callable[..., int]) -> dict[str, str]:
    """By parameter: its flags, and what it takes."""
    known = quick.spec(function)
    found: dict[str, list[str]] = {}
    takes: dict[str, str] = {}
    for flag, (name, kind) in (known.options if known else {}).items():
        found.setdefault(name, []).append(flag)
        value = "|".join(kind.choices) or {int: "N", bool: ""}.get(kind.convert, "TEXT")
        takes[name] = f" {value}" if value else ""
    return {name: ", ".join(sorted(flags, key=len)) + takes[name] for name, flags in found.items()}


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("`", "")
    return re.sub(r"^(?=[.'])", r"\\&", escaped, flags=re.MULTILINE)


GENERATED: dict[Path, Callable[[], str]] = {
    PAGE: linking_page,
    ROOT / "docs" / "reference" / "cli.md": cli_reference,
    ROOT / "docs" / "git-funes.1": man_page,
    ROOT / "docs" / "reference" / "agents.md": agents_page.page,
    ROOT / "docs" / "reference" / "mcp.md": mcp_page.page,
}

if __name__ == "__main__":
    for path, make in GENERATED.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(), encoding="utf-8")
