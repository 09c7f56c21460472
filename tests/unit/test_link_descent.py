"""Which of several commits that show the same lines came of which; and what a reflog line says."""

from __future__ import annotations

import pytest

from funes_git.git.reflog import parse
from funes_git.link.descent import Showing, descents
from funes_git.link.graph import Graph

OLD, NEW = "a" * 40, "b" * 40


def showing(sha: str, time: float, *positions: int) -> Showing:
    return Showing(sha, time, frozenset(("added", pos) for pos in positions))


def never(one: str, two: str) -> bool:
    return False


def test_the_later_commit_came_of_the_newest_that_shows_its_lines() -> None:
    first, second, third = showing("a", 1, 0), showing("b", 2, 0), showing("c", 3, 0)
    assert descents([third, first, second], {}, never) == [("b", "a"), ("c", "b")]


def test_a_squash_came_of_all_whose_lines_it_shows() -> None:
    parts = [showing("a", 1, 0, 1), showing("b", 2, 2)]
    assert descents([*parts, showing("c", 3, 0, 1, 2, 3)], {}, never) == [("c", "b"), ("c", "a")]


def test_commits_on_one_line_of_history_did_not_come_of_each_other() -> None:
    graph = Graph.of([("b", ["a"]), ("a", [])])
    assert descents([showing("a", 1, 0), showing("b", 2, 0)], {}, graph.is_ancestor) == []


def test_commits_that_show_other_lines_of_an_edit_did_not_come_of_each_other() -> None:
    assert descents([showing("a", 1, 0), showing("b", 2, 1)], {}, never) == []


def test_what_git_told_decides_where_the_time_does_not() -> None:
    """Commits of the same second: a script, or a clock that was set."""
    same = [showing("a", 1, 0), showing("b", 1, 0)]
    assert descents(same, {}, never) == [("b", "a")]
    assert descents(same, {"a": {"b"}}, never) == [("a", "b")]
    assert descents([showing("a", 1, 0), showing("b", 1, 0, 1)], {}, never) == [("b", "a")]


def test_a_graph_takes_commits_in_any_order() -> None:
    commits = [("d", ["b", "c"]), ("c", ["a"]), ("b", ["a"]), ("a", ["unknown"])]
    for order in (commits, commits[::-1]):
        graph = Graph.of(order)
        assert all(graph.is_ancestor("a", sha) for sha in "abcd")
        assert not graph.is_ancestor("b", "c")
        assert not graph.is_ancestor("d", "a")


@pytest.mark.parametrize(
    ("message", "how"),
    [
        ("commit: evict", None),
        ("commit (amend): evict", "amend"),
        ("commit (merge): Merge branch 'topic'", None),
        ("rebase (start): checkout main", None),
        ("rebase (pick): evict", "rebase"),
        ("rebase (continue): evict", "rebase"),
        ("rebase -i (fixup): evict", "rebase"),
        ("rebase (finish): returning to refs/heads/topic", None),
        ("rebase: evict", "rebase"),
        ("pull --rebase (pick): evict", "rebase"),
        ("pull --rebase origin main (start): checkout 1234567", None),
        ("cherry-pick: evict", "cherry-pick"),
        ("commit (cherry-pick): evict", "cherry-pick"),
        ("reset: moving to HEAD~1", None),
        ("checkout: moving from rebase (pick) to main", None),
    ],
)
def test_a_reflog_says_how_a_commit_was_made(message: str, how: str | None) -> None:
    row = f"{OLD} {NEW} Ada <ada@example.org> 1767000000 +0100\t{message}"
    (entry,) = parse([row.encode()])
    assert (entry.old, entry.new, entry.at, entry.how) == (OLD, NEW, 1767000000.0, how)


@pytest.mark.parametrize("row", [b"", b"\0\xff", b"a b c", OLD.encode(), b"x" * 40 + b" y z 1 +0"])
def test_what_is_no_reflog_line_is_left_out(row: bytes) -> None:
    assert list(parse([row])) == []


def test_a_reflog_line_without_a_message_is_read() -> None:
    row = f"{'0' * 64} {'c' * 64} A\xe9 <> 5 +0000".encode("latin-1")
    assert [(e.old, e.new, e.at, e.how) for e in parse([row])] == [("0" * 64, "c" * 64, 5.0, None)]
