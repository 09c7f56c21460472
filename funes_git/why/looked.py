"""The asked lines of a file with who wrote each: what `why` and `blame` answer from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from funes_git.authors import Author, Authors
from funes_git.errors import UnknownTarget
from funes_git.git import BlamedLine, GitError, Repo
from funes_git.git.blame import blame, blame_symbol
from funes_git.git.blamed import uncommitted_lines
from funes_git.model import CommitInfo
from funes_git.store.catalog import Catalog
from funes_git_parsers.dataclass import dataclass

UNKNOWN_FILE = ("no such path", "no such ref: HEAD")
"""How `git blame` says that nothing is known of a file."""


@dataclass(frozen=True)
class Looked:
    """Lines of one file, the commits that last changed them, and who wrote each line."""

    lines: Sequence[BlamedLine]
    infos: dict[str, CommitInfo]
    authors: Authors

    @cached_property
    def by_author(self) -> dict[Author, list[BlamedLine]]:
        """The lines of each author, in the order of the lines."""
        found: dict[Author, list[BlamedLine]] = {}
        for line in self.lines:
            found.setdefault(self.authors.of(line), []).append(line)
        return found


def look(
    repo: Repo,
    catalog: Catalog,
    path: str,
    at: str | None,
    asked: tuple[int, int | None] | str | None,
) -> Looked:
    """Look at `path` in the revision `at`, or None for the working tree: at all of it, at a range
    of lines (both ends inclusive, None for the last), or at what is called `asked` there. Raises
    UnknownTarget, GitError."""
    rev = at if at or repo.worktree else "HEAD"
    try:
        if isinstance(asked, str):
            lines = blame_symbol(repo, path, rev, asked)
        else:
            lines = blame(repo, path, rev, asked)
        known = True
    except GitError as error:
        if "has only" in error.message:
            raise _too_short(path, error.message.rpartition("has only ")[2]) from None
        if rev is not None or not any(said in error.message for said in UNKNOWN_FILE):
            raise
        lines, known = _new_file(repo, path, asked), False
    infos = repo.infos(line.sha for line in lines if line.committed)
    links = []
    if not all(line.committed for line in lines):
        from funes_git.link.pending import pending  # rarely asked for

        links = pending(repo, catalog, path, known=known)
    return Looked(lines, infos, Authors(catalog, infos, links))


def _new_file(
    repo: Repo, path: str, asked: tuple[int, int | None] | str | None
) -> list[BlamedLine]:
    """The asked lines of a file of the working tree that git does not know."""
    if isinstance(asked, str):
        raise UnknownTarget(
            f"git does not know {path} yet, so it cannot find {asked!r} in it",
            hint=f"git add {path}, or git funes why {path}:10-20",
        )
    assert repo.worktree is not None
    lines = uncommitted_lines(path, (repo.worktree / path).read_bytes())
    first, last = asked or (1, None)
    if asked and first > len(lines):
        raise _too_short(path, f"{len(lines)} line{'s' if len(lines) != 1 else ''}")
    return lines[first - 1 : last]


def _too_short(path: str, count: str) -> UnknownTarget:
    return UnknownTarget(f"{path} has only {count}", f"git funes blame {path}")
