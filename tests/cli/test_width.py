"""Text is measured, folded and cut by what it takes on a screen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from funes_git.render.width import columns, cut, fit, fold, pad, squeeze


def test_wide_and_combining_characters_are_measured() -> None:
    assert columns("abc") == 3
    assert columns("日本") == 4
    assert columns("e\u0301") == 1
    assert columns("👍\ufe0f") == 2


def test_a_line_is_cut_to_its_columns() -> None:
    assert fit("short", 10) == "short"
    assert fit("a longer line", 8) == "a longe…"
    assert fit("日本語日本語", 7) == "日本語…"


def test_padding_counts_columns() -> None:
    assert pad("日本", 6) == "日本  "


def test_long_lines_break_at_spaces_and_keep_their_indent() -> None:
    assert list(fold("  - one two three four", 12)) == ["  - one two", "  three four"]


def test_words_longer_than_the_line_are_broken() -> None:
    assert list(fold("x" * 25, 10)) == ["x" * 10, "x" * 10, "x" * 5]


def test_text_is_cut_after_a_sentence() -> None:
    text = "First sentence here. Second one follows. Third is too long to fit in."
    assert cut(text, 50) == ("First sentence here. Second one follows.", True)
    assert cut("No full stop in any of these words at all", 20) == ("No full stop in any", True)
    assert cut("short", 50) == ("short", False)


@given(st.text(), st.integers(8, 200))
def test_no_folded_line_is_wider_than_asked(text: str, width: int) -> None:
    assert all(columns(row) <= width for row in fold(text, width))


@given(st.text(), st.integers(8, 200))
def test_folding_loses_nothing_but_white_space(text: str, width: int) -> None:
    assert "".join("".join(fold(text, width)).split()) == "".join(text.split())


@given(st.text(), st.integers(1, 200))
def test_a_cut_is_a_beginning_of_the_text(text: str, limit: int) -> None:
    head, short = cut(text, limit)
    assert text.strip().startswith(head)
    assert len(head) <= limit or not short


def test_a_path_is_cut_in_its_middle() -> None:
    assert squeeze("src/a.py", 8) == "src/a.py"
    assert squeeze("apps/web/src/main.py", 12) == "app…/main.py"
    assert squeeze("漢字漢字漢字.py", 9) == "漢…字.py"
    assert squeeze("abcdef", 1) == "…"
