"""Goose: rows of its database, and the files of older versions, as turns."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from goose_records import FOLDER, SESSIONS, START, Goose, request, text
from sources import Sources

from funes_git_parsers import goose
from funes_git_parsers.base import PrintedCommit, Retraction, Session, Spawn, Turn

ONE = "20261130_1"
DATA = Path(__file__).parents[1] / "data" / "goose"


@pytest.fixture
def db(tmp_path: Path) -> Goose:
    found = Goose(tmp_path / SESSIONS)
    found.session(name="A title", model_config_json='{"model_name": "m-1"}')
    return found


@pytest.fixture
def found(tmp_path: Path) -> Sources:
    return Sources(goose, tmp_path)


def test_a_message_is_a_turn(db: Goose, found: Sources) -> None:
    db.message("user", text("Make greet return hello."), message_id="msg_1")
    args = {"command": "str_replace", "path": "/w/repo/a.py", "old_str": "hi", "new_str": "hello"}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
    asked = request("developer__text_editor", args)
    db.message("assistant", thought, text("I see."), asked, message_id="msg_2")
    done = {"status": "success", "value": [text("Edited.", "assistant"), text("Shown.", "user")]}
    answer = {"type": "toolResponse", "id": "c1", "toolResult": done}
    db.message("user", answer, message_id="msg_3")
    assert found.items(ONE, Session) == [Session(ONE, "goose", "A title")]
    turns = found.turns(ONE)
    assert [(t.turn_uuid, t.role, t.parent_uuid, t.exchange, t.is_prompt) for t in turns] == [
        ("msg_1", "user", None, "msg_1", True),
        ("msg_2", "assistant", "msg_1", "msg_1", False),
        ("msg_3", "tool", "msg_2", "msg_1", False),
    ]
    assert [(t.ts, t.workdir, t.model) for t in turns[:2]] == [
        (START + 1, FOLDER, None),
        (START + 2, FOLDER, "m-1"),
    ]
    assert [(b.type, b.text) for b in found.blocks(ONE)[1:3]] == [
        ("thinking", "Hm."),
        ("text", "I see."),
    ]
    result = found.blocks(ONE)[-1]
    assert (result.text, result.tool, result.is_error) == ("Edited.", asked_tool(asked), False)
    (edit,) = found.edits(ONE)
    assert (edit.turn_uuid, edit.tool_use_id, edit.ts) == ("msg_2", "c1", START + 2)
    assert (edit.path, edit.operation, edit.old, edit.new) == (
        "/w/repo/a.py",
        "modify",
        "hi",
        "hello",
    )


def asked_tool(part: dict[str, Any]) -> str:
    return str(part["toolCall"]["value"]["name"])


@pytest.mark.parametrize("version", [1, 9])
def test_every_version_of_the_schema_is_read(tmp_path: Path, version: int) -> None:
    db = Goose(tmp_path / SESSIONS, version)
    db.session(description="Old title")
    db.message("user", text("Hello."))
    found = Sources(goose, tmp_path)
    assert found.texts(ONE) == ["Hello."]
    assert found.items(ONE, Session) == [Session(ONE, "goose", "Old title")]
    assert found.roots(ONE) == {FOLDER}


def test_a_file_of_an_older_version_is_read_unless_it_was_imported(
    db: Goose, found: Sources, tmp_path: Path
) -> None:
    db.message("user", text("In the database."))
    about = {"working_dir": FOLDER, "description": "A file", "message_count": 3}
    answer = {"type": "toolResponse", "id": "c1", "toolResult": {"status": "success", "value": []}}
    messages = [
        {"role": "user", "created": START, "content": [text("In the file.")]},
        {"role": "assistant", "created": START + 1,
         "content": [request("developer__shell", {"command": "echo a > a.txt"})]},
        {"role": "user", "created": START + 2, "content": [answer]},
    ]  # fmt: skip
    for name in ("20250102_1", ONE):
        path = tmp_path / SESSIONS / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in (about, *messages)))
        assert goose.claim(path, path.read_bytes())
    assert [source.key or source.path.name for source in found.found()] == [ONE, "20250102_1.jsonl"]
    key = "20250102_1.jsonl"
    assert found.items(key, Session) == [Session("20250102_1", "goose", "A file")]
    assert found.texts(key)[0] == "In the file."
    (edit,) = found.edits(key)
    assert (edit.path, edit.new, edit.origin) == ("/w/repo/a.txt", "a\n", "shell")
    assert found.roots(key) == {FOLDER, "/w/repo/a.txt"}


@pytest.mark.parametrize(
    ("tool", "args", "edit"),
    [
        ("developer__text_editor", {"command": "write", "path": "a.py", "file_text": "a\n"},
         ("create", None, "a\n")),
        ("developer__text_editor",
         {"command": "insert", "path": "a.py", "insert_line": 3, "new_str": "x\n"},
         ("modify", None, "x\n")),
        ("edit", {"path": "a.py", "before": "a", "after": "b"}, ("modify", "a", "b")),
        ("write", {"path": "a.py", "content": "a\n"}, ("create", None, "a\n")),
        ("developer__text_editor", {"command": "view", "path": "a.py"}, None),
        ("developer__text_editor", {"command": "undo_edit", "path": "a.py"}, None),
    ],
)  # fmt: skip
def test_every_editing_tool(
    db: Goose, found: Sources, tool: str, args: dict[str, Any], edit: tuple[object, ...] | None
) -> None:
    db.call(tool, args, text("Done."))
    edits = [(e.path, e.operation, e.old, e.new) for e in found.edits(ONE)]
    assert edits == ([("/w/repo/a.py", *edit)] if edit else [])


@pytest.mark.parametrize(
    "result",
    [
        {"status": "error", "error": "no such text"},
        {"value": {"content": [text("no such text")], "isError": True}},
        {"value": {"content": [], "structuredContent": {"exit_code": 2}}},
    ],
)
def test_a_call_that_failed_is_no_edit(db: Goose, found: Sources, result: dict[str, Any]) -> None:
    db.call("write", {"path": "a.py", "content": "a"}, **result)
    assert found.edits(ONE) == []
    assert found.blocks(ONE)[-1].is_error is True


def test_a_commit_that_was_printed(db: Goose, found: Sources) -> None:
    db.call("developer__shell", {"command": "git commit -am Hello"}, text("[main 1a2b3c4] Hello\n"))
    (commit,) = found.blocks(ONE)[-1].commits
    assert commit == PrintedCommit("1a2b3c4", "commit", "main", "Hello")


def test_what_a_compaction_writes_anew_is_the_same(db: Goose, found: Sources) -> None:
    db.message("user", text("First."))
    db.call("write", {"path": "a.py", "content": "a"}, text("Done."))
    before, cursor = found.read(ONE)
    source = found.source(ONE)
    db.execute(
        "INSERT INTO messages (session_id, role, content_json, created_timestamp, metadata_json)"
        " SELECT session_id, role, content_json, created_timestamp, ? FROM messages ORDER BY id",
        '{"userVisible": true, "agentVisible": false}',
    )
    db.execute("DELETE FROM messages WHERE id <= 3")
    hidden = '{"userVisible": false, "agentVisible": true}'
    db.message("assistant", text("It wrote a file."), metadata_json=hidden)
    assert found.source(ONE) != source
    (summary,), _ = found.read(ONE, cursor)
    assert isinstance(summary, Turn)
    assert summary.blocks[0].scaffold == "compaction"
    assert found.read(ONE)[0] == [*before, summary]


def test_two_equal_messages_are_two_turns_and_a_deleted_one_is_taken_back(
    db: Goose, found: Sources
) -> None:
    db.message("user", text("Again."))
    db.now -= 1
    db.message("user", text("Again."))
    first, second = found.turns(ONE)
    assert second.turn_uuid == f"{first.turn_uuid}~2"
    _, cursor = found.read(ONE)
    db.execute("DELETE FROM messages WHERE id = 2")
    assert found.read(ONE, cursor)[0] == [Retraction(ONE, second.turn_uuid)]


def test_sub_agents(db: Goose, found: Sources) -> None:
    db.message("user", text("Look around."))
    db.message("assistant", request("subagent", {"instructions": "Look."}), message_id="msg_2")
    db.session("20261130_2", session_type="sub_agent", parent_session_id=ONE)
    db.message("user", text("Look."), session_id="20261130_2")
    assert found.items(ONE, Spawn) == [Spawn(ONE, "msg_2", "20261130_2")]
    (task,) = found.turns("20261130_2")
    assert not task.is_prompt
    assert found.items("20261130_2", Session)[0].parent_session_id == ONE


def test_notes_and_pictures(db: Goose, found: Sources) -> None:
    db.message(
        "user", text("Look."), {"type": "image", "data": "A" * 4096, "mimeType": "image/png"}
    )
    db.message("assistant", {"type": "systemNotification", "msg": "Compacting…"})
    db.message("user", text("<info-msg>\nIt is 12:00\n</info-msg>"))
    assert [(b.text[:10], b.scaffold) for b in found.blocks(ONE)] == [
        ("Look.", None),
        ("[image/png", None),
        ("Compacting", "task-notification"),
        ("<info-msg>", "environment"),
    ]


@pytest.mark.parametrize(
    "content",
    ["", "null", "{}", "[1, null]", '[{"type": "toolRequest"}]', '[{"type": "toolResponse"}]',
     '[{"type": "toolResponse", "id": 3, "toolResult": {"value": [7, {"annotations": 4}]}}]',
     '[{"type": "toolRequest", "toolCall": {"value": {"name": 3, "arguments": []}}}]',
     '[{"type": "text", "text": "\\ud83d"}]', "[" * 100_000],
)  # fmt: skip
def test_no_content_makes_it_raise(db: Goose, found: Sources, content: str) -> None:
    db.message("user", text("Before."))
    db.message("user", text("Odd."))
    db.execute("UPDATE messages SET content_json = ? WHERE id = 2", content)
    assert found.texts(ONE)[0] == "Before."
    for words in found.texts(ONE):
        words.encode()


def test_a_pointer_says_so(tmp_path: Path) -> None:
    path = tmp_path / SESSIONS / "sessions.db"
    path.parent.mkdir(parents=True)
    path.write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(OSError, match="Git LFS"):
        Sources(goose, tmp_path).read("sessions.db")


def test_other_places(tmp_path: Path) -> None:
    for folder in ("root/data/sessions", "Library/Application Support/Block/goose/sessions"):
        db = Goose(tmp_path / folder)
        db.session(folder[0])
        db.message("user", text("Hello."), session_id=folder[0])
    assert [s.key for s in Sources(goose, tmp_path).found()] == ["L"]
    rooted = Sources(goose, tmp_path, GOOSE_PATH_ROOT=str(tmp_path / "root"))
    assert [s.key for s in rooted.found()] == ["r"]


@pytest.fixture
def real(tmp_path: Path) -> Sources:
    """What Goose 1.34.0 wrote: a session whose two sub-agents edit, and which commits."""
    folder = tmp_path / SESSIONS
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "sessions.db")) as database:
        database.executescript((DATA / "sessions.sql").read_text())
    return Sources(goose, tmp_path)


def test_results_name_the_sessions_of_sub_agents(real: Sources) -> None:
    calls = {b.text: t.turn_uuid for t in real.turns(ONE) for b in t.blocks if b.type == "tool_use"}
    first, second, load, _ = calls
    assert "source" in load
    assert real.items(ONE, Spawn) == [
        Spawn(ONE, calls[first], "20261130_2"),
        Spawn(ONE, calls[second], "20261130_3"),
    ]
    (turn,) = [t for t in real.turns("20261130_2") if t.role == "user"]
    assert not turn.is_prompt
    (edit,) = real.edits("20261130_2")
    assert (edit.path, edit.operation) == ("/w/app/app.py", "modify")
    assert (edit.old, edit.new) == ('    return "hi"', '    return "hello"')
    (made,) = real.edits("20261130_3")
    assert (made.path, made.operation, made.new) == (
        "/w/app/two.txt",
        "create",
        "by the second\n",
    )
    (sha,) = [c.sha for b in real.blocks(ONE) for c in b.commits]
    assert sha.startswith("4f44ca1")


def test_a_result_may_be_dated_before_its_call(db: Goose, found: Sources) -> None:
    """As Goose 1.34.0 does: it dates a result when the model begins to answer."""
    db.message("user", text("Do it."))
    db.call("write", {"path": "a.py", "content": "a\n"}, text("Created a.py (1 lines)"))
    db.execute("UPDATE messages SET created_timestamp = ? WHERE id = 3", START + 1)
    assert [t.role for t in found.turns(ONE)] == ["user", "assistant", "tool"]
    assert [edit.path for edit in found.edits(ONE)] == [f"{FOLDER}/a.py"]
