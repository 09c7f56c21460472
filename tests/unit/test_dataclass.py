"""The quick dataclass behaves as Python's own, except that nothing is frozen at run time."""

from __future__ import annotations

import dataclasses
import pickle
from dataclasses import field

import pytest

from funes_git_parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A frozen record."""

    path: str
    line: int = 1
    seen: list[int] = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Nothing:
    """A record without fields."""


@dataclass(slots=True)
class Count:
    """A record that may change."""

    n: int = 0


@dataclass(frozen=True, slots=True)
class Shout:
    """A record with methods of its own."""

    word: str

    def __repr__(self) -> str:
        return self.word.upper()

    def __hash__(self) -> int:
        return 7


def test_records_are_equal_by_their_compared_fields() -> None:
    assert Place("a", seen=[1]) == Place("a", 1, [2])
    assert Place("a") != Place("a", 2)
    assert Nothing() == Nothing()
    assert Place("a") != ("a", 1)
    assert Count(1) == Count(1) != Count(2)


def test_frozen_records_are_keys_and_others_are_not() -> None:
    assert {Place("a"): 1}[Place("a")] == 1
    assert hash(Nothing()) == hash(Nothing())
    with pytest.raises(TypeError, match="unhashable"):
        hash(Count())


def test_the_text_of_a_record_is_pythons() -> None:
    same = dataclasses.make_dataclass("Place", ["path", "line"])("it's", 2)
    assert repr(Place("it's", 2)) == repr(same)
    assert repr(Nothing()) == "Nothing()"


def test_methods_that_a_class_has_stay() -> None:
    assert (repr(Shout("hey")), hash(Shout("hey"))) == ("HEY", 7)


def test_records_can_be_replaced_matched_and_pickled() -> None:
    place = Place("a", 3)
    assert dataclasses.replace(place, line=4) == Place("a", 4)
    assert pickle.loads(pickle.dumps(place)) == place
    assert not hasattr(place, "__dict__")
    match place:
        case Place(path, line):
            assert (path, line) == ("a", 3)
