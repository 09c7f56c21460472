"""Cursor: conversations of its editor and of its command-line agent as turns."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cursor_records import AGENT, EDITOR, FOLDER, START, Editor, asked, said, store, tool
from sources import Sources

from funes_git_parsers import cursor
from funes_git_parsers.base import Hunk, PrintedCommit, Session, Spawn, Turn


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    return Editor(tmp_path / EDITOR)


@pytest.fixture
def found(tmp_path: Path) -> Sources:
    return Sources(cursor, tmp_path)


def edits(found: Sources, key: str) -> list[tuple[object, ...]]:
    return [(e.path, e.operation, e.old, e.new, e.hunks) for e in found.edits(key)]


# The editor


def test_bubbles_are_turns_and_so_are_results(editor: Editor, found: Sources) -> None:
    """S2thend/cursor-history-mcp#4: the conversation has headers only, the text is elsewhere."""
    args = {"file_path": "src/a.py", "old_string": "hi", "new_string": "hello"}
    replaced = tool("search_replace", args, {"diff": {"chunks": []}})
    thought = said("I see.", thinking={"text": "Hm."})
    editor.composer("c1", asked("Say hello."), thought, replaced, said("Done."), name="A title")
    editor.workspace(FOLDER, "c1")
    assert found.items("c1", Session) == [Session("c1", "cursor", "A title")]
    turns = found.turns("c1")
    assert [(t.turn_uuid, t.role, t.parent_uuid, t.is_prompt) for t in turns] == [
        ("c1-b0", "user", None, True),
        ("c1-b1", "assistant", "c1-b0", False),
        ("c1-b2", "assistant", "c1-b1", False),
        ("c1-b2:result", "tool", "c1-b2", False),
        ("c1-b3", "assistant", "c1-b2:result", False),
    ]
    assert {(t.exchange, t.workdir, t.branch) for t in turns} == {("c1-b0", FOLDER, "main")}
    assert [(t.ts, t.model) for t in turns[:2]] == [
        (START / 1000 + 1, None),
        (START / 1000 + 2, "m-1"),
    ]
    assert [(b.type, b.text) for b in turns[1].blocks] == [("thinking", "Hm."), ("text", "I see.")]
    assert edits(found, "c1") == [("/w/repo/src/a.py", "modify", "hi", "hello", ())]
    assert found.edits("c1")[0].turn_uuid == "c1-b2"
    assert found.roots("c1") == {FOLDER, "/w/repo/src/a.py"}


@pytest.mark.parametrize(
    "more",
    [
        {"info": {"workspaceIdentifier": {"id": "x", "uri": {"fsPath": "/w/other"}}}},
        {"bubble": {"workspaceUris": ["file:///w/other"]}},
    ],
)
def test_a_conversation_may_name_its_folder(
    editor: Editor, found: Sources, more: dict[str, Any]
) -> None:
    editor.composer("c1", asked("Hello.", **more.get("bubble", {})), **more.get("info", {}))
    assert found.turns("c1")[0].workdir == "/w/other"


BEFORE, AFTER = "a\nb\n", "a\nc\n"
DIFF = {"chunks": [{"diffString": " a\n-b\n+c", "oldStart": 4, "newStart": 4}]}
SPACED = {"chunks": [{"diffString": "  a\n- b\n+ c\n", "oldStart": 4, "newStart": 4}]}
HUNK = Hunk(4, 4, (" a", "-b", "+c"))


