"""Everything asked of git, through the `git` program: the only package that runs it.

`git` itself rather than a library, because it reads every repository that its user can have
(sha256, reftable, partial clones), and blames and follows renames exactly as the user sees it.
What only linking needs is in `git.diffs` and `git.blobs`.
"""

from funes_git.git.blamed import NOT_COMMITTED, BlamedLine
from funes_git.git.process import GitError, ask
from funes_git.git.repo import Repo

__all__ = ["NOT_COMMITTED", "BlamedLine", "GitError", "Repo", "ask"]
