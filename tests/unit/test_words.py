"""Every reason and level has words for people."""

from typing import get_args

from funes_git.model import Level, Reason
from funes_git.render.words import LEVEL_WORDS, LEVELS, REASON_WORDS


def test_every_reason_has_words() -> None:
    assert set(REASON_WORDS) == set(get_args(Reason))


def test_every_level_has_words_and_an_order() -> None:
    assert set(LEVEL_WORDS) == set(LEVELS) == set(get_args(Level))