@pytest.mark.parametrize(
    ("name", "args", "result", "edit"),
    [
        ("edit_file_v2", {"path": "a.py"},
         {"contentsBeforeEdit": BEFORE, "contentsAfterEdit": AFTER},
         ("modify", BEFORE, AFTER, ())),
        ("edit_file_v2", {"path": "a.py"},
         {"beforeContentId": "composer.content.1", "afterContentId": "composer.content.2"},
         ("modify", BEFORE, AFTER, ())),
        ("edit_file_v2", {"path": "a.py"}, {"afterContentId": "composer.content.2"},
         ("create", None, AFTER, ())),
        ("edit_file", {"target_file": "a.py", "code_edit": "// ...\nc"}, {"diff": DIFF},
         ("modify", None, None, (HUNK,))),
        ("edit_file", {"target_file": "a.py", "code_edit": "// ...\nc"}, {"diff": SPACED},
         ("modify", None, None, (HUNK,))),
        ("edit_file", {"target_file": "a.py", "code_edit": "// ...\nc"}, {},
         ("modify", None, "// ...\nc", ())),
        ("edit_file", {"target_file": "a.py", "code_edit": "c"}, {"isApplied": False}, None),
        ("write", {"file_path": "a.py", "contents": AFTER}, {}, ("create", None, AFTER, ())),
        ("delete_file", {"target_file": "a.py"}, {}, ("delete", None, None, ())),
        ("read_file", {"target_file": "a.py"}, {"contents": AFTER}, None),
    ],
)  # fmt: skip
def test_every_editing_tool(
    editor: Editor,
    found: Sources,
    name: str,
    args: Any,
    result: Any,
    edit: tuple[object, ...] | None,
) -> None:
    editor.put("composer.content.1", BEFORE)
    editor.put("composer.content.2", AFTER.encode())
    editor.composer("c1", tool(name, args, result))
    editor.workspace(FOLDER, "c1")
    assert edits(found, "c1") == ([("/w/repo/a.py", *edit)] if edit else [])


@pytest.mark.parametrize(
    ("result", "more"),
    [({}, {"status": "error"}), ({}, {"userDecision": "rejected"}), ({"rejected": True}, {})],
)
def test_what_was_refused_is_no_edit(
    editor: Editor, found: Sources, result: Any, more: dict[str, Any]
) -> None:
    editor.composer("c1", tool("write", {"file_path": "/a.py", "contents": ""}, result, **more))
    assert edits(found, "c1") == []
    assert found.blocks("c1")[-1].is_error is True


def test_a_command(editor: Editor, found: Sources) -> None:
    result = {"output": "[main 1a2b3c4] Hello\n", "exitCode": 0}
    args = {"command": "echo a > a.txt; git commit -am Hello"}
    failed = tool("run_terminal_cmd", {"command": "rm b.txt"}, {"output": "", "exitCode": 1})
    editor.composer("c1", tool("run_terminal_command_v2", args, result), failed)
    editor.workspace(FOLDER, "c1")
    done = found.blocks("c1")[1]
    assert (done.text, done.exit_code, done.is_error) == ("[main 1a2b3c4] Hello\n", 0, False)
    assert done.commits == (PrintedCommit("1a2b3c4", "commit", "main", "Hello"),)
    (edit,) = found.edits("c1")
    assert (edit.path, edit.new, edit.origin) == ("/w/repo/a.txt", "a\n", "shell")


def test_sub_agents(editor: Editor, found: Sources) -> None:
    editor.composer(
        "c1", asked("Look."), tool("task_v2", {"prompt": "Look."}, {}), subComposerIds=["c2"]
    )
    editor.composer("c2", asked("Look."), subagentInfo={"parentComposerId": "c1"})
    assert found.items("c1", Spawn) == [Spawn("c1", "c1-b1", "c2")]
    assert found.items("c2", Session)[0].parent_session_id == "c1"
    assert not found.turns("c2")[0].is_prompt


def test_older_versions_kept_the_messages_inside(editor: Editor, found: Sources) -> None:
    bubbles = [
        {"type": 1, "bubbleId": "b0", "text": "Old."},
        {"type": 2, "bubbleId": "b1", "text": "Yes."},
    ]
    editor.put("composerData:c1", {"createdAt": START, "conversation": bubbles})
    older = [
        {"type": "user", "id": "u", "text": "Older."},
        {"type": "ai", "id": "a", "rawText": "Yes."},
    ]
    tabs = {
        "tabs": [{"tabId": "t1", "chatTitle": "A chat", "lastSendTime": START, "bubbles": older}]
    }
    editor.workspace(FOLDER, **{"workbench.panel.aichat.view.aichat.chatdata": tabs})
    assert [(t.turn_uuid, t.role) for t in found.turns("c1")] == [
        ("b0", "user"),
        ("b1", "assistant"),
    ]
    assert found.items("t1", Session) == [Session("t1", "cursor", "A chat")]
    assert [(t.turn_uuid, t.role, t.workdir) for t in found.turns("t1")] == [
        ("u", "user", FOLDER),
        ("a", "assistant", FOLDER),
    ]


