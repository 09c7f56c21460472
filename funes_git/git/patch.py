"""What `git log -p` and `git diff -p` print, as records, parsed a line at a time as it streams."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import IO

from funes_git.git.commits import parse_info
from funes_git.git.quote import storable, unquote
from funes_git.model import CommitInfo
from funes_git_parsers.dataclass import dataclass

HUNK = re.compile(rb"@@+ (?:-(\d+)(?:,\d+)? )+\+(\d+)(?:,\d+)? @@")


@dataclass(slots=True)
class Hunk:
    """Lines that stand together in a diff: (number, text) in the old and the new file."""

    removed: list[tuple[int, str]] = field(default_factory=list)
    added: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class FileChange:
    """What a commit did to one file. `old_blob` and `new_blob` are the full ids of the file in the
    (first) parent and in the commit, all zeros where it was not there."""

    path: str
    old_path: str | None = None
    status: str = "modified"
    """`added`, `modified`, `deleted` or `renamed`."""
    binary: bool = False
    old_blob: str = ""
    new_blob: str = ""
    added: int = 0
    """How many lines were added, also where they were not kept."""
    hunks: list[Hunk] = field(default_factory=list)


@dataclass(slots=True)
class CommitChange:
    """A commit and the files that it changed."""

    info: CommitInfo
    files: list[FileChange]
    unreadable: bool = False
    """Some of its objects are missing: a partial clone, a damaged repository."""


Wanted = Callable[[FileChange], bool]


class DiffReader:
    """Reads the output of `git log -p`, a line at a time."""

    def __init__(self, out: IO[bytes], wanted: Wanted) -> None:
        self.lines = iter(out)
        self.wanted = wanted
        self.line = next(self.lines, b"")  # b"" is the end: no line is empty

    def advance(self) -> None:
        self.line = next(self.lines, b"")

    def commits(self) -> Iterator[CommitChange]:
        while self.line:
            if not self.line.startswith(b"\0"):
                self.advance()
                continue
            info = parse_info(self.line[1:].rstrip(b"\n"))
            self.advance()
            yield CommitChange(info, list(self.files(len(info.parents))))

    def files(self, parents: int) -> Iterator[FileChange]:
        while self.line and not self.line.startswith(b"\0"):
            if self.line.startswith(b"diff --"):
                yield self.file(parents)
            else:
                self.advance()

    def file(self, parents: int) -> FileChange:
        change = FileChange(path=_header_path(self.line))
        self.advance()
        self.header(change)
        keep = self.wanted(change)
        while self.line and self.line.startswith(b"@@"):
            self.hunks(change, keep, parents)
        return change

    def header(self, change: FileChange) -> None:
        while self.line and not self.line.startswith((b"@@", b"diff --", b"\0")):
            _header_line(self.line.rstrip(b"\n"), change)
            self.advance()

    def hunks(self, change: FileChange, keep: bool, parents: int) -> None:
        match = HUNK.match(self.line)
        columns = max(1, len(self.line) - len(self.line.lstrip(b"@")) - 1)
        old, new = (int(match[1]), int(match[2])) if match else (0, 0)
        hunk = Hunk()
        self.advance()
        while self.line and self.line[:1] in (b"+", b"-", b" ", b"\\"):
            change.added += self.line[:1] == b"+"
            if keep and self.line[:1] != b"\\":
                old, new = _hunk_line(hunk, self.line, columns, old, new)
            self.advance()
        if hunk.added or hunk.removed:
            change.hunks.append(hunk)


def _hunk_line(hunk: Hunk, line: bytes, columns: int, old: int, new: int) -> tuple[int, int]:
    """Take one line in; the next line numbers. In a combined diff a line counts only where it
    differs from every parent."""
    signs = line[:columns]
    text = line[columns:].rstrip(b"\n").decode("utf-8", "replace")
    if b"-" in signs:
        if b" " not in signs:
            hunk.removed.append((old, text))
        return old + 1, new
    if b" " not in signs:
        hunk.added.append((new, text))
    return old, new + 1


def _header_line(line: bytes, change: FileChange) -> None:
    if line.startswith(b"+++ ") and line != b"+++ /dev/null":
        change.path = _path(line[4:])
    elif line.startswith(b"--- ") and line != b"--- /dev/null":
        if change.status == "deleted":
            change.path = _path(line[4:])
    elif line.startswith(b"rename from "):
        change.status, change.old_path = "renamed", _name(line[12:])
    elif line.startswith(b"rename to "):
        change.path = _name(line[10:])
    elif line.startswith(b"new file mode"):
        change.status = "added"
    elif line.startswith(b"deleted file mode"):
        change.status = "deleted"
    elif line.startswith(b"Binary files "):
        change.binary = True
    elif line.startswith(b"index "):
        old, _, new = line[6:].decode().partition("..")
        change.old_blob, change.new_blob = old.split(",")[0], new.split(" ")[0]


def _header_path(line: bytes) -> str:
    """The path in a `diff --git a/x b/x` or `diff --cc x` line; exact for files that are not
    renamed, which is where no later header line names it (a mode change, an empty file)."""
    line = line.rstrip(b"\n")
    if not line.startswith(b"diff --git "):
        return _name(line.split(b" ", 2)[2])
    rest = line[len(b"diff --git ") :]
    half = rest[(len(rest) + 1) // 2 :]
    return _path(half)


def _name(raw: bytes) -> str:
    """A path for comparing and storing; none of these goes back to git."""
    return storable(unquote(raw))


def _path(raw: bytes) -> str:
    """A path with its `a/` or `b/` prefix, perhaps quoted, perhaps followed by a tab."""
    name = _name(raw.rstrip(b"\t"))
    return name[2:] if name[:2] in ("a/", "b/") else name
