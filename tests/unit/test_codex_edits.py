"""Codex: what tool calls gave back, and what they wrote."""

from __future__ import annotations

import json
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
    meta,
    output,
    patch,
    read,
    record,
    turns,
)

from funes_git_parsers.base import Edit, Hunk, PrintedCommit

UPDATE = patch("*** Update File: app.py", "@@", " def f():", "-    1", "+    2")
HUNK = Hunk(1, 1, (" def f():", "-    1", "+    2"))
DONE = "Success. Updated the following files:\nM app.py\n"
EXIT_0 = "Exit code: 0\nWall time: 0 seconds\nOutput:\n"


def result(value: Any) -> tuple[str, int | None, bool | None]:
    block = turns(read(meta(), call("shell", {"command": ["x"]}), output(value)))[-1].blocks[0]
    return block.text, block.exit_code, block.is_error


def old_output(text: str, code: int) -> str:
    return json.dumps({"output": text, "metadata": {"exit_code": code, "duration_seconds": 0.1}})


@pytest.mark.parametrize(
    ("value", "text", "code", "error"),
    [
        ("plain", "plain", None, None),
        (old_output("text", 0), "text", 0, False),
        (old_output("", 2), "", 2, True),
        (EXIT_0 + "x", EXIT_0 + "x", 0, False),
        ("Exit code: 1\nOutput:\nExit code: 0", "Exit code: 1\nOutput:\nExit code: 0", 1, True),
        (
            [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}],
            "a\nb",
            None,
            None,
        ),
        ({"content": "x", "success": False}, "x", None, True),
        ("apply_patch verification failed: x", "apply_patch verification failed: x", None, True),
        ("aborted by user after 3.1s", "aborted by user after 3.1s", None, True),
    ],
)
def test_outputs_in_every_shape(
    value: Any, text: str, code: int | None, error: bool | None
) -> None:
    assert result(value) == (text, code, error)


def test_the_exit_code_of_a_process_stands_in_the_header() -> None:
    text = "Chunk ID: ab\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nx"
    assert result(text) == (text, 3, True)


def test_a_sandbox_that_refused_is_an_error() -> None:
    text = "failed in sandbox MacosSeatbelt with execution error: denied, exit code: 1, stdout: .F"
    assert result(text) == (text, 1, True)


def test_an_event_tells_the_exit_code_where_the_output_does_not() -> None:
    items = read(
        meta(),
        call("shell", {"command": ["x"]}),
        event("exec_command_end", call_id="c1", command=["x"], exit_code=4),
        output("x"),
    )
    block = turns(items)[-1].blocks[0]
    assert (block.exit_code, block.is_error) == (4, True)


def test_an_mcp_call_that_failed_is_an_error() -> None:
    items = read(
        meta(),
        call("recall", {}),
        event("mcp_tool_call_end", call_id="c1", result={"Err": "gone"}),
        output("gone"),
    )
    assert turns(items)[-1].blocks[0].is_error is True


def test_a_patch_is_an_edit_of_the_turn_that_made_the_call() -> None:
    assert edits(read(meta(), custom("apply_patch", UPDATE), output(EXIT_0 + DONE))) == [
        Edit(
            SESSION,
            f"{SESSION}-0",
            "c1",
            0,
            1717988400.0,
            f"{FOLDER}/app.py",
            "modify",
            "apply_patch",
            hunks=(HUNK,),
        )
    ]


@pytest.mark.parametrize(
    "made",
    [
        call("apply_patch", {"input": UPDATE}),
        call("shell", {"command": ["apply_patch", UPDATE]}),
        call("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{UPDATE}\nEOF"]}),
        call("shell_command", {"command": f"cd sub/.. && apply_patch <<'EOF'\n{UPDATE}\nEOF"}),
        call("exec_command", {"cmd": f"apply_patch <<EOF\n{UPDATE}\nEOF", "workdir": FOLDER}),
        custom("exec", f"text(await tools.apply_patch({json.dumps(UPDATE)}));"),
        custom("exec", f"const p = {json.dumps(UPDATE)};\nawait tools.apply_patch(p)"),
        custom("exec", f"await tools.apply_patch(`{UPDATE}`)"),
        custom("exec", "await tools.exec_command("
               + json.dumps({"cmd": f"apply_patch <<'EOF'\n{UPDATE}\nEOF"}) + ")"),
    ],
)  # fmt: skip
def test_a_patch_in_every_kind_of_call(made: dict) -> None:
    (edit,) = edits(read(meta(), made, output(old_output(DONE, 0))))
    assert (edit.path, edit.operation, edit.hunks) == (f"{FOLDER}/app.py", "modify", (HUNK,))
    assert (edit.tool, edit.origin) == ("apply_patch", "tool")


