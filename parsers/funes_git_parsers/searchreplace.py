"""Reads SEARCH/REPLACE blocks, by which Cline, Roo and Aider say what they edit.

A block is a line of `<` or `-` with SEARCH, the replaced text, a line of `=`, the new text, and a
line of `>` or `+` with REPLACE (aider: aider/coders/editblock_prompts.py; cline:
src/core/assistant-message/diff.ts; Roo adds `:start_line:` lines and a `-------` after them).
Standard library only.
"""

from __future__ import annotations

import re

_START = re.compile(r"(?:<{5,9}|-{5,9}) ?SEARCH>?\s*")
_MIDDLE = re.compile(r"={5,9}\s*")
_END = re.compile(r"(?:>{5,9}|\+{5,9}) ?REPLACE>?\s*")
_MARKED = re.compile(r":(?:start|end)_line:\s*\d+\s*|-{5,9}\s*")


def blocks(text: str) -> list[tuple[str, str]]:
    """The (old, new) pairs of the complete blocks in `text`; a pair's old text is empty for a new
    file."""
    return [(old, new) for _, old, new in located(text)]


def located(text: str) -> list[tuple[int, str, str]]:
    """The same, each with the line that it starts at, counted from 0."""
    found: list[tuple[int, str, str]] = []
    start = 0
    old: list[str] | None = None
    new: list[str] | None = None
    for at, line in enumerate(text.splitlines(keepends=True)):
        if _START.fullmatch(line):
            start, old, new = at, [], None
        elif old is not None and new is None and _MIDDLE.fullmatch(line):
            new = []
        elif old is not None and new is not None and _END.fullmatch(line):
            found.append((start, "".join(_unmarked(old)), "".join(new)))
            old = new = None
        elif new is not None:
            new.append(line)
        elif old is not None:
            old.append(line)
    return found


def _unmarked(lines: list[str]) -> list[str]:
    """Without the lines that only say where the text stands."""
    at = 0
    while at < len(lines) and _MARKED.fullmatch(lines[at]):
        at += 1
    is_marked = any(":start_line:" in line for line in lines[:at])
    return lines[at:] if is_marked else lines
