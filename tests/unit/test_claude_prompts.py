"""Claude Code: prompts typed while the agent was busy are prompts exactly once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from claude_records import SID, lines, only, read, read_path, record, says, turns, user

from funes_git_parsers.base import Item, Retraction, Turn


def queue(operation: str, content: object = None) -> dict[str, Any]:
    body = {} if content is None else {"content": content}
    stamp = "2026-03-01T10:00:01.000Z"
    kind = "queue-operation"
    return {"type": kind, "operation": operation, "timestamp": stamp, "sessionId": SID, **body}


def attached(uuid: str, parent: str, prompt: object, mode: str = "prompt") -> dict[str, Any]:
    body = {"type": "queued_command", "prompt": prompt, "commandMode": mode}
    return record(uuid, parent, "attachment", None, attachment=body)


def prompts(items: list[Item]) -> list[str]:
    """The texts of the prompts that stand."""
    gone = {r.turn_uuid for r in only(items, Retraction)}
    found = [t for t in only(items, Turn) if t.is_prompt and t.turn_uuid not in gone]
    return [t.blocks[0].text for t in sorted(found, key=lambda t: t.seq)]


START = (user("u1", None, "go"), says("a1", "u1", "working"))


def test_a_queued_prompt_that_comes_as_a_user_record(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        *START,
        queue("enqueue", "commit"),
        queue("dequeue"),
        user("u2", "a1", "commit"),
        says("a2", "u2", "done"),
    )
    assert prompts(items) == ["go", "commit"]
    assert not only(items, Retraction)
    assert turns(items)["a2"].exchange == "u2"


def test_a_queued_prompt_that_comes_in_the_middle_of_the_work(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        *START,
        queue("enqueue", "use tabs"),
        queue("remove"),
        attached("q1", "a1", "use tabs"),
        says("a2", "q1", "with tabs"),
    )
    assert prompts(items) == ["go", "use tabs"]
    assert turns(items)["a2"].exchange == "q1"


def test_a_queued_prompt_that_only_the_queue_records(tmp_path: Path) -> None:
    items = read(tmp_path, *START, queue("enqueue", "and the docs"), says("a2", "a1", "ok"))
    assert prompts(items) == ["go", "and the docs"]
    (waiting,) = [t for t in only(items, Turn) if t.blocks[0].text == "and the docs"]
    assert (waiting.parent_uuid, waiting.exchange) == ("a1", waiting.turn_uuid)
    assert waiting.seq < turns(items)["a2"].seq


def test_a_user_record_wins_over_an_attachment(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        *START,
        queue("enqueue", "use tabs"),
        attached("q1", "a1", [{"type": "text", "text": "use tabs"}]),
        user("u2", "q1", "use tabs"),
    )
    assert prompts(items) == ["go", "use tabs"]
    assert only(items, Retraction) == [Retraction(SID, "q1")]


def test_the_same_words_typed_later_are_another_prompt(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        *START,
        queue("enqueue", "continue"),
        attached("q1", "a1", "continue"),
        says("a2", "q1", "more"),
        user("u2", "a2", "continue"),
    )
    assert prompts(items) == ["go", "continue", "continue"]


def test_a_prompt_taken_back_to_be_changed_is_none(tmp_path: Path) -> None:
    items = read(
        tmp_path, *START, queue("enqueue", "teh docs"), queue("popAll"), user("u2", "a1", "docs")
    )
    assert prompts(items) == ["go", "docs"]


def test_what_no_person_queued_is_no_prompt(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        *START,
        queue("enqueue", '{"task_id":"b1","task_type":"local_bash"}'),
        queue("enqueue", "<task-notification>\n<task-id>a</task-id></task-notification>"),
        queue("enqueue", "/compact"),
        attached("q1", "a1", "background task finished", mode="task-notification"),
    )
    assert prompts(items) == ["go"]
    assert turns(items)["q1"].blocks[0].scaffold == "task-notification"


def test_a_waiting_prompt_is_taken_back_when_it_arrives_later(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    before = lines(*START, queue("enqueue", "commit"))
    path.write_bytes(before)
    first, cursor = read_path(path)
    assert prompts(first) == ["go", "commit"]
    path.write_bytes(before + lines(queue("dequeue"), user("u2", "a1", "commit")))
    second, _ = read_path(path, cursor)
    assert prompts(first + second) == ["go", "commit"]
    assert "u2" in turns(second)
