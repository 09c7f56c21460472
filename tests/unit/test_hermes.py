"""Hermes: rows of its database, in every version, as turns."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hermes_records import FOLDER, START, Hermes, call, patched
from sources import Sources

from funes_git_parsers import hermes
from funes_git_parsers.base import Edit, Hunk, PrintedCommit, Retraction, Session, Spawn, Turn


@pytest.fixture
def db(tmp_path: Path) -> Hermes:
    database = Hermes(tmp_path / ".hermes")
    database.session()
    return database


@pytest.fixture
def found(tmp_path: Path) -> Sources:
    return Sources(hermes, tmp_path)


def test_a_row_is_a_turn(db: Hermes, found: Sources) -> None:
    prompt = db.message("user", "Make greet return hello.")
    args = {"path": "/w/repo/a.py", "old_string": "hi", "new_string": "hello"}
    result = patched("/w/repo/a.py", "hi", "hello")
    calls = [call("patch", args)]
    edit = db.message(
        "assistant", "I see.", reasoning="Short.", reasoning_content="Hm.", calls=calls
    )
    answer = db.message("tool", json.dumps(result), tool_call_id="c1")
    turns = found.turns("s1")
    assert [
        (t.turn_uuid, t.seq, t.role, t.parent_uuid, t.exchange, t.is_prompt) for t in turns
    ] == [
        (prompt, 0, "user", None, prompt, True),
        (edit, 1, "assistant", prompt, prompt, False),
        (answer, 2, "tool", edit, prompt, False),
    ]
    assert [(t.ts, t.workdir, t.branch, t.model) for t in turns] == [
        (START + 1, FOLDER, "main", None),
        (START + 2, FOLDER, "main", "m-1"),
        (START + 3, FOLDER, "main", None),
    ]
    assert [(b.type, b.text, b.tool, b.tool_use_id) for b in found.blocks("s1")] == [
        ("text", "Make greet return hello.", None, None),
        ("thinking", "Hm.", None, None),
        ("text", "I see.", None, None),
        ("tool_use", json.dumps(args), "patch", "c1"),
        ("tool_result", json.dumps(result), "patch", "c1"),  # the row does not name the tool
    ]
    hunks = (Hunk(1, 1, ("-hi", "+hello")),)
    assert found.edits("s1") == [
        Edit(
            "s1",
            edit,
            "c1",
            0,
            START + 2,
            "/w/repo/a.py",
            "modify",
            "patch",
            "hi",
            "hello",
            None,
            hunks,
        ),
    ]


@pytest.mark.parametrize("version", [6, 8, 16, 20, 30])
def test_every_version_of_the_schema_is_read(tmp_path: Path, version: int) -> None:
    db = Hermes(tmp_path / ".hermes", version)
    db.session()
    db.message("session_meta", None)
    db.message("system", "You are Hermes.")
    prompt = db.message("user", "Write it.")
    db.message("assistant", None, reasoning="Thinking.")
    edit = db.call(
        "write_file", {"path": "/w/repo/b.py", "content": "b = 1\n"}, {"bytes_written": 6}
    )
    found = Sources(hermes, tmp_path)
    assert found.turns("s1")[0].turn_uuid == prompt
    assert found.texts("s1")[:2] == ["Write it.", "Thinking."]
    (only,) = found.edits("s1")
    assert (only.turn_uuid, only.operation, only.new) == (edit, "create", "b = 1\n")
    where = {FOLDER, "/w/repo/b.py"} if version >= 16 else {"/w/repo/b.py"}
    assert found.roots("s1") == where
    assert {t.branch for t in found.turns("s1")} == ({"main"} if version >= 16 else {None})


def test_messages_without_a_table_of_sessions_are_read(db: Hermes, found: Sources) -> None:
    db.message("user", "Half of me was migrated.")
    db.execute("DROP TABLE sessions")
    assert found.texts("s1") == ["Half of me was migrated."]


# What changes


def test_only_rows_that_are_new_or_different_are_read_again(db: Hermes, found: Sources) -> None:
    db.message("user", "Run it.")
    asked = db.message("assistant", "", calls=[call("terminal", {"command": "echo > out.txt"})])
    items, cursor = found.read("s1")
    assert not [item for item in items if isinstance(item, Edit)]  # it may still fail
    before = found.source("s1")
    db.message("tool", '{"output": "", "exit_code": 0}', tool_call_id="c1")
    after = found.source("s1")
    assert (before.size, before.mtime_ns) != (after.size, after.mtime_ns)
    items, cursor = found.read("s1", cursor)
    turn, edit, result = items
    assert isinstance(turn, Turn)
    assert isinstance(edit, Edit)
    assert isinstance(result, Turn)
    assert (turn.turn_uuid, edit.turn_uuid, result.role) == (asked, asked, "tool")
    assert (edit.path, edit.origin) == ("/w/repo/out.txt", "shell")
    assert found.read("s1", cursor) == ([], cursor)


def test_rewound_rows_are_taken_back(db: Hermes, found: Sources) -> None:
    first = db.message("user", "First.")
    wrong = db.message("user", "Wrong.")
    args = {"path": "/w/repo/x.py", "content": "x\n"}
    worse = db.call("write_file", args, {"bytes_written": 2})
    _, cursor = found.read("s1")
    before = found.source("s1")
    db.execute("UPDATE messages SET active = 0 WHERE id >= ?", int(wrong))
    again = db.message("user", "Better.")
    after = found.source("s1")
    assert after.size > before.size
    items, _ = found.read("s1", cursor)
    retracted = [item.turn_uuid for item in items if isinstance(item, Retraction)]
    assert retracted == [wrong, worse, str(int(worse) + 1)]
    newest = next(item for item in items if isinstance(item, Turn) and item.turn_uuid == again)
    assert (newest.parent_uuid, newest.exchange) == (first, again)
    # a first read gives the same: the turns are there, and taken back
    assert [t.turn_uuid for t in found.turns("s1")] == [
        first,
        wrong,
        worse,
        str(int(worse) + 1),
        again,
    ]
    assert [r.turn_uuid for r in found.items("s1", Retraction)] == retracted


def test_a_rewound_row_that_is_restored_is_current_again(db: Hermes, found: Sources) -> None:
    row = db.message("user", "First.")
    db.execute("UPDATE messages SET active = 0")
    items, cursor = found.read("s1")
    assert Retraction("s1", row) in items
    db.execute("UPDATE messages SET active = 1")
    (turn,), _ = found.read("s1", cursor)
    assert isinstance(turn, Turn)
    assert turn.turn_uuid == row


def test_a_rewind_alone_changes_what_is_discovered(db: Hermes, found: Sources) -> None:
    row = db.message("user", "First.")
    before = found.source("s1")
    db.execute("UPDATE messages SET active = 0 WHERE id = ?", int(row))
    assert found.source("s1") != before


def test_deleted_rows_are_taken_back_and_a_deleted_session_is_kept(
    db: Hermes, found: Sources
) -> None:
    db.message("user", "Stays.")
    row = db.message("user", "Goes.")
    source = found.source("s1")
    _, cursor = found.read("s1")
    db.execute("DELETE FROM messages WHERE id = ?", int(row))
    assert found.read("s1", cursor)[0] == [Retraction("s1", row)]
    db.execute("DELETE FROM messages")
    db.execute("DELETE FROM sessions")
    assert found.found() == []
    items = list(hermes.read(source, cursor, lambda path: path.open("rb")))
    assert not [item for item in items if isinstance(item, Retraction)]


# Compaction, branches, sub-agents

SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted: it said hello."


def test_rows_compacted_in_place_stay_and_their_copies_are_left_out(
    db: Hermes, found: Sources
) -> None:
    first = db.message("user", "First.")
    args = {"path": "/w/repo/x.py", "content": "x\n"}
    edit = db.call("write_file", args, {"bytes_written": 2})
    db.execute("UPDATE messages SET active = 0, compacted = 1")
    db.message("user", "First.")
    summary = db.message("user", SUMMARY)
    db.call("write_file", args, {"bytes_written": 2})
    more = db.message("user", "More.")
    turns = found.turns("s1")
    assert [t.turn_uuid for t in turns] == [first, edit, str(int(edit) + 1), summary, more]
    assert [(t.exchange, t.is_prompt) for t in turns[3:]] == [(first, False), (more, True)]
    assert turns[3].blocks[0].scaffold == "compaction"
    assert [e.turn_uuid for e in found.edits("s1")] == [edit]
    assert found.items("s1", Retraction) == []


def test_a_session_that_goes_on_after_compression_repeats_only_its_prompt(
    db: Hermes, found: Sources
) -> None:
    db.message("user", "Build it.")
    args = {"path": "/w/repo/x.py", "content": "x\n"}
    db.call("write_file", args, {"bytes_written": 2})
    db.execute("UPDATE sessions SET end_reason = 'compression', ended_at = ?", db.now)
    db.session("s2", parent_session_id="s1")
    db.message("user", SUMMARY, "s2")
    prompt = db.message("user", "Build it.", "s2")
    db.call("write_file", args, {"bytes_written": 2}, session_id="s2")
    own = db.call(
        "write_file", {**args, "content": "y\n"}, {"bytes_written": 2}, "c2", session_id="s2"
    )
    assert found.items("s2", Session) == [Session("s2", "hermes", parent_session_id="s1")]
    turns = found.turns("s2")
    assert [t.turn_uuid for t in turns[1:]] == [prompt, own, str(int(own) + 1)]
    assert (turns[2].exchange, turns[2].parent_uuid) == (prompt, prompt)
    assert [e.new for e in found.edits("s2")] == ["y\n"]
    assert found.items("s1", Spawn) == []


def test_a_summary_may_stand_before_a_message(db: Hermes, found: Sources) -> None:
    end = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---\n\n"
    db.message("user", f"{SUMMARY}\n\n{end}Go on.")
    (turn,) = found.turns("s1")
    assert turn.is_prompt
    assert [(b.text[:9], b.scaffold) for b in turn.blocks] == [
        ("[CONTEXT ", "compaction"),
        ("Go on.", None),
    ]


def test_a_branch_leaves_out_what_it_copied(db: Hermes, found: Sources) -> None:
    db.message("user", "One.")
    db.message("assistant", "Two.")
    db.session("s2", parent_session_id="s1", config={"_branched_from": "s1"})
    db.message("user", "One.", "s2")
    db.message("assistant", "Two.", "s2")
    db.message("user", "Three.", "s2")
    assert found.texts("s2") == ["One.", "Three."]
    assert found.items("s2", Session)[0].parent_session_id == "s1"


def test_delegates_are_sub_agents(db: Hermes, found: Sources) -> None:
    db.message("user", "Do both.")
    db.call("delegate_task", {"tasks": [{"goal": "a"}]}, {"results": []}, "c1")
    second = db.message("assistant", "", calls=[call("delegate_task", {"tasks": []}, "c2")])
    db.session("child", parent_session_id="s1", config={"_delegate_from": "s1"}, source="subagent")
    db.message("user", "The task.", "child")
    db.message("tool", '{"results": []}', tool_call_id="c2")
    assert found.items("s1", Spawn) == [Spawn("s1", second, "child")]
    (task,) = found.turns("child")
    assert [block.text for block in task.blocks] == ["The task."]
    assert (task.is_prompt, task.exchange) == (False, None)


def test_a_session_after_a_reset_has_no_parent(db: Hermes, found: Sources) -> None:
    db.message("user", "Old.")
    db.execute("UPDATE sessions SET end_reason = 'session_reset'")
    db.session("s2", parent_session_id="s1", title="Fresh")
    db.message("user", "New.", "s2")
    assert found.items("s2", Session) == [Session("s2", "hermes", "Fresh")]
    assert found.turns("s2")[0].is_prompt


# Tools


def edits_of(
    db: Hermes, found: Sources, tool: str, args: object, result: object
) -> list[tuple[object, ...]]:
    db.call(tool, args, result)
    return [(e.path, e.operation, e.old, e.new, e.old_path, e.hunks) for e in found.edits("s1")]


def test_a_patch_in_an_envelope(db: Hermes, found: Sources) -> None:
    text = "\n".join(
        (
            "*** Begin Patch",
            "*** Add File: new.py",
            "+a",
            "*** Update File: /w/repo/b.py",
            "@@",
            " keep",
            "-old",
            "+new",
            "*** Delete File: c.py",
            "*** Move File: d.py -> e.py",
            "*** End Patch",
        )
    )
    assert edits_of(db, found, "patch", {"mode": "patch", "patch": text}, {"success": True}) == [
        ("/w/repo/new.py", "create", None, "a\n", None, ()),
        ("/w/repo/b.py", "modify", None, None, None, (Hunk(1, 1, (" keep", "-old", "+new")),)),
        ("/w/repo/c.py", "delete", None, None, None, ()),
        ("/w/repo/e.py", "rename", None, None, "/w/repo/d.py", ()),
    ]


@pytest.mark.parametrize(
    ("result", "edits"),
    [
        ({"success": False, "error": "Could not find a match"}, 0),
        ({"success": True, "files_modified": ["/w/repo/a.py"]}, 0),  # it was so already
        ("Error: the tool crashed", 0),
        ("", 1),  # the result was cleared
        ({**patched("/w/repo/a.py", "a", "b"), "lint": {"status": "ok"}}, 1),
    ],
)
def test_only_a_patch_that_changed_something_is_an_edit(
    db: Hermes, found: Sources, result: object, edits: int
) -> None:
    args = {"path": "a.py", "old_string": "a", "new_string": "b"}
    assert len(edits_of(db, found, "patch", args, result)) == edits


def test_a_call_without_a_result_is_no_edit(db: Hermes, found: Sources) -> None:
    db.message("assistant", "", calls=[call("write_file", {"path": "a.py", "content": ""})])
    assert found.edits("s1") == []


def test_a_program_writes_by_python_and_by_tools(db: Hermes, found: Sources) -> None:
    code = (
        "from hermes_tools import write_file, patch, terminal\n"
        "text = 'one\\n'\n"
        "open('a.txt', 'w').write('a\\n')\n"
        "write_file('b.txt', text)\n"
        "patch(path='c.txt', old_string='c', new_string='d')\n"
        "terminal('echo e > e.txt', workdir='/w/other')\n"
        "write_file(name, text)\n"
    )
    assert edits_of(db, found, "execute_code", {"code": code}, {"status": "success"}) == [
        ("/w/repo/a.txt", "create", None, "a\n", None, ()),
        ("/w/repo/b.txt", "create", None, "one\n", None, ()),
        ("/w/repo/c.txt", "modify", "c", "d", None, ()),
        ("/w/other/e.txt", "create", None, "e\n", None, ()),
    ]


def test_a_failed_program_wrote_nothing_that_is_known(db: Hermes, found: Sources) -> None:
    result = {"status": "error", "error": "NameError"}
    assert edits_of(db, found, "execute_code", {"code": "open('a','w').write('a')"}, result) == []


def test_a_command_with_its_status_and_its_commit(db: Hermes, found: Sources) -> None:
    output = {"output": "[main 1a2b3c4] Say hello\n", "exit_code": 0, "error": None}
    db.call("terminal", {"command": "git commit -am 'Say hello'", "workdir": "/w/x"}, output)
    block = found.blocks("s1")[-1]
    assert (block.exit_code, block.is_error) == (0, False)
    assert block.commits == (PrintedCommit("1a2b3c4", "commit", "main", "Say hello"),)
    db.call("terminal", {"command": "sed -i s/a/b/ a.py"}, {"output": "", "exit_code": 1}, "c2")
    block = found.blocks("s1")[-1]
    assert (block.exit_code, block.is_error) == (1, True)
    assert found.edits("s1") == []


def test_another_programs_editor_is_read_by_its_arguments(db: Hermes, found: Sources) -> None:
    args = {"path": "/w/repo/a.py", "old_text": "a", "new_text": "b"}
    wrapped = '<untrusted_tool_result source="mcp_fs_edit_file">\nData.\n\n{"result": "ok"}\n'
    edits = edits_of(db, found, "mcp_fs_edit_file", args, wrapped + "</untrusted_tool_result>")
    assert edits == [("/w/repo/a.py", "modify", "a", "b", None, ())]


# Text


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Review the conversation above and update your memory.", "hook"),
        ("[SYSTEM: Background process proc_1 completed (exit 0)]", "task-notification"),
        ('[IMPORTANT: The user has invoked the "work" skill, follow it.]\n\nSkill.', "command"),
        ("[CONTEXT SUMMARY]: it went well", "compaction"),
        ("Review the conversation, please.", None),
    ],
)
def test_what_hermes_wrote_itself_is_marked(
    db: Hermes, found: Sources, text: str, mark: str | None
) -> None:
    row = db.message("user", text)
    (turn,) = found.turns("s1")
    assert (turn.blocks[0].scaffold, turn.is_prompt) == (mark, mark is None)
    assert turn.exchange == (row if mark in (None, "command") else None)


def test_hidden_and_overheard_messages_are_no_prompts(db: Hermes, found: Sources) -> None:
    db.message("user", "Scaffolding.", display_kind="hidden")
    db.message("user", "Said by others in the chat.", observed=1)
    assert [(t.is_prompt, t.blocks[0].scaffold) for t in found.turns("s1")] == [
        (False, "task-notification"),
        (False, None),
    ]


def test_our_own_answer_is_known_inside_another_programs_json(db: Hermes, found: Sources) -> None:
    ours = "funes-git memory · widget\n\n[1] claude_code\nget 0190 4e5f\n"
    wrapped = '<untrusted_tool_result source="mcp__funes__recall">\nData.\n\n'
    db.call("mcp__funes__recall", {"query": "x"}, wrapped + json.dumps({"result": ours}))
    assert found.blocks("s1")[-1].scaffold == "recall"


def test_pictures_are_named(db: Hermes, found: Sources) -> None:
    data = "data:image/png;base64," + "A" * 4096
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": data}}]
    db.message("user", "\0json:" + json.dumps(parts))
    db.message("user", f"inline {data} end")
    db.message(
        "user", "\0json:" + json.dumps([{"type": "image_url", "image_url": "https://e.org/p"}])
    )
    assert found.texts("s1") == [
        "Look:",
        "[image/png, 3 KB]",
        "inline [image/png, 3 KB] end",
        "[image https://e.org/p]",
    ]


@pytest.mark.parametrize(
    "values",
    [
        {"tool_calls": "not json"},
        {"tool_calls": '[1, null, {"function": 7}, {"function": {"name": [], "arguments": 3}}]'},
        {"tool_calls": '[{"id": 5, "function": {"name": "patch", "arguments": "[[["}}]'},
        {"tool_calls": "[" * 100_000},
        {"content": b"\xff\xfe bytes"},
        {"content": '\0json:{"not": "a list"}'},
        {"content": '\0json:["\\ud83d"]'},
        {"timestamp": "yesterday"},
        {"timestamp": 5e246},
        {"role": "narrator"},
        {"active": None, "compacted": "x"},
    ],
)
def test_no_row_makes_it_raise(db: Hermes, found: Sources, values: dict[str, object]) -> None:
    db.message("user", "Before.")
    row = db.message("assistant", "Odd.")
    db.execute("PRAGMA ignore_check_constraints = 1")
    db.execute("CREATE TABLE loose AS SELECT * FROM messages")
    for name, value in values.items():
        db.execute(f"UPDATE loose SET {name} = ? WHERE id = ?", value, int(row))
    db.execute("DROP TABLE messages")
    db.execute("ALTER TABLE loose RENAME TO messages")
    items, cursor = found.read("s1")
    assert "Before." in found.texts("s1")
    for text in found.texts("s1"):
        text.encode()
    assert found.read("s1", cursor) == ([], cursor)
    assert items


# Places


def test_profiles_have_databases_of_their_own(tmp_path: Path) -> None:
    for folder, key in ((".hermes", "a"), (".hermes/profiles/work", "b")):
        db = Hermes(tmp_path / folder)
        db.session(key)
        db.message("user", key, key)
    assert {s.key for s in Sources(hermes, tmp_path).found()} == {"a", "b"}
    elsewhere = Sources(hermes, tmp_path, HERMES_HOME=str(tmp_path / ".hermes/profiles/work"))
    assert [s.key for s in elsewhere.found()] == ["b"]


def test_a_session_with_only_a_file_is_read(db: Hermes, found: Sources, tmp_path: Path) -> None:
    db.message("user", "In the database.")
    folder = tmp_path / ".hermes" / "sessions"
    folder.mkdir()
    args = {"path": "/w/repo/a.py", "content": "a\n"}
    messages = [
        {"role": "user", "content": "In the file."},
        {"role": "assistant", "content": "", "tool_calls": [call("write_file", args)]},
        {"role": "tool", "content": '{"bytes_written": 2}', "tool_call_id": "c1"},
    ]
    started = "2026-01-02T03:04:05"
    about = {"session_id": "20260102_a", "model": "m", "session_start": started}
    (folder / "session_20260102_a.json").write_text(json.dumps({**about, "messages": messages}))
    lines = [{"role": "session_meta", "model": "m", "timestamp": started}, *messages]
    (folder / "20260103_b.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "s1.jsonl").write_text(json.dumps({"role": "session_meta"}))
    (folder / "sessions.json").write_text("{}")
    assert [s.key or s.path.name for s in found.found()] == [
        "s1",
        "session_20260102_a.json",
        "20260103_b.jsonl",
    ]
    for name, session_id in (
        ("session_20260102_a.json", "20260102_a"),
        ("20260103_b.jsonl", "20260103_b"),
    ):
        assert found.texts(name)[0] == "In the file."
        (edit,) = found.edits(name)
        assert (edit.session_id, edit.new, edit.ts) == (session_id, "a\n", 1767323045.0)
        path = found.source(name).path
        assert hermes.claim(path, path.read_bytes())


def test_a_corrupt_search_index_does_not_matter(db: Hermes, found: Sources) -> None:
    """NousResearch/hermes-agent#66724: the shadow tables are garbled, the messages are not."""
    db.execute("CREATE VIRTUAL TABLE messages_fts USING fts5(content)")
    db.message("user", "Still here.")
    db.execute("INSERT INTO messages_fts VALUES ('Still here.')")
    db.execute("UPDATE messages_fts_data SET block = X'DEADBEEF'")
    assert found.texts("s1") == ["Still here."]


