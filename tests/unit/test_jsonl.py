"""The line reader: what real files hold, half-written files, and files that changed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funes_git_parsers import load
from funes_git_parsers.base import Restart, Skipped, whole
from funes_git_parsers.jsonl import (
    NOWHERE,
    Position,
    Records,
    is_joined,
    open_at,
    read_records,
    resume,
)

ODD = (
    b'\xef\xbb\xbf{"bom":1}\r\n'
    b'{"a":1}{"b":2}\n'
    b"\n"
    b"[1,2]\n"
    b'\x00\x00{"after":"nul"}\n'
    b'{"bad":\xff}\n'
    b'{"utf8":"\xff\xc3\xa9"}\n'
    b'{"low":"x\\ud83d y","pair":"\\ud83d\\ude00"}\n'
    b'{"good":1} trailing\n'
    b'{"last":"\xe2\x9c\x93"}'
)


def read(data: bytes) -> list[object]:
    return list(read_records(io.BytesIO(data)))


def with_lines(records: Records) -> list[tuple[int, object]]:
    return [(records.line, each) for each in records]


def test_every_kind_of_odd_line() -> None:
    assert read(ODD) == [
        {"bom": 1},
        {"a": 1},
        {"b": 2},
        Skipped(4, "not a JSON object"),
        {"after": "nul"},
        Skipped(6, "not valid JSON"),
        {"utf8": "\ufffdé"},
        {"low": "x\ufffd y", "pair": "😀"},
        {"good": 1},
        Skipped(9, "not valid JSON"),
        {"last": "✓"},
    ]


def test_each_record_has_its_line() -> None:
    records = read_records(io.BytesIO(b'{"a":1}\n{"b":2}{"c":3}\nno\n'))
    seen = [(records.line, records.raw, each) for each in records]
    assert seen == [
        (1, b'{"a":1}\n', {"a": 1}),
        (2, b'{"b":2}{"c":3}\n', {"b": 2}),
        (2, b'{"b":2}{"c":3}\n', {"c": 3}),
        (3, b"no\n", Skipped(3, "not valid JSON")),
    ]


def test_a_line_of_sixteen_megabytes_is_one_record() -> None:
    data = b'{"n":1}\n{"x":"' + b"y" * (16 << 20) + b'"}\n{"n":3}\n'
    first, long, last = read(data)
    assert first == {"n": 1}
    assert len(long["x"]) == 16 << 20  # type: ignore[index]
    assert last == {"n": 3}


def test_nesting_without_end_is_skipped() -> None:
    data = b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b'}\n{"n":2}\n'
    assert read(data) == [Skipped(1, "nested too deeply"), {"n": 2}]


def test_a_half_last_line_is_left_for_the_next_read() -> None:
    records = read_records(io.BytesIO(b'{"a":1}\n{"b":'))
    assert list(records) == [{"a": 1}]
    assert records.position.offset == 8


def in_two_parts(data: bytes, cut: int) -> list[tuple[int, object]]:
    first = read_records(io.BytesIO(data[:cut]))
    got = with_lines(first)
    saved = Position.load(first.position.dump())
    stream = io.BytesIO(data)
    return got + with_lines(read_records(stream, resume(stream, saved)))


@pytest.mark.parametrize("cut", range(len(ODD) + 1))
def test_reading_in_two_parts_gives_the_same_records(cut: int) -> None:
    assert in_two_parts(ODD, cut) == with_lines(read_records(io.BytesIO(ODD)))


@given(st.binary(max_size=200), st.integers(0, 200))
def test_arbitrary_bytes_never_raise_and_split_anywhere(data: bytes, cut: int) -> None:
    data += b"\n"  # without it the end may still be half a line
    assert in_two_parts(data, cut) == with_lines(read_records(io.BytesIO(data)))


@given(st.lists(st.sampled_from([b'{"a":1}', b" ", b"\n", b"{", b'"x', b"}", b"\x00", b"[2]"])))
def test_arbitrary_pieces_of_json_split_anywhere(pieces: list[bytes]) -> None:
    data = b"".join(pieces) + b"\n"
    whole = with_lines(read_records(io.BytesIO(data)))
    for cut in range(len(data) + 1):
        assert in_two_parts(data, cut) == whole


def test_a_change_before_the_position_starts_again(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":2}\n')
    with path.open("rb") as stream:
        records = read_records(stream)
        list(records)
    for changed in (b'{"a":9}\n{"b":2}\n{"c":3}\n', b'{"a":1}\n'):
        path.write_bytes(changed)
        stream, position = open_at(lambda p: p.open("rb"), path, records.position)
        with stream:
            assert position == Position()
            assert list(read_records(stream, position)) == read(changed)


def test_an_append_is_read_from_where_the_last_read_ended(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"a":1}\n')
    with path.open("rb") as stream:
        records = read_records(stream)
        list(records)
    path.write_bytes(b'{"a":1}\n{"b":2}\n')
    stream, position = open_at(lambda p: p.open("rb"), path, records.position)
    with stream:
        assert with_lines(read_records(stream, position)) == [(2, {"b": 2})]


@pytest.mark.parametrize("value", [None, [], [1, 2], ["x", 1, ""], [-1, 0, 0], [8, 1, "crc"], {}])
def test_a_damaged_position_is_nowhere_and_read_from_the_start(
    value: object, tmp_path: Path
) -> None:
    assert Position.load(value) == NOWHERE
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"a":1}\n')
    stream, position = open_at(lambda p: p.open("rb"), path, NOWHERE)
    with stream:
        assert position == Position()
        assert with_lines(read_records(stream, position)) == [(1, {"a": 1})]


BEFORE = [812, 9, "da39a3ee5e6b4b0d3255bfef95601890afd80709"]
"""A position of a version that had another check."""


@pytest.mark.parametrize(
    ("agent", "cursor"),
    [
        ("claude_code", json.dumps({"v": 3, "at": BEFORE})),
        ("codex", json.dumps([1, BEFORE, {}])),
        ("pi", json.dumps({"at": BEFORE, "state": {}})),
        ("droid", json.dumps({"at": BEFORE, "state": {}})),
        ("hub_traces", json.dumps(BEFORE)),
        ("claude_code", "not JSON"),
        ("pi", ""),
    ],
)
def test_after_a_cursor_that_is_not_understood_what_is_gone_is_taken_back(
    agent: str, cursor: str, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"type":"session","id":"s1","harness":"x"}\n')
    parser, source = load()[agent], whole(agent, path)
    assert next(iter(parser.read(source, cursor, lambda p: p.open("rb")))) == Restart()
    assert Restart() not in list(parser.read(source, None, lambda p: p.open("rb")))


def test_prepare_passes_lines_over_and_replaces_them() -> None:
    def prepare(line: bytes) -> bytes | None:
        return None if b"drop" in line else line.replace(b"1", b"2")

    records = read_records(io.BytesIO(b'{"drop":1}\n{"a":1}\n'), prepare=prepare)
    assert with_lines(records) == [(2, {"a": 2})]
    assert records.position.line == 2


def test_joined_objects_are_recognised_before_decoding() -> None:
    assert is_joined(b'{"a":1} \x00{"b":2}')
    assert not is_joined(b'{"a":{"b":[{"c":1},{"d":2}]}}')
