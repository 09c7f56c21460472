"""Claude Code: a record that was written before the one it follows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from claude_records import CWD, SID, call, lines, one_edit, read_bytes, record, result, says, turns
from claude_records import user as said

from funes_git_parsers.base import Turn
from funes_git_parsers.claude.early import MAX_SIZE
from funes_git_parsers.claude.state import MAX_EARLY
from funes_git_parsers.conformance.stands import dangling, repeated, stands

PATH = Path(f"{SID}.jsonl")
EDITED = {"filePath": f"{CWD}/x.py", "oldString": "a", "newString": "b"}


def reminder(uuid: str, parent: str) -> dict[str, Any]:
    return record(uuid, parent, "attachment", None, attachment={"type": "task_reminder"})


REMINDER = [
    said("u1", None, "apply the fixes"),
    says("a1", "u1", "thinking of it"),
    reminder("m1", "r1"),
    call("a2", "a1", "Edit", {"file_path": "x.py", "old_string": "a", "new_string": "b"}),
    result("r1", "a2", "ok", EDITED),
    {"type": "last-prompt"},
    says("a3", "m1", "done"),
    says("a4", "a3", "and tested"),
]
"""As in a session where a reminder stood before the result that it follows."""
RESULT = [
    said("u1", None, "apply the fixes"),
    says("a1", "u1", "thinking of it"),
    result("r1", "a3", "ok", EDITED),
    says("a2", "a1", "now the edit"),
    call("a3", "a2", "Edit", {"file_path": "x.py", "old_string": "a", "new_string": "b"}),
    says("a4", "r1", "done"),
]
"""As in a session where a result stood before its call."""
CHAIN = [
    said("u1", None, "apply the fixes"),
    says("a4", "a3", "fourth"),
    reminder("m1", "a2"),
    says("a3", "m1", "third"),
    says("a2", "a1", "second"),
    says("a1", "u1", "first"),
    said("u2", "a4", "and now the docs"),
]
"""Several that wait for one another."""
QUEUED = [
    said("u1", None, "apply the fixes"),
    {"type": "queue-operation", "operation": "enqueue", "content": "faster", "sessionId": SID},
    said("u2", "a1", "faster"),
    says("a1", "u1", "on it"),
    says("a2", "u2", "done"),
]
"""A prompt that was queued, and arrives before the turn that it follows."""
STORIES = {"reminder": REMINDER, "result": RESULT, "chain": CHAIN, "queued": QUEUED}
every_story = pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)


@every_story
def test_every_turn_has_its_exchange(story: list[dict[str, Any]]) -> None:
    items, _ = read_bytes(PATH, lines(*story))
    prompts = [turn for turn in turns(items).values() if turn.is_prompt]
    assert [turn.turn_uuid for turn in prompts][:1] == ["u1"]
    late = "u2" if story is QUEUED else "u1"
    expected = {"u2": "u2", "a2": late if story is QUEUED else "u1"}
    for uuid, turn in turns(items).items():
        assert turn.exchange == expected.get(uuid, "u1"), uuid
    assert repeated(items) == []
    assert dangling(items) == []


def test_the_turns_follow_one_another_and_keep_their_places() -> None:
    found = turns(read_bytes(PATH, lines(*CHAIN))[0])
    parents = {uuid: turn.parent_uuid for uuid, turn in found.items()}
    assert parents == {"u1": None, "a1": "u1", "a2": "a1", "a3": "a2", "a4": "a3", "u2": "a4"}
    assert sorted(found, key=lambda uuid: found[uuid].seq) == ["u1", "a4", "a3", "a2", "a1", "u2"]


def test_a_result_before_its_call_is_an_edit_and_bears_the_tools_name() -> None:
    items, _ = read_bytes(PATH, lines(*RESULT))
    edit = one_edit(items)
    assert (edit.turn_uuid, edit.path) == ("a3", f"{CWD}/x.py")
    assert turns(items)["r1"].blocks[0].tool == "Edit"


@every_story
def test_cut_anywhere_it_gives_what_one_read_gives(story: list[dict[str, Any]]) -> None:
    data = lines(*story)
    whole = stands(read_bytes(PATH, data)[0])
    ends = [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    for one in ends:
        first, cursor = read_bytes(PATH, data[:one])
        assert stands(first + read_bytes(PATH, data, cursor)[0]) == whole, one
        for two in ends:
            if two > one:
                second, further = read_bytes(PATH, data[:two], cursor)
                third, _ = read_bytes(PATH, data, further)
                assert stands(first + second + third) == whole, (one, two)


def test_what_waits_at_the_end_is_told_all_the_same() -> None:
    items, cursor = read_bytes(PATH, lines(*RESULT[:3]))
    turn = turns(items)["r1"]
    assert (turn.seq, turn.parent_uuid, turn.exchange) == (3, None, None)
    assert read_bytes(PATH, lines(*RESULT[:3]), cursor) == ([], cursor)
    assert turns(read_bytes(PATH, lines(*RESULT), cursor)[0])["r1"].exchange == "u1"


def test_a_parent_that_never_comes_is_not_waited_for_long() -> None:
    story = [said("u1", None, "go"), says("b0", "gone", "lost")]
    story += [says(f"b{n + 1}", f"b{n}", "lost, too") for n in range(MAX_EARLY + 4)]
    items, cursor = read_bytes(PATH, lines(*story))
    told = [item for item in items if isinstance(item, Turn)]
    assert [turn.seq for turn in told] == list(range(1, len(story) + 1))
    assert {turn.exchange for turn in told[1:]} == {None}
    assert json.loads(cursor)["early"] == []
    late = lines(*story, says("gone", "u1", "too late"), says("c", "gone", "goes on"))
    again = turns(read_bytes(PATH, late, cursor)[0])
    assert {uuid: turn.exchange for uuid, turn in again.items()} == {"gone": "u1", "c": "u1"}


def test_a_large_record_and_too_many_do_not_fill_the_cursor() -> None:
    large = says("b", "gone", "x" * (MAX_SIZE + 1))
    items, cursor = read_bytes(PATH, lines(said("u1", None, "go"), large))
    assert (len(turns(items)), json.loads(cursor)["early"]) == (2, [])
    many = [reminder(f"m{n}", "gone") for n in range(3 * MAX_EARLY)]
    _, cursor = read_bytes(PATH, lines(said("u1", None, "go"), *many))
    assert len(json.loads(cursor)["early"]) == MAX_EARLY


def test_records_that_follow_themselves_end() -> None:
    story = [said("u1", None, "go"), says("a", "b", "x"), says("b", "a", "y"), says("c", "c", "z")]
    assert set(turns(read_bytes(PATH, lines(*story))[0])) == {"u1", "a", "b", "c"}


def test_a_long_output_does_not_keep_a_result_from_waiting() -> None:
    printed = {"stdout": "x" * MAX_SIZE, "stderr": "", "interrupted": False}
    story = [*RESULT[:2], result("r1", "a3", "ok", printed), *RESULT[3:]]
    found = turns(read_bytes(PATH, lines(*story))[0])
    assert (found["r1"].exchange, found["r1"].blocks[0].tool) == ("u1", "Edit")
