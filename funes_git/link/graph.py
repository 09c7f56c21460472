"""Which commits came before which, without asking git.

Commits are laid out in chains: a commit goes on the chain that a parent of it ends, or starts one.
Of two on one chain the lower position came first; between chains the edges that join them are
followed, from the older commit up and from the newer one down in turn, until both sides meet or one
has seen all. Neither looks past the other's generation, so what is looked at is what lies between
the two, and of that mostly a few edges.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Self, TypeAlias

from funes_git.store.ancestry import AncestryReading, Placed

REMEMBERED = 10_000
"""Answers that are kept: the lines of a file ask about the same few commits."""

ANY = 1 << 62
"""A position after all others."""

Edges: TypeAlias = Callable[[int, int, int], Iterator[tuple[int, int]]]
"""Called with a chain and its positions from one to another: (chain, position) of what they join.
"""


class Place(NamedTuple):
    """Where a commit stands; `generation` is the number of commits on the longest way from a root
    to it."""

    chain: int
    position: int
    generation: int


class Join(NamedTuple):
    """A commit, by its place, with a parent on another chain, by its place."""

    chain: int
    position: int
    generation: int
    old_chain: int
    old_position: int
    old_generation: int


class Graph:
    """The commits seen so far and their parents. Parents must be added before their children;
    unknown parents (of a shallow clone) are taken for roots."""

    def __init__(self, kept: AncestryReading | None = None) -> None:
        """`kept` knows the commits that were seen before, and is asked only about those that
        matter."""
        self._kept = kept
        self._chains = kept.chains() if kept else 0
        self._places: dict[str, Place] = {}
        self._lengths: dict[int, int] = {}
        self._new: tuple[dict[str, Place], list[Join]] = ({}, [])
        self._down: defaultdict[int, list[Join]] = defaultdict(list)
        """Joins that are not kept: chain → those of its commits, by position."""
        self._up: defaultdict[int, list[Join]] = defaultdict(list)
        """Chain → those to its commits, by their position."""
        self._answers: dict[tuple[Place, Place], bool] = {}

    @classmethod
    def of(
        cls, commits: Iterable[tuple[str, Sequence[str]]], kept: AncestryReading | None = None
    ) -> Self:
        """The graph of commits with their parents, in any order, and of what is kept."""
        parents = dict(commits)
        graph = cls(kept)
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
        return self._place(sha) is not None

    def add(self, sha: str, parents: Sequence[str]) -> None:
        """Take in a commit; again is harmless."""
        if sha in self:
            return
        known = [place for parent in parents if (place := self._place(parent))]
        ends = (p.chain for p in known if self._length(p.chain) == p.position + 1)
        chain = next(ends, self._chains)
        self._chains = max(self._chains, chain + 1)
        position = self._length(chain)
        generation = 1 + max((place.generation for place in known), default=0)
        self._places[sha] = self._new[0][sha] = Place(chain, position, generation)
        self._lengths[chain] = position + 1
        for old in (place for place in known if place.chain != chain):
            join = Join(chain, position, generation, *old)
            self._new[1].append(join)
            self._down[chain].append(join)
            insort(self._up[old.chain], join, key=lambda join: join.old_position)

    def taken(self) -> Placed:
        """What was added since this was asked last. The caller keeps it where `kept` looks."""
        new, self._new = self._new, ({}, [])
        self._down.clear()
        self._up.clear()
        return new

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `older` is `newer` or comes before it; False for commits never added."""
        old, new = self._place(older), self._place(newer)
        if old is None or new is None:
            return False
        if old.chain == new.chain:
            return old.position <= new.position
        if (old, new) not in self._answers:
            if len(self._answers) >= REMEMBERED:
                self._answers.clear()
            self._answers[old, new] = self._leads(old, new)
        return self._answers[old, new]

    def _leads(self, old: Place, new: Place) -> bool:
        """Whether a way leads from one chain up to the other."""
        if old.generation >= new.generation:
            return False

        def above(chain: int, first: int, last: int) -> Iterator[tuple[int, int]]:
            for join in self._joins_to(chain, first, last, new.generation):
                yield join.chain, join.position

        def below(chain: int, last: int, first: int) -> Iterator[tuple[int, int]]:
            for join in self._joins_from(chain, first, last, old.generation):
                yield join.old_chain, join.old_position

        after, before = {old.chain: old.position}, {new.chain: new.position}
        ups, downs = _spread(after, above, 1), _spread(before, below, -1)
        # where one side has seen all without having met the other, it never will
        return any(
            after.get(chain, ANY) <= before.get(chain, -1)
            for both in zip(ups, downs, strict=False)
            for chain in both
        )

    def _joins_to(self, chain: int, first: int, last: int, newest: int) -> Iterator[Join]:
        new = self._up.get(chain, [])
        for join in new[bisect_left(new, first, key=lambda join: join.old_position) :]:
            if join.old_position <= last and join.generation <= newest:
                yield join
        if self._kept:
            yield from map(Join._make, self._kept.joins_to(chain, first, last, newest))

    def _joins_from(self, chain: int, first: int, last: int, oldest: int) -> Iterator[Join]:
        new = self._down.get(chain, [])
        for join in reversed(new[: bisect_right(new, last, key=lambda join: join.position)]):
            if join.position >= first and join.old_generation >= oldest:
                yield join
        if self._kept:
            yield from map(Join._make, self._kept.joins_from(chain, first, last, oldest))

    def _place(self, sha: str) -> Place | None:
        place = self._places.get(sha)
        if place is None and self._kept and (row := self._kept.place_of(sha)):
            place = self._places[sha] = Place(*row)
        return place

    def _length(self, chain: int) -> int:
        if chain not in self._lengths:
            self._lengths[chain] = self._kept.length_of(chain) if self._kept else 0
        return self._lengths[chain]


def _spread(reached: dict[int, int], edges: Edges, way: int) -> Iterator[int]:
    """Widen what is reached (chain → position) along `edges`: upwards, where all from a position on
    is reached (`way` 1), or downwards, where all up to it is (-1). Gives each chain of which more
    is reached, as it is."""
    end = ANY if way > 0 else 0
    done: dict[int, int] = {}
    waiting = deque(reached)
    while waiting:
        chain = waiting.popleft()
        first, last = reached[chain], done.get(chain, end + way) - way
        done[chain] = first
        for other, position in edges(chain, first, last):
            if other not in reached or way * position < way * reached[other]:
                reached[other] = position
                waiting.append(other)
                yield other
