"""OpenCode: the same session in a database, a tree of files and an export."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from opencode_records import FOLDER, PROJECT, SHARE, START, Story, diff, sample, text
from sources import Sources

from funes_git_parsers.base import Edit, Hunk, PrintedCommit, Retraction, Session, Spawn, Turn
from funes_git_parsers.opencode import OPENCODE


@pytest.fixture
def found(tmp_path: Path) -> Sources:
    return Sources(OPENCODE, tmp_path)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / SHARE / "opencode.db"


@pytest.fixture
def story() -> Story:
    return Story()


def test_every_form_gives_the_same(tmp_path: Path, found: Sources, database: Path) -> None:
    story = sample()
    story.database(database)
    of_database, _ = found.read("ses_1")
    database.unlink()
    story.tree(tmp_path / SHARE / "storage")
    of_tree, _ = found.read("ses_1")
    path = story.export(tmp_path / "export.json")
    assert OPENCODE.claim(path, path.read_bytes()[:65536])
    (source,) = OPENCODE.sessions(path)
    of_export = list(OPENCODE.read(source, None, lambda path: path.open("rb")))[:-1]
    assert of_database == of_tree == of_export
    assert OPENCODE.roots(source, lambda path: path.open("rb")) == {
        FOLDER,
        "/w/repo/app.py",
        f"commit:{PROJECT}",
    }


def test_a_message_is_a_turn_and_so_is_each_result(found: Sources, database: Path) -> None:
    sample().database(database)
    assert found.items("ses_1", Session) == [
        Session("ses_1", "opencode", "A title", version="1.18.33")
    ]
    ask, say = "msg_1_000", "msg_1_001"
    assert [(t.turn_uuid, t.seq, t.role, t.parent_uuid) for t in found.turns("ses_1")] == [
        (ask, 0, "user", None),
        (say, 1, "assistant", ask),
        ("prt_1_001_3", 2, "tool", say),
        ("prt_1_001_4", 3, "tool", "prt_1_001_3"),
        ("msg_1_002", 4, "assistant", "prt_1_001_4"),
        ("prt_1_002_0", 5, "tool", "msg_1_002"),
        ("msg_1_003", 6, "assistant", "prt_1_002_0"),
    ]
    turns = found.turns("ses_1")
    assert {(t.exchange, t.workdir) for t in turns} == {(ask, FOLDER)}
    assert [t.is_prompt for t in turns] == [True] + [False] * 6
    assert [t.model for t in turns[:3]] == [None, "m-1", None]
    assert [b.type for b in turns[1].blocks] == ["thinking", "text", "tool_use", "tool_use"]
    assert turns[0].ts == START / 1000 + 1
    (edit,) = found.edits("ses_1")
    hunk = Hunk(1, 1, (" def greet():", '-    return "hi"', '+    return "hello"'))
    call_id = turns[1].blocks[3].tool_use_id
    assert call_id
    assert edit == Edit(
        *("ses_1", say, call_id, 0, START / 1000 + 2, "/w/repo/app.py", "modify", "edit"),
        *('"hi"', '"hello"', None, (hunk,)),
    )
    result = turns[5].blocks[0]
    assert (result.tool, result.exit_code, result.is_error) == ("bash", 0, False)
    assert result.commits == (PrintedCommit("1a2b3c4", "commit", "main", "Hello"),)


def test_the_database_wins_and_the_tree_fills_up(
    tmp_path: Path, found: Sources, database: Path
) -> None:
    """ccusage/ccusage#966: A in the tree and in the database, B only in the one, C in the other."""
    for name in ("a", "c"):
        story = Story(f"ses_{name}")
        story.message("user", text(f"{name} in the tree"))
        story.tree(tmp_path / SHARE / "storage")
    for name in ("a", "b"):
        story = Story(f"ses_{name}")
        story.message("user", text(f"{name} in the database"))
        story.database(database)
    keys = [source.key for source in found.found()]
    assert keys == ["ses_a", "ses_b", "ses_c"]
    assert [found.texts(key) for key in keys] == [
        ["a in the database"], ["b in the database"], ["c in the tree"],
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["database", "tree"])
def test_what_changed_is_discovered_and_read_again(
    tmp_path: Path, found: Sources, database: Path, form: str
) -> None:
    def write(story: Story) -> None:
        story.database(database) if form == "database" else story.tree(tmp_path / SHARE / "storage")

    story = Story()
    story.message("user", text("Write it."))
    part = story.tool("write", {"filePath": "/w/repo/a.py", "content": "a\n"}, status="running")
    story.message("assistant", part)
    write(story)
    items, cursor = found.read("ses_1")
    assert [type(item) for item in items] == [Session, Turn, Turn]
    before = found.source("ses_1")
    part["state"]["status"] = "completed"
    story.messages[1]["info"]["time"]["completed"] = story.tick()
    story.messages[1]["parts"][0] |= part
    write(story)
    after = found.source("ses_1")
    assert (before.size, before.mtime_ns) != (after.size, after.mtime_ns)
    items, cursor = found.read("ses_1", cursor)
    turn, edit, result = items
    assert isinstance(turn, Turn)
    assert isinstance(edit, Edit)
    assert isinstance(result, Turn)
    assert (turn.turn_uuid, edit.new, result.role) == ("msg_1_001", "a\n", "tool")
    assert found.read("ses_1", cursor) == ([], cursor)


