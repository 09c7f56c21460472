"""The history of some lines of a file, as `git log -L` follows it through changes and renames."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git.git import process
from funes_git.git.commits import FORMAT
from funes_git.git.patch import CommitChange, DiffReader, Hunk
from funes_git.git.repo import Repo


def line_history(repo: Repo, rev: str, path: str, first: int, last: int) -> list[CommitChange]:
    """The commits up to `rev` that changed lines `first` to `last` of `path` as they stand there,
    newest first, each with what it changed of them and the name that the file had. Raises GitError.
    """
    args = ("--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/")
    asked = (f"--format=%x00{FORMAT}", f"-L{first},{last}:{path}")
    with process.stream(repo.args("log", *args, *asked, rev), repo.folder) as out:
        return list(DiffReader(out, lambda change: True).commits())


def before(hunks: Sequence[Hunk], first: int, last: int) -> tuple[int, int] | None:
    """Where lines `first` to `last` stood before a change, with all that the change replaced by any
    of them; None where they are all new."""
    new = {n for hunk in hunks for n, _ in hunk.added}
    kept = [n for n in range(first, last + 1) if n not in new]
    old = [n + _shift(hunks, n) for n in (kept[0], kept[-1])] if kept else []
    for hunk in hunks:
        if any(first <= n <= last for n, _ in hunk.added):
            old += [n for n, _ in hunk.removed]
    return (min(old), max(old)) if old else None


def _shift(hunks: Sequence[Hunk], number: int) -> int:
    """By how much the old number of an unchanged line is larger than the new one."""
    shift = 0
    for hunk in hunks:
        at = hunk.added[0][0] if hunk.added else hunk.removed[0][0] - shift
        if at > number:
            break
        shift += len(hunk.removed) - len(hunk.added)
    return shift
