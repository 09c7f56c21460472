"""Which other tools have recorded something in a repository: told by refs and folders that exist;
nothing of theirs is read."""

from __future__ import annotations

from funes_git.git import Repo
from funes_git.imports import agentnote, agenttrace, entire, gitai, objects, specstory


def recorded(repo: Repo) -> list[str]:
    """The tools, as `git funes import` calls them. Raises GitError."""
    found = [m.SOURCE for m in (agentnote, entire, gitai) if objects.refs(repo, *m.REFS)]
    top = repo.worktree
    found += [m.SOURCE for m in (agenttrace, specstory) if top and (top / m.FOLDER).is_dir()]
    return sorted(found)
