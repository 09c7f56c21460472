"""docs/concepts/linking.md says what the code and the tests are; what lines survive is held by
git/test_survival.py."""

from __future__ import annotations

import pytest
from linking_gen import BENCHES, CASES, NOT_YET, PAGE, SECTIONS, held, section


@pytest.mark.parametrize("name", SECTIONS)
def test_a_generated_section_is_as_it_would_be_generated(name: str) -> None:
    again = "PYTHONPATH=.:tests python tests/linking_gen.py"
    assert section(name, PAGE.read_text("utf-8")) == SECTIONS[name](), again


def test_every_case_is_held_by_a_test_or_said_to_be_missing() -> None:
    missing = {number for number, files in held().items() if not files}
    assert missing <= NOT_YET.keys() | BENCHES.keys()
    assert held().keys() == CASES.keys() == set(range(1, 40))