def test_a_message_that_was_removed_is_taken_back(found: Sources, database: Path) -> None:
    story = Story()
    story.message("user", text("Stays."))
    gone = story.message("user", text("Goes."))
    story.database(database)
    _, cursor = found.read("ses_1")
    story.messages.pop()
    story.database(database)
    assert found.read("ses_1", cursor)[0] == [Retraction("ses_1", gone)]


def test_a_revert_takes_back_from_its_message_on(found: Sources, database: Path) -> None:
    story = Story()
    story.message("user", text("Stays."))
    wrong = story.message("user", text("Wrong."))
    said = story.message("assistant", text("So be it."))
    story.info["revert"] = {"messageID": wrong}
    story.database(database)
    items, cursor = found.read("ses_1")
    assert [item.turn_uuid for item in items if isinstance(item, Retraction)] == [wrong, said]
    del story.info["revert"]
    story.database(database)
    items, _ = found.read("ses_1", cursor)
    assert [item.turn_uuid for item in items if isinstance(item, Turn)] == [wrong, said]
    assert not [item for item in items if isinstance(item, Retraction)]


def test_children_are_sub_agents(found: Sources, database: Path) -> None:
    story = Story()
    story.message("user", text("Look around."))
    args = {"description": "Look", "prompt": "Look.", "subagent_type": "explore"}
    turn = story.message("assistant", story.tool("task", args, metadata={"sessionId": "ses_child"}))
    story.database(database)
    child = Story("ses_child", parentID="ses_1")
    child.message("user", text("Look."))
    child.database(database)
    assert found.items("ses_1", Spawn) == [Spawn("ses_1", turn, "ses_child")]
    assert found.items("ses_child", Session)[0].parent_session_id == "ses_1"
    (task,) = found.turns("ses_child")
    assert [block.text for block in task.blocks] == ["Look."]
    assert (task.is_prompt, task.exchange) == (False, None)


# Tools


def changes(
    found: Sources, database: Path, story: Story, tool: str, args: Any, **state: Any
) -> list[tuple[object, ...]]:
    story.message("assistant", story.tool(tool, args, **state))
    story.database(database)
    return [(e.path, e.operation, e.old, e.new, e.old_path, e.hunks) for e in found.edits("ses_1")]


def test_an_edit_of_which_both_texts_were_kept(
    found: Sources, database: Path, story: Story
) -> None:
    args = {"filePath": "a.py", "oldString": "b", "newString": "c"}
    kept = {"filediff": {"file": "/w/repo/a.py", "before": "a\nb\n", "after": "a\nc\n"}}
    assert changes(found, database, story, "edit", args, metadata=kept) == [
        ("/w/repo/a.py", "modify", "a\nb\n", "a\nc\n", None, ()),
    ]


