"""Codex: forks, sub-agents and rollbacks; where its files are and which are its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from codex_records import (
    FOLDER,
    SESSION,
    call,
    custom,
    edits,
    event,
    item,
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
    turns,
)

from funes_git.sessionfile import open_session
from funes_git_parsers import codex
from funes_git_parsers.base import Places, Retraction, Session, Spawn
from funes_git_parsers.codex.reader import Reader

DATA = Path(__file__).parent.parent / "data" / "codex"
PARENT = "01900000-0000-7000-8000-00000000000f"
OLD_TURN = "018fffff-0000-7000-8000-000000000002"  # made before the session
NEW_TURN = "01900001-0000-7000-8000-000000000003"
SPAWNED = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}


def parents(items: list[Any]) -> set[str | None]:
    return {one.parent_session_id for one in items if isinstance(one, Session)} - {None}


def test_the_first_session_meta_names_the_session() -> None:
    items = read(meta(forked_from_id=PARENT), meta(PARENT), said("assistant", "copy"))
    assert {one.session_id for one in items if isinstance(one, Session)} == {SESSION}
    assert parents(items) == {PARENT}


def test_copies_end_at_the_ordinal_where_the_own_history_starts() -> None:
    records = [
        meta(source=SPAWNED, subagent_history_start_ordinal=3),
        meta(PARENT),
        said("user", "copy"),
        said("user", "task"),
        said("assistant", "own"),
    ]
    numbered = [{**one, "ordinal": number} for number, one in enumerate(records)]
    items = read(*numbered)
    assert [(turn.turn_uuid, turn.blocks[0].text) for turn in turns(items)] == [
        (f"{SESSION}-1", "task"),
        (f"{SESSION}-2", "own"),
    ]


def test_copies_end_at_the_first_turn_that_is_younger_than_the_session() -> None:
    items = read(
        meta(forked_from_id=PARENT),
        meta(PARENT),
        event("task_started", turn_id=OLD_TURN),
        *prompt("copy"),
        call("shell", {"command": ["x"]}),
        record("turn_context", turn_id=OLD_TURN, cwd="/parent"),
        event("task_started", turn_id=NEW_TURN),
        *prompt("own"),
    )
    assert [(turn.turn_uuid, turn.workdir) for turn in turns(items)] == [(f"{SESSION}-2", FOLDER)]


def test_a_copied_output_is_counted_where_it_says_something() -> None:
    copies = [call("shell", {"command": ["x"]}), output("done"), output(" \n"), said("user", "own")]
    numbered = [
        {**one, "ordinal": number}
        for number, one in enumerate(
            [meta(source=SPAWNED, subagent_history_start_ordinal=5), meta(PARENT), *copies]
        )
    ]
    assert [turn.turn_uuid for turn in turns(read(*numbered))] == [f"{SESSION}-2"]


def test_copies_with_their_old_times_are_older_than_the_session() -> None:
    before, after = "2024-06-10T02:00:00.000Z", "2024-06-10T02:35:19.000Z"
    copy = {**said("assistant", "copy"), "timestamp": before}
    own = {**said("assistant", "own"), "timestamp": after}
    assert texts(read(meta(forked_from_id=PARENT), meta(PARENT), copy, own)) == ["own"]
    assert texts(read(meta(forked_from_id=PARENT), copy, own)) == ["own"]


def test_copies_with_new_times_come_in_one_burst() -> None:
    items = read_bytes((DATA / "fork-0.36.jsonl").read_bytes())
    assert [turn.is_prompt for turn in turns(items)] == [True, False, False]
    assert turns(items)[0].turn_uuid == "613a9a68-8816-40b2-a2d4-041ade599da6-4"
    assert parents(items) == {"9cd28a74-da7e-4458-a91a-fffec2be9d7a"}
    assert [edit.path for edit in edits(items)] == [
        "/Users/dev/Downloads/CpolarAutoUpdater/src/cpolar_connect/cli.py"
    ]


def test_a_fork_that_copied_nothing_loses_nothing() -> None:
    items = read(meta(forked_from_id=PARENT), *prompt("own"), said("assistant", "ok"))
    assert texts(items) == ["own", "ok"]


def test_the_task_of_a_sub_agent_is_no_prompt() -> None:
    items = read(meta(source=SPAWNED), *prompt("task"), said("assistant", "ok"))
    assert [(turn.is_prompt, turn.exchange) for turn in turns(items)] == [(False, None)] * 2
    assert parents(items) == {PARENT}


@pytest.mark.parametrize(
    "told",
    [
        [output(json.dumps({"agent_id": "child", "nickname": "Ada"}))],
        [event("collab_agent_spawn_end", call_id="c1", new_thread_id="child"), output("ok")],
        [
            event("sub_agent_activity", kind="started", event_id="c1", agent_thread_id="child"),
            output("ok"),
        ],
        [
            event(
                "item_completed",
                item={
                    "type": "CollabAgentToolCall",
                    "id": "c1",
                    "tool": "spawn_agent",
                    "receiver_thread_ids": ["child"],
                },
            ),
            output("ok"),
        ],
    ],
)
def test_the_call_that_starts_a_sub_agent_names_its_session(told: list[dict]) -> None:
    items = read(meta(), call("spawn_agent", {"message": "task"}), told)
    assert [one for one in items if isinstance(one, Spawn)] == [
        Spawn(SESSION, f"{SESSION}-0", "child")
    ]


def test_a_rollback_takes_the_last_exchanges_back() -> None:
    items = read(
        meta(),
        *prompt("one"),
        said("assistant", "a"),
        *prompt("two"),
        item("web_search_call", action={}),
        said("assistant", "b"),
        *prompt("three"),
        event("thread_rolled_back", num_turns=2),
        *prompt("four"),
    )
    assert [one.turn_uuid for one in items if isinstance(one, Retraction)] == [
        f"{SESSION}-2",
        f"{SESSION}-3",
        f"{SESSION}-4",
        f"{SESSION}-x0000",
    ]
    assert turns(items)[-1].parent_uuid == f"{SESSION}-1"


def test_a_rollback_of_more_than_there_was_takes_all_back() -> None:
    items = read(meta(), *prompt("one"), event("thread_rolled_back", num_turns=9))
    assert [one.turn_uuid for one in items if isinstance(one, Retraction)] == [f"{SESSION}-0"]
    assert [
        one for one in read(meta(), event("thread_rolled_back")) if type(one) is Retraction
    ] == []


def touch(path: Path, data: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_sessions_are_found_at_home_or_where_codex_home_says(tmp_path: Path) -> None:
    live = touch(tmp_path / ".codex/sessions/2026/01/02/rollout-2026-a.jsonl", b"abc")
    touch(live.with_suffix(".jsonl.zst"))
    packed = touch(tmp_path / ".codex/sessions/2025/01/02/rollout-2025-01-02T03-04-05-b.jsonl.zst")
    archived = touch(tmp_path / ".codex/archived_sessions/rollout-2025-02-02T03-04-05-c.jsonl")
    touch(tmp_path / ".codex/history.jsonl")
    touch(tmp_path / ".codex/sessions/2026/01/02/notes.txt")
    other = touch(tmp_path / "repo/.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-d.jsonl")
    found = list(codex.discover(Places(tmp_path, {})))
    assert [one.path for one in found] == sorted([live, packed, archived])
    assert [one.size for one in found if one.path == live] == [3]
    places = Places(tmp_path, {"CODEX_HOME": str(tmp_path / "repo/.codex")})
    assert [one.path for one in codex.discover(places)] == [other]
    assert list(codex.discover(Places(tmp_path / "nothing", {}))) == []


def test_a_path_that_goes_up_starts_from_every_folder_that_is_named() -> None:
    """Whatever order they come in: a command may have gone to any of them."""
    command = "cd /w/other/deep && cat /etc/hosts /var/log/x > ../up.txt"
    records = [meta(), call("exec_command", {"cmd": command}), output("Exit code: 0")]
    found = codex.roots(source(), opener(lines(records)))
    assert {"/w/up.txt", "/w/other/up.txt", "/etc/up.txt"} <= found
    edited = {edit.path for edit in edits(read(*records))}
    assert edited <= found
    assert edited


@pytest.mark.parametrize("name", ["envelope-0.118", "fork-0.36", "paginated-0.171"])
def test_its_own_files_are_claimed(name: str) -> None:
    head = (DATA / f"{name}.jsonl").read_bytes()[:65536]
    assert codex.claim(Path("full.jsonl"), head)
    assert codex.claim(Path("a.jsonl.zst"), head[:200])
    assert not codex.claim(Path("a.json"), head)


def test_the_format_without_envelopes_is_claimed() -> None:
    assert codex.claim(Path("a.jsonl"), b'{"id":"s","timestamp":"t","instructions":null}\n')


@pytest.mark.parametrize(
    "head",
    [
        b'{"session_id":"s","ts":1,"text":"hi"}\n',
        b'{"type":"user","message":{},"uuid":"u","timestamp":"t"}\n',
        b'{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}\n',
        b"",
    ],
)
def test_other_files_are_not_claimed(head: bytes) -> None:
    assert not codex.claim(Path("a.jsonl"), head)


def test_roots_hold_every_folder_and_every_edited_path() -> None:
    text = patch("*** Add File: /x/new file.py", "+1", "*** Update File: ../up.py", "@@", "+2")
    records = [
        meta(),
        record("turn_context", cwd="/w/caf\u00e9"),
        custom("apply_patch", text),
        output("Success."),
        call("exec_command", {"cmd": "cd ../far && echo x > /y/z.txt", "workdir": "/w/q"}),
        output("Exit code: 0\nOutput:\n"),
        event(
            "patch_apply_end",
            call_id="c3",
            success=True,
            changes={"/v/a.py": {"type": "update", "unified_diff": "", "move_path": "/v/b.py"}},
        ),
    ]
    found = codex.roots(source(), opener(lines(records)))
    expected = {
        FOLDER,
        "/w/caf\u00e9",
        "/x/new file.py",
        "/y/z.txt",
        "/v/a.py",
        "/v/b.py",
    }
    assert expected <= found
    assert {"/w/up.py", "/w/far"} <= found
    paths = {edit.path for edit in edits(read(*records))}
    assert {"/x/new file.py", "/w/up.py", "/y/z.txt"} <= paths
    assert all(any(path.startswith(root) for root in found) for path in paths)


def test_the_title_comes_from_the_index_and_the_last_one_wins(tmp_path: Path) -> None:
    path = touch(tmp_path / "sessions/2026/01/02/rollout-x.jsonl", lines([meta(), *prompt("hi")]))
    index = [{"id": SESSION, "thread_name": "first"}, {"id": "other", "thread_name": SESSION}]
    touch(tmp_path / "session_index.jsonl", lines([*index, {"id": SESSION, "thread_name": "last"}]))
    (found,) = codex.discover(Places(tmp_path, {"CODEX_HOME": str(tmp_path)}))
    assert found.path == path
    items = list(codex.read(found, None, lambda path: path.open("rb")))
    assert [one.title for one in items if isinstance(one, Session) and one.title] == ["last"]


def test_a_compressed_rollout_gives_what_the_plain_one_gave(tmp_path: Path) -> None:
    import zstandard

    data = (DATA / "paginated-0.171.jsonl").read_bytes()
    touch(tmp_path / "sessions/2026/11/30/rollout-a.jsonl.zst", zstandard.compress(data, 3))
    (found,) = codex.discover(Places(tmp_path, {"CODEX_HOME": str(tmp_path)}))
    assert list(codex.read(found, None, open_session)) == read_bytes(data)
    assert codex.roots(found, open_session) == codex.roots(source(), opener(data))


@pytest.mark.parametrize("name", ["envelope-0.118", "fork-0.36", "paginated-0.171"])
def test_events_that_are_not_decoded_would_bring_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also before the session's record, and among what a fork copied."""
    counts = b'{"timestamp":"%b","type":"event_msg","payload":{"type":"token_count","info":null}}\n'
    sample = (DATA / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    times = [json.loads(line)["timestamp"].encode() for line in sample]
    each = [line for at, own in zip(times, sample, strict=True) for line in (counts % at, own)]
    quick = read_bytes(b"".join(each))
    asked: list[bytes | None] = []

    def ask(self: Reader, line: bytes) -> bytes:
        asked.append(prepare(self, line))
        return line

    prepare = Reader.prepare
    monkeypatch.setattr(Reader, "prepare", ask)
    assert read_bytes(b"".join(each)) == quick
    assert None in asked
    assert asked[0] is not None  # the session is not known yet
