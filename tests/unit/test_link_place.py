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


def edited(*rows: str) -> EditText:
    """The text of an edit of one hunk, from the first line on."""
    return EditText.of_diff("@@ -1,9 +1,9 @@\n" + "\n".join(rows))


WROTE = edited(" a", "+x", " b")


def sides(now: Sequence[str], number: int, *later: EditText) -> list[bool]:
    """For each side of a line `x` that WROTE put between `a` and `b`, whether it agrees."""
    texts = [WROTE, *later]
    places = Places(lambda: now, texts.__getitem__, lambda edit: range(1, len(texts)))
    return places.sides(number, 0, 2)


def test_a_line_is_followed_through_the_edits_that_changed_what_stood_beside_it() -> None:
    changed = edited("-a", "+q", " x", " b")
    assert sides(["a", "x", "b"], 2) == [True, True]
    assert sides(["q", "x", "b"], 2) == [False, True]
    assert sides(["q", "x", "b"], 2, changed) == [True, True]
    assert sides(["q", "x", "r"], 2, changed, edited(" q", " x", "-b", "+r")) == [True, True]


def test_an_equal_line_that_shares_one_neighbour_is_not_taken_for_it() -> None:
    other = edited("-c", "+q", " x", " b")
    assert sides(["q", "x", "b", "a", "x", "b"], 2, other) == [False, True]
    assert sides(["q", "x", "b", "a", "x", "b"], 5, other) == [True, True]


def test_where_the_edit_says_no_more_a_side_is_not_known() -> None:
    places = Places(lambda: ["a", "x", "b"], lambda edit: edited(" a", "+x"))
    assert places.sides(2, 0, 2) == [True]
