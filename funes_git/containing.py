"""Which commits contain a commit: by what linking keeps of the history, so that a question does not
have it read; by git where a commit is new to it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from funes_git.git import Repo
from funes_git.link.graph import Graph
from funes_git.link.level import cut
from funes_git.store.catalog import Catalog

_BRANCHES = ("refs/heads", "refs/remotes")
_NAMED = 100
"""Branches that git is asked about by their names."""
_REVERTS = "This reverts commit "


class Containing:
    """What contains the commits that one question finds."""

    def __init__(self, repo: Repo, catalog: Catalog, head: str) -> None:
        """`head`: the id of the commit at HEAD."""
        # what was kept of another history than git shows now is of no use
        same = (catalog.setting("linked_cut") or "") == cut(repo) and not repo.has_grafts()
        self._repo = repo
        self._graph = Graph(catalog if same else None)
        self._head = head
        self._branches: dict[str, str | None] = {}

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

    def reverted(self, shas: Iterable[str]) -> set[str]:
        """Those of the commits of which one between them and HEAD says that it takes them back, in
        the words of `git revert`."""
        wanted = set(shas)
        known = {sha for sha in wanted if sha in self._graph}
        found: set[str] = set()
        for some in (known, *({sha} for sha in wanted - known)):
            found |= self._taken_back(some) if some else set()
        return found

    def _taken_back(self, shas: set[str]) -> set[str]:
        """Of commits that are known, or of a single one."""
        # what takes one of them back comes after it, and so after one that comes after no other
        after = [
            f"^{sha}"
            for sha in sorted(shas)
            if not any(self._graph.is_ancestor(other, sha) for other in shas - {sha})
        ]
        says = [f"--grep={_REVERTS}{sha}" for sha in sorted(shas)]
        out = self._repo.run("log", "--format=%B", "-F", *says, self._head, *after)
        told = out.decode("utf-8", "replace")
        return {sha for sha in shas if _REVERTS + sha in told}

    def _branch(self, sha: str) -> str | None:
        asked = []
        for tip, ref, name in self._tips:
            if tip not in self._graph or sha not in self._graph:
                asked.append(ref)
            elif self._graph.is_ancestor(sha, tip):
                return name
        if not asked:
            return None
        form = ("--count=1", "--format=%(refname:short)")
        named = asked if len(asked) <= _NAMED else _BRANCHES
        out = self._repo.run("for-each-ref", *form, f"--contains={sha}", *named)
        return out.decode("utf-8", "replace").strip() or None

    @cached_property
    def _tips(self) -> list[tuple[str, str, str]]:
        """The branches: their commits' ids, their refs and their short names."""
        form = "--format=%(objectname) %(refname) %(refname:short)"
        out = self._repo.run("for-each-ref", form, *_BRANCHES)
        rows = (line.split(" ") for line in out.decode("utf-8", "replace").split("\n") if line)
        return [(tip, ref, name) for tip, ref, name in rows]