INDENTED = (" \tif ready:", "-\t\tgo()", "+\t\tgo_on()", "+\t\tstop()")


def restored(found: Sources) -> tuple[str, ...]:
    return tuple(
        line for edit in found.edits("ses_1") for hunk in edit.hunks for line in hunk.lines
    )


def test_indentation_is_restored_from_the_texts(
    found: Sources, database: Path, story: Story
) -> None:
    """OpenCode's `trimDiff` takes the indentation that the lines of a diff share."""
    args = {"filePath": "/w/repo/a.py", "oldString": "go()", "newString": "go_on()\n\t\tstop()"}
    kept = diff("/w/repo/a.py", *INDENTED)
    assert "-\tgo()" in kept["diff"]
    changes(found, database, story, "edit", args, metadata=kept)
    assert restored(found) == INDENTED


def test_indentation_is_restored_from_what_was_read(
    found: Sources, database: Path, story: Story
) -> None:
    shown = {"filePath": "/w/repo/a.py"}
    story.message("assistant", story.tool("read", shown, "00001| \tif ready:\n00002| \t\tgo()\n"))
    args = {"filePath": "/w/repo/a.py", "oldString": "go()", "newString": "go_on(); stop()"}
    lines = (INDENTED[0], INDENTED[1], "+\t\tgo_on(); stop()")
    changes(found, database, story, "edit", args, metadata=diff("/w/repo/a.py", *lines))
    assert restored(found) == lines


def test_indentation_is_restored_from_the_snapshots(
    found: Sources, database: Path, story: Story
) -> None:
    patch = "--- a.py\t\n+++ a.py\t\n@@ -1,2 +1,2 @@\n \tif ready:\n-\t\tgo()\n+\t\tgo_on()\n"
    story.message("user", text("Go on."), summary={"diffs": [{"file": "a.py", "patch": patch}]})
    args = {"filePath": "/w/repo/a.py", "oldString": "go()", "newString": "go_on()"}
    changes(found, database, story, "edit", args, metadata=diff("/w/repo/a.py", *INDENTED[:3]))
    assert restored(found) == INDENTED[:3]


def test_without_a_full_line_there_are_no_hunks(
    found: Sources, database: Path, story: Story
) -> None:
    args = {"filePath": "/w/repo/a.py", "oldString": "go()", "newString": "go_on()"}
    kept = diff("/w/repo/a.py", *INDENTED[:3])
    assert changes(found, database, story, "edit", args, metadata=kept) == [
        ("/w/repo/a.py", "modify", "go()", "go_on()", None, ()),
    ]


PATCH = "\n".join((
    "*** Begin Patch", "*** Add File: new.py", "+a", "*** Update File: b.py", "*** Move to: c.py",
    "@@", "-old", "+new", "*** Delete File: d.py", "*** End Patch",
))  # fmt: skip


def test_a_patch(found: Sources, database: Path, story: Story) -> None:
    assert changes(found, database, story, "apply_patch", {"patchText": PATCH}) == [
        ("/w/repo/new.py", "create", None, "a\n", None, ()),
        ("/w/repo/c.py", "rename", None, None, "/w/repo/b.py", (Hunk(1, 1, ("-old", "+new")),)),
        ("/w/repo/d.py", "delete", None, None, None, ()),
    ]


