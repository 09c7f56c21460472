"""Which commits contain a commit: by what linking keeps of the history, so that a question does not
have it read; by git where a commit is new to it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from funes_git.git import Repo
from funes_git.link.graph import Graph
from funes_git.store.ancestry import AncestryReading

_BRANCHES = ("refs/heads", "refs/remotes")


class Containing:
    """What contains the commits that one question finds."""

    def __init__(self, repo: Repo, kept: AncestryReading, head: str) -> None:
        """`head`: the id of the commit at HEAD."""
        self._repo = repo
        self._graph = Graph(kept)
        self._head = head
        self._branches: dict[str, str | None] = {}
        self._reverted: dict[str, bool] = {}

    def outside(self, shas: Iterable[str]) -> set[str]:
        """Those of the commits that HEAD does not contain; not those that git does not have,
        unless linking saw them."""
        found, unknown = set(), set()
        for sha in shas:
            if self._head not in self._graph or sha not in self._graph:
                unknown.add(sha)
            elif not self._graph.is_ancestor(sha, self._head):
                found.add(sha)
        if unknown:
            found |= unknown & set(self._repo.rev_list("^HEAD", ids=sorted(unknown)))
        return found

    def branch(self, sha: str) -> str | None:
        """A branch that contains the commit; the user's own first."""
        if sha not in self._branches:
            self._branches[sha] = self._branch(sha)
        return self._branches[sha]

    def reverted(self, sha: str) -> bool:
        """Whether a commit between it and HEAD says so, in the words of `git revert`."""
        if sha not in self._reverted:
            says = ("-F", f"--grep=This reverts commit {sha}")
            out = self._repo.run("log", "-1", "--format=%H", *says, f"{sha}..{self._head}")
            self._reverted[sha] = bool(out)
        return self._reverted[sha]

    def _branch(self, sha: str) -> str | None:
        if all(tip in self._graph for tip, _ in (*self._tips, (sha, ""))):
            ends = (name for tip, name in self._tips if self._graph.is_ancestor(sha, tip))
            return next(ends, None)
        form = ("--count=1", "--format=%(refname:short)")
        out = self._repo.run("for-each-ref", *form, f"--contains={sha}", *_BRANCHES)
        return out.decode("utf-8", "replace").strip() or None

    @cached_property
    def _tips(self) -> list[tuple[str, str]]:
        """The branches: their commits' ids and their short names."""
        out = self._repo.run("for-each-ref", "--format=%(objectname) %(refname:short)", *_BRANCHES)
        lines = out.decode("utf-8", "replace").splitlines()
        return [(tip, name) for tip, _, name in (line.partition(" ") for line in lines)]
