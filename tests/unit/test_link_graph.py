"""Ancestry, against git's own answer."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

from funes_git.link.graph import Graph
from funes_git.store.catalog_writer import CatalogWriter


def history(rng: random.Random, commits: int) -> Iterator[tuple[str, list[str]]]:
    """Commits with their parents, with many merges."""
    for n in range(commits):
        chosen = rng.sample(range(n), k=min(n, rng.choice([1, 1, 1, 2, 3]))) if n else []
        if n and rng.random() < 0.7:
            chosen = [n - 1, *[p for p in chosen if p != n - 1][:1]]
        yield str(n), [str(p) for p in chosen]


def test_ancestry_equals_a_plain_walk_on_random_histories() -> None:
    rng = random.Random(7)
    for _ in range(20):
        graph, parents = Graph(), {}
        for sha, chosen in history(rng, 60):
            parents[sha] = chosen
            graph.add(sha, chosen)
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


def test_ancestry_that_is_kept_is_the_same(tmp_path: Path) -> None:
    rng = random.Random(8)
    with CatalogWriter.open(tmp_path / "catalog.sqlite") as catalog:
        for _ in range(8):
            catalog.forget_places()
            graph, reach = Graph(catalog), dict[str, set[str]]()
            for sha, parents in history(rng, 50):
                reach[sha] = {sha}.union(*(reach[parent] for parent in parents))
                graph.add(sha, parents)
                if rng.random() < 0.2:
                    catalog.replace_links([], [], [], placed=graph.taken())
                if rng.random() < 0.1:
                    catalog.replace_links([], [], [], placed=graph.taken())
                    graph = Graph(catalog)
            for newer, older in itertools.product(reach, reach):
                assert graph.is_ancestor(older, newer) == (older in reach[newer])


def test_of_a_long_history_with_many_merges_little_is_asked(tmp_path: Path) -> None:
    with CatalogWriter.open(tmp_path / "catalog.sqlite") as catalog:
        graph = Graph(catalog)
        graph.add("main 0", ())
        for n in range(2000):
            graph.add(f"branch {n}", (f"main {n}",))
            graph.add(f"more {n}", (f"branch {n}",))
            graph.add(f"main {n + 1}", (f"main {n}", f"more {n}"))
        graph.add("never merged", ("main 1000",))
        catalog.replace_links([], [], [], placed=graph.taken())
        graph = Graph(catalog)
        steps = 0

        def count() -> None:
            nonlocal steps
            steps += 1

        catalog.db.set_progress_handler(count, 10)
        assert graph.is_ancestor("main 3", "main 2000")
        assert graph.is_ancestor("branch 3", "main 2000")
        assert graph.is_ancestor("main 3", "branch 1999")
        assert graph.is_ancestor("branch 3", "branch 1999")
        assert not graph.is_ancestor("never merged", "main 2000")
        assert not graph.is_ancestor("main 1001", "never merged")
        assert not graph.is_ancestor("branch 1999", "never merged")
        assert steps < 500
