"""Copilot CLI's event logs: turns, edits, sub-agents, and what lies beside them."""

from __future__ import annotations

import json
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from parsing import Parsed, lines, parsed

from funes_git_parsers import copilot, scaffold
from funes_git_parsers.base import (
    COMMIT,
    Hunk,
    Places,
    PrintedCommit,
    Session,
    Spawn,
)

ID = "cc898d8d-1be5-4fae-a6a7-fbd56ea35ca1"
FOLDER = f"/home/ada/.copilot/session-state/{ID}"
FILE = f"{FOLDER}/events.jsonl"
HEAD = "4fd4ef2ae3f63edbc90eb3f0a6138f3f3466490d"
CONTEXT = {"cwd": "/w/repo", "gitRoot": "/w/repo", "branch": "main", "headCommit": HEAD}


def event(name: str, kind: str, agent: str | None = None, /, **data: Any) -> dict[str, Any]:
    told = {"type": kind, "data": data, "id": name, "timestamp": "2026-11-30T05:02:00.692Z"}
    return told | ({"agentId": agent} if agent else {})


def start(**context: Any) -> dict[str, Any]:
    told = {**CONTEXT, **context}
    return event("s0", "session.start", sessionId=ID, copilotVersion="1.0.102", context=told)


def asks(name: str, *calls: tuple[str, str, Any], agent: str | None = None) -> dict[str, Any]:
    requests = [{"toolCallId": i, "name": tool, "arguments": args} for i, tool, args in calls]
    return event(
        name, "assistant.message", agent, messageId=f"m-{name}", content="", toolRequests=requests
    )


def done(name: str, call_id: str, content: str = "ok", **more: Any) -> dict[str, Any]:
    told = {"toolCallId": call_id, "success": True, "result": {"content": content}, **more}
    return event(name, "tool.execution_complete", **told)


def read(*records: Any) -> Parsed:
    return parsed(copilot, FILE, start(), *records)


def test_a_conversation_is_a_row_of_turns() -> None:
    session = read(
        event("h1", "hook.start", hookType="x"),
        event("u1", "user.message", content="Cap the cache", transformedContent="<date>"),
        event("a1", "assistant.message", messageId="m1", model="gpt-5.5", content="Reading.",
              reasoningText="An LRU bound",
              toolRequests=[{"toolCallId": "c1", "name": "view", "arguments": {"path": "a.py"}}]),
        event("t1", "tool.execution_start", toolCallId="c1", toolName="view",
              arguments={"path": "a.py"}),
        done("r1", "c1", "SIZE = None\n"),
    )  # fmt: skip
    assert session.of(Session) == [Session(ID, "copilot", version="1.0.102")]
    user, answer, output = session.turns
    assert (user.turn_uuid, user.is_prompt, user.blocks[0].text) == ("u1", True, "Cap the cache")
    assert (user.workdir, user.branch, user.head) == ("/w/repo", "main", HEAD)
    assert [(b.type, b.text) for b in answer.blocks] == [
        ("thinking", "An LRU bound"),
        ("text", "Reading."),
        ("tool_use", '{"path":"a.py"}'),
    ]
    assert (answer.message_id, answer.model, answer.parent_uuid, answer.exchange) == (
        "m1",
        "gpt-5.5",
        "u1",
        "u1",
    )
    assert (output.role, output.blocks[0].tool, output.blocks[0].text) == (
        "tool",
        "view",
        "SIZE = None\n",
    )


def test_an_edit_has_the_lines_that_are_shown_of_it() -> None:
    shown = (
        "\ndiff --git a/w/repo/a.py b/w/repo/a.py\nindex 0000000..0000000 100644\n"
        '--- a/w/repo/a.py\n+++ b/w/repo/a.py\n@@ -1,3 +1,3 @@\n def f():\n-    "hi"\n'
        '+    "hello"\n \n'
    )
    session = read(
        asks("a1", ("c1", "edit", {"path": "/w/repo/a.py", "old_str": "hi", "new_str": "hello"})),
        done("r1", "c1", result={"content": "updated", "detailedContent": shown}),
    )
    (edit,) = session.edits
    assert (edit.path, edit.operation, edit.turn_uuid) == ("/w/repo/a.py", "modify", "a1")
    assert (edit.old, edit.new) == ("hi", "hello")
    assert edit.hunks == (Hunk(1, 1, (" def f():", '-    "hi"', '+    "hello"')),)


