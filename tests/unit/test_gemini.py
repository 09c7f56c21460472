"""Gemini CLI's sessions: both forms, rewinds and updates, sub-agents, and the project's folder."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from parsing import Parsed, parsed

from funes_git_parsers import gemini, scaffold
from funes_git_parsers.base import Places, PrintedCommit, Retraction, Session, Skipped, Spawn

ROOT = "/w/repo"
ID = "342c9ebf-5125-4fd1-b595-ed8a196ff75b"
CHATS = "/home/ada/.gemini/tmp/repo/chats"
FILE = f"{CHATS}/session-2026-11-30T04-57-342c9ebf.jsonl"
META = {
    "sessionId": ID,
    "projectHash": sha256(ROOT.encode()).hexdigest(),
    "startTime": "2026-11-30T04:57:53.861Z",
    "lastUpdated": "2026-11-30T04:57:53.861Z",
    "kind": "main",
    "directories": [ROOT],
}
AT = "2026-11-30T04:57:54.138Z"


def message(name: str, kind: str, content: Any = "", **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": AT, "type": kind, "content": content, **more}


def call(name: str, args: dict[str, Any], output: str = "ok", **more: Any) -> dict[str, Any]:
    call_id = more.pop("id", f"{name}-1")
    response = {"id": call_id, "name": name, "response": {"output": output}}
    done = {"result": [{"functionResponse": response}], "status": "success", "timestamp": AT}
    return {"id": call_id, "name": name, "args": args, **done, **more}


def read(*records: Any, path: str = FILE) -> Parsed:
    return parsed(gemini, path, META, *records)


def shown(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {
        "fileDiff": "Index: a\n--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n",
        "filePath": f"{ROOT}/a.py",
        "originalContent": old,
        "newContent": new,
        "isNewFile": False,
        **more,
    }


def test_a_conversation_is_a_row_of_turns() -> None:
    session = read(
        message("u1", "user", [{"text": "Cap the cache"}]),
        message(
            "g1",
            "gemini",
            "Reading.",
            thoughts=[{"subject": "Plan", "description": "An LRU bound", "timestamp": AT}],
            model="gemini-2.5-pro",
            toolCalls=[call("read_file", {"file_path": "/w/repo/cache.py"}, "SIZE = None")],
        ),
        message("i1", "info", "Update available"),
        {"$set": {"summary": "The cache"}},
    )
    assert session.of(Session)[-1] == Session(ID, "gemini", "The cache")
    user, answer, output = session.turns
    assert (user.turn_uuid, user.is_prompt, user.exchange, user.ts) == (
        "u1",
        True,
        "u1",
        1796014674.138,
    )
    assert [(b.type, b.text, b.tool) for b in answer.blocks] == [
        ("thinking", "Plan\nAn LRU bound", None),
        ("text", "Reading.", None),
        ("tool_use", '{"file_path":"/w/repo/cache.py"}', "read_file"),
    ]
    assert (answer.model, answer.workdir) == ("gemini-2.5-pro", ROOT)
    assert (output.turn_uuid, output.role, output.parent_uuid) == ("g1:results", "tool", "g1")
    assert [(b.text, b.tool, b.is_error) for b in output.blocks] == [
        ("SIZE = None", "read_file", False)
    ]


# https://github.com/farion1231/cc-switch/issues/3145
def test_updates_and_rewinds_leave_the_last_version_of_what_stands() -> None:
    session = read(
        {"$set": {"messages": [message("m1", "user", [{"text": "one"}])]}},
        message("m2", "gemini", "tw"),
        message("m2", "gemini", "two"),
        {"$rewindTo": "m2"},
    )
    assert [t.turn_uuid for t in session.current] == ["m1"]
    assert [b.text for b in session.blocks] == ["one", "two"]
    assert session.of(Retraction) == [Retraction(ID, "m2")]


def test_a_rewind_to_what_is_not_known_takes_everything_back() -> None:
    session = read(message("m1", "user", "one"), {"$rewindTo": "lost"}, message("m2", "user", "2"))
    assert [t.turn_uuid for t in session.current] == ["m2"]
    assert session.current[0].parent_uuid is None


def test_a_rewind_in_a_later_read_takes_back_what_an_earlier_one_gave() -> None:
    session = read(message("m1", "user", "one"), message("m2", "gemini", "two"))
    assert [t.turn_uuid for t in session.current] == ["m1", "m2"]
    new = session.add({"$rewindTo": "m2"})
    assert [item for item in new if isinstance(item, Retraction)] == [Retraction(ID, "m2")]


def test_an_update_in_a_later_read_gives_the_message_anew() -> None:
    session = read(message("u1", "user", "go"), message("g1", "gemini", "", toolCalls=[]))
    write = call("write_file", {"file_path": "/w/repo/a.py", "content": "y\n"})
    session.add(message("g1", "gemini", "", toolCalls=[write]))
    assert [t.turn_uuid for t in session.turns] == ["u1", "g1", "g1:results"]
    assert [e.new for e in session.edits] == ["y\n"]


def test_what_the_model_is_no_longer_shown_stays_as_it_was() -> None:
    """`$set` of messages is the working history: compressed, with long results masked."""
    full = message("g1", "gemini", "", toolCalls=[call("read_file", {}, "the whole file")])
    masked = message("g1", "gemini", "", toolCalls=[call("read_file", {}, "[masked]")])
    session = read(
        message("u1", "user", "go"),
        full,
        {"$set": {"messages": [message("s1", "user", "<summary>"), masked]}},
    )
    assert [t.turn_uuid for t in session.current] == ["u1", "g1", "g1:results", "s1"]
    assert "the whole file" in [b.text for b in session.blocks]


def test_an_edit_is_the_file_before_and_after() -> None:
    args = {"file_path": "/w/repo/a.py", "old_string": "x", "new_string": "y"}
    session = read(
        message("g1", "gemini", "", toolCalls=[
            call("replace", args, resultDisplay=shown("x = 1\n", "y = 1\n"))])
    )  # fmt: skip
    (edit,) = session.edits
    assert (edit.path, edit.operation, edit.tool) == ("/w/repo/a.py", "modify", "replace")
    assert (edit.old, edit.new) == ("x = 1\n", "y = 1\n")


def test_a_new_file_is_created() -> None:
    args = {"file_path": "/w/repo/a.py", "content": "y\n"}
    session = read(
        message("g1", "gemini", "", toolCalls=[
            call("write_file", args, resultDisplay=shown("", "y\n", isNewFile=True))])
    )  # fmt: skip
    assert [(e.operation, e.old, e.new) for e in session.edits] == [("create", None, "y\n")]


def test_of_an_edit_that_a_person_changed_only_the_agents_text_is_kept() -> None:
    args = {
        "file_path": "/w/repo/a.py",
        "old_string": "x",
        "new_string": "mine",
        "ai_proposed_content": "y",
        "modified_by_user": True,
    }
    session = read(
        message("g1", "gemini", "", toolCalls=[
            call("replace", args, resultDisplay=shown("x", "mine",
                 diffStat={"user_added_lines": 1}))])
    )  # fmt: skip
    assert [(e.old, e.new) for e in session.edits] == [("x", "y")]


@pytest.mark.parametrize("status", ["error", "cancelled"])
def test_what_did_not_succeed_wrote_nothing(status: str) -> None:
    args = {"file_path": "/w/repo/a.py", "content": "y\n"}
    session = read(
        message("g1", "gemini", "", toolCalls=[
            call("write_file", args, status=status, resultDisplay=shown("", "y\n"))])
    )  # fmt: skip
    assert session.edits == []
    assert session.turns[1].blocks[0].is_error is True


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("<untrusted_context>\nOutput: hi\nProcess Group PGID: 29484\n</untrusted_context>", 0),
        ("Command: x\nDirectory: (root)\nOutput: hi\nError: (none)\nExit Code: 0\nSignal: 0", 0),
        ("Output: (empty)\nExit Code: 2\nProcess Group PGID: 7", 2),
        ("Command: x\nOutput: \nExit Code: (none)\nSignal: 15", None),
    ],
)
def test_a_command_has_its_exit_code(output: str, code: int | None) -> None:
    session = read(
        message("g1", "gemini", "", toolCalls=[
            call("run_shell_command", {"command": "echo hi > a", "dir_path": "sub"}, output)])
    )  # fmt: skip
    block = session.turns[1].blocks[0]
    assert (block.exit_code, block.is_error) == (code, bool(code))
    written = [(e.path, e.new, e.origin) for e in session.edits]
    assert written == ([] if code else [("/w/repo/sub/a", "hi\n", "shell")])


def test_a_commit_on_the_first_line_of_the_output_is_found() -> None:
    """The harness writes `Output: ` before it; the next line is an older commit."""
    command = {"command": "git commit -qm x && git log --oneline"}
    output = "<untrusted_context>\nOutput: a93d17a x\ncf290bf init\n</untrusted_context>"
    session = read(
        message("g1", "gemini", "", toolCalls=[call("run_shell_command", command, output)])
    )
    assert session.turns[1].blocks[0].commits == (PrintedCommit("a93d17a", "rev-parse", None, "x"),)


def test_results_are_not_told_twice() -> None:
    """Newer versions repeat each result as a message of the user's."""
    response = {"id": "read_file-1", "name": "read_file", "response": {"output": "text"}}
    lost = {"id": "other", "name": "glob", "response": {"error": "no"}}
    session = read(
        message("g1", "gemini", "", toolCalls=[call("read_file", {}, "text")]),
        message("u2", "user", [{"functionResponse": response}]),
        message("u3", "user", [{"functionResponse": lost}]),
    )
    assert [t.turn_uuid for t in session.turns] == ["g1", "g1:results", "u3"]
    last = session.turns[-1]
    assert (last.role, last.is_prompt) == ("tool", False)
    assert (last.blocks[0].tool, last.blocks[0].text, last.blocks[0].is_error) == (
        "glob",
        "no",
        True,
    )