def test_what_changed_is_discovered_and_read_again(editor: Editor, found: Sources) -> None:
    editor.composer("c1", asked("One."))
    _, cursor = found.read("c1")
    before = found.source("c1")
    editor.now -= 1000
    editor.composer("c1", asked("One."), said("Two."))
    assert found.source("c1") != before
    (turn,), cursor = found.read("c1", cursor)
    assert isinstance(turn, Turn)
    assert turn.turn_uuid == "c1-b1"
    assert found.read("c1", cursor) == ([], cursor)


@pytest.mark.parametrize(
    "value",
    ["", "null", "[]", "{", b"\xff\xfe", '{"type": []}', '{"toolFormerData": 3, "text": null}',
     '{"toolFormerData": {"name": "write", "status": "completed", "rawArgs": "[", "result": "{"}}',
     '{"toolFormerData": {"name": "edit_file", "status": "completed", "rawArgs":'
     ' "{\\"target_file\\": \\"a\\"}", "result": "{\\"diff\\": {\\"chunks\\": [3, {}]}}"}}',
     '{"type": 1, "text": "\\ud83d"}'],
)  # fmt: skip
def test_no_bubble_makes_it_raise(editor: Editor, found: Sources, value: str | bytes) -> None:
    editor.composer("c1", asked("Before."), said("Odd."))
    editor.put("bubbleId:c1:c1-b1", value)
    editor.put("composerData:c2", value)
    assert found.texts("c1")[0] == "Before."
    for words in found.texts("c1"):
        words.encode()


# The command-line agent

MESSAGES: list[Any] = [
    {"role": "system", "content": "You are an agent."},
    {"role": "user", "content": [
        {"type": "text", "text": "<user_query>\nSay hello.\n</user_query>"}]},
    {"role": "assistant", "content": [
        {"type": "reasoning", "text": "Hm."},
        {"type": "tool-call", "toolCallId": "t1", "toolName": "StrReplace",
         "args": {"path": "/w/repo/a.py", "old_string": "hi", "new_string": "hello"}},
    ]},
    {"role": "tool", "content": [
        {"type": "tool-result", "toolCallId": "t1", "toolName": "StrReplace",
         "result": "Edited."}]},
    {"role": "assistant", "content": [
        {"type": "tool-call", "toolCallId": "t2", "toolName": "Shell",
         "args": {"command": "git commit -am Hello"}}]},
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "t2", "toolName": "Shell",
                                  "result": "[main 1a2b3c4] Hello\n"}]},
]  # fmt: skip


def test_a_store(found: Sources, tmp_path: Path) -> None:
    store(tmp_path / AGENT / "chats" / "0af1" / "s1" / "store.db", *MESSAGES)
    assert found.items("s1", Session) == [Session("s1", "cursor", "A title")]
    turns = found.turns("s1")
    assert [(t.turn_uuid, t.role, t.is_prompt) for t in turns] == [
        ("s1-1", "user", True),
        ("s1-2", "assistant", False),
        ("s1-3", "tool", False),
        ("s1-4", "assistant", False),
        ("s1-5", "tool", False),
    ]
    assert {(t.workdir, t.ts, t.exchange) for t in turns} == {(FOLDER, START / 1000, "s1-1")}
    assert turns[1].model == "m-1"
    assert edits(found, "s1") == [("/w/repo/a.py", "modify", "hi", "hello", ())]
    assert turns[4].blocks[0].commits == (PrintedCommit("1a2b3c4", "commit", "main", "Hello"),)


