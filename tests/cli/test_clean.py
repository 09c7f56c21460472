"""Recorded text is hostile: nothing in it acts on a terminal or passes for our own lines."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funes_git.render import agent
from funes_git.render.clean import line, safe

ATTACKS = {
    "\x1b[31mred\x1b[0m": "red",
    "\x1b]0;title\x07": "␛]0;title␇",
    "\x1b]8;;http://evil\x1b\\click": "␛]8;;http://evil␛\\click",
    "\x1b[2J\x1b[H": "␛[2J␛[H",
    "real\rfake": "real␍fake",
    "a\r\nb": "a\nb",
    "\x9b31mred": "red",
    "\x9d0;t\x9c": "<U+009D>0;t<U+009C>",
    "user\u202etxt.exe": "user<U+202E>txt.exe",
    "\u2066hidden\u2069": "<U+2066>hidden<U+2069>",
    "zero\u200bwidth": "zero<U+200B>width",
    "tag\U000e0041": "tag<U+E0041>",
    "back\x08space\x7f": "back␈space␡",
    "nul\x00": "nul␀",
    "caf\udce9": "caf\\xe9",
    "\u2028next": "<U+2028>next",
}


@pytest.mark.parametrize("text", ATTACKS)
def test_what_acts_on_a_terminal_is_made_visible(text: str) -> None:
    assert safe(text) == ATTACKS[text]


def test_ordinary_text_of_any_script_stays() -> None:
    text = "naïve Grüße\n\t日本語 👩‍💻 العربية — “quoted”"
    assert safe(text) == text


def test_a_line_is_one_line() -> None:
    assert line("a\n b\tc\r\nd\x1b[1m") == "a b c d"


@given(st.text())
def test_no_control_or_format_override_survives(text: str) -> None:
    clean = safe(text)
    assert not [c for c in clean if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", clean)
    assert safe(clean) == clean
    clean.encode("utf-8")


@given(st.text())
def test_recorded_lines_stay_behind_their_fence(text: str) -> None:
    assert all(row.startswith(">") for row in agent.fenced(text))
    assert not [row for row in agent.fenced(text) if "\n" in row]
