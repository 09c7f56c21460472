"""Changing one entry in the text of somebody else's settings file, and nothing else of it.

Each syntax is a module with `put(text, entries)`, `cut(text, entries)` and `read(text)`. None
serialises what was there: comments, order, line ends and spaces of the rest stay as they are.
"""

from __future__ import annotations

from typing import Any

from funes_git_parsers.dataclass import dataclass

MARK = "funes-git/bin/"
"""Every command that we register runs a program of this folder, but for MCP servers that a
repository shares: those are `git funes mcp`."""
SHARED = ["funes", "mcp"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What we add: `value` at `path`; with `many`, one more item of the list that is there. An
    entry that is `needed` by the file's format is put where it is missing and never cut."""

    path: tuple[str, ...]
    value: Any
    many: bool = False
    needed: bool = False


class Unfit(Exception):
    """The text is not what its syntax asks, or has something else in our place; the message says
    what and where."""


def is_ours(value: Any) -> bool:
    """Whether a value of a settings file is one of ours: a server or a hook that runs us."""
    if isinstance(value, str):
        return MARK in value
    if isinstance(value, list):
        return value[-2:] == SHARED or any(is_ours(item) for item in value)
    return isinstance(value, dict) and any(is_ours(item) for item in value.values())
