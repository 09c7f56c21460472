"""What every parser must hold, at ten times as many places as in the ordinary run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from funes_git_parsers.conformance import ParserTests

pytestmark = pytest.mark.slow

PARTS = (
    "test_reading_in_two_parts_gives_the_same",
    "test_an_end_at_any_byte_is_survived",
    "test_any_damage_to_a_file_is_survived",
)


def suites() -> dict[str, type[ParserTests]]:
    """The classes of tests of the ordinary run."""
    names = {path.stem for path in Path(__file__).parent.glob("test_*conformance*.py")}
    modules = [import_module(f"unit.{name}") for name in sorted(names - {Path(__file__).stem})]
    found = [each for module in modules for each in vars(module).values()]
    tests = [each for each in found if isinstance(each, type) and issubclass(each, ParserTests)]
    return {each.__name__: each for each in tests if each is not ParserTests}


SUITES = suites()


def test_there_are_many() -> None:
    assert len(SUITES) > 15


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", sorted(SUITES))
def test_a_parser_holds_at_many_places(name: str, part: str, tmp_path: Path) -> None:
    class Deep(SUITES[name]):  # type: ignore[misc]
        cuts = 10 * ParserTests.cuts

    getattr(Deep(), part)(tmp_path)
