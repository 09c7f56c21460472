"""Which commits came before which, without asking git.

Commits are laid out in chains along first parents. A commit's ancestors are then, for each chain
reached, everything up to one position; that is worked out once for the commit being asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

REMEMBERED = 32
"""Commits whose ancestors are kept: one commit asks about few others."""


class Graph:
    """The commits seen so far and their parents. Parents must be added before their children;
    unknown parents (of a shallow clone) are taken for roots."""

    def __init__(self) -> None:
        self._place: dict[str, tuple[int, int]] = {}
        self._chains: list[list[str]] = []
        self._links: list[list[tuple[int, str]]] = []
        """For each chain: (position, parent) of every edge that leaves it for another chain."""
        self._reach: dict[str, dict[int, int]] = {}
        """What was asked for last: commit → chain → position."""

    @classmethod
    def of(cls, commits: Iterable[tuple[str, Sequence[str]]]) -> Graph:
        """The graph of commits with their parents, in any order."""
        parents = dict(commits)
        graph = cls()
        for sha in parents:
            waiting = [sha]
            while waiting:
                missing = [p for p in parents[waiting[-1]] if p in parents and p not in graph]
                if missing:
                    waiting += missing
                else:
                    graph.add(waiting[-1], parents[waiting.pop()])
        return graph

    def __contains__(self, sha: str) -> bool:
        return sha in self._place

    def add(self, sha: str, parents: Sequence[str]) -> None:
        """Take in a commit; again is harmless."""
        if sha in self._place:
            return
        known = [parent for parent in parents if parent in self._place]
        chain = self._chain_after(known[0]) if known else None
        if chain is None:
            chain = len(self._chains)
            self._chains.append([])
            self._links.append([])
            others = known
        else:
            others = known[1:]
        position = len(self._chains[chain])
        self._chains[chain].append(sha)
        self._place[sha] = (chain, position)
        self._links[chain].extend((position, parent) for parent in others)

    def _chain_after(self, parent: str) -> int | None:
        """The chain that `parent` ends, so that its first child can go on with it."""
        chain, position = self._place[parent]
        return chain if position == len(self._chains[chain]) - 1 else None

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `older` is `newer` or comes before it; False for commits never added."""
        place = self._place.get(older)
        if place is None or newer not in self._place:
            return False
        return self._reached(newer).get(place[0], -1) >= place[1]

    def _reached(self, sha: str) -> dict[int, int]:
        if sha in self._reach:
            return self._reach[sha]
        reach: dict[int, int] = {}
        waiting = [sha]
        while waiting:
            chain, position = self._place[waiting.pop()]
            before = reach.get(chain, -1)
            if position <= before:
                continue
            reach[chain] = position
            waiting.extend(p for at, p in self._links[chain] if before < at <= position)
        if len(self._reach) >= REMEMBERED:
            del self._reach[next(iter(self._reach))]
        self._reach[sha] = reach
        return reach
