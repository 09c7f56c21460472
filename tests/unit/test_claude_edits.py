"""Claude Code: what each editing tool wrote, with exact lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from claude_records import CWD, call, one_edit, only, read, result

from funes_git_parsers.base import Edit, Hunk

ORIGINAL = "import os\n\ndef f():\n\treturn 1\n\ndef g():\n\treturn 2\n"


def edits(folder: Path, tool: str, args: Any, used: Any = None, **extra: Any) -> list[Edit]:
    records = (call("a1", None, tool, args), result("r1", "a1", "done", used, **extra))
    return only(read(folder, *records), Edit)


def edit(folder: Path, tool: str, args: Any, used: Any = None, **extra: Any) -> Edit:
    (found,) = edits(folder, tool, args, used, **extra)
    return found


def patch(old_start: int, new_start: int, *lines: str) -> dict[str, Any]:
    return {
        "oldStart": old_start,
        "oldLines": sum(line[0] != "+" for line in lines),
        "newStart": new_start,
        "newLines": sum(line[0] != "-" for line in lines),
        "lines": list(lines),
    }


def edit_args(old: str, new: str, **extra: Any) -> dict[str, Any]:
    return {"file_path": f"{CWD}/a.py", "old_string": old, "new_string": new, **extra}


def edit_used(old: str, new: str, original: str | None, *hunks: Any, **extra: Any) -> Any:
    return {
        "filePath": f"{CWD}/a.py",
        "oldString": old,
        "newString": new,
        "originalFile": original,
        "structuredPatch": list(hunks),
        "userModified": False,
        "replaceAll": False,
        **extra,
    }


def test_an_edit_belongs_to_the_turn_and_time_of_its_call(tmp_path: Path) -> None:
    late = "2026-03-01T11:00:00.000Z"
    used = edit_used("1", "3", None)
    found = edit(tmp_path, "Edit", edit_args("1", "3"), used, timestamp=late)
    assert (found.turn_uuid, found.tool_use_id, found.n) == ("a1", "t-a1", 0)
    assert found.ts == 1772359200.5
    assert (found.operation, found.old, found.new, found.origin) == ("modify", "1", "3", "tool")


def test_tabs_that_the_patch_shows_as_spaces_come_from_the_original(tmp_path: Path) -> None:
    shown = patch(3, 3, " def f():", "-  return 1", "+  return 3", " ")
    used = edit_used("return 1", "return 3", ORIGINAL, shown)
    found = edit(tmp_path, "Edit", edit_args("return 1", "return 3"), used)
    assert found.hunks == (Hunk(3, 3, (" def f():", "-\treturn 1", "+\treturn 3", " ")),)


def test_without_the_original_tabs_come_from_the_texts(tmp_path: Path) -> None:
    old, new = "f():\n\treturn 1", "f():\n\treturn 3"
    shown = patch(3, 3, "-def f():", "-  return 1", "+def f():", "+  return 3", "     x")
    found = edit(tmp_path, "Edit", edit_args(old, new), edit_used(old, new, None, shown))
    expected = ("-def f():", "-\treturn 1", "+def f():", "+\treturn 3", " \t\tx")
    assert found.hunks == (Hunk(3, 3, expected),)


def test_spaces_stay_spaces(tmp_path: Path) -> None:
    shown = patch(1, 1, "-  a", "+  b")
    for original in (None, "  a\n"):
        used = edit_used("  a", "  b", original, shown)
        found = edit(tmp_path, "Edit", edit_args("  a", "  b"), used)
        assert found.hunks == (Hunk(1, 1, ("-  a", "+  b")),)


def test_without_a_patch_the_replacement_gives_whole_lines(tmp_path: Path) -> None:
    used = edit_used("return", "yield", ORIGINAL, replaceAll=True)
    args = edit_args("return", "yield", replace_all=True)
    assert edit(tmp_path, "Edit", args, used).hunks == (
        Hunk(4, 4, ("-\treturn 1", "+\tyield 1")),
        Hunk(7, 7, ("-\treturn 2", "+\tyield 2")),
    )
    used = edit_used("return", "yield", ORIGINAL)
    once = edit(tmp_path, "Edit", edit_args("return", "yield"), used)
    assert once.hunks == (Hunk(4, 4, ("-\treturn 1", "+\tyield 1")),)


def test_lines_kept_inside_a_replacement_are_not_claimed(tmp_path: Path) -> None:
    old, new = "a\nb\nc\n", "a\nB\nB2\nc\n"
    used = edit_used(old, new, "x\n" + old + "y\n")
    found = edit(tmp_path, "Edit", edit_args(old, new), used)
    assert found.hunks == (Hunk(3, 3, ("-b", "+B", "+B2")),)


def test_lines_after_a_growing_replacement_are_numbered_on(tmp_path: Path) -> None:
    used = edit_used("x", "x\nnew", "x\nmiddle\nx", replaceAll=True)
    found = edit(tmp_path, "Edit", edit_args("x", "x\nnew"), used)
    assert found.hunks == (Hunk(1, 2, ("+new",)), Hunk(3, 5, ("+new",)))


def test_a_deleted_line_takes_its_line_end_along(tmp_path: Path) -> None:
    found = edit(tmp_path, "Edit", edit_args("b", ""), edit_used("b", "", "a\nb\nc\n"))
    assert found.hunks == (Hunk(2, 1, ("-b",)),)


def test_a_patch_that_does_not_fit_the_original_is_not_believed(tmp_path: Path) -> None:
    used = edit_used("b", "B", "a\n\tb\n", patch(1, 1, "-zzz", "+yyy"))
    found = edit(tmp_path, "Edit", edit_args("b", "B"), used)
    assert found.hunks == (Hunk(2, 2, ("-\tb", "+\tB")),)


def test_what_a_person_changed_in_an_edit_is_not_the_agents(tmp_path: Path) -> None:
    shown = patch(5, 5, " keep", "-old", "+agent's", "+human's", "+agent's too", " keep")
    applied = "agent's\nhuman's\nagent's too"
    used = edit_used("old", applied, None, shown, userModified=True)
    found = edit(tmp_path, "Edit", edit_args("old", "agent's\nagent's too"), used)
    assert found.hunks == (
        Hunk(5, 5, (" keep", "-old", "+agent's")),
        Hunk(7, 8, ("+agent's too", " keep")),
    )
    assert found.new == "agent's\nagent's too"


def test_an_edit_of_nothing_creates_the_file(tmp_path: Path) -> None:
    found = edit(tmp_path, "Edit", edit_args("", "new\n"), edit_used("", "new\n", ""))
    assert (found.operation, found.old, found.new) == ("create", None, "new\n")


def write_used(kind: str, original: str | None, content: str, *hunks: Any, **extra: Any) -> Any:
    return {
        "type": kind,
        "filePath": f"{CWD}/a.py",
        "content": content,
        "structuredPatch": list(hunks),
        "originalFile": original,
        **extra,
    }


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        (write_used("create", None, "new\n"), ("create", None, "new\n", ())),
        (write_used("update", "old\n", "new\n"), ("modify", "old\n", "new\n", ())),
        (write_used("update", None, "new\n"), ("modify", "new\n", "new\n", ())),
        (
            write_used("update", None, "\ta\n\tb\n", patch(1, 1, "   a", "+  b")),
            ("modify", None, "\ta\n\tb\n", (Hunk(1, 1, (" \ta", "+\tb")),)),
        ),
        (None, ("create", None, "asked\n", ())),
    ],
)
def test_write_creates_or_replaces(tmp_path: Path, used: Any, expected: Any) -> None:
    args = {"file_path": f"{CWD}/a.py", "content": "asked\n"}
    found = edit(tmp_path, "Write", args, used)
    assert (found.operation, found.old, found.new, found.hunks) == expected


def test_a_write_that_a_person_changed_claims_the_agents_lines(tmp_path: Path) -> None:
    used = write_used("create", None, "agent's\nhuman's\n", userModified=True)
    args = {"file_path": f"{CWD}/a.py", "content": "agent's\n"}
    found = edit(tmp_path, "Write", args, used)
    assert (found.operation, found.new) == ("create", "agent's")
    assert found.hunks == (Hunk(0, 1, ("+agent's",)),)


def test_multi_edit_is_one_edit_a_step(tmp_path: Path) -> None:
    steps = [
        {"old_string": "a", "new_string": "b"},
        {"old_string": "b", "new_string": "c", "replace_all": True},
    ]
    args = {"file_path": f"{CWD}/a.py", "edits": steps}
    found = edits(tmp_path, "MultiEdit", args, {"originalFileContents": "a\nb\n"})
    assert [(e.n, e.old, e.new) for e in found] == [(0, "a", "b"), (1, "b", "c")]
    assert found[0].hunks == (Hunk(1, 1, ("-a", "+b")),)
    assert found[1].hunks == (Hunk(1, 1, ("-b", "+c")), Hunk(2, 2, ("-b", "+c")))


def test_notebooks_give_the_whole_file_where_it_is_known(tmp_path: Path) -> None:
    args = {"notebook_path": f"{CWD}/n.ipynb", "new_source": "x = 1"}
    whole = {"original_file": "{}\n", "updated_file": '{"x": 1}\n'}
    found = edit(tmp_path, "NotebookEdit", args, whole)
    assert (found.path, found.old, found.new) == (f"{CWD}/n.ipynb", "{}\n", '{"x": 1}\n')
    assert edit(tmp_path, "NotebookEdit", args, {}).new == "x = 1"
    assert not edits(tmp_path, "NotebookEdit", args, {"error": "no such cell"})


@pytest.mark.parametrize(
    ("tool", "args", "expected"),
    [
        (
            "mcp__fs__edit_file",
            {"path": "/x/a", "edits": [{"oldText": "a", "newText": "b"}]},
            ("/x/a", "modify", "a", "b"),
        ),
        ("mcp__fs__write_file", {"path": "a", "content": "t"}, (f"{CWD}/a", "create", None, "t")),
        (
            "mcp__x__str_replace",
            {"path": "/x", "old_str": "a", "new_str": "b"},
            ("/x", "modify", "a", "b"),
        ),
        (
            "mcp__serena__insert_after_symbol",
            {"relative_path": "a.py", "body": "def f(): ..."},
            (f"{CWD}/a.py", "modify", None, "def f(): ..."),
        ),
    ],
)
def test_editors_of_mcp_servers(tmp_path: Path, tool: str, args: Any, expected: Any) -> None:
    found = edit(tmp_path, tool, args)
    assert (found.path, found.operation, found.old, found.new) == expected


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("mcp__fs__read_file", {"path": "/x", "content": "t"}),
        ("mcp__fs__edit_file", {"path": "/x", "edits": [{"newText": "b"}], "dryRun": True}),
        ("mcp__github__create_file", {"owner": "o", "repo": "r", "path": "a", "content": "t"}),
        ("Read", {"file_path": "/x"}),
        ("Edit", {"file_path": "/x"}),
        ("Edit", "not an object"),
    ],
)
def test_what_wrote_no_file_here_is_no_edit(tmp_path: Path, tool: str, args: Any) -> None:
    assert not edits(tmp_path, tool, args)


@pytest.mark.parametrize(
    ("content", "used", "error"),
    [
        ("<tool_use_error>no such text</tool_use_error>", "Error: no such text", True),
        ("The user doesn't want to proceed", "User rejected tool use", True),
        ("<tool_use_error>x</tool_use_error>", None, None),
        ("", {"interrupted": True, "stdout": "", "stderr": ""}, None),
    ],
)
def test_a_failed_or_refused_call_wrote_nothing(
    tmp_path: Path, content: str, used: Any, error: bool | None
) -> None:
    for tool, args in (("Edit", edit_args("a", "b")), ("Bash", {"command": "echo x > f"})):
        items = read(
            tmp_path,
            call("a1", None, tool, args),
            result("r1", "a1", content, used, error=error),
        )
        assert not only(items, Edit)


def test_a_call_without_result_wrote_nothing(tmp_path: Path) -> None:
    assert not only(read(tmp_path, call("a1", None, "Edit", edit_args("a", "b"))), Edit)


def test_a_result_that_comes_twice_is_one_edit(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        call("a1", None, "Edit", edit_args("a", "b")),
        result("r1", "a1", "ok"),
        result("r2", "a1", "ok"),
    )
    assert one_edit(items).tool_use_id == "t-a1"


@pytest.mark.parametrize(
    ("cwd", "path", "expected"),
    [
        (CWD, "src/a.py", f"{CWD}/src/a.py"),
        (CWD, "../b/a.py", "/work/b/a.py"),
        (CWD, "C:\\x\\a.py", "C:\\x\\a.py"),
        ("C:\\x", "src\\a.py", "C:\\x\\src\\a.py"),
        (None, "src/a.py", "src/a.py"),
    ],
)
def test_paths(tmp_path: Path, cwd: str | None, path: str, expected: str) -> None:
    args = {"file_path": path, "old_string": "a", "new_string": "b"}
    items = read(tmp_path, call("a1", None, "Edit", args, cwd=cwd), result("r1", "a1", "ok"))
    assert one_edit(items).path == expected


def test_what_a_shell_command_wrote(tmp_path: Path) -> None:
    command = {"command": "cat > a.txt <<'EOF'\nhello\nEOF\nmv b c"}
    items = edits(tmp_path, "Bash", command, {"stdout": "", "stderr": ""}, error=False)
    assert [(e.n, e.origin, e.path, e.operation, e.new, e.old_path) for e in items] == [
        (0, "shell", f"{CWD}/a.txt", "create", "hello\n", None),
        (1, "shell", f"{CWD}/c", "rename", None, f"{CWD}/b"),
    ]


def test_the_big_line_is_read_like_the_small_one(tmp_path: Path) -> None:
    """Dropping the original file before decoding must not change what is found."""
    body = "".join(f"line {n}\n" for n in range(2_000))
    shown = patch(10, 10, " line 8", "-line 9", "+line nine", " line 10")
    args = edit_args("line 9\n", "line nine\n")
    with_file = edit(tmp_path, "Edit", args, edit_used("line 9\n", "line nine\n", body, shown))
    without = edit(tmp_path, "Edit", args, edit_used("line 9\n", "line nine\n", None, shown))
    assert with_file == without