def test_created_and_patched_files_are_read() -> None:
    envelope = "*** Begin Patch\n*** Update File: b.py\n@@\n-x\n+y\n*** End Patch\n"
    session = read(
        asks("a1", ("c1", "create", {"path": "a.py", "file_text": "new\n"}),
             ("c2", "apply_patch", envelope),
             ("c3", "str_replace_editor", {"command": "insert", "path": "c.py",
                                           "insert_line": 1, "new_str": "z"})),
        done("r1", "c1"), done("r2", "c2"), done("r3", "c3"),
    )  # fmt: skip
    assert [(e.path, e.operation, e.new) for e in session.edits] == [
        ("/w/repo/a.py", "create", "new\n"),
        ("/w/repo/b.py", "modify", None),
        ("/w/repo/c.py", "modify", "z"),
    ]
    assert session.edits[1].hunks[0].lines == ("-x", "+y")


def test_what_failed_wrote_nothing() -> None:
    session = read(
        asks("a1", ("c1", "create", {"path": "a.py", "file_text": "new\n"})),
        event("r1", "tool.execution_complete", toolCallId="c1", success=False,
              error={"message": "denied", "code": "denied"}),
    )  # fmt: skip
    assert session.edits == []
    assert (session.blocks[-1].text, session.blocks[-1].is_error) == ("denied", True)


@pytest.mark.parametrize(
    ("more", "text", "code"),
    [
        ({"shellExecution": {"exitCode": 0}}, "out", 0),
        ({}, "out\n<shellId: 0 completed with exit code 2>", 2),
        ({}, "out\n<exited with exit code 0>", 0),
        ({}, "<command with shellId: 0 is still running>", None),
    ],
)
def test_a_command_has_its_exit_code(more: dict[str, Any], text: str, code: int | None) -> None:
    session = read(
        asks("a1", ("c1", "bash", {"command": "echo hi > n"})), done("r1", "c1", text, **more)
    )
    block = session.blocks[-1]
    assert (block.exit_code, block.is_error) == (code, bool(code))
    assert [e.path for e in session.edits] == ([] if code else ["/w/repo/n"])


def test_a_printed_commit_is_found() -> None:
    text = "063b85f x\n4fd4ef2 init\n<shellId: 0 completed with exit code 0>"
    command = {"command": "git commit -qm x && git log --oneline"}
    session = read(asks("a1", ("c1", "bash", command)), done("r1", "c1", text))
    assert session.blocks[-1].commits == (PrintedCommit("063b85f", "rev-parse", None, "x"),)


def test_a_sub_agents_events_are_a_thread() -> None:
    session = read(
        event("u1", "user.message", content="Delegate"),
        asks("a1", ("c1", "task", {"prompt": "Write docs"})),
        event("b1", "subagent.started", "agent-7", toolCallId="c1", agentName="x"),
        event("v1", "user.message", "agent-7", content="Write docs", source="agent-7"),
        asks("v2", ("c2", "create", {"path": "d.md", "file_text": "# D\n"}), agent="agent-7"),
        {**done("v3", "c2"), "agentId": "agent-7"},
        done("r1", "c1", "Done."),
    )
    assert session.of(Spawn) == [Spawn(ID, "a1", "agent-7")]
    by = {turn.turn_uuid: turn for turn in session.turns}
    assert [by[name].thread for name in ("v1", "v2", "v3")] == ["agent-7"] * 3
    assert (by["v1"].is_prompt, by["v1"].parent_uuid, by["v1"].exchange) == (False, None, None)
    assert [(b.text, b.scaffold) for b in by["v1"].blocks] == [("Write docs", None)], "its task"
    assert by["v2"].parent_uuid == "v1"
    assert by["r1"].parent_uuid == "a1"
    assert [e.turn_uuid for e in session.edits] == ["v2"]


