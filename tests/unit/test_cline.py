"""Cline and Roo: tasks in folders, calls as blocks or as XML."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from funes_git.sessionfile import open_session
from funes_git_parsers import searchreplace
from funes_git_parsers.base import Block, Edit, Item, Places, Retraction, Session, Spawn, Turn
from funes_git_parsers.cline import CLINE, ROO, ClineFormat, sessions
from funes_git_parsers.cline.sessions import Talk
from funes_git_parsers.conversation import Message

DATA = Path(__file__).parents[1] / "data"


def read(parser: ClineFormat, name: str) -> dict[str, list[Item]]:
    """The items of each session of a sample home, by session."""
    places = Places(DATA / name / "home", {})
    found: dict[str, list[Item]] = {}
    for source in parser.discover(places):
        items = list(parser.read(source, None, open_session))
        found[next(i.session_id for i in items if isinstance(i, Turn))] = items
    return found


def turns(items: list[Item]) -> list[Turn]:
    return [item for item in items if isinstance(item, Turn)]


def edits(items: list[Item]) -> list[Edit]:
    return [item for item in items if isinstance(item, Edit)]


def test_a_task_of_cline_has_its_folder_from_what_the_model_was_told() -> None:
    items = read(CLINE, "cline")["1767000000000"]
    found = turns(items)
    assert {t.workdir for t in found} == {"/w/app"}
    assert [t.is_prompt for t in found] == [True, *[False] * 6]
    assert [b.scaffold for b in found[0].blocks] == [None, "environment"]
    assert found[0].ts == 1767000001.0
    assert found[1].blocks[0].text == "An LRU bound keeps hot keys."


def test_results_that_are_text_answer_the_call_before_them() -> None:
    items = read(CLINE, "cline")["1767000000000"]
    result = turns(items)[2].blocks[0]
    assert (result.type, result.tool, result.is_error) == ("tool_result", "replace_in_file", None)
    denied = turns(items)[4].blocks[0]
    assert (denied.tool, denied.is_error) == ("write_to_file", True)
    (edit,) = edits(items)
    assert (edit.path, edit.old, edit.new) == (
        "/w/app/src/cache.py",
        "SIZE = None\n",
        "SIZE = 128\n",
    )
    (commit,) = turns(items)[6].blocks[0].commits
    assert (commit.sha, commit.subject) == ("1234abc", "Cap the cache")


SESSION = "1796072303408_6dgnt"
AGENT = f"{SESSION}__agent_1796072308512_jff0sa"


@pytest.fixture(scope="module")
def real() -> dict[str, list[Item]]:
    """What `cline` 3.0.65 wrote: a session with a sub-agent, edits, commands and a commit."""
    return read(CLINE, "cline")


def test_a_session_of_the_command_line_has_a_manifest(real: dict[str, list[Item]]) -> None:
    title = "Make greet return hello and commit."
    (session,) = [item for item in real[SESSION] if isinstance(item, Session)]
    assert session == Session(SESSION, "cline", title, version="3.0.65")
    found = turns(real[SESSION])
    assert {(t.workdir, t.branch) for t in found} == {("/w/lib", "main")}
    assert {t.model for t in found if t.role == "assistant"} == {"fake-model"}
    assert [t.turn_uuid for t in found if t.is_prompt] == [found[0].turn_uuid]
    assert found[0].blocks == (Block("text", title),)
    assert (found[0].ts, found[0].head) == (
        1796072304.82,
        "2d5515f56cabaea85c73e199d59ca4b1c09503d5",
    )
    assert {t.head for t in found[1:]} == {None}


def test_the_editor_replaces_inserts_and_makes_files(real: dict[str, list[Item]]) -> None:
    found = [e for e in edits(real[SESSION]) if e.origin == "tool"]
    assert [(e.path, e.operation, e.old, e.new) for e in found] == [
        ("/w/lib/app.py", "modify", '    return "hi"', '    return "hello"'),
        ("/w/lib/new.txt", "create", None, "one\ntwo\n"),
        ("/w/lib/new.txt", "modify", None, "zero\n"),
    ], "one that failed is none"


def test_each_command_of_a_call_has_its_own_end(real: dict[str, list[Item]]) -> None:
    calls = [b for t in turns(real[SESSION]) for b in t.blocks if b.tool == "run_commands"]
    asked, ended = calls[:3], calls[3:]
    assert asked[1].text == '{"command":"echo ran > ran.txt"}'
    assert [b.tool_use_id for b in asked] == ["call_7_0", "call_7_0~2", "call_7_0~3"]
    assert [b.tool_use_id for b in ended] == [b.tool_use_id for b in asked]
    assert [(b.exit_code, b.is_error) for b in ended] == [(0, False), (0, False), (1, True)]
    assert [c.sha for c in ended[0].commits] == ["422086602f8d1159841e9d0dc8cd8e80a0222415"]
    (wrote,) = [e for e in edits(real[SESSION]) if e.origin == "shell"]
    assert (wrote.path, wrote.new) == ("/w/lib/ran.txt", "ran\n")


def test_what_tools_found_is_text(real: dict[str, list[Item]]) -> None:
    (result,) = [
        b
        for t in turns(real[SESSION])
        for b in t.blocks
        if b.type == "tool_result" and b.tool == "read_files"
    ]
    assert result.text == '1 | def greet():\n2 |     return "hi"'


def test_a_sub_agent_has_a_file_beside_its_parents(real: dict[str, list[Item]]) -> None:
    (session,) = [item for item in real[AGENT] if isinstance(item, Session)]
    assert session == Session(AGENT, "cline", parent_session_id=SESSION, version="3.0.65")
    found = turns(real[AGENT])
    assert [(t.workdir, t.is_prompt) for t in found] == [("/w/lib", False)] * 4
    (spawn,) = [item for item in real[SESSION] if isinstance(item, Spawn)]
    (turn,) = [t for t in turns(real[SESSION]) if t.turn_uuid == spawn.turn_uuid]
    assert spawn.thread == AGENT
    assert turn.blocks[0].tool == "spawn_agent"
    (edit,) = edits(real[AGENT])
    assert (edit.path, edit.new) == ("/w/lib/three.txt", "three by the sub\n")


def messages(*rows: dict[str, Any], **about: Any) -> list[Message]:
    """What is made of the messages of a session."""
    session = sessions.session({}, "s", about, "cline")
    return list(Talk(session, about, ()).messages(list(rows)))


def test_a_prompt_is_what_stands_in_its_element() -> None:
    notice = "<mode_notice>The user switched from plan mode to act mode.</mode_notice>"
    file = '<file_content path="a.py">\nx = 1\n</file_content>'
    text = f'{notice}\n<user_input mode="act">Use </user_input> here.</user_input>\n{file}'
    (message,) = messages({"role": "user", "content": text})
    assert [(b.text.strip(), b.scaffold) for b in message.blocks] == [
        (notice, "environment"),
        ("Use </user_input> here.", None),
        (file, "environment"),
    ]


@pytest.mark.parametrize(
    ("metadata", "mark"),
    [
        ({"kind": "compaction_summary", "displayRole": "system"}, "compaction"),
        ({"displayRole": "system"}, "environment"),
        ({"displayRole": "error", "displayOnly": True}, "api-error"),
        ({"displayRole": "status"}, "task-notification"),
        ({}, None),
    ],
)
def test_what_cline_says_is_marked(metadata: dict[str, Any], mark: str | None) -> None:
    (message,) = messages({"role": "user", "content": "Words.", "metadata": metadata})
    assert message.blocks[0].scaffold == mark


@pytest.mark.parametrize(
    ("asked", "commands"),
    [
        ({"commands": ["a", "b"]}, ["a", "b"]),
        (
            {"commands": [{"command": "git", "args": ["commit", "-m", "x y"]}]},
            ["git commit -m 'x y'"],
        ),
        ({"command": "a"}, ["a"]),
        ({"cmd": "a"}, ["a"]),
        (["a"], ["a"]),
        ("a", ["a"]),
    ],
)
def test_commands_are_told_in_several_forms(asked: Any, commands: list[str]) -> None:
    call = {"type": "tool_use", "id": "c", "name": "run_commands", "input": asked}
    (message,) = messages({"role": "assistant", "content": [call]})
    assert [json.loads(block.text)["command"] for block in message.blocks] == commands


def test_sessions_are_looked_for_where_the_environment_says(tmp_path: Path) -> None:
    def last(**env: str) -> list[str]:
        folders = CLINE.folders(Places(tmp_path, env))[-2:]
        return [str(each.relative_to(tmp_path)) for each in folders]

    at = str(tmp_path / "x")
    assert last() == [".cline/data/tasks", ".cline/data/sessions"]
    assert last(CLINE_DIR=at) == ["x/data/tasks", "x/data/sessions"]
    assert last(CLINE_DATA_DIR=at) == ["x/tasks", "x/sessions"]
    assert last(CLINE_SESSION_DATA_DIR=at) == [".cline/data/tasks", "x"]


def test_calls_of_roo_are_xml_and_only_those_that_ran_count() -> None:
    (items,) = read(ROO, "roo").values()
    found = edits(items)
    assert [(e.path, e.operation) for e in found] == [
        ("/w/app/src/limit.py", "create"),
        ("/w/app/src/limit.py", "modify"),
    ]
    assert found[0].new == 'LIMIT = 128\nTAG = "<content>"\n'
    assert (found[1].old, found[1].new) == ("LIMIT = 128\n", "LIMIT = 256\n")
    said = turns(items)[1]
    assert [b.type for b in said.blocks] == ["thinking", "text", "tool_use", "tool_use"]
    assert (said.blocks[1].text, said.model) == ("I'll write both.", "m-1")
    refused = turns(items)[2].blocks[1]
    assert (refused.tool, refused.is_error) == ("write_to_file", True)
    # a call without an id gets one, by which its result is found
    assert [b.tool_use_id for b in said.blocks[2:]] == [
        block.tool_use_id for block in turns(items)[2].blocks[:2]
    ]
    assert turns(items)[5].blocks[0].scaffold == "compaction"
    assert turns(items)[7].blocks[0].commits[0].sha == "5678def"


def test_messages_that_were_taken_back_are_retracted(tmp_path: Path) -> None:
    shutil.copytree(DATA / "roo" / "home", tmp_path, dirs_exist_ok=True)
    (source,) = ROO.discover(Places(tmp_path, {}))
    first = list(ROO.read(source, None, open_session))
    rows = json.loads(source.path.read_text())
    source.path.write_text(json.dumps(rows[:6]))
    again = list(ROO.read(source, getattr(first[-1], "text", None), open_session))
    task = source.path.parent.name
    assert [item for item in again if not hasattr(item, "text")] == [
        Retraction(task, f"{task}-6"),
        Retraction(task, f"{task}-7"),
    ]


def test_a_task_elsewhere_is_clines_if_its_name_is_a_time(tmp_path: Path) -> None:
    for task, owner in (("1767000000000", CLINE), ("0b6dc504-670c", ROO)):
        path = tmp_path / task / "api_conversation_history.json"
        assert [p for p in (CLINE, ROO) if p.claim(path, b"[")] == [owner]


def test_markers_of_every_make_are_read() -> None:
    text = (
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
        "------- SEARCH>\n=======\nnew\n+++++++ REPLACE>\n"
        "<<<<<<< SEARCH\n:start_line:7\n:end_line:9\n-------\nc\n=======\n>>>>>>> REPLACE\n"
        "<<<<<<< SEARCH\nnever closed\n"
    )
    assert searchreplace.blocks(text) == [("a\n", "b\n"), ("", "new\n"), ("c\n", "")]
