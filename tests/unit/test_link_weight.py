"""What a single matching line is worth."""

import pytest

from funes_git.link.weight import ENOUGH, weight


@pytest.mark.parametrize("line", ["", "   ", "}", "  })", "---", "|", "*/"])
def test_a_line_without_letters_or_digits_proves_nothing(line: str) -> None:
    assert weight(line) == 0


@pytest.mark.parametrize(
    "line",
    [
        "    return None",
        "return false;",
        "if err != nil {",
        "    else:",
        "pass",
        'if __name__ == "__main__":',
        "    def __init__(self) -> None:",
        "from __future__ import annotations",
    ],
)
def test_boilerplate_is_worth_little(line: str) -> None:
    assert 0 < weight(line) <= 0.1


@pytest.mark.parametrize("line", ["import os", "from typing import Any", "#include <stdio.h>"])
def test_imports_are_worth_a_quarter_at_most(line: str) -> None:
    assert 0 < weight(line) <= 0.25


def test_a_line_of_some_words_is_enough_by_itself() -> None:
    assert weight("    self.entries.move_to_end(key)  # most recent last") >= ENOUGH


def test_a_short_line_of_its_own_needs_company() -> None:
    assert 0 < weight("    size += 1") < ENOUGH


def test_a_few_han_characters_say_as_much_as_words() -> None:
    assert weight("# 缓存") >= ENOUGH


def test_weight_ignores_indentation() -> None:
    assert weight("x = compute(y)") == weight("\t\t  x = compute(y)  ")
