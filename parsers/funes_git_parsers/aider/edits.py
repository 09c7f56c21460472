"""What a message of the model does to files, in each of the forms that Aider asks for.

Aider-AI/aider, aider/coders/*_coder.py: blocks of SEARCH and REPLACE, the file's name above them or
first in their fence; whole files in fences below a name; unified diffs; Codex's patches. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import Literal, TypeAlias

from funes_git_parsers import patch, searchreplace
from funes_git_parsers.base import Hunk, Operation

Form: TypeAlias = Literal["blocks", "whole", "diff", "patch"]
Found: TypeAlias = tuple[str, Operation, str | None, str | None, tuple[Hunk, ...]]
"""The file's path as Aider tells it; then as in `base.Edit`."""

FENCE = re.compile(r"(`{3,}|~{3,})\s*(\S*)\s*")
_NAME = re.compile(r"\S*[./]\S*")


def form(edit_format: str) -> Form | None:
    """The form of an edit format; None if there is none (`ask`, `architect`)."""
    if edit_format.startswith("udiff"):
        return "diff"
    if "diff" in edit_format:
        return "blocks"
    if "whole" in edit_format:
        return "whole"
    return "patch" if edit_format == "patch" else None


def edits(text: str, paths: Sequence[str], forms: Set[Form]) -> Iterator[Found]:
    """What a message does to the files at `paths`, which Aider said that it edited. `forms` are
    those that the model was asked for; any, if none is known."""
    if patch.BEGIN in text and (not forms or "patch" in forms):
        yield from _of_patch(text, paths)
        return
    names = _Names(paths)
    blocks = searchreplace.located(text) if not forms or "blocks" in forms else []
    if blocks:
        lines = text.splitlines()
        for at, old, new in blocks:
            if path := names.of(reversed(lines[max(0, at - 3) : at])):
                yield (path, "modify", old, new, ()) if old else (path, "create", None, new, ())
    fences = [] if blocks and forms == {"blocks"} else list(_fences(text))
    for above, kind, body in fences:
        if kind == "diff" and (not forms or "diff" in forms):
            yield from _of_diff(body, names)
        elif forms and "whole" not in forms:
            continue
        elif (path := names.exact(above)) and not searchreplace.blocks(body):
            yield path, "create", None, body, ()


class _Names:
    """Tells which file is meant, as Aider does: by its path or its last part, or else by what was
    named before, or is the only one."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._last = paths[0] if len(paths) == 1 else None

    def exact(self, name: str) -> str | None:
        """The file of that name."""
        if name in self._paths:
            return name
        last = [path for path in self._paths if path.rpartition("/")[2] == name]
        return last[0] if len(last) == 1 else None

    def of(self, above: Iterator[str]) -> str | None:
        """The file that one of the lines names, the nearest first; beyond a line that is no fence
        none is looked at. None if they name a file that was not edited."""
        for line in above:
            name = _plain(line.removeprefix("```") if line.startswith("```") else line)
            if self.exact(name) or _NAME.fullmatch(name):
                self._last = self.exact(name)
                break
            if not line.startswith("```"):
                break
        return self._last


def _plain(line: str) -> str:
    return line.strip("*`:# \t\n")


def _of_patch(text: str, paths: Sequence[str]) -> Iterator[Found]:
    for file in patch.parse(text):
        path = file.move_to or file.path
        if path in paths and (file.kind != "modify" or file.hunks):
            yield path, file.kind, None, file.content, file.hunks


def _of_diff(body: str, names: _Names) -> Iterator[Found]:
    """A unified diff of one or several files; the model is asked for no line numbers."""
    path, is_new = names.of(iter(())), False
    lines: list[str] = []
    before = ""
    for line in [*body.splitlines(), "--- ", "+++ "]:
        if line.startswith("+++ ") and before.startswith("--- "):
            yield from _of_file(path, lines[:-1], is_new=is_new)
            is_new = before[4:].strip() == "/dev/null"
            path, lines = names.exact(_unprefixed(line[4:].strip(), before[4:].strip())), []
        else:
            lines.append(line)
        before = line


def _unprefixed(new: str, old: str) -> str:
    """A path without git's `b/`."""
    return new[2:] if new.startswith("b/") and (old.startswith("a/") or old == "/dev/null") else new


def _of_file(path: str | None, lines: list[str], *, is_new: bool) -> Iterator[Found]:
    if not path:
        return
    if is_new:
        text = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
        yield path, "create", None, text, ()
    elif hunks := patch.hunks_of_unified(_numbered(lines)):
        yield path, "modify", None, None, hunks


def _numbered(lines: list[str]) -> str:
    """A diff whose hunks have ranges, which only keep them in order."""
    out: list[str] = []
    body: list[str] = []
    for line in [*lines, "@@"]:
        if not line.startswith("@@"):
            body.append(line)
            continue
        signed = [each or " " for each in body if each[:1] in ("+", "-", " ", "")]
        old = sum(each[0] != "+" for each in signed)
        new = sum(each[0] != "-" for each in signed)
        if signed:
            out += [f"@@ -{len(out) + 1},{old} +{len(out) + 1},{new} @@", *signed]
        body = []
    return "\n".join(out) + "\n"


def _fences(text: str) -> Iterator[tuple[str, str, str]]:
    """(the name above, kind, body) of each fenced block."""
    above = ""
    lines = iter(text.splitlines(keepends=True))
    for line in lines:
        opened = FENCE.fullmatch(line)
        if not opened:
            above = _plain(line) or above
            continue
        body: list[str] = []
        for inner in lines:
            if inner.rstrip() == opened[1]:
                break
            body.append(inner)
        yield above, opened[2], "".join(body)
        above = ""