def test_quotes_in_the_patch_argument_are_kept() -> None:
    text = patch("*** Add File: a.sh", "+echo 'it' \"is\" $x")
    (edit,) = edits(read(meta(), call("shell", {"command": ["apply_patch", text]}), output("ok")))
    assert edit.new == "echo 'it' \"is\" $x\n"


def test_a_patch_starts_from_the_folder_that_the_command_went_to() -> None:
    command = f"cd pkg && apply_patch <<'EOF'\n{UPDATE}\nEOF"
    arguments = {"command": ["bash", "-lc", command], "workdir": "/w/repo/sub"}
    (edit,) = edits(read(meta(), call("shell", arguments), output(DONE)))
    assert edit.path == "/w/repo/sub/pkg/app.py"


@pytest.mark.parametrize(
    "out",
    [
        "apply_patch verification failed: Failed to find expected lines in app.py",
        old_output("error", 1),
        "patch rejected by user",
        "Exit code: 1\nOutput:\nx",
    ],
)
def test_a_failed_patch_is_no_edit(out: str) -> None:
    assert edits(read(meta(), custom("apply_patch", UPDATE), output(out))) == []


def test_a_patch_without_output_is_no_edit() -> None:
    assert edits(read(meta(), custom("apply_patch", UPDATE), event("turn_aborted"))) == []


CHANGES = {
    "/w/repo/z.py": {"type": "add", "content": "new\n"},
    "/w/repo/app.py": {
        "type": "update",
        "unified_diff": "@@ -7,2 +7,2 @@\n def f():\n-    1\n+    2\n",
        "move_path": None,
    },
    "/w/repo/gone.py": {"type": "delete", "content": "old\n"},
    "/w/repo/from.py": {
        "type": "update",
        "unified_diff": "@@ -1 +1 @@\n-a\n+b\n",
        "move_path": "/w/repo/to.py",
    },
}
PATCH_END = {"call_id": "c1", "success": True, "changes": CHANGES}


def test_the_event_of_a_patch_is_the_best_record() -> None:
    items = read(
        meta(), custom("apply_patch", UPDATE), event("patch_apply_end", **PATCH_END), output(DONE)
    )
    assert [
        (e.n, e.path, e.operation, e.old, e.new, e.old_path, e.hunks) for e in edits(items)
    ] == [
        (0, "/w/repo/app.py", "modify", None, None, None, (Hunk(7, 7, HUNK.lines),)),
        (1, "/w/repo/to.py", "rename", None, None, "/w/repo/from.py", (Hunk(1, 1, ("-a", "+b")),)),
        (2, "/w/repo/gone.py", "delete", "old\n", None, None, ()),
        (3, "/w/repo/z.py", "create", None, "new\n", None, ()),
    ]


def test_newer_versions_write_the_event_as_an_item() -> None:
    done = {"type": "FileChange", "id": "c1", "status": "completed", "changes": CHANGES}
    items = read(
        meta(), custom("apply_patch", UPDATE), event("item_completed", item=done), output(DONE)
    )
    assert [edit.path for edit in edits(items)][:1] == ["/w/repo/app.py"]
    assert len(edits(items)) == 4


def test_an_event_that_says_it_failed_wins_over_the_patch() -> None:
    failed = {**PATCH_END, "success": False}
    items = read(
        meta(), custom("apply_patch", UPDATE), event("patch_apply_end", **failed), output("done")
    )
    assert edits(items) == []


def test_an_old_event_without_changes_leaves_the_patch() -> None:
    ended = event("patch_apply_end", call_id="c1", success=True)
    items = read(meta(), custom("apply_patch", UPDATE), ended, output("done"))
    assert [edit.hunks for edit in edits(items)] == [(HUNK,)]


def test_an_applied_patch_counts_even_if_its_output_never_came() -> None:
    items = read(
        meta(),
        custom("apply_patch", UPDATE),
        event("patch_apply_end", **PATCH_END),
        event("turn_aborted"),
    )
    assert len(edits(items)) == 4