def test_older_versions_name_the_call_instead_of_the_agent() -> None:
    session = read(
        asks("a1", ("c1", "task", {"prompt": "Write docs"})),
        event("b1", "subagent.started", toolCallId="c1", agentName="x"),
        event("v1", "assistant.message", content="Writing", parentToolCallId="c1"),
    )
    assert session.of(Spawn) == [Spawn(ID, "a1", "c1")]
    task, said = session.turns[1:]
    assert (task.thread, task.role, task.is_prompt, task.exchange) == ("c1", "user", False, None)
    assert [b.text for b in task.blocks] == ["Write docs"], "which the call alone tells"
    assert (said.thread, said.parent_uuid) == ("c1", task.turn_uuid)


def test_a_resume_tells_where_the_repository_stands_now() -> None:
    later = {**CONTEXT, "branch": "topic", "headCommit": "b" * 40, "repository": "acme/widget"}
    session = read(
        event("s1", "session.resume", context=later, eventCount=3, resumeTime="x"),
        event("u1", "user.message", content="go on"),
        event("s2", "session.context_changed", cwd="/w/other"),
        event("u2", "user.message", content="elsewhere"),
    )
    assert session.of(Session)[-1].repository_url == "https://github.com/acme/widget"
    first, second = session.turns
    assert (first.branch, first.head) == ("topic", "b" * 40)
    assert (second.workdir, second.branch, second.head) == ("/w/other", None, None)
    assert session.roots() >= {"/w/repo", "/w/other", COMMIT + HEAD, COMMIT + "b" * 40}


# https://github.com/github/copilot-cli/issues/2899
def test_a_compaction_without_its_newer_fields_is_survived() -> None:
    session = read(
        event("c1", "session.compaction_complete", success=True),
        event("c2", "session.compaction_complete", success=True, summaryContent="So far"),
    )
    assert [(b.text, b.scaffold) for b in session.blocks] == [("So far", scaffold.COMPACTION)]


def test_what_nobody_typed_is_marked() -> None:
    session = read(
        event("u1", "user.message", content="PDF skill", source="skill-pdf"),
        event("u2", "user.message", content="Continue", isAutopilotContinuation=True),
        event("u3", "user.message", content="Done", source="agent-7"),
        event("n1", "system.notification", content="Agent done", kind={}),
        event("e1", "session.error", message="429", errorType="rate"),
    )
    assert [(t.is_prompt, t.blocks[0].scaffold) for t in session.turns] == [
        (False, scaffold.COMMAND),
        *[(False, scaffold.NOTIFICATION)] * 3,
        (False, scaffold.API_ERROR),
    ]


def test_attachments_are_named() -> None:
    attached = [
        {"type": "file", "path": "/w/repo/a.py", "displayName": "a.py"},
        {"type": "blob", "mimeType": "image/png", "data": "A" * 113_000},
    ]
    session = read(event("u1", "user.message", content="see", attachments=attached))
    assert [b.text for b in session.blocks] == ["see", "[file /w/repo/a.py]", "[image/png, 83 KB]"]


def test_a_rewind_that_is_in_the_log_takes_back_what_came_after() -> None:
    session = read(
        event("u1", "user.message", content="one"),
        event("u2", "user.message", content="two"),
        event("a2", "assistant.message", content="done"),
        event("w1", "session.snapshot_rewind", upToEventId="u2", eventsRemoved=2),
        event("u3", "user.message", content="three"),
    )
    assert [t.turn_uuid for t in session.current] == ["u1", "u3"]
    assert session.turns[-1].parent_uuid == "u1"


def test_a_rewind_that_cuts_the_log_takes_back_what_is_gone() -> None:
    """Newer versions remove the events and write the file anew."""
    one = event("u1", "user.message", content="one")
    session = read(one, event("u2", "user.message", content="two"))
    session.data = lines([start(), one, event("u3", "user.message", content="three")])
    session.read()
    assert [t.turn_uuid for t in session.current] == ["u1", "u3"]


# --- beside the events ---------------------------------------------------------------------------

