"""JSON read and written by msgspec, handed in from above, is what Python makes of it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from funes_git import asking, discovery
from funes_git.sessionfile import open_session, speed_up
from funes_git_parsers import values
from funes_git_parsers.base import Parser, Source
from funes_git_parsers.jsonl import read_records

DATA = Path(__file__).parent.parent / "data"
ODD = [
    *(b"18446744073709551616", b"-9223372036854775809", b"1" * 400, b"1" * 5000, b"-0", b"-0.0"),
    *(b"1e400", b"1e-400", b"NaN", b"-Infinity", b"5e-324", b"12345678901234567890.5", b"01"),
    *(b'"\\ud83d"', b'"\\ude00\\ud83d"', b'"\\ud83d\\ude00"', b'"\\uD83D"', b'"\xed\xa0\x80"'),
    *(b'"\xff"', b'"a\x01b\x00"', b'"a\x7fb"', b'"\\x"', b'"\\u0000"', b'\xef\xbb\xbf{"a":1}'),
    *(b'{"a":1}\r\n', b'{"a":1}\x00', b'{"a":1}{"b":2}', b' {"a":1}', b'{"a":1,"b":2,"a":3}'),
    *(b'{"a":1,}', b"[1,]", b"", b"null", b"[" * 990 + b"]" * 990, b"[" * 9000 + b"]" * 9000),
]


@pytest.fixture(autouse=True)
def own_decoder() -> Iterator[None]:
    yield
    with_own()


def with_own() -> None:
    values.decode_with(None)
    values.encode_with(None)
    speed_up.cache_clear()


def by_both(text: bytes) -> tuple[object, object]:
    """Values as Python writes them, which tells 1 from 1.0 and the order of keys."""
    found: list[object] = []
    for prepare in (with_own, speed_up):
        prepare()
        try:
            found.append(repr(values.decoded(text)))
        except (ValueError, RecursionError) as error:
            found.append("too deep" if isinstance(error, RecursionError) else "no JSON")
    return found[0], found[1]


def records_of(data: bytes) -> list[str]:
    return [repr(record) for record in read_records(io.BytesIO(data))]


@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text[:20]))
def test_odd_texts(text: bytes) -> None:
    own, fast = by_both(text)
    assert own == fast


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(st.characters(exclude_categories=())),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=())), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON, st.booleans())
def test_any_value(value: Any, is_ascii: bool) -> None:
    own, fast = by_both(json.dumps(value, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass"))
    assert own == fast


def deep(value: Any, levels: int) -> Any:
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize("levels", [0, 1, 30, 300, 480, 700, 5000])
def test_deep_values_are_written_alike(levels: int) -> None:
    found = []
    for prepare in (with_own, speed_up):
        prepare()
        try:
            found.append(values.compact(deep(1, levels)))
        except RecursionError:
            found.append("too deep")
    assert found[0] == found[1]


@given(JSON)
@example([1e16, 1e-7])
@example({"a": [{"b": float("inf")}], "c": 10**30})
@example({"a": "\x00\x7f\u2028\ud800"})
@example({"a": {"b": [True, None, 'say "no"\\']}})
def test_any_value_is_written_alike(value: Any) -> None:
    with_own()
    own = values.compact(value)
    speed_up()
    assert values.compact(value) == own


def test_what_is_written_is_written_by_the_faster_one() -> None:
    values.encode_with(lambda value: b"faster")
    assert values.compact({"a": ["x", 1, {"b": None}]}) == "faster"
    assert values.compact({"a": ["x", 1.5]}) == '{"a":["x",1.5]}'


@given(JSON, st.binary(min_size=1, max_size=3), st.integers(0, 10_000))
def test_any_damage(value: Any, noise: bytes, at: int) -> None:
    text = json.dumps({"a": value}).encode()
    at %= len(text)
    own, fast = by_both(text[:at] + noise + text[at + 1 :])
    assert own == fast


@given(st.lists(st.sampled_from(ODD[:-2]), max_size=6))
@example(ODD[:-2])
def test_any_lines(texts: list[bytes]) -> None:
    data = b'{"first":true}\n' + b"\n".join(b'{"x":%b}' % text for text in texts) + b"\n"
    with_own()
    own = records_of(data)
    speed_up()
    assert records_of(data) == own


def samples() -> list[tuple[Parser, Source]]:
    every = discovery.parsers()
    found = discovery.at_paths([DATA], every)
    return [(every[source.harness], source) for source in found.sources]


def test_every_sample_gives_the_same_turns() -> None:
    found = samples()
    assert len({source.harness for _, source in found}) > 5
    for parser, source in found:
        with_own()
        own = list(parser.read(source, None, open_session))
        assert list(asking.read(parser, source)) == own, source.path
