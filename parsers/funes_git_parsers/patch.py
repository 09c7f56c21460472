"""Reads patches: the envelope that `apply_patch` takes, and unified diffs.

Nothing here knows an agent's records, paths on disk or whether a patch was applied. Both readers
are lenient, as the programs that apply such patches are: what cannot be read is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from funes_git_parsers.base import Hunk
from funes_git_parsers.dataclass import dataclass

BEGIN = "*** Begin Patch"
APART = 10
_END = "*** End Patch"
_HEADER = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_SIGNS = (" ", "+", "-")
_MOVE = "*** Move to: "
_LAST_LINE = re.compile(r"\n[ \t]*\*\*\* End Patch")
_RANGE = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")

Kind = Literal["create", "modify", "delete"]
_KINDS: dict[str, Kind] = {"Add": "create", "Update": "modify", "Delete": "delete"}


@dataclass(frozen=True, slots=True)
class PatchFile:
    """What a patch does to one file.

    `content` is the whole new file of a `create`. The hunks of a `modify` have their full lines.
    This kind of patch has no line numbers: the starts only put the hunks in order, `APART` lines
    from each other, so that no line of one stands next to a line of another. `move_to` is the
    file's new path.
    """

    path: str
    kind: Kind
    content: str | None = None
    hunks: tuple[Hunk, ...] = ()
    move_to: str | None = None


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where patches stand inside `text` (a shell script, a program): start and end offsets."""
    start = text.find(BEGIN)
    while start >= 0 and (first := text.find("\n", start)) >= 0:
        last = _LAST_LINE.search(text, first)
        end = last.end() if last else len(text)
        yield start, end
        start = text.find(BEGIN, end)


def parse(text: str) -> list[PatchFile]:
    """The files of the first patch in `text`, in its order; none if there is no patch.

    The format is described in openai/codex, `codex-rs/apply-patch`.
    """
    start = text.find(BEGIN)
    if start < 0:
        return []
    files: list[PatchFile] = []
    header: re.Match[str] | None = None
    body: list[str] = []
    lines = text[start:].split("\n")[1:]
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    for line in lines:
        if "***" not in line:  # quick: as most
            body.append(line)
            continue
        marker = line.strip()
        found = _HEADER.fullmatch(marker)
        if found or marker == _END:
            if header:
                files.append(_file(header, body))
            header, body = found, []
        if marker == _END:
            return files
        if not found:
            body.append(line)
    if header:
        files.append(_file(header, body))
    return files


def _file(header: re.Match[str], body: list[str]) -> PatchFile:
    kind, path = _KINDS[header[1]], header[2].strip()
    if kind == "create":
        return PatchFile(path, kind, content=_content(body))
    if kind == "delete":
        return PatchFile(path, kind)
    move_to = None
    if body and body[0].startswith(_MOVE):
        move_to = body[0].removeprefix(_MOVE).strip()
        body = body[1:]
    return PatchFile(path, kind, hunks=tuple(_chunks(body)), move_to=move_to)


def _content(body: list[str]) -> str:
    return "".join(line[1:] + "\n" for line in body if line.startswith("+"))


def _chunks(body: list[str]) -> Iterator[Hunk]:
    """Cut the body at its `@@` lines. A line without a sign is an empty line of context, as the
    program that applies the patch has it; empty lines before a marker belong to nothing."""
    lines: list[str] = []
    old = new = 1
    for line in [*body, "@@"]:
        if line[:1] in _SIGNS or (lines and not line):
            lines.append(line)
        elif line.startswith(("@@", "***")):
            while lines and not lines[-1]:
                lines.pop()
            signs = [kept[:1] or " " for kept in lines]
            if "+" in signs or "-" in signs:
                yield Hunk(old, new, tuple([kept or " " for kept in lines]))
                old += len(signs) - signs.count("+") + APART
                new += len(signs) - signs.count("-") + APART
            lines = []


def hunks_of_unified(diff: str) -> tuple[Hunk, ...]:
    """The hunks of a unified diff of one file, with or without its `---`/`+++` headers.

    The counts of each `@@` line say how many lines follow, so that a removed line that starts
    with `--` is not taken for a header. A hunk with fewer lines than it announces is kept.
    """
    hunks: list[Hunk] = []
    lines = diff.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    at = 0
    while at < len(lines):
        head = _RANGE.match(lines[at])
        at += 1
        if not head:
            continue
        old, new = (int(count) if count is not None else 1 for count in head.group(2, 4))
        taken, at = _take(lines, at, old, new)
        if taken:
            hunks.append(Hunk(int(head[1]), int(head[3]), tuple(taken)))
    return tuple(hunks)


def _take(lines: list[str], at: int, old: int, new: int) -> tuple[list[str], int]:
    """The lines of one hunk from `at`, until `old` and `new` are used up; where it ended."""
    taken: list[str] = []
    while at < len(lines) and (old > 0 or new > 0):
        line = lines[at].removesuffix("\r") or " "
        sign = line[0]
        if sign not in " +-\\":
            break
        at += 1
        if sign == "\\":
            continue
        taken.append(line)
        old -= sign != "+"
        new -= sign != "-"
    return taken, at