YAML = "id: x\ncwd: /w/repo\nbranch: main\nname: 'Ada''s cache'\nuser_named: true\n"


def snapshot(**files: Any) -> str:
    told = {"snapshotId": "x", "eventId": "u1", "gitCommit": "c" * 40, "gitBranch": "topic"}
    return json.dumps({"snapshots": [{**told, "files": files}]})


def test_the_workspace_tells_name_and_folder() -> None:
    session = Parsed(copilot, FILE, {f"{FOLDER}/workspace.yaml": YAML})
    session.add(
        event("s0", "session.start", sessionId=ID, copilotVersion="0.0.369"),
        event("u1", "user.message", content="one"),
    )
    assert (session.turns[0].workdir, session.turns[0].branch) == ("/w/repo", "main")
    assert session.of(Session)[-1].title == "Ada's cache"
    assert "/w/repo" in session.roots()
    session.beside[f"{FOLDER}/workspace.yaml"] = YAML.replace("Ada''s", "Bob''s")
    assert [s.title for s in session.read() if isinstance(s, Session)] == ["Bob's cache"]


def test_a_snapshot_tells_the_commit_and_the_files() -> None:
    files = {"src/a.py": {"contentHash": "git-sha1:" + "d" * 40}, "b": {"contentHash": None}}
    session = Parsed(copilot, FILE, {f"{FOLDER}/rewind-snapshots/index.json": snapshot(**files)})
    session.add(start(), event("u1", "user.message", content="one"))
    (turn,) = session.turns
    assert (turn.head, turn.branch) == ("c" * 40, "topic")
    assert turn.blobs == (("src/a.py", "d" * 40),)
    assert COMMIT + "c" * 40 in session.roots()


def test_newer_snapshots_keep_copies_whose_blob_ids_can_be_told() -> None:
    text = b'def greet():\n    return "hi"\n'
    kept = {"kind": "content", "backupFile": "5b67", "size": len(text), "contentHash": "5b67"}
    index = snapshot(f8ec={"path": "/w/repo/app.py", "preimage": kept})
    folder = f"{FOLDER}/rewind-file-snapshots"
    files: dict[str, bytes | str] = {f"{folder}/index.json": index, f"{folder}/backups/5b67": text}
    session = Parsed(copilot, FILE, files)
    session.add(start(), event("u1", "user.message", content="one"))
    blob = sha1(b"blob %d\0" % len(text) + text).hexdigest()
    assert session.turns[0].blobs == (("/w/repo/app.py", blob),)


def test_a_snapshot_that_comes_after_its_prompt_is_not_missed() -> None:
    session = read(event("u1", "user.message", content="one"))
    session.beside[f"{FOLDER}/rewind-snapshots/index.json"] = snapshot()
    session.add(event("a1", "assistant.message", content="yes"))
    assert [(t.turn_uuid, t.head) for t in session.turns] == [("u1", "c" * 40), ("a1", HEAD)]
    assert [item for item in session.read() if not isinstance(item, Session)][:-1] == []


# --- where it lies -------------------------------------------------------------------------------


def test_event_logs_are_found(tmp_path: Path) -> None:
    top = tmp_path / ".copilot" / "session-state"
    (top / ID).mkdir(parents=True)
    (top / ID / "events.jsonl").write_text("{}")
    (top / ID / "other.jsonl").write_text("{}")
    (top / "older.jsonl").write_text("{}")
    found = [s.path.relative_to(top).as_posix() for s in copilot.discover(Places(tmp_path, {}))]
    assert found == [f"{ID}/events.jsonl", "older.jsonl"]
    named = Places(Path("/home/ada"), {"COPILOT_HOME": str(tmp_path / ".copilot")})
    assert len(list(copilot.discover(named))) == 2


def test_only_copilots_logs_are_claimed() -> None:
    assert copilot.claim(Path(FILE), json.dumps(start()).encode())
    assert not copilot.claim(Path(FILE), b'{"type":"session","id":"x","data":{}}')
    assert not copilot.claim(Path(FILE), b'{"type":"user","message":{}}')
