"""Sessions of another repository that stood at the place of this one before.

Its folder was moved or deleted and a new repository made at the same path: sessions that ended
before the first commit here ran in this folder, and are not of this repository. Time alone does not
tell, since agents also work in a folder before `git init`; so it takes a commit that was recorded
and does not exist here, or another repository that is known to have been at this place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path

from funes_git import enabled
from funes_git.belong import Roots
from funes_git.errors import FunesError
from funes_git.git import Repo
from funes_git.layout import Layout
from funes_git_parsers.base import COMMIT, Source


class Predecessors:
    """Knows which sources are theirs, for one repository with working trees at `tops`."""

    def __init__(
        self, repo: Repo, tops: Iterable[Path], known_commits: Callable[[Iterable[str]], set[str]]
    ) -> None:
        """`known_commits` gives those of some full commit ids that the repository has."""
        self._repo = repo
        self._tops = {str(place) for top in tops for place in (top, top.resolve())}
        self._known_commits = known_commits

    def is_older(self, source: Source) -> bool:
        """Whether a source was written to for the last time before the first commit here."""
        # with a key it is no time
        return not source.key and source.mtime_ns < self._first * 1e9

    def own(self, roots: Iterable[str]) -> bool:
        """Whether a source that is older and recorded `roots` is theirs."""
        commits = {root.removeprefix(COMMIT) for root in roots if root.startswith(COMMIT)}
        return not self._known_commits(commits) if commits else self._moved_away

    @cached_property
    def _first(self) -> float:
        """When the first commit was made, in seconds since the epoch; 0 if there is none."""
        return min(self._repo.root_times(), default=0.0)

    @cached_property
    def _moved_away(self) -> bool:
        """Whether a repository with another history, which is elsewhere now, was here."""
        for common in enabled.listing():
            if common.resolve() == self._repo.common_dir.resolve():
                continue
            if self._tops & {*Roots.load(Layout(common / "funes")).ours}:
                try:
                    other = Repo.discover(common)
                except FunesError:
                    continue
                if not {*other.aliases()} & {*self._repo.aliases()}:
                    return True
        return False
