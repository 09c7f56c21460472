"""Qwen Code's sessions: Claude's envelope around Google's messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from parsing import Parsed, parsed

from funes_git_parsers import claude, gemini, qwen, scaffold
from funes_git_parsers.base import Places, PrintedCommit, Retraction, Session, Spawn

ID = "c14c8b3f-ce25-45bf-b516-7d029cc1f0c4"
FILE = f"/home/ada/.qwen/projects/-w-repo/chats/{ID}.jsonl"


def record(uuid: str, parent: str | None, kind: str, *parts: Any, **more: Any) -> dict[str, Any]:
    return {
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": ID,
        "timestamp": "2026-11-30T05:15:45.806Z",
        "type": kind,
        "cwd": "/w/repo",
        "version": "0.15.10",
        "gitBranch": "main",
        **({"message": {"role": "user", "parts": list(parts)}} if parts else {}),
        **more,
    }


def call(name: str, call_id: str = "c1", **args: Any) -> dict[str, Any]:
    return {"functionCall": {"id": call_id, "name": name, "args": args}}


def result(uuid: str, parent: str, tool: str, output: str, **more: Any) -> dict[str, Any]:
    call_id = more.pop("call_id", "c1")
    response = {"id": call_id, "name": tool, "response": {"output": output}}
    told = {"callId": call_id, "status": "success", **more}
    return record(uuid, parent, "tool_result", {"functionResponse": response}, toolCallResult=told)


def read(*records: Any) -> Parsed:
    return parsed(qwen, FILE, *records)


def test_a_conversation_is_a_chain_of_turns() -> None:
    session = read(
        record("u1", None, "user", {"text": "Cap the cache"}),
        record("s1", "u1", "system", subtype="ui_telemetry", systemPayload={}),
        record("a1", "s1", "assistant", {"text": "An LRU", "thought": True}, {"text": "Reading."},
               call("read_file", file_path="a.py"), model="qwen3-coder"),
        result("r1", "a1", "read_file", "SIZE = None"),
        record("t1", "r1", "system", subtype="custom_title",
               systemPayload={"customTitle": "Cache"}),
    )  # fmt: skip
    assert session.of(Session) == [
        Session(ID, "qwen", version="0.15.10"),
        Session(ID, "qwen", "Cache"),
    ]
    user, answer, output = session.turns
    assert (user.is_prompt, user.workdir, user.branch) == (True, "/w/repo", "main")
    assert [b.type for b in answer.blocks] == ["thinking", "text", "tool_use"]
    assert (answer.parent_uuid, answer.exchange, answer.model) == ("u1", "u1", "qwen3-coder")
    assert (output.role, output.blocks[0].tool, output.blocks[0].text) == (
        "tool",
        "read_file",
        "SIZE = None",
    )


def test_edits_and_commands_are_read() -> None:
    shown = {"fileDiff": "x", "originalContent": "hi\n", "newContent": "hello\n"}
    output = "Command: git\nDirectory: (root)\nOutput: c09eed4 x\nd6c2474 init\nExit Code: 0"
    session = read(
        record("a1", None, "assistant",
               call("edit", file_path="/w/repo/a.py", old_string="hi", new_string="hello")),
        result("r1", "a1", "edit", "updated", resultDisplay=shown),
        record("a2", "r1", "assistant",
               call("run_shell_command", command="git commit -qm x && git log --oneline")),
        result("r2", "a2", "run_shell_command", output),
    )  # fmt: skip
    (edit,) = session.edits
    assert (edit.turn_uuid, edit.path, edit.old, edit.new) == (
        "a1",
        "/w/repo/a.py",
        "hi\n",
        "hello\n",
    )
    block = session.turns[-1].blocks[0]
    assert block.exit_code == 0
    assert block.commits == (PrintedCommit("c09eed4", "rev-parse", None, "x"),)


def test_what_failed_wrote_nothing() -> None:
    session = read(
        record("a1", None, "assistant", call("write_file", file_path="a", content="x")),
        result("r1", "a1", "write_file", "no", status="error"),
    )
    assert session.edits == []
    assert session.turns[1].blocks[0].is_error is True


def test_a_rewind_takes_back_what_came_after() -> None:
    session = read(
        record("u1", None, "user", {"text": "one"}),
        record("a1", "u1", "assistant", {"text": "yes"}),
        record("u2", "a1", "user", {"text": "two"}),
        record("w1", "a1", "system", subtype="rewind", systemPayload={}),
        record("u3", "w1", "user", {"text": "three"}),
    )
    assert session.of(Retraction) == [Retraction(ID, "u2")]
    assert session.turns[-1].parent_uuid == "a1"


def test_a_sub_agents_turns_are_a_thread_of_their_parents_session() -> None:
    started = "Background agent launched successfully.\nagentId: general-4f (internal ID)"
    session = read(
        record("a1", None, "assistant", call("agent", prompt="Write docs")),
        result("r1", "a1", "agent", started),
    )
    assert session.of(Spawn) == [Spawn(ID, "a1", "general-4f")]
    side = {"isSidechain": True, "agentId": "general-4f"}
    child = parsed(
        qwen,
        f"/home/ada/.qwen/projects/-w-repo/subagents/{ID}/agent-general-4f.jsonl",
        record("x1", None, "user", {"text": "Write docs"}, **side),
    )
    (turn,) = child.turns
    assert (turn.session_id, turn.thread, turn.is_prompt) == (ID, "general-4f", False)


# The same kind as https://github.com/vshulcz/deja-vu/issues/1384
def test_the_edits_of_a_sub_agent_in_the_foreground_stand_in_its_result_alone() -> None:
    write = {"file_path": "/w/repo/d.md", "content": "# D\n"}
    calls = [
        {"callId": "x1", "name": "write_file", "status": "success", "args": write},
        {"callId": "x2", "name": "write_file", "status": "failed", "args": write},
        None,
    ]
    told = {"type": "task_execution", "taskPrompt": "Write docs", "toolCalls": calls}
    session = read(
        record("a1", None, "assistant", call("task", prompt="Write docs")),
        result("r1", "a1", "task", "Done.", resultDisplay=told),
        record("u2", "r1", "user", {"text": "thanks"}),
    )
    assert session.of(Spawn) == [Spawn(ID, "a1", "r1")]
    assert [(t.turn_uuid, t.thread, t.parent_uuid) for t in session.turns] == [
        ("a1", None, None),
        ("r1", None, "a1"),
        ("r1:task", "r1", None),
        ("r1:calls", "r1", "r1:task"),
        ("u2", None, "r1"),
    ]
    assert [(e.turn_uuid, e.tool_use_id, e.new) for e in session.edits] == [
        ("r1:calls", "x1", "# D\n")
    ]


def test_a_fork_names_its_parent_and_keeps_the_uuids() -> None:
    fork = record("u1", None, "user", {"text": "one"}, forkedFrom={"sessionId": "old"})
    assert read(fork).of(Session)[0].parent_session_id == "old"
    assert qwen.GLOBAL_UUIDS


def test_notifications_are_no_prompts() -> None:
    session = read(record("u1", None, "user", {"text": "Agent done"}, subtype="notification"))
    assert (session.turns[0].is_prompt, session.blocks[0].scaffold) == (
        False,
        scaffold.NOTIFICATION,
    )


def test_early_versions_wrote_what_gemini_writes(tmp_path: Path) -> None:
    chats = tmp_path / ".qwen" / "tmp" / "abc" / "chats"
    chats.mkdir(parents=True)
    path = chats / "session-2025-09-01T00-00-c14c8b3f.json"
    hello = {"id": "u1", "type": "user", "content": "hello", "timestamp": "2025-09-01T00:00:00Z"}
    told = {"sessionId": ID, "projectHash": "x", "messages": [hello]}
    path.write_text(json.dumps(told))
    (source,) = qwen.discover(Places(tmp_path, {}))
    assert qwen.claim(path, path.read_bytes())
    items = list(qwen.read(source, None, lambda p: p.open("rb")))
    assert items[0] == Session(ID, "qwen")
    assert [t.harness for t in items if hasattr(t, "harness")] == ["qwen", "qwen"]


def test_only_qwens_sessions_are_claimed() -> None:
    own = json.dumps(record("u1", None, "user", {"text": "one"})).encode()
    assert qwen.claim(Path(FILE), own)
    assert not claude.claim(Path(FILE), own)
    assert not gemini.claim(Path(FILE), own)
    other = {"uuid": "x", "sessionId": "y", "type": "user", "message": {"content": "hi"}}
    assert not qwen.claim(Path(FILE), json.dumps(other).encode())


def test_folders_can_be_named_by_the_environment() -> None:
    home = Path("/home/ada")
    assert qwen.folders(Places(home, {"QWEN_HOME": "/q"}))[0] == Path("/q/projects")
    named = {"QWEN_HOME": "/q", "QWEN_RUNTIME_DIR": "/r"}
    assert qwen.folders(Places(home, named))[0] == Path("/r/projects")
