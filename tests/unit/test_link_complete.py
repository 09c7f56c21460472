"""Whether a commit shows all of an edit."""

from __future__ import annotations

from collections import Counter

from funes_git.link.complete import Complete
from funes_git.link.difflines import DiffLine
from funes_git.link.match import Candidate

EDIT = 1


def is_complete(rows: dict[int, list[int]], due: int = 2, least: float = 2.0) -> bool:
    """Whether lines at these numbers, that the edit has at these positions, are all of it."""
    complete = Complete(Counter(), {}, lambda edit: due, least)
    for number, positions in rows.items():
        line = DiffLine(number, 0, number, number, 1.0)
        complete.add(line, [Candidate(EDIT, 0, pos, due) for pos in positions])
    return complete(EDIT)


def test_all_lines_in_order_are_all_of_an_edit_however_far_apart() -> None:
    assert is_complete({3: [1], 40: [2]})


def test_some_of_the_lines_or_light_ones_are_not() -> None:
    assert not is_complete({3: [1], 40: [2]}, due=3)
    assert not is_complete({3: [1], 40: [2]}, least=2.5)


def test_lines_that_changed_places_are_one_piece_only_close_together() -> None:
    assert is_complete({3: [2], 4: [1]})
    assert not is_complete({3: [2], 40: [1]})


def test_a_line_that_stands_twice_is_not_told_from_its_copy() -> None:
    assert not is_complete({3: [1], 5: [1], 6: [2]})


def test_lines_that_an_edit_has_twice_may_stand_twice() -> None:
    assert is_complete({3: [1, 2], 40: [1, 2]})