def transcript(folder: Path, name: str, messages: list[Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    lines = []
    for message in messages:
        parts = [
            {"type": "tool_use", "name": part["toolName"], "input": part["args"]}
            if part["type"] == "tool-call"
            else part
            for part in message["content"]
            if part["type"] != "tool-result"
        ]
        if parts:
            lines.append({"role": message["role"], "message": {"content": parts}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_transcript_in_lines(found: Sources, tmp_path: Path) -> None:
    project = tmp_path / AGENT / "projects" / "w-repo"
    path = transcript(project / "agent-transcripts" / "s1", "s1", MESSAGES[1:])
    assert cursor.claim(path, path.read_bytes())
    assert [t.role for t in found.turns("s1.jsonl")] == ["user", "assistant", "assistant"]
    assert edits(found, "s1.jsonl") == [("/w/repo/a.py", "modify", "hi", "hello", ())]
    assert {t.workdir for t in found.turns("s1.jsonl")} == {None}
    (project / ".workspace-trusted").write_text('{"workspacePath": "/w/repo"}')
    assert {t.workdir for t in found.turns("s1.jsonl")} == {FOLDER}
    child = transcript(path.parent / "subagents", "s2", MESSAGES[1:2])
    assert found.items(child.name, Session)[0].parent_session_id == "s1"
    assert not found.turns(child.name)[0].is_prompt


TEXT = """user:
<user_query>
Say hello.
</user_query>

assistant:
[Thinking] Hm.
I see.
[Tool call] StrReplace
  path: /w/repo/a.py
  old_string: def a():
    name: str = "hi"
  new_string: def a():
    name: str = "hello"
[Tool result] StrReplace
Edited.

assistant:
Done.
"""


def test_a_transcript_as_text(found: Sources, tmp_path: Path) -> None:
    path = tmp_path / AGENT / "projects" / "w-repo" / "agent-transcripts" / "s1.txt"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT)
    assert cursor.claim(path, path.read_bytes())
    assert [(b.type, b.text) for b in found.blocks("s1.txt") if b.type != "tool_use"] == [
        ("text", "<user_query>\nSay hello.\n</user_query>"),
        ("thinking", "Hm.\nI see."),
        ("tool_result", "Edited."),
        ("text", "Done."),
    ]
    old, new = ('def a():\n    name: str = "hi"', 'def a():\n    name: str = "hello"')
    assert edits(found, "s1.txt") == [("/w/repo/a.py", "modify", old, new, ())]


def test_a_conversation_in_several_places_is_read_once(
    editor: Editor, found: Sources, tmp_path: Path
) -> None:
    editor.composer("c1", asked("In the editor."))
    for name in ("c1", "c2"):
        store(tmp_path / AGENT / "chats" / "0af1" / name / "store.db", *MESSAGES)
    for name in ("c1", "c2", "c3"):
        folder = tmp_path / AGENT / "projects" / "w-repo" / "agent-transcripts"
        transcript(folder / name, name, MESSAGES[1:])
        (folder / f"{name}.txt").write_text(TEXT)
    assert [(s.key, s.path.name) for s in found.found()] == [
        ("c1", "state.vscdb"),
        ("c2", "store.db"),
        ("", "c3.jsonl"),
    ]


@pytest.mark.parametrize(
    "root", [b"", b"\x0a", b"\x0a\xff", b"\x0a\x20" + bytes(32), b"\xff" * 40, b"\x0b\x0c"]
)
def test_no_root_makes_it_raise(found: Sources, tmp_path: Path, root: bytes) -> None:
    path = store(tmp_path / AGENT / "chats" / "0af1" / "s1" / "store.db", b"[", {"role": 3})
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE blobs SET data = ? WHERE length(data) > 60", (root,))
        db.commit()
    assert found.turns("s1") == []


@pytest.mark.parametrize(
    "place", [EDITOR / "globalStorage/state.vscdb", AGENT / "chats/0/s1/store.db"]
)
def test_what_is_no_database_says_so(found: Sources, tmp_path: Path, place: Path) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text("version https://git-lfs.github.com/spec/v1\n")
    for ask in (found.roots, found.read):
        with pytest.raises(OSError, match="Git LFS"):
            ask(path.name)
