"""Cline and Roo: tasks in folders, calls as blocks or as XML."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from funes_git.sessionfile import open_session
from funes_git_parsers import searchreplace
from funes_git_parsers.base import Edit, Item, Places, Retraction, Turn
from funes_git_parsers.cline import CLINE, ROO, ClineFormat

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


def test_a_session_of_the_newer_kind_has_a_manifest() -> None:
    found = turns(read(CLINE, "cline")["ses_1"])
    assert [(t.role, t.workdir, t.model) for t in found] == [
        ("user", "/w/lib", None),
        ("assistant", "/w/lib", "m-2"),
    ]


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
