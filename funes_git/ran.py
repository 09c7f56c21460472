"""Which turns ran a shell command that fits a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from funes_git.store.catalog import Catalog
from funes_git_parsers.base import Block
from funes_git_parsers.shell.lex import Command, lex
from funes_git_parsers.tools import Call, command

_BEFORE = frozenset(("sudo", "env", "time", "nohup", "exec", "command"))
"""Words after which the command proper begins, as after variables that are set for it."""


def turns(catalog: Catalog, globs: Sequence[str]) -> set[tuple[str, str]]:
    """(session id, turn) of every turn that ran a command line, or a simple command within one,
    that fits one of `globs`, in which `*` stands for any text."""
    return {
        (session, turn)
        for session, turn, blocks in catalog.calls(literals(globs))
        if any(fits(block, globs) for block in blocks)
    }


def literals(globs: Sequence[str]) -> list[list[str]]:
    """For each of `globs` the words that stand in the stored call of every command that fits."""
    # in a call's JSON only these letters are never escaped; a set like [ab] has none that must be
    return [re.findall(r"[A-Za-z0-9_]+", glob) if "[" not in glob else [] for glob in globs]


def fits(block: Block, globs: Sequence[str]) -> bool:
    """Whether the block is a call of a shell with a command that fits one of `globs`."""
    line = line_of(block)
    return line is not None and any(
        fnmatchcase(form, glob) for form in _forms(line) for glob in globs
    )


def place(line: str, globs: Sequence[str]) -> int:
    """Where in a command line of several rows the row begins that fits one of `globs`; 0 if only
    the whole does."""
    at = 0
    for row in line.split("\n"):
        if any(fnmatchcase(form, glob) for form in _forms(row) for glob in globs):
            return at
        at += len(row) + 1
    return 0


def line_of(block: Block) -> str | None:
    """The command line that the block has a shell run; None if it is anything else."""
    if block.type != "tool_use":
        return None
    return command(Call(block.tool_use_id or "", block.tool or "", block.text, "", None, None))


def _forms(line: str) -> Iterator[str]:
    yield line.strip()
    for event in lex(line):
        words = [word.text for word in event.words] if isinstance(event, Command) else []
        yield " ".join(words)
        while words and (words[0] in _BEFORE or re.match(r"\w+=", words[0])):
            words = words[1:]
        yield " ".join(words)
