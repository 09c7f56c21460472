"""The cases of LINKING.md are held by tests; docs/concepts/linking.md itself is held with the other
generated pages, and what lines survive by git/test_survival.py."""

from __future__ import annotations

from linking_gen import BENCHES, CASES, held


def test_every_case_is_held_by_a_test_or_a_bench() -> None:
    missing = {number for number, files in held().items() if not files}
    assert missing <= BENCHES.keys()
    assert held().keys() == CASES.keys() == set(range(1, 40))
