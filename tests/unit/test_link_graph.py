"""Ancestry, against git's own answer."""

import random

from funes_git.link.graph import Graph


def test_ancestry_equals_a_plain_walk_on_random_histories() -> None:
    rng = random.Random(7)
    for _ in range(20):
        graph, parents = Graph(), {}
        for n in range(60):
            chosen = rng.sample(range(n), k=min(n, rng.choice([1, 1, 1, 2, 3]))) if n else []
            if n and rng.random() < 0.7:
                chosen = [n - 1, *[p for p in chosen if p != n - 1][:1]]
            parents[str(n)] = [str(p) for p in chosen]
            graph.add(str(n), parents[str(n)])
        for newer in parents:
            reach, waiting = set(), [newer]
            while waiting:
                sha = waiting.pop()
                if sha not in reach:
                    reach.add(sha)
                    waiting += parents[sha]
            for older in parents:
                assert graph.is_ancestor(older, newer) == (older in reach)


def test_commits_that_were_never_added_come_before_nothing() -> None:
    graph = Graph()
    graph.add("a", ["cut-off"])
    assert not graph.is_ancestor("cut-off", "a")
    assert not graph.is_ancestor("a", "unknown")
    assert graph.is_ancestor("a", "a")
