"""Codex: which turns a session has, their ids, their prompts and what they ran in."""

from __future__ import annotations

from codex_records import (
    FOLDER,
    SESSION,
    call,
    custom,
    event,
    item,
    meta,
    output,
    prompt,
    read,
    record,
    said,
    texts,
    turns,
)

from funes_git_parsers.base import Block, Session, Skipped

GIT = {"commit_hash": "a" * 40, "branch": "main", "repository_url": "git@example.org:a/b.git"}


def thought(*parts: str) -> dict:
    return item("reasoning", summary=[{"type": "summary_text", "text": part} for part in parts])


def test_turns_are_numbered_as_funes_counts_them() -> None:
    items = read(
        meta(),
        *prompt("do it"),
        thought("plan", "more"),
        thought("   "),
        said("assistant", " \n"),
        call("shell", {"command": ["ls"]}),
        output(""),
        said("assistant", "done"),
    )
    assert [(turn.turn_uuid, turn.blocks[0].text) for turn in turns(items)] == [
        (f"{SESSION}-0", "do it"),
        (f"{SESSION}-1", "plan\nmore"),
        (f"{SESSION}-2", '{"command": ["ls"]}'),
        (f"{SESSION}-3", "done"),
    ]


def test_records_that_funes_does_not_count_leave_the_numbers_alone() -> None:
    items = read(
        meta(),
        *prompt("look it up"),
        item("web_search_call", action={"type": "search", "query": "q"}),
        item("local_shell_call", call_id="c9", action={"type": "exec", "command": ["ls"]}),
        item("reasoning", summary=[], content=[{"type": "reasoning_text", "text": "raw"}]),
        said("assistant", "found"),
    )
    assert [(turn.turn_uuid.removeprefix(SESSION), turn.seq) for turn in turns(items)] == [
        ("-0", 0),
        ("-x0000", 0),
        ("-x0001", 0),
        ("-x0002", 0),
        ("-1", 1),
    ]
    assert turns(items)[1].blocks == (
        Block("tool_use", '{"action":{"type":"search","query":"q"}}', "web_search"),
    )
    assert turns(items)[3].blocks == (Block("thinking", "raw"),)


def test_a_developer_message_is_scaffolding() -> None:
    (turn,) = turns(read(meta(), said("developer", "Approved command prefix saved")))
    assert (turn.role, turn.blocks[0].scaffold, turn.is_prompt) == ("user", "environment", False)


def test_prompts_are_what_an_event_names() -> None:
    items = read(
        meta(),
        said("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>"),
        said("user", "<environment_context>\n</environment_context>"),
        *prompt("fix it"),
        said("user", "<skill>\n<name>worktree</name>\n</skill>"),
        said("user", "injected by a tool"),
        said("assistant", "ok"),
    )
    assert [turn.blocks[0].text for turn in turns(items) if turn.is_prompt] == ["fix it"]
    assert [turn.blocks[0].scaffold for turn in turns(items)] == [
        "agents-md",
        "environment",
        None,
        "environment",
        None,
        None,
    ]


def test_an_event_may_come_before_its_message() -> None:
    message, named = prompt("fix it")
    items = read(meta(), named, message, said("assistant", "ok"))
    assert [(turn.turn_uuid, turn.is_prompt) for turn in turns(items)] == [
        (f"{SESSION}-0", True),
        (f"{SESSION}-1", False),
    ]


def test_a_prompt_that_only_an_event_has_is_a_turn_of_its_own() -> None:
    items = read(meta(), event("user_message", message="fix it"), said("assistant", "ok"))
    first, second = turns(items)
    assert (first.turn_uuid, first.is_prompt, texts([first])) == (
        f"{SESSION}-x0000",
        True,
        ["fix it"],
    )
    assert (second.turn_uuid, second.exchange) == (f"{SESSION}-0", first.turn_uuid)


