"""Equal lines go to the edits whose surroundings they have."""

from __future__ import annotations

from collections.abc import Mapping

from funes_git.link.edittext import EditText
from funes_git.link.home import MOST, astray
from funes_git.link.match import Candidate
from funes_git.link.place import Places

LINE, KEY = "check(path)", 1


def strays(file: str, *edits: str) -> set[tuple[int, int]]:
    """(line number, edit) of the pairs that are not each other's: in a file, given by its words,
    where LINE is written X, and between edits that show these words."""
    texts = {n: text(words) for n, words in enumerate(edits, 1)}
    words = [LINE if word == "X" else word for word in file.split()]
    places = Places(lambda: words, texts.__getitem__)
    rows = [
        Candidate(edit, edit, pos, 1)
        for edit, shown in texts.items()
        for pos, word in shown.new.items()
        if word == LINE
    ]
    numbers = {KEY: [n for n, word in enumerate(words, 1) if word == LINE]}
    return {
        (line, edit)
        for line, edit, _ in astray(numbers, {KEY: rows}, places.around, lambda e: "one")
    }


def text(words: str) -> EditText:
    """An edit that shows these words, each a line."""
    shown: Mapping[int, str] = dict(enumerate(words.split(), 100))
    return EditText({pos: LINE if word == "X" else word for pos, word in shown.items()})


def test_each_edit_is_kept_from_the_others_place() -> None:
    assert strays("a X b c X d", "a X b", "c X d") == {(2, 2), (5, 1)}


def test_one_side_that_differs_is_enough() -> None:
    assert strays("a X b a X d", "a X b", "a X d") == {(2, 2), (5, 1)}


def test_what_differs_further_off_counts_where_the_nearer_lines_are_equal() -> None:
    assert strays("a q X r b c q X r d", "a q X r b", "c q X r d") == {(3, 2), (8, 1)}


def test_equal_surroundings_tell_nothing() -> None:
    assert strays("a X b a X b", "a X b", "a X b") == set()


def test_what_an_edit_does_not_show_is_no_difference() -> None:
    assert strays("a X b c X d", "X", "a X b") == set()


def test_a_place_that_both_edits_differ_from_is_the_newer_ones_to_take() -> None:
    assert strays("p X q", "a X b", "c X d") == set()


def test_an_edit_that_agrees_above_and_one_that_agrees_below_are_not_told_apart() -> None:
    assert strays("a X d", "a X b", "c X d") == set()


def test_an_edit_that_is_at_home_elsewhere_takes_no_place_from_another() -> None:
    """The first line's surroundings were changed since; that the second edit has one of them says
    nothing, as its own place is there."""
    assert strays("a X q a X d", "p X b", "a X d") == {(5, 1)}


def test_the_edit_whose_surroundings_one_line_has_keeps_it_from_a_newer_one() -> None:
    assert strays("a X b", "a X b", "c X d") == {(2, 2)}


def test_lines_that_are_repeated_without_end_are_not_compared() -> None:
    times = MOST // 2
    assert strays("a X b " * times, "a X b", "c X d") != set()
    assert strays("a X b " * (times + 1), "a X b", "c X d") == set()