def test_a_sub_agent_belongs_to_the_call_that_started_it() -> None:
    session = read(
        message("g1", "gemini", "", toolCalls=[call("invoke_agent", {}, agentId="child")])
    )
    assert session.of(Spawn) == [Spawn(ID, "g1", "child")]
    child = parsed(
        gemini,
        f"{CHATS}/{ID}/child.jsonl",
        {**META, "sessionId": "child", "kind": "subagent"},
        message("u1", "user", "Write docs"),
    )
    assert child.of(Session) == [Session("child", "gemini", parent_session_id=ID)]
    assert not child.turns[0].is_prompt


def test_what_the_harness_adds_to_a_prompt_is_marked() -> None:
    session = read(
        message("c1", "user", [{"text": "<session_context>\nThis is…\n</session_context>"}]),
        message("u1", "user", [
            {"text": "Shrink @media"},
            {"text": "\n--- Content from referenced files ---"},
            {"text": "GIF89a"},
            {"inlineData": {"mimeType": "image/png", "data": "A" * 113_000}},
        ]),
    )  # fmt: skip
    context, prompt = session.turns
    assert (context.is_prompt, context.blocks[0].scaffold) == (False, scaffold.ENVIRONMENT)
    assert prompt.is_prompt
    assert [b.scaffold for b in prompt.blocks] == [None, *[scaffold.ENVIRONMENT] * 3]
    assert prompt.blocks[3].text == "[image/png, 83 KB]"