def test_an_event_at_the_end_waits_for_its_message() -> None:
    assert turns(read(meta(), event("user_message", message="fix it"))) == []


def test_an_event_that_comes_late_adds_no_second_prompt() -> None:
    message, named = prompt("fix it")
    items = read(meta(), message, said("assistant", "ok"), named, said("assistant", "done"))
    assert texts(items) == ["fix it", "ok", "done"]
    assert turns(items)[0].is_prompt


def test_old_events_of_injected_messages_are_no_prompts() -> None:
    text = "<user_instructions>\nx\n</user_instructions>"
    items = read(
        meta(),
        said("user", text),
        event("user_message", message=text, kind="user_instructions"),
        *prompt("go"),
    )
    assert [turn.is_prompt for turn in turns(items)] == [False, True]


def test_without_events_what_is_not_scaffolding_is_a_prompt() -> None:
    items = read(
        meta(history_mode="paginated"),
        said("user", "<environment_context>\n</environment_context>"),
        said("user", "fix it"),
        said("assistant", "ok"),
    )
    assert [turn.is_prompt for turn in turns(items)] == [False, True, False]


def test_an_item_event_names_prompts_too() -> None:
    content = [{"type": "text", "text": "fix it"}]
    items = read(
        meta(history_mode="paginated"),
        said("user", "unknown injected text"),
        said("user", "fix it"),
        event("item_completed", item={"type": "UserMessage", "content": content}),
        said("assistant", "ok"),
    )
    assert [turn.is_prompt for turn in turns(items)] == [False, True, False]


def test_turns_follow_from_each_other_and_from_their_prompt() -> None:
    items = read(
        meta(), said("developer", "rules"), *prompt("one"), said("assistant", "a"), *prompt("two")
    )
    chain = [(turn.parent_uuid, turn.exchange) for turn in turns(items)]
    ids = [f"{SESSION}-{number}" for number in range(4)]
    assert chain == [(None, None), (ids[0], ids[1]), (ids[1], ids[1]), (ids[2], ids[3])]


def test_event_mirrors_are_not_counted_again() -> None:
    items = read(
        meta(),
        event("agent_reasoning", text="plan"),
        thought("plan"),
        event("agent_message", message="done"),
        said("assistant", "done"),
        event("token_count", info=None),
    )
    assert texts(items) == ["plan", "done"]


def test_a_plan_that_only_an_event_has_is_kept() -> None:
    items = read(meta(), event("item_completed", item={"type": "Plan", "text": "1. test"}))
    assert [(turn.role, turn.turn_uuid) for turn in turns(items)] == [
        ("assistant", f"{SESSION}-x0000")
    ]


def test_folder_and_model_come_from_the_turn_context_commit_from_the_newest_meta() -> None:
    items = read(
        meta(git=GIT),
        said("assistant", "a"),
        record("turn_context", cwd="/w/other", model="gpt-5.5"),
        meta(git={**GIT, "branch": "topic", "commit_hash": "b" * 40}),
        record("turn_context", cwd="/w/other", model="gpt-5.5"),
        said("assistant", "b"),
        item("ghost_snapshot", ghost_commit={"id": "d" * 40, "parent": "c" * 40}),
        said("assistant", "c"),
    )
    facts = [(turn.workdir, turn.model, turn.branch, turn.head) for turn in turns(items)]
    assert facts == [
        (FOLDER, None, "main", "a" * 40),
        ("/w/other", "gpt-5.5", "topic", "b" * 40),
        ("/w/other", "gpt-5.5", "topic", "c" * 40),
    ]


def test_a_session_has_version_remote_and_title() -> None:
    items = read(
        meta(cli_version="0.142.1", git=GIT), event("thread_name_updated", thread_name="A title")
    )
    assert [one for one in items if isinstance(one, Session)] == [
        Session(SESSION, "codex", version="0.142.1", repository_url=GIT["repository_url"]),
        Session(SESSION, "codex", title="A title"),
    ]