def test_a_patch_of_which_the_texts_were_kept(found: Sources, database: Path, story: Story) -> None:
    files = [
        {"filePath": "/w/repo/new.py", "type": "add", "before": "", "after": "a\n"},
        {"filePath": "/w/repo/b.py", "type": "move", "movePath": "/w/repo/c.py",
         "before": "old\n", "after": "new\n"},
        {"filePath": "/w/repo/d.py", "type": "delete", "before": "d\n", "after": ""},
    ]  # fmt: skip
    asked = {"patchText": PATCH}
    assert changes(found, database, story, "apply_patch", asked, metadata={"files": files}) == [
        ("/w/repo/new.py", "create", None, "a\n", None, ()),
        ("/w/repo/c.py", "rename", "old\n", "new\n", "/w/repo/b.py", ()),
        ("/w/repo/d.py", "delete", "d\n", None, None, ()),
    ]


@pytest.mark.parametrize(("exists", "operation"), [(False, "create"), (True, "modify")])
def test_a_written_file(
    found: Sources, database: Path, story: Story, *, exists: bool, operation: str
) -> None:
    args = {"filePath": "/w/repo/a.py", "content": "a\n"}
    kept = {"filepath": "/w/repo/a.py", "exists": exists}
    assert changes(found, database, story, "write", args, metadata=kept) == [
        ("/w/repo/a.py", operation, None, "a\n", None, ()),
    ]


def test_several_edits_in_one_call(found: Sources, database: Path, story: Story) -> None:
    steps = [{"oldString": "a", "newString": "b"}, {"oldString": "c", "newString": "d"}]
    args = {"filePath": "a.py", "edits": steps}
    assert [(e[2], e[3]) for e in changes(found, database, story, "multiedit", args)] == [
        ("a", "b"),
        ("c", "d"),
    ]


def test_a_command_that_wrote_and_one_that_failed(
    found: Sources, database: Path, story: Story
) -> None:
    args = {"command": "echo a > a.txt", "workdir": "/w/other"}
    story.message("assistant", story.tool("bash", args, metadata={"exit": 0}))
    args = {"command": "echo b > b.txt; false"}
    assert changes(found, database, story, "bash", args, metadata={"exit": 1}) == [
        ("/w/other/a.txt", "create", None, "a\n", None, ()),
    ]
    assert [
        (b.exit_code, b.is_error) for b in found.blocks("ses_1") if b.type == "tool_result"
    ] == [
        (0, False),
        (1, True),
    ]


def test_a_call_that_failed_is_no_edit(found: Sources, database: Path, story: Story) -> None:
    args = {"filePath": "a.py", "oldString": "a", "newString": "b"}
    state = {"status": "error", "error": "oldString not found in content"}
    assert changes(found, database, story, "edit", args, output="", **state) == []
    block = found.blocks("ses_1")[-1]
    assert (block.text, block.is_error) == ("oldString not found in content", True)


# Text


def test_what_nobody_typed_is_marked(found: Sources, database: Path, story: Story) -> None:
    story.message("user", text("Called the Read tool", synthetic=True), text("Fix @a.py"))
    story.message("user", {"type": "subtask", "prompt": "Review it.", "description": "d"})
    story.message("user", text("Continue if you have next steps", synthetic=True))
    story.message("user", {"type": "compaction", "auto": True})
    story.message("assistant", text("A summary."), summary=True)
    error = {"name": "APIError", "data": {"message": "Overloaded"}}
    story.message("assistant", error=error)
    story.database(database)
    turns = found.turns("ses_1")
    assert [[b.scaffold for b in t.blocks] for t in turns] == [
        ["environment", None], ["command"], ["environment"], ["compaction"], ["api-error"],
    ]  # fmt: skip
    assert [t.is_prompt for t in turns] == [True, False, False, False, False]
    assert [t.exchange for t in turns] == ["msg_1_000"] + ["msg_1_001"] * 4


def test_files_are_named(found: Sources, database: Path, story: Story) -> None:
    url = "data:image/png;base64," + "A" * 4096
    image = {"type": "file", "mime": "image/png", "url": url}
    local = {"type": "file", "mime": "text/plain", "url": "file:///w/repo/a.py"}
    story.message("user", text("Look."), image, local)
    story.message(
        "assistant", story.tool("read", {"filePath": "a.png"}, "Image", attachments=[image])
    )
    story.database(database)
    assert [text for text in found.texts("ses_1") if "[" in text or "Look" in text] == [
        "Look.", "[image/png, 3 KB]", "[text/plain, file:///w/repo/a.py]",
        "Image\n[image/png, 3 KB]",
    ]  # fmt: skip


