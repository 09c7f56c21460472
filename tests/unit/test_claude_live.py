"""Claude Code: a file that grows is read on from where it ended, with the same result."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from claude_records import (
    SID,
    call,
    lines,
    read_bytes,
    read_path,
    record,
    result,
    says,
    source,
    user,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from funes_git_parsers import claude
from funes_git_parsers.base import Item, Restart, Retraction, Skipped, Turn
from funes_git_parsers.conformance.stands import stands

DATA = Path(__file__).parents[1] / "data" / "claude"

SAMPLE = (
    lines(
        {"type": "queue-operation", "operation": "enqueue", "content": "go ✓", "sessionId": SID},
        user("u1", None, "go ✓"),
        record("p1", "u1", "progress", None, data={"type": "hook_progress"}),
        call("a1", "p1", "Edit", {"file_path": "x.py", "old_string": "a", "new_string": "b"}),
        result("r1", "a1", "ok", {"filePath": "/work/widget/x.py", "oldString": "a"}),
        call("a2", "r1", "Bash", {"command": "git commit -m x"}),
        result("r2", "a2", "[main 4ead9dc] x", {"stdout": "[main 4ead9dc] x", "stderr": ""}),
    )
    + b'garbage\n{"type":"ai-title","aiTitle":"T","sessionId":"s"}{"type":"mode"}\n'
)


USED = b"parentUuid type message uuid sessionId toolUseResult data operation content aiTitle"
SLIM = b"".join(
    lines({key: value for key, value in json.loads(line).items() if key.encode() in USED.split()})
    if line.startswith(b'{"') and b"}{" not in line
    else line
    for line in SAMPLE.splitlines(keepends=True)
)
"""The same with fewer bytes to cut at."""


def settled(items: list[Item]) -> list[Item]:
    """What stands after the retractions: waiting prompts that arrived leave no trace."""
    gone = {item.turn_uuid for item in items if isinstance(item, Retraction)}
    return [
        item
        for item in items
        if not isinstance(item, Retraction)
        and not (isinstance(item, Turn) and item.turn_uuid in gone)
    ]


def in_two_parts(path: Path, data: bytes, cut: int) -> list[Item]:
    first, cursor = read_bytes(path, data[:cut])
    second, _ = read_bytes(path, data, cursor)
    return settled(first + second)


def test_any_cut_gives_what_one_read_gives(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    whole, _ = read_bytes(path, SLIM)
    assert len(whole) > 8
    for cut in range(len(SLIM) + 1):
        assert in_two_parts(path, SLIM, cut) == settled(whole), cut


@pytest.mark.parametrize("name", ["auth-go.jsonl", "context-evaluator.jsonl"])
def test_real_sessions_cut_at_every_record(tmp_path: Path, name: str) -> None:
    data = (DATA / name).read_bytes()
    path = tmp_path / name
    whole, _ = read_bytes(path, data)
    at = 0
    for line in data.splitlines(keepends=True):
        at += len(line)
        first, cursor = read_bytes(path, data[:at])
        assert stands(first + read_bytes(path, data, cursor)[0]) == stands(whole)


def test_nothing_new_yields_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(SAMPLE)
    _, cursor = read_path(path)
    items, again = read_path(path, cursor)
    assert (items, again) == ([], cursor)


def test_a_file_changed_before_the_cursor_is_read_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(SAMPLE)
    whole, cursor = read_path(path)
    path.write_bytes(SAMPLE.replace(b"go \\u2713", b"GO \\u2713"))
    items, _ = read_path(path, cursor)
    assert items[0] == Restart()
    assert len(items[1:]) == len(whole)


@pytest.mark.parametrize("cursor", ["", "{}", "[]", "nonsense", '{"v":1}', '{"v":99,"at":[1]}'])
def test_a_cursor_of_no_use_means_the_start(tmp_path: Path, cursor: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(SAMPLE)
    # what it stood for is not known, so that what is gone may have to be taken back
    assert read_path(path, cursor)[0] == [Restart(), *read_path(path)[0]]


def test_the_cursor_stays_small(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    uuids = [f"{n:08}-0000-4000-8000-000000000000" for n in range(6_000)]
    records: list[Any] = [user(uuids[0], None, "go")]
    for before, uuid in pairwise(uuids):
        make = call if int(uuid[:8]) % 2 else says
        more = ("Edit", {"new_string": "x"}) if make is call else ("hm",)
        records.append(make(uuid, before, *more))  # type: ignore[arg-type]
    path.write_bytes(lines(*records))
    _, cursor = read_path(path)
    assert len(cursor) < 250_000


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    gone = source(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        list(claude.read(gone, None, lambda p: p.open("rb")))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
KEYS = "type uuid parentUuid sessionId message content timestamp toolUseResult data attachment"
VALUES = "user assistant progress attachment queue-operation tool_use tool_result enqueue a b"
shaped = st.dictionaries(
    st.sampled_from(KEYS.split()),
    json_values
    | st.sampled_from(VALUES.split())
    | st.fixed_dictionaries(
        {
            "content": st.lists(
                st.dictionaries(st.sampled_from(["type", "id", "input"]), json_values)
            )
        }
    ),
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
@given(st.lists(shaped | json_values, max_size=6), st.binary(max_size=20), st.integers(0, 500))
def test_no_content_raises(tmp_path: Path, records: list[Any], noise: bytes, cut: int) -> None:
    data = lines(*records) + noise
    path = tmp_path / "s.jsonl"
    _, cursor = read_bytes(path, data[:cut])
    for item in read_bytes(path, data, cursor)[0]:
        json.dumps(repr(item)).encode()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_skipped(tmp_path: Path, data: bytes) -> None:
    items, _ = read_bytes(tmp_path / "s.jsonl", data)
    assert all(isinstance(item, Skipped) for item in items)