def test_times_are_seconds_since_the_epoch() -> None:
    (turn,) = turns(read(meta(), said("assistant", "a")))
    assert turn.ts == 1717988400.0


def test_images_are_named_not_kept() -> None:
    data = "data:image/png;base64," + "A" * 113_000
    content = [
        {"type": "input_image", "image_url": data},
        {"type": "input_text", "text": "what is this?"},
    ]
    shown = [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": data}]
    items = read(
        meta(),
        item("message", role="user", content=content),
        call("view_image", {"path": "a.png"}),
        output(shown),
    )
    assert texts(items) == [
        "what is this?",
        "[image/png, 83 KB]",
        '{"path": "a.png"}',
        "a\n[image/png, 83 KB]",
    ]


def test_a_compaction_keeps_its_summary_once_and_not_the_history() -> None:
    history = [{"type": "message", "role": "user", "content": [{"text": "old"}]}]
    items = read(
        meta(),
        *prompt("old"),
        record("compacted", message="We did x.", replacement_history=history),
        record("compacted", message="", replacement_history=history),
    )
    assert texts(items) == ["old", "We did x."]
    assert turns(items)[1].blocks[0].scaffold == "compaction"


def test_bad_records_are_reported_and_unknown_kinds_are_not() -> None:
    items = read(
        meta(),
        {"type": "response_item"},
        {"type": "event_msg", "payload": 3},
        [7],
        record("world_state", full=True),
        item("something_new", text="x"),
        {"type": "token_usage_record", "payload": {}},
        said("assistant", "ok"),
    )
    skipped = [one for one in items if isinstance(one, Skipped)]
    assert [(one.line, one.reason) for one in skipped] == [
        (2, "response_item without a payload"),
        (3, "event_msg without a payload"),
        (4, "not a JSON object"),
    ]
    assert texts(items) == ["ok"]


def test_the_format_without_envelopes() -> None:
    items = read(
        {"id": "s1", "timestamp": "2025-07-01T10:00:00.000Z", "instructions": None, "git": GIT},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"record_type": "state"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
    )
    assert [(turn.turn_uuid, turn.role, turn.is_prompt) for turn in turns(items)] == [
        ("s1-0", "user", True),
        ("s1-1", "assistant", False),
        ("s1-2", "tool", False),
    ]
    assert {turn.ts for turn in turns(items)} == {1751364000.0}
    assert turns(items)[0].head == GIT["commit_hash"]


def test_without_a_session_meta_the_id_is_the_name_of_the_file() -> None:
    (turn,) = turns(read(said("assistant", "a")))
    assert turn.turn_uuid == "rollout-2024-06-10T02-35-18-x-0"


def test_tool_names_stand_on_both_sides_of_a_call() -> None:
    items = read(meta(), custom("apply_patch", "x"), output("y"))
    assert [(turn.blocks[0].tool, turn.blocks[0].tool_use_id) for turn in turns(items)] == [
        ("apply_patch", "c1"),
        ("apply_patch", "c1"),
    ]


def test_what_another_agent_says_is_kept_and_no_prompt() -> None:
    content = [{"type": "input_text", "text": "Message Type: NEW_TASK"}]
    (turn,) = turns(read(meta(), item("agent_message", author="/root", content=content)))
    assert (turn.role, turn.is_prompt, turn.exchange) == ("user", False, None)


def test_what_funes_git_itself_printed_is_scaffolding() -> None:
    shown = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nfunes-git memory · a · recorded text\n"
    items = read(meta(), call("shell_command", {"command": "git funes recall x"}), output(shown))
    assert turns(items)[1].blocks[0].scaffold == "recall"


def test_an_output_that_only_begins_like_json_is_text() -> None:
    half = '{"output": "x", "metadata": {'
    items = read(meta(), call("shell", {"command": ["cat", "a.json"]}), output(half))
    assert turns(items)[1].blocks[0].text == half
