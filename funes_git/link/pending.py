"""What the edits explain of lines that no commit has yet: the working tree is linked as the commit
that it would be, by the same rules, and nothing is stored."""

from __future__ import annotations

import time

from funes_git.git import NOT_COMMITTED, Repo
from funes_git.git.blamed import uncommitted_lines
from funes_git.git.diffs import uncommitted
from funes_git.git.patch import CommitChange, FileChange, Hunk
from funes_git.git.quote import storable
from funes_git.link.graph import Graph
from funes_git.link.linker import Linker
from funes_git.model import CommitInfo, Link
from funes_git.store.catalog import Catalog


def pending(repo: Repo, catalog: Catalog, path: str, *, known: bool = True) -> list[Link]:
    """The links of the working tree's version of `path`, staged or not, to the edits that no commit
    shows; their commit is NOT_COMMITTED. `known` says whether git knows the file. Raises GitError.
    """
    assert repo.worktree is not None
    try:
        content = (repo.worktree / path).read_bytes()
    except OSError:
        return []
    change = uncommitted(repo, path) if known else _new(path, content)
    if change is None:
        return []
    head = repo.tips("HEAD")
    now = time.time()
    info = CommitInfo(NOT_COMMITTED, "", "", "", now, now, "", tuple(head))
    return Linker(repo, catalog, Graph(catalog)).one(CommitChange(info, [change]), content)


def _new(path: str, content: bytes) -> FileChange:
    """A file that git does not know: all of its lines are new."""
    lines = [(line.number, line.text) for line in uncommitted_lines(path, content)]
    return FileChange(
        storable(path),
        status="added",
        old_blob=NOT_COMMITTED,
        new_blob="new",
        added=len(lines),
        hunks=[Hunk(added=lines)],
    )