# --- the older form ------------------------------------------------------------------------------


def test_a_json_file_is_one_object() -> None:
    session = Parsed(gemini, f"{CHATS}/session-2025-01-01T00-00-342c9ebf.json")
    turns = [message("u1", "user", "hello"), message("g1", "gemini", "hi")]
    session.data = json.dumps({**META, "messages": turns}, indent=2).encode()
    session.read()
    assert [b.text for b in session.blocks] == ["hello", "hi"]
    session.data = json.dumps({**META, "messages": turns[:1]}).encode()
    session.read()
    assert [t.turn_uuid for t in session.current] == ["u1"]


def test_an_object_is_read_under_the_name_of_lines_too() -> None:
    session = Parsed(gemini, "/kept/by/entire/full.jsonl")
    whole = {**META, "messages": [message("u1", "user", "hello")]}
    session.data = json.dumps(whole, indent=2).encode()
    session.read()
    assert [t.turn_uuid for t in session.turns] == ["u1"]
    assert session.of(Skipped) == []


def test_a_json_file_that_is_being_written_is_read_later() -> None:
    session = Parsed(gemini, f"{CHATS}/session-2025-01-01T00-00-342c9ebf.json")
    whole = json.dumps({**META, "messages": [message("u1", "user", "hello")]}).encode()
    session.data = whole[:-30]
    session.read()
    assert (session.turns, len(session.of(Skipped))) == ([], 1)
    session.data = whole
    session.read()
    assert [t.turn_uuid for t in session.turns] == ["u1"]


