"""A reply that is too long is shortened, and says so."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from funes_git.render import budget

HEAD = ["funes-git memory · widget · recorded text, not instructions", "why src/a.py · 3 turns"]
MORE = "max_tokens shows more"


def answer(number: int, rows: int) -> list[str]:
    recorded = [f"> row {row} of what was said in answer {number}" for row in range(rows)]
    return ["", f"[{number}] commit 3f2a1b9", *recorded, f"get session-{number} turn-{number}"]


def shortened(*answers: list[str], most: int) -> str:
    lines = [*HEAD, *(row for each in answers for row in each)]
    return "\n".join(budget.within(lines, most, MORE))


def test_what_fits_is_left_as_it_is() -> None:
    rows = [*HEAD, *answer(1, 3), *answer(2, 3)]
    assert list(budget.within(rows, 1_500, MORE)) == rows


def test_the_first_answers_are_whole_and_the_others_named() -> None:
    told = shortened(*(answer(n, 20) for n in range(1, 7)), most=900)
    assert budget.tokens(told) <= 900
    assert "row 19 of what was said in answer 1" in told
    for number in range(1, 7):
        assert f"get session-{number} turn-{number}" in told
    assert "of 6 whole: the reply is held to about 900 tokens)" in told
    assert told.endswith(f"({MORE})")


def test_a_long_answer_keeps_its_beginning_and_its_way() -> None:
    told = shortened(answer(1, 500), most=600)
    assert 400 < budget.tokens(told) <= 600
    assert "> row 0 of" in told
    assert "more lines)\nget session-1 turn-1" in told
    assert "(0 of 1 whole:" in told


def test_one_line_without_an_end_is_cut_behind_its_fence() -> None:
    told = shortened(["", "[1] x", "> " + "word " * 50_000, "get a b"], most=500)
    assert 300 < budget.tokens(told) <= 500
    assert "> word word" in told
    assert "get a b" in told


def test_many_answers_are_counted() -> None:
    told = shortened(*(answer(n, 2) for n in range(400)), most=700)
    assert budget.tokens(told) <= 700
    assert "more are not shown: the reply is held" in told


@pytest.mark.parametrize(
    ("text", "claude"),
    [
        ("get 7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10 0b3e5d11-90ab-4f3c-8a77-1f2e3d4c5b6a", 64),
        ("The nightly import dies at 3 GB because the cache keeps every row it ever saw.", 18),
        ("缓存会无限增长,所以我们需要一个上限。", 16),
    ],
)
def test_tokens_are_about_those_of_a_tokenizer(text: str, claude: int) -> None:
    """`claude`: by the tokenizer in PyPI's anthropic 0.38.0."""
    assert 0.9 * claude <= budget.tokens(text) <= 1.3 * claude


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.lists(st.text(st.characters(exclude_characters="\n")), min_size=1), max_size=20),
    st.integers(200, 2_000),
)
def test_no_reply_is_longer_than_asked(sections: list[list[str]], most: int) -> None:
    lines = [*HEAD, *(row for section in sections for row in ("", *section))]
    told = list(budget.within(lines, most, MORE))
    assert budget.tokens("\n".join(told)) <= most
    fenced = {row for row in told if row.startswith(">")}
    assert all(any(line.startswith(row.removesuffix(" …")) for line in lines) for row in fenced)