def test_a_program_of_code_mode_gets_the_events_of_what_it_called() -> None:
    ran = {
        "type": "CommandExecution",
        "id": "exec-1",
        "command": ["/bin/bash", "-lc", "printf 'x\\n' > note.txt && git commit -qam n"],
        "cwd": "file:///w/repo/sub",
        "exit_code": 0,
        "aggregated_output": "[main 1234abc] n\n",
    }
    items = read(
        meta(),
        custom("exec", "await Promise.all(work.map(run))"),
        event("item_completed", item=ran),
        event("patch_apply_end", **{**PATCH_END, "call_id": "exec-2"}),
        output([{"type": "input_text", "text": "Script completed\nOutput:\n"}]),
    )
    assert [(edit.path, edit.origin) for edit in edits(items)][-1] == (
        "/w/repo/sub/note.txt",
        "shell",
    )
    assert len(edits(items)) == 5
    assert turns(items)[-1].blocks[0].commits == (PrintedCommit("1234abc", "commit", "main", "n"),)


def test_a_deleted_and_a_moved_file() -> None:
    text = patch("*** Delete File: a.py", "*** Update File: b.py", "*** Move to: c/b.py")
    found = edits(read(meta(), custom("apply_patch", text), output(DONE)))
    assert [(e.operation, e.path, e.old_path, e.hunks) for e in found] == [
        ("delete", f"{FOLDER}/a.py", None, ()),
        ("rename", f"{FOLDER}/c/b.py", f"{FOLDER}/b.py", ()),
    ]


def test_an_absolute_path_stays_as_it_was_written() -> None:
    text = patch("*** Add File: /elsewhere/a.py", "+x")
    (edit,) = edits(read(meta(), custom("apply_patch", text), output(DONE)))
    assert edit.path == "/elsewhere/a.py"


def test_windows_paths_keep_their_separators() -> None:
    text = patch("*** Add File: src\\a.py", "+x")
    windows = record("session_meta", id="s", cwd="C:\\repo")
    (edit,) = edits(read(windows, custom("apply_patch", text), output(DONE)))
    assert edit.path == "C:\\repo\\src\\a.py"


def test_shell_writes_are_edits_of_the_shell() -> None:
    made = call("exec_command", {"cmd": "printf 'hello\\n' > README.md"})
    (edit,) = edits(read(meta(), made, output(EXIT_0)))
    assert (edit.path, edit.operation, edit.new) == (f"{FOLDER}/README.md", "create", "hello\n")
    assert (edit.tool, edit.origin) == ("exec_command", "shell")


def test_a_shell_command_that_failed_wrote_nothing() -> None:
    made = call("exec_command", {"cmd": "printf 'hello\\n' > README.md"})
    assert edits(read(meta(), made, output("Exit code: 1\nOutput:\n"))) == []


def test_a_patch_in_a_script_is_not_also_a_shell_write() -> None:
    command = f"apply_patch <<'EOF'\n{patch('*** Add File: a', '+echo x > y')}\nEOF\nprintf c > b"
    found = edits(read(meta(), call("shell_command", {"command": command}), output(EXIT_0)))
    assert [(edit.path, edit.origin) for edit in found] == [
        (f"{FOLDER}/a", "tool"),
        (f"{FOLDER}/b", "shell"),
    ]


def test_a_tool_that_is_no_shell_may_have_a_command() -> None:
    assert edits(read(meta(), call("mcp_run", {"command": "echo x > y"}), output("ok"))) == []


def test_a_local_shell_call_writes_too() -> None:
    action = {"type": "exec", "command": ["sh", "-c", "echo x > y"], "working_directory": "/v"}
    items = read(meta(), item("local_shell_call", call_id="c1", action=action), output(EXIT_0))
    assert [edit.path for edit in edits(items)] == ["/v/y"]
    assert turns(items)[-1].blocks[0].tool == "local_shell"


def test_printed_commits_stand_on_the_result() -> None:
    made = call("exec_command", {"cmd": "git commit -m 'Add x'"})
    items = read(meta(), made, output(EXIT_0 + "[main 1234abc] Add x\n 1 file changed\n"))
    assert turns(items)[-1].blocks[0].commits == (
        PrintedCommit("1234abc", "commit", "main", "Add x"),
    )


def test_output_that_is_read_later_belongs_to_the_command_that_printed_it() -> None:
    running = "Chunk ID: a\nWall time: 30 seconds\nProcess running with session ID 42\nOutput:\n"
    ended = "Chunk ID: b\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\n"
    items = read(
        meta(),
        call("exec_command", {"cmd": "npm test && git commit -m 'Add x'"}),
        output(running),
        call("write_stdin", {"session_id": 42, "chars": ""}, "c2"),
        output(ended + "[main 1234abc] Add x\n", "c2"),
    )
    assert turns(items)[1].blocks[0].commits == ()
    assert turns(items)[-1].blocks[0].commits == (
        PrintedCommit("1234abc", "commit", "main", "Add x"),
    )
