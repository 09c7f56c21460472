"""Codex: a file that is still written is read on from where it ended, and no content raises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from codex_records import (
    call,
    event,
    fold,
    lines,
    meta,
    opener,
    output,
    patch,
    prompt,
    read,
    read_bytes,
    record,
    said,
    source,
    texts,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from funes_git_parsers import codex
from funes_git_parsers.base import Cursor, Item, Restart, Turn

DATA = Path(__file__).parent.parent / "data" / "codex"
RUNNING = "Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n"
SMALL = [
    meta(),
    *prompt("one"),
    call("apply_patch", {"input": patch("*** Add File: a", "+1")}),
    event("patch_apply_end", call_id="c1", success=True, changes={"/a": {"type": "add"}}),
    output("Success."),
    said("user", "not typed"),
]
LONG = [
    *SMALL,
    call("exec_command", {"cmd": "git commit -m x"}, "c1"),
    call("apply_patch", {"input": patch("*** Add File: a", "+1")}, "c2"),
    output("Success.", "c2"),
    output(RUNNING, "c1"),
    call("write_stdin", {"session_id": 7}, "c3"),
    output("Wall time: 1 seconds\nOutput:\n[main 1234abc] x", "c3"),
    event("user_message", message="only here"),
    said("assistant", "ok"),
    *reversed(prompt("two")),
    event("thread_rolled_back", num_turns=1),
    said("user", "not typed"),
]


def cursor(items: list[Item]) -> str:
    last = items[-1]
    assert isinstance(last, Cursor)
    return last.text


def read_in_parts(data: bytes, at: int) -> list[Item]:
    first = read_bytes(data[:at])
    return first + read_bytes(data, cursor(first))


def test_reading_in_two_parts_at_any_byte_gives_the_same() -> None:
    data = lines(SMALL)
    whole = fold(read_bytes(data))
    for at in range(len(data) + 1):
        assert fold(read_in_parts(data, at)) == whole, at


@pytest.mark.parametrize("name", ["", "envelope-0.118", "fork-0.36", "paginated-0.171"])
def test_reading_in_two_parts_around_any_line_end_gives_the_same(name: str) -> None:
    data = (DATA / f"{name}.jsonl").read_bytes() if name else lines(LONG)
    whole = fold(read_bytes(data))
    assert len(whole) > 6
    for end in [place for place, byte in enumerate(data) if byte == 10]:
        for at in (end - 1, end, end + 1, end + 40):
            assert fold(read_in_parts(data, at)) == whole, at


@pytest.mark.parametrize("name", ["envelope-0.118", "fork-0.36", "paginated-0.171"])
def test_reading_real_records_line_by_line_gives_the_same(name: str) -> None:
    data = (DATA / f"{name}.jsonl").read_bytes()
    items: list[Item] = []
    at: str | None = None
    for end in [place + 1 for place, byte in enumerate(data) if byte == 10]:
        items += read_bytes(data[:end], at)
        at = cursor(items)
    assert fold(items) == fold(read_bytes(data))


def test_a_second_read_yields_nothing_but_the_cursor() -> None:
    data = lines([meta(), *prompt("one"), said("assistant", "ok")])
    first = read_bytes(data)
    again = read_bytes(data, cursor(first))
    assert again == [Cursor(cursor(first))]


def test_an_open_call_is_read_again_and_nothing_before_it() -> None:
    data = lines([meta(), *prompt("one"), said("assistant", "I look"), call("shell", {})])
    more = data + lines([output("done")])
    later = read_bytes(more, cursor(read_bytes(data)))
    assert texts(later) == ["{}", "done"]
    assert later[1].blocks[0].tool == "shell" if isinstance(later[1], Turn) else False


def test_a_file_that_changed_before_the_cursor_is_read_from_the_start() -> None:
    first = read_bytes(lines([meta(), *prompt("one")]))
    other = lines([meta(), *prompt("two"), said("assistant", "much more text than before")])
    assert fold(read_bytes(other, cursor(first))) == fold(read_bytes(other))


@pytest.mark.parametrize("text", ["", "x", "[]", "{}", '[1,[0,0,""],{}]', '[1,[0,0,""],[]]', "9"])
def test_a_cursor_that_is_not_ours_means_the_start(text: str) -> None:
    data = lines(SMALL)
    assert read_bytes(data, text) == [Restart(), *read_bytes(data)]


def test_a_compressed_file_is_read_whole() -> None:
    data = lines([meta(), *prompt("one")])
    packed = source("rollout-x.jsonl.zst")
    first = list(codex.read(packed, None, opener(data)))
    assert list(codex.read(packed, cursor(first), opener(data))) == first


def test_the_cursor_stays_small_in_a_long_session() -> None:
    records = [meta()]
    for number in range(400):
        command = f"echo {number} {'x' * 5000}"
        records += [*prompt(command), call("exec_command", {"cmd": command}, "c")]
        records += [output(RUNNING.replace("7", str(number)), "c")]
    assert len(cursor(read(*records))) < 100_000


def test_a_file_that_is_gone_is_an_error() -> None:
    def gone(path: Path) -> Any:
        raise FileNotFoundError(path)

    with pytest.raises(FileNotFoundError):
        list(codex.read(source(), None, gone))


@given(st.binary(max_size=200), st.integers(0, 2000))
@settings(max_examples=60, deadline=None)
def test_no_bytes_raise(junk: bytes, at: int) -> None:
    data = lines(SMALL)
    broken = data[:at] + junk + data[at:]
    fold(read_in_parts(broken, at))
    codex.roots(source(), opener(broken))
    codex.claim(Path("a.jsonl"), broken)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=5,
)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_no_value_in_a_field_raises(data: st.DataObject) -> None:
    records = json.loads(json.dumps(data.draw(st.permutations(LONG))))
    for _ in range(4):
        target = data.draw(st.sampled_from(records))
        if isinstance(target.get("payload"), dict) and data.draw(st.booleans()):
            target = target["payload"]
        target[data.draw(st.sampled_from(sorted(target) or ["type"]))] = data.draw(ODD)
    written = lines(records)
    at = data.draw(st.integers(0, len(written)))
    assert fold(read_in_parts(written, at)).keys() == fold(read_bytes(written)).keys()
    codex.roots(source(), opener(written))


def test_nothing_is_yielded_that_cannot_be_written_as_utf_8() -> None:
    raw = lines([meta()]) + b'{"type":"response_item","payload":{"type":"message","role":"user",'
    raw += b'"content":[{"type":"input_text","text":"a\\ud83d b \\u0000"}]}}\n'
    assert texts(read_bytes(raw))[0].encode("utf-8").startswith(b"a")
    later = record("response_item", type="message", role="assistant", content="plain")
    assert texts(read(meta(), later)) == ["plain"]