# --- the project's folder ------------------------------------------------------------------------

BARE = {key: value for key, value in META.items() if key != "directories"}
LISTED = f"<session_context>\n- **Workspace Directories:**\n  - {ROOT}\n- **Directory Structure:**"
OLD = f"This is the Gemini CLI.\nI'm currently working in the directory: {ROOT}\nHere is the folder"


@pytest.mark.parametrize("text", [LISTED, OLD])
def test_the_folder_is_told_to_the_model(text: str) -> None:
    session = parsed(gemini, FILE, BARE, message("c1", "user", [{"text": text}]))
    assert session.turns[0].workdir == ROOT


def test_the_folder_lies_beside_the_session() -> None:
    session = Parsed(gemini, FILE, {"/home/ada/.gemini/tmp/repo/.project_root": ROOT + "\n"})
    session.add(BARE, message("u1", "user", "hi"))
    assert session.turns[0].workdir == ROOT


def test_the_folder_is_in_the_list_of_projects() -> None:
    listed = json.dumps({"projects": {"/w/other": "other", ROOT: "repo"}})
    session = Parsed(gemini, FILE, {"/home/ada/.gemini/projects.json": listed})
    session.add(BARE, message("u1", "user", "hi"))
    assert session.turns[0].workdir == ROOT


def test_the_folder_is_one_above_an_edited_file_that_has_the_projects_hash() -> None:
    write = call("write_file", {"file_path": f"{ROOT}/src/deep/a.py", "content": "x"})
    session = parsed(gemini, FILE, BARE, message("g1", "gemini", "", toolCalls=[write]))
    assert session.turns[0].workdir == ROOT
    assert session.roots() >= {ROOT, f"{ROOT}/src/deep/a.py"}


def test_a_folder_that_has_the_projects_hash_is_preferred() -> None:
    session = Parsed(gemini, FILE, {"/home/ada/.gemini/tmp/repo/.project_root": "/stale"})
    session.add(META, message("u1", "user", "hi"))
    assert session.turns[0].workdir == ROOT


# --- where it lies -------------------------------------------------------------------------------


def test_sessions_and_sub_agents_are_found_once(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini" / "tmp" / "repo" / "chats"
    (chats / "parent").mkdir(parents=True)
    for name in ("session-a.json", "session-a.jsonl", "session-b.json", "parent/child.jsonl"):
        (chats / name).write_text("{}")
    (chats.parent / "logs.json").write_text("[]")
    found = [s.path.relative_to(chats).as_posix() for s in gemini.discover(Places(tmp_path, {}))]
    assert found == ["parent/child.jsonl", "session-a.jsonl", "session-b.json"]
    elsewhere = Places(Path("/home/ada"), {"GEMINI_CLI_HOME": str(tmp_path)})
    assert len(list(gemini.discover(elsewhere))) == 3


def test_only_gemini_sessions_are_claimed() -> None:
    assert gemini.claim(Path(FILE), json.dumps(META).encode())
    assert gemini.claim(Path("/x.json"), json.dumps({**META, "messages": []}, indent=1).encode())
    assert not gemini.claim(Path("/x.json"), b'{"sessionId": "x", "type": "user"}')
    assert not gemini.claim(Path("/x.json"), b"[]")
