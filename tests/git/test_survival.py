"""What docs/concepts/linking.md says that lines survive, done and looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import share_caches
from linking_gen import PAGE, survival_row
from survival import OPERATIONS, survives


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_turns_lines_are_found_after_what_people_do_with_git(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hermetic: Path
) -> None:
    monkeypatch.setenv("HOME", str(hermetic))  # and back again
    for place in ("hooks", "none"):
        (tmp_path / place / "home").mkdir(parents=True)
        share_caches(tmp_path / place / "home")
    said = survives(tmp_path, hermetic, name)
    assert {text.partition(":")[0] for text in said} <= {"derived", "lines"}
    assert survival_row(name, said) in PAGE.read_text("utf-8").splitlines()