def test_ids_that_were_redacted_are_told_apart(tmp_path: Path) -> None:
    story = Story()
    for words in ("One.", "Two."):
        story.message("user", text(words))
        story.messages[-1]["info"]["id"] = "REDACTED"
    path = story.export(tmp_path / "export.json")
    (source,) = OPENCODE.sessions(path)
    items = OPENCODE.read(source, None, lambda path: path.open("rb"))
    assert [i.turn_uuid for i in items if isinstance(i, Turn)] == ["REDACTED", "REDACTED~2"]


@pytest.mark.parametrize(
    "data",
    ["", "null", "[]", "{", '{"role": 5}', '{"role": "assistant", "time": [], "path": 3}',
     '{"role": "user", "summary": {"diffs": [7, {"file": 1}]}, "time": {"created": -1}}'],
)  # fmt: skip
def test_no_message_makes_it_raise(found: Sources, database: Path, data: str) -> None:
    story = Story()
    story.message("user", text("Before."))
    story.message("assistant", text("Odd."))
    story.database(database)
    with closing(sqlite3.connect(database)) as db:
        db.execute("UPDATE message SET data = ? WHERE id = 'msg_1_001'", (data,))
        db.commit()
    assert found.texts("ses_1")[0] == "Before."


@pytest.mark.parametrize(
    "part",
    [
        None, 7, {"type": "tool"}, {"type": "tool", "state": {"status": "completed"}},
        {"type": "tool", "tool": [], "callID": 3, "state": {"status": "error", "input": "x"}},
        {"type": "tool", "tool": "edit", "state": {"status": "completed", "time": {"start": "x"},
         "input": {"filePath": 1}, "metadata": {"files": [1], "filediff": [], "diff": 4}}},
        {"type": "text", "text": None}, {"type": "file", "url": 3}, {"type": "\ud83d"},
        {"type": "text", "text": "\ud83d"},
    ],
)  # fmt: skip
def test_no_part_makes_it_raise(found: Sources, database: Path, part: Any) -> None:
    story = Story()
    story.message("assistant", text("Before."))
    story.database(database)
    with closing(sqlite3.connect(database)) as db:
        row = ("prt_x", "msg_1_000", "ses_1", 0, 0, json.dumps(part))
        db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)
        db.commit()
    assert found.texts("ses_1")[0] == "Before."
    for words in found.texts("ses_1"):
        words.encode()


def test_a_half_written_file_of_the_tree_is_left_out(tmp_path: Path, found: Sources) -> None:
    story = sample()
    storage = tmp_path / SHARE / "storage"
    story.tree(storage)
    (storage / "part" / "msg_1_001" / "prt_1_001_4.json").write_text('{"type": "tool", "sta')
    (storage / "message" / "ses_1" / "msg_1_003.json").write_bytes(b"")
    assert found.edits("ses_1") == []
    assert [t.turn_uuid for t in found.turns("ses_1")] == [
        "msg_1_000", "msg_1_001", "prt_1_001_3", "msg_1_002", "prt_1_002_0",
    ]  # fmt: skip


def test_every_channel_has_a_database_and_a_pointer_says_so(tmp_path: Path, found: Sources) -> None:
    for name, key in (("opencode.db", "ses_a"), ("opencode-dev.db", "ses_b")):
        story = Story(key)
        story.message("user", text("Hello."))
        story.database(tmp_path / SHARE / name)
    (tmp_path / SHARE / "opencode-old.db").write_text(
        "version https://git-lfs.github.com/spec/v1\n"
    )
    assert {source.key for source in found.found()} == {"ses_a", "ses_b", ""}
    with pytest.raises(OSError, match="Git LFS"):
        found.roots("opencode-old.db")
