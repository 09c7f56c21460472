"""Everything asked of git, through the `git` program: the only package that runs it.

`git` itself rather than a library, because it reads every repository that its user can have
(sha256, reftable, partial clones), and blames and follows renames exactly as the user sees it.
"""

from funes_git.git.blobs import BlobReader
from funes_git.git.diffs import CommitChange, FileChange, Hunk, changes
from funes_git.git.process import GitError, ask
from funes_git.git.repo import BlamedLine, Repo

__all__ = [
    "BlamedLine",
    "BlobReader",
    "CommitChange",
    "FileChange",
    "GitError",
    "Hunk",
    "Repo",
    "ask",
    "changes",
]
