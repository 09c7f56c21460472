"""Factory Droid's sessions: Anthropic's messages, with exact lines in the results of edits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from parsing import Parsed, parsed

from funes_git_parsers import droid, scaffold
from funes_git_parsers.base import Edit, Hunk, Places, PrintedCommit, Session, Spawn, Turn

ID = "0b8f3c2a-1111-4000-8000-000000000001"
FOLDER = "/home/ada/.factory/sessions/-w-repo"
FILE = f"{FOLDER}/{ID}.jsonl"
START = {
    "type": "session_start",
    "id": ID,
    "title": "Cap the cache",
    "owner": "ada",
    "version": 2,
    "cwd": "/w/repo",
}


def message(name: str, role: str, *content: Any, **more: Any) -> dict[str, Any]:
    parts = [{"type": "text", "text": p} if isinstance(p, str) else p for p in content]
    told = {"role": role, "content": parts, **more}
    return {
        "type": "message",
        "id": name,
        "timestamp": "2026-11-30T06:00:01.500Z",
        "message": told,
    }


def use(call_id: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}


def result(call_id: str, content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def shown(*lines: tuple[str, str, int | None, int | None]) -> str:
    listed = [
        {"type": kind, "content": content, "lineNumber": {"old": old, "new": new}}
        for kind, content, old, new in lines
    ]
    return json.dumps({"success": True, "file_path": "/w/repo/a.py", "diffLines": listed})


def read(*records: Any) -> Parsed:
    return parsed(droid, FILE, START, *records)


def test_a_conversation_is_a_row_of_turns() -> None:
    session = read(
        message("u1", "user", "Cap the cache"),
        message("a1", "assistant", {"type": "thinking", "thinking": "An LRU", "signature": "x"},
                {"type": "redacted_thinking", "data": "x"}, "Reading.",
                use("t1", "Read", file_path="a.py")),
        {**message("r1", "user", result("t1", "SIZE = None")), "parentId": "a1"},
    )  # fmt: skip
    assert session.of(Session) == [Session(ID, "droid", "Cap the cache", version="format 2")]
    user, answer, output = session.turns
    assert (user.is_prompt, user.workdir, user.ts) == (True, "/w/repo", 1796018401.5)
    assert [(b.type, b.text) for b in answer.blocks] == [
        ("thinking", "An LRU"),
        ("text", "Reading."),
        ("tool_use", '{"file_path":"a.py"}'),
    ]
    assert (output.role, output.parent_uuid, output.exchange) == ("tool", "a1", "u1")
    assert (output.blocks[0].tool, output.blocks[0].text) == ("Read", "SIZE = None")


def test_an_edit_has_the_lines_that_its_result_shows() -> None:
    lines = shown(
        ("unchanged", "def f():", 4, 4),
        ("removed", '    "hi"', 5, None),
        ("added", '    "hello"', None, 5),
        ("added", "    pass", None, 6),
        ("unchanged", "x = 1", 20, 21),
        ("removed", "y = 2", 21, None),
        ("added", "z = 3", None, 40),
    )
    session = read(
        message("a1", "assistant", use("t1", "Edit", file_path="/w/repo/a.py", old_str="hi",
                                       new_str="hello")),
        message("r1", "user", result("t1", lines)),
    )  # fmt: skip
    (edit,) = session.edits
    assert (edit.turn_uuid, edit.operation, edit.old, edit.new) == ("a1", "modify", "hi", "hello")
    assert edit.hunks == (
        Hunk(4, 4, (" def f():", '-    "hi"', '+    "hello"', "+    pass")),
        Hunk(20, 21, (" x = 1", "-y = 2")),
        Hunk(40, 40, ("+z = 3",)),
    )


def test_every_editing_tool_is_read() -> None:
    patch = "*** Begin Patch\n*** Update File: b.py\n@@\n-x\n+y\n*** End Patch\n"
    changes = [{"old_str": "1", "new_str": "2"}, {"old_str": "3", "new_str": "4"}]
    session = read(
        message("a1", "assistant", use("t1", "Create", file_path="a.py", content="new\n"),
                use("t2", "ApplyPatch", input=patch),
                use("t3", "MultiEdit", file_path="c.py", changes=changes)),
        message("r1", "user", result("t1"), result("t2"), result("t3", "not JSON")),
    )  # fmt: skip
    assert [(e.path, e.operation, e.old, e.new) for e in session.edits] == [
        ("/w/repo/a.py", "create", None, "new\n"),
        ("/w/repo/b.py", "modify", None, None),
        ("/w/repo/c.py", "modify", "1", "2"),
        ("/w/repo/c.py", "modify", "3", "4"),
    ]


def test_several_changes_of_one_call_are_the_lines_of_its_result() -> None:
    lines = shown(("removed", "1", 1, None), ("added", "2", None, 1))
    changes = [{"old_str": "1", "new_str": "2"}, {"old_str": "3", "new_str": "4"}]
    session = read(
        message("a1", "assistant", use("t1", "MultiEdit", file_path="c.py", changes=changes)),
        message("r1", "user", result("t1", lines)),
    )
    assert [e.hunks for e in session.edits] == [(Hunk(1, 1, ("-1", "+2")),)]


@pytest.mark.parametrize(
    ("text", "error", "code"),
    [
        ("out\n\n\n[Process exited with code 0]", False, 0),
        ("out", False, 0),
        ("Error: no\n\n\n[Process exited with code 2]", True, 2),
        ("Error: no\nCommand failed (exit code: 127)", True, 127),
        ("Error: Command timed out", True, None),
    ],
)
def test_a_command_has_its_exit_code(text: str, error: bool, code: int | None) -> None:
    session = read(
        message("a1", "assistant", use("t1", "Execute", command="echo hi > n")),
        message("r1", "user", result("t1", text, **({"is_error": True} if error else {}))),
    )
    block = session.blocks[-1]
    assert (block.exit_code, block.is_error) == (code, error)
    assert [e.path for e in session.edits] == ([] if error else ["/w/repo/n"])


def test_a_printed_commit_is_found() -> None:
    command = "git commit -qm x && git log --oneline"
    session = read(
        message("a1", "assistant", use("t1", "Execute", command=command)),
        message("r1", "user", result("t1", "a1b2c3d x\n0f0f0f0 init\n\n\n[Process exited…")),
    )
    assert session.blocks[-1].commits == (PrintedCommit("a1b2c3d", "rev-parse", None, "x"),)


def test_a_sub_agent_is_a_session_of_its_own() -> None:
    session = read(
        message("a1", "assistant", use("t1", "Task", prompt="Write docs")),
        message("r1", "user", result("t1", "session_id: child-1\nDone.")),
    )
    assert session.of(Spawn) == [Spawn(ID, "a1", "child-1")]
    start = {**START, "id": "child-1", "callingSessionId": ID, "callingToolUseId": "t1"}
    child = parsed(droid, f"{FOLDER}/child-1.jsonl", start, message("u1", "user", "Write docs"))
    assert child.of(Session)[0].parent_session_id == ID
    assert not child.turns[0].is_prompt


def test_what_nobody_typed_is_marked() -> None:
    session = read(
        message("u1", "user", "today is Monday", visibility="llm_only"),
        message("u2", "user", "hook says no", hookEventName="Stop"),
        message("u3", "user", "<system-reminder>x</system-reminder>"),
        {"type": "compaction_state", "id": "c1", "summaryText": "So far", "timestamp": None},
        {"type": "todo_state", "id": "x"},
    )
    assert [(t.is_prompt, t.blocks[0].scaffold) for t in session.turns] == [
        (False, scaffold.REMINDER),
        (False, scaffold.HOOK),
        (False, scaffold.REMINDER),
        (False, scaffold.COMPACTION),
    ]


def test_the_model_is_named_beside_the_session() -> None:
    settings = json.dumps({"model": "claude-opus-4-5", "tokenUsage": {}})
    session = Parsed(droid, FILE, {f"{FOLDER}/{ID}.settings.json": settings})
    session.add(START, message("u1", "user", "hi"), message("a1", "assistant", "hello"))
    assert [t.model for t in session.turns] == [None, "claude-opus-4-5"]


def test_a_fork_names_its_parent() -> None:
    session = parsed(droid, FILE, {**START, "parent": "old"}, message("u1", "user", "hi"))
    assert session.of(Session)[0].parent_session_id == "old"
    assert droid.GLOBAL_UUIDS


def test_sessions_are_found_and_claimed(tmp_path: Path) -> None:
    top = tmp_path / ".factory" / "sessions"
    (top / "-w-repo").mkdir(parents=True)
    for name in ("-w-repo/a.jsonl", "-w-repo/a.settings.json", "older.jsonl"):
        (top / name).write_text(json.dumps(START))
    found = [s.path.relative_to(top).as_posix() for s in droid.discover(Places(tmp_path, {}))]
    assert found == ["-w-repo/a.jsonl", "older.jsonl"]
    assert droid.claim(top / "older.jsonl", json.dumps(START).encode() + b"\n{}")
    assert not droid.claim(top / "older.jsonl", b'{"type":"session_start","at":"2026"}')
    assert not droid.claim(top / "older.jsonl", b'{"type":"session","id":"x","cwd":"/w"}')


def test_what_droid_0_225_wrote() -> None:
    """A real session: an edit and a new file, one edit that failed, a commit, a command that
    failed."""
    path = Path(__file__).parents[1] / "data" / "droid" / "4a9fa04a.jsonl"
    assert droid.claim(path, path.read_bytes())
    (source,) = droid.sessions(path)
    items = list(droid.read(source, None, lambda path: path.open("rb")))
    turns = [item for item in items if isinstance(item, Turn)]
    (prompt,) = [t for t in turns if t.is_prompt]
    assert prompt.blocks[0].text == "Make greet return hello and commit."
    assert {b.scaffold for b in turns[0].blocks} == {"system-reminder"}
    assert {t.model for t in turns if t.role == "assistant"} == {"custom:Fake-0"}
    assert [b.text for t in turns for b in t.blocks if b.type == "thinking"] == [
        "Callers want a word.",
        "Callers want a word.",
    ]
    edits = [item for item in items if isinstance(item, Edit)]
    assert [(e.path, e.operation) for e in edits] == [
        ("/w/app/app.py", "modify"),
        ("/w/app/new.txt", "create"),
    ]
    hunk = Hunk(1, 1, (" def greet():", '-    return "hi"', '+    return "hello"'))
    assert edits[0].hunks == (hunk,)
    assert [
        b.exit_code for t in turns for b in t.blocks if b.tool == "Execute" if t.role == "tool"
    ] == [0, 0, 0, 1]
    assert [c.sha[:7] for t in turns for b in t.blocks for c in b.commits] == ["3a10e2e"]
