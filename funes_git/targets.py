"""What the user pointed at: `file`, `file:line`, `file:a-b` or a commit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from funes_git.errors import UnknownTarget
from funes_git.git import Repo

LINES = re.compile(r"^(?P<path>.+):(?P<first>\d+)(?:[-,](?P<last>\d+))?$")


@dataclass(frozen=True, slots=True)
class Target:
    """A path from the top of the working tree with the asked lines (inclusive), or a commit."""

    path: str | None = None
    lines: tuple[int, int] | None = None
    commit: str | None = None


def parse_target(repo: Repo, text: str, rev: str | None, cwd: Path) -> Target:
    """What `text` names, typed in folder `cwd`; a file in the working tree, or in `rev` if given.

    A file wins over a revision of the same name. Raises UnknownTarget.
    """
    path = find_path(repo, text, rev, cwd)
    if path is not None:
        return Target(path=path)
    match = LINES.match(text)
    if match:
        path = find_path(repo, match["path"], rev, cwd)
        if path is None:
            raise missing_path(match["path"], rev)
        first = int(match["first"])
        last = int(match["last"] or first)
        if first < 1 or last < first:
            raise UnknownTarget(
                f"{text}: lines count from 1, first before last", hint="git funes why FILE:10-20"
            )
        return Target(path=path, lines=(first, last))
    try:
        return Target(commit=repo.resolve(text))
    except UnknownTarget:
        raise UnknownTarget(
            f"{text!r} is no file{_at(rev)} and no commit",
            hint="git funes why FILE:LINE, or git funes why COMMIT",
        ) from None


def find_path(repo: Repo, text: str, rev: str | None, cwd: Path) -> str | None:
    """The path from the top of the file that `text` names in `cwd`, or None."""
    try:
        path = repo.relative(text, cwd)
    except UnknownTarget:
        return None
    if rev is None and repo.worktree is not None:
        return path if (repo.worktree / path).is_file() else None
    return path if repo.has_path(path, rev or "HEAD") else None


def missing_path(text: str, rev: str | None) -> UnknownTarget:
    """The error for a file that is not there."""
    return UnknownTarget(
        f"there is no file {text}{_at(rev)}",
        hint="git ls-files, or --at REV for a file that is gone",
    )


def _at(rev: str | None) -> str:
    return f" at {rev}" if rev else ""
