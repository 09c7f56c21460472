"""Where a line stands, against where it stood when a commit removed it."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git.link.difflines import DiffLine
from funes_git.link.edittext import EditText
from funes_git.link.match import Block
from funes_git.link.place import Places


def returned(now: Sequence[str], numbers: Sequence[int], stood: Sequence[Sequence[str]]) -> float:
    """The evidence for a block at these line numbers, whose lines stood in those files."""
    places = Places(lambda: now, lambda edit: EditText(), stood=lambda edit, pos: stood)
    return places.returned(Block(1, [(DiffLine(n, 0, n, n, 1.0), n) for n in numbers]))


def test_each_neighbour_that_a_line_had_where_it_was_removed_counts() -> None:
    assert returned(["a", "x", "b"], [2], [["a", "", "x", "b"]]) == 2.0
    assert returned(["a", "x", "b"], [2], [["q", "x", "b"]]) == 1.0
    assert returned(["a", "x", "b"], [2], [["q", "x", "q"]]) == 0.0


def test_of_several_removals_the_most_like_counts() -> None:
    assert returned(["a", "x", "b"], [2], [["q", "x", "q"], ["a", "x", "q"], []]) == 1.0


def test_a_neighbour_that_stands_twice_counts_half() -> None:
    assert returned(["a", "x", "b", "a"], [2], [["a", "x", "q"]]) == 0.5


def test_a_line_that_stood_twice_stood_nowhere() -> None:
    assert returned(["a", "x", "b"], [2], [["a", "x", "b", "x"]]) == 0.0


def test_lines_of_one_block_are_not_each_others_neighbours() -> None:
    assert returned(["q", "x", "y", "q"], [2, 3], [["a", "x", "y", "b"]]) == 0.0
