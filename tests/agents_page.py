"""Writes docs/reference/agents.md from the parsers themselves; see docs_gen.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

from funes_git_parsers import PARSERS
from funes_git_parsers.base import Capability, Parser, Places

HOME = Path("/home/you")
INTRO = """\
# Agents

Which agents' sessions are read, and what of them. This page is written by `tests/docs_gen.py` from
the parsers; how each format looks is in [parsers/README.md](../../parsers/README.md), which also
says how to add an agent.

- **text**: prompts and answers, verbatim; **thinking**: what the agent keeps of it.
- **edits**: what each editing tool wrote, with the old and the new text where the agent keeps them.
- **shell**: files that commands wrote, exit codes, and the ids of commits that git printed.
- **sub-agents**: which session or turn started which.
- **git**: branch, commit, file ids or remote as the agent recorded them.

`git funes status --agents` says what there is of each on this machine. Sessions in other places are
read with `git funes index PATH`.
"""
PASSES = """\
## What is passed over

Kinds of record that bring nothing, and why. `*` stands for anything.
"""


def page() -> str:
    """The whole page."""
    return "\n".join((INTRO, *_table(), "", *_places(), "", PASSES, *_passes(), ""))


def _sorted() -> list[Parser]:
    return sorted(PARSERS.values(), key=lambda parser: parser.LABEL.lower())


def _table() -> Iterator[str]:
    columns = get_args(Capability)
    yield f"| agent | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for parser in _sorted():
        marks = ("yes" if column in parser.READS else "–" for column in columns)
        yield f"| {parser.LABEL} | {' | '.join(marks)} |"


def _places() -> Iterator[str]:
    yield "## Where they are looked for\n"
    yield "| agent | `--agent` | folders |"
    yield "|---|---|---|"
    for parser in _sorted():
        folders = [f"`{_short(path)}`" for path in parser.folders(Places(HOME, {}))]
        if not folders and parser.folders(Places(HOME, {}, checkouts=(HOME,))):
            folders = ["the repository's working trees"]
        where = ", ".join(folders) or "in files that you name"
        yield f"| {parser.LABEL} | `{parser.NAME}` | {where} |"


def _short(path: Path) -> str:
    return f"~/{path.relative_to(HOME)}" if path.is_relative_to(HOME) else str(path)


def _passes() -> Iterator[str]:
    yield "| agent | kind | because |"
    yield "|---|---|---|"
    for parser in _sorted():
        passes: Mapping[str, str] = getattr(parser, "PASSES", {})
        for kind, reason in sorted(passes.items()):
            yield f"| {parser.LABEL} | `{kind}` | {reason} |"
