"""What the user pointed at: `file`, `file:line`, `file:a-b`, `file:symbol` or a commit."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from funes_git.errors import UnknownTarget, UsageError
from funes_git.git import Repo
from funes_git_parsers.dataclass import dataclass

LINES = re.compile(r"^(?P<path>.+):(?P<first>\d+)(?:[-,](?P<last>\d+))?$", re.DOTALL)

NAMED = re.compile(r"[^\d\s,:+-]")
"""What a name has and a range of lines, also a mistyped one, has not."""

RANGE = re.compile(
    r"^(?=[\d,])(?P<first>\d{1,9})?(?:,(?:(?P<sign>[+-])?(?P<end>\d{1,9}))?)?$", re.A
)
GIT_NAME = re.compile(r"^(?P<rev>[^:]+):(?P<path>.+?)(?P<lines>:\d+(?:-\d+)?)?$")


@dataclass(frozen=True, slots=True)
class Target:
    """A path from the top of the working tree, with the asked lines (inclusive) or the name of what
    is asked about in it; or a commit."""

    path: str | None = None
    lines: tuple[int, int] | None = None
    symbol: str | None = None
    commit: str | None = None


def parse_target(repo: Repo, text: str, rev: str | None, cwd: Path) -> Target:
    """What `text` names, typed in folder `cwd`; a file in the working tree, or in `rev` if given.

    A file wins over a revision of the same name, and over a name in a shorter file's. Raises
    UnknownTarget.
    """
    path = find_path(repo, text, rev, cwd)
    if path is not None:
        return Target(path=path)
    match = LINES.match(text)
    if match:
        path = find_path(repo, match["path"], rev, cwd)
        if path is None:
            raise _git_name(repo, text) or missing_path(match["path"], rev)
        # more digits than Python turns into a number are as far beyond the end
        first = int(match["first"][:18])
        last = int((match["last"] or match["first"])[:18])
        if first < 1 or last < first:
            raise UnknownTarget(
                f"{text}: lines count from 1, first before last", hint="git funes why FILE:10-20"
            )
        return Target(path=path, lines=(first, last))
    for colon in (at for at, character in enumerate(text) if character == ":"):
        symbol = text[colon + 1 :]
        if NAMED.search(symbol) and (path := find_path(repo, text[:colon], rev, cwd)) is not None:
            return Target(path=path, symbol=symbol)
    try:
        return Target(commit=repo.resolve(text))
    except UnknownTarget:
        raise _explained(repo, text, rev, cwd) from None


def _explained(repo: Repo, text: str, rev: str | None, cwd: Path) -> UnknownTarget:
    """The error for what names nothing, by what it looks like."""
    if text and os.path.isdir(cwd / text):  # noqa: PTH112 - False for what cannot be a name
        return _folder(text)
    head, _, tail = text.rpartition(":")
    if head and find_path(repo, head, rev, cwd) is not None:
        told = f"after {head}: comes a line, lines or the name of a function, not {tail!r}"
        return UnknownTarget(told, hint=f"git funes why {head}:10-20")
    return _git_name(repo, text) or UnknownTarget(
        f"{text!r} is no file{_at(rev)} and no commit",
        hint="git funes why FILE:LINE, or git funes why COMMIT",
    )


def _git_name(repo: Repo, text: str) -> UnknownTarget | None:
    """The error for `HEAD:app.py`, where that is a file."""
    named = GIT_NAME.match(text)
    if named is None or not repo.has_path(named["path"].removeprefix("./"), named["rev"]):
        return None
    return UnknownTarget(
        f"{text!r} is git's name for a file in a commit",
        hint=f"git funes why --at {named['rev']} {named['path']}{named['lines'] or ''}",
    )


def _folder(text: str) -> UnknownTarget:
    return UnknownTarget(f"{text} is a folder", hint=f"git funes log -- {text}")


def parse_range(text: str) -> tuple[int, int | None]:
    """The lines that `git blame -L` would take `text` for, both ends inclusive; None for the last
    line of the file. Raises UsageError."""
    match = RANGE.match(text)
    if match is None:
        raise UsageError(
            f"-L takes lines as 30,50 or 30,+20, not {text!r}", hint="git funes blame -h"
        )
    first, sign, end = int(match["first"] or 1), match["sign"], int(match["end"] or 0)
    if match["end"] is None:
        return max(first, 1), None
    if sign == "+":
        return max(first, 1), max(first + end - 1, first)
    if sign == "-":
        return max(first - end + 1, 1), first
    return max(min(first, end), 1), max(first, end)


def find_path(repo: Repo, text: str, rev: str | None, cwd: Path) -> str | None:
    """The path from the top of the file that `text` names in `cwd`, or None. Raises UnknownTarget
    for a file that is not the project's, and for a revision that is none."""
    try:
        path = repo.relative(text, cwd)
    except UnknownTarget:
        if os.path.isfile(cwd / text):  # noqa: PTH113
            raise
        return None
    if rev is None and repo.worktree is not None:
        if not os.path.isfile(repo.worktree / path):  # noqa: PTH113 - False for what cannot be a name
            return None
        if path.startswith(".git/"):
            raise UnknownTarget(f"{text} is git's own, and has no history", hint="git ls-files")
        _check_repository(repo, text, path, cwd)
        return path
    if repo.has_path(path, rev or "HEAD"):
        return path
    if rev is not None:
        repo.resolve(rev)
    return None


def _check_repository(repo: Repo, text: str, path: str, cwd: Path) -> None:
    """Raise UnknownTarget for a file of another checkout that lies in this one."""
    assert repo.worktree is not None
    for folder in PurePosixPath(path).parents[:-1]:
        top = repo.worktree / folder
        if os.path.lexists(top / ".git") and not repo.has_path(path, "HEAD"):
            import shlex

            inside = PurePosixPath(path).relative_to(folder)
            raise UnknownTarget(
                f"{text} is in {_checkout(top)} {folder}",
                hint=f"git -C {shlex.quote(os.path.relpath(top, cwd))} funes why {inside}",
            )


def _checkout(top: Path) -> str:
    """What git makes of a folder with `.git` in it."""
    try:
        link = (top / ".git").read_text("utf-8", "replace")
    except OSError:
        link = ""
    kinds = {"/modules/": "the submodule", "/worktrees/": "the linked working tree"}
    return next((kind for part, kind in kinds.items() if part in link), "another repository,")


def missing_path(text: str, rev: str | None) -> UnknownTarget:
    """The error for a file that is not there; `text` as it was typed in the current folder."""
    match = LINES.match(text)
    if os.path.isdir(text):  # noqa: PTH112
        return _folder(text)
    if match and os.path.isfile(match["path"]):  # noqa: PTH113
        return UnknownTarget(f"there is no file {text}{_at(rev)}", hint=f"git funes why {text}")
    return UnknownTarget(
        f"there is no file {text if text.strip() else repr(text)}{_at(rev)}",
        hint="git ls-files, or --at REV for a file that is gone",
    )


def _at(rev: str | None) -> str:
    return f" at {rev}" if rev else ""