WRITER = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("PRAGMA journal_mode = wal")
row = ("s1", "user", "x", 1e9)
db.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)", row)
db.commit()
os._exit(0)
"""


@pytest.mark.parametrize("with_index", [True, False])
def test_rows_in_the_log_are_read(db: Hermes, found: Sources, *, with_index: bool) -> None:
    subprocess.run([sys.executable, "-c", WRITER, str(db.path)], check=True)
    if not with_index:
        Path(f"{db.path}-shm").unlink()
    assert Path(f"{db.path}-wal").stat().st_size
    before = {path: path.read_bytes() for path in db.path.parent.iterdir()}
    assert found.texts("s1") == ["x"]
    assert {path: path.read_bytes() for path in db.path.parent.iterdir()} == before


def test_a_log_that_is_gone_takes_its_rows_along(db: Hermes, found: Sources) -> None:
    db.message("user", "Checkpointed.")
    subprocess.run([sys.executable, "-c", WRITER, str(db.path)], check=True)
    Path(f"{db.path}-wal").unlink()
    assert found.texts("s1") == ["Checkpointed."]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", "Git LFS"),
        (b"garbage", "not a SQLite database"),
        (b"SQLite format 3\0" + bytes(100), "cannot read the database"),
    ],
)
def test_what_is_no_database_is_one_source_that_says_why(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / ".hermes" / "state.db"
    path.parent.mkdir()
    path.write_bytes(content)
    found = Sources(hermes, tmp_path)
    assert [s.key for s in found.found()] == [""]
    for ask in (found.roots, found.read):
        with pytest.raises(OSError, match=reason):
            ask("state.db")


def test_a_database_without_messages_says_so(tmp_path: Path) -> None:
    path = tmp_path / ".hermes" / "state.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE t (a)")
    with pytest.raises(OSError, match="it has no table messages"):
        Sources(hermes, tmp_path).read("state.db")
