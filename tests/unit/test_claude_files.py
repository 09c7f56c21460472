"""Claude Code: where sessions lie, whose a file is, what it touched, and sub-agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from claude_records import (
    CWD,
    SID,
    call,
    lines,
    only,
    opened,
    read,
    read_path,
    record,
    result,
    says,
    source,
    turns,
    user,
)

from funes_git_parsers import claude
from funes_git_parsers.base import Edit, Places, Retraction, Spawn, Turn

DATA = Path(__file__).parents[1] / "data" / "claude"


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    return path


def test_sessions_and_their_sub_agents_are_found(tmp_path: Path) -> None:
    projects = tmp_path / ".claude" / "projects"
    found = [
        touch(projects / "-work-x" / f"{SID}.jsonl"),
        touch(projects / "-work-x" / SID / "subagents" / "agent-a1.jsonl"),
        touch(projects / "-work-x" / "agent-old.jsonl"),
    ]
    touch(projects / "-work-x" / SID / "subagents" / "agent-a1.meta.json")
    touch(projects / "-work-x" / SID / "tool-results" / "t1.txt")
    sources = list(claude.discover(Places(tmp_path, {})))
    assert sorted(s.path for s in sources) == sorted(found)
    assert {(s.harness, s.size) for s in sources} == {("claude_code", 3)}


def test_several_configuration_folders(tmp_path: Path) -> None:
    one = touch(tmp_path / "one" / "projects" / "x" / "a.jsonl")
    two = touch(tmp_path / "two" / "projects" / "x" / "b.jsonl")
    touch(tmp_path / ".claude" / "projects" / "x" / "c.jsonl")
    places = Places(tmp_path, {"CLAUDE_CONFIG_DIR": f"{tmp_path}/one, ~/two,{tmp_path}/gone"})
    assert [s.path for s in claude.discover(places)] == [one, two]
    assert claude.folders(places)[1] == tmp_path / "two" / "projects"


@pytest.mark.parametrize(
    "first",
    [
        user("u1", None, "hello"),
        {"type": "summary", "summary": "x", "leafUuid": "y"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": SID, "content": "x"},
        record("p", None, "progress", None, data={"type": "hook_progress"}),
    ],
)
def test_own_files_are_claimed(first: Any) -> None:
    assert claude.claim(Path("full.jsonl"), lines({"type": "unknown"}, first))


def test_a_first_line_longer_than_the_head_is_claimed() -> None:
    head = lines(user("u1", None, "x" * 100_000))[:65_536]
    assert not claude.claim(Path("a.jsonl"), head[:10])
    parts = record("p", None, "attachment", None)
    assert claude.claim(
        Path("a.jsonl"), lines({**parts, "attachment": {"x": "y" * 99_999}})[:9_999]
    )


@pytest.mark.parametrize(
    "line",
    [
        b'{"timestamp":"x","type":"session_meta","payload":{"id":"a"}}\n',
        b'{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x"}}\n',
        b'{"uuid":"a","parentUuid":null,"sessionId":"s","type":"user","message":{"parts":[]}}\n',
        b'{"display":"x","project":"/x","sessionId":"s","timestamp":1}\n',
        b'{"hook_event_name":"Stop","session_id":"s","type":[]}\n',
        b"",
        b"\xff\xfe not json",
    ],
)
def test_other_files_are_not_claimed(line: bytes) -> None:
    assert not claude.claim(Path("a.jsonl"), line)


def test_roots_hold_every_folder_and_path(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        lines(
            user("u1", None, "x", cwd="/work/wid get"),
            call("a1", "u1", "Edit", {"file_path": "C:\\x\\a.py", "old_string": "a"}),
            call("a2", "a1", "NotebookEdit", {"notebook_path": "/n/ü.ipynb"}),
            call("a3", "a2", "Bash", {"command": "cd /other/repo && echo hi > /log/x.txt"}),
            call("a4", "a3", "Write", {"file_path": "relative.py"}),
        )[:-1]
    )
    found = claude.roots(source(path), opened)
    expected = {"/work/wid get", CWD, "C:\\x\\a.py", "/n/ü.ipynb", "/other/repo", "/log/x.txt"}
    assert expected <= found
    assert "relative.py" not in found


@pytest.mark.parametrize("name", ["auth-go.jsonl", "context-evaluator.jsonl"])
def test_roots_cover_what_is_read(name: str) -> None:
    found = claude.roots(source(DATA / name), opened)
    items, _ = read_path(DATA / name)
    assert {t.workdir for t in only(items, Turn) if t.workdir} <= found
    for edit in only(items, Edit):
        assert any(edit.path.startswith(root) for root in found)


# --- sub-agents ---------------------------------------------------------------------------------


def inner(uuid: str, kind: str, content: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": uuid,
        "timestamp": "2026-03-01T10:00:02.000Z",
    }


def progress(uuid: str, parent: str, message: dict[str, Any]) -> dict[str, Any]:
    data = {"message": message, "type": "agent_progress", "agentId": "ag1"}
    return record(uuid, parent, "progress", None, data=data, parentToolUseID="t-a1")


EDIT = {"type": "tool_use", "id": "t-x", "name": "Edit"} | {
    "input": {"file_path": "/work/widget/a.py", "old_string": "a", "new_string": "b"}
}
DONE = {"type": "tool_result", "tool_use_id": "t-x", "content": "ok"}
PARENT = (
    user("u1", None, "go"),
    call("a1", "u1", "Task", {"prompt": "change it"}),
    progress("p1", "a1", inner("i1", "user", "change it")),
    progress("p2", "p1", inner("i2", "assistant", [EDIT])),
    progress("p3", "p2", inner("i3", "user", [DONE])),
    result("r1", "a1", "changed", {"status": "completed", "agentId": "ag1"}),
    says("a2", "r1", "done"),
)


def child(n: str = "") -> list[dict[str, Any]]:
    """The sub-agent's own file, with the same records (or, with `n`, other uuids)."""
    side = {"isSidechain": True, "agentId": "ag1"}
    return [
        user(f"i1{n}", None, "change it", **side),
        record(f"i2{n}", f"i1{n}", "assistant", [EDIT], **side),
        user(f"i3{n}", f"i2{n}", [DONE], **side),
    ]


def test_a_sub_agent_inside_its_parents_file(tmp_path: Path) -> None:
    items = read(tmp_path, *PARENT)
    found = turns(items)
    assert [(t.thread, t.is_prompt) for t in found.values()] == [
        (None, True),
        (None, False),
        ("ag1", False),
        ("ag1", False),
        ("ag1", False),
        (None, False),
        (None, False),
    ]
    assert [found[f"i{n}"].parent_uuid for n in (1, 2, 3)] == [None, "i1", "i2"]
    assert {found[f"i{n}"].session_id for n in (1, 2, 3)} == {SID}
    assert found["i2"].workdir == CWD
    assert [(e.turn_uuid, e.path) for e in only(items, Edit)] == [("i2", "/work/widget/a.py")]
    assert only(items, Spawn) == [Spawn(SID, "a1", "ag1")]
    assert (found["a2"].parent_uuid, found["a2"].exchange) == ("r1", "u1")


@pytest.mark.parametrize("folder", [f"{SID}/subagents", "."])
@pytest.mark.parametrize("n", ["", "-other"])
def test_a_sub_agent_with_its_own_file_is_read_there_only(
    tmp_path: Path, folder: str, n: str
) -> None:
    own = tmp_path / folder / "agent-ag1.jsonl"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_bytes(lines(*child(n)))
    items = read(tmp_path, *PARENT)
    assert list(turns(items)) == ["u1", "a1", "r1", "a2"]
    assert turns(items)["a2"].exchange == "u1"
    assert not only(items, Edit)
    assert only(items, Spawn) == [Spawn(SID, "a1", "ag1")]
    inside, _ = read_path(own)
    assert [(t.session_id, t.thread, t.is_prompt) for t in only(inside, Turn)] == [
        (SID, "ag1", False)
    ] * 3
    assert len(only(inside, Edit)) == 1


def test_a_sub_agent_that_has_not_ended_is_known_by_its_meta_file(tmp_path: Path) -> None:
    folder = tmp_path / SID / "subagents"
    folder.mkdir(parents=True)
    path = tmp_path / f"{SID}.jsonl"
    path.write_bytes(lines(*PARENT[:2]))
    before, cursor = read_path(path)
    assert not only(before, Spawn)
    (folder / "agent-ag1.meta.json").write_text(json.dumps({"toolUseId": "t-a1"}))
    (folder / "agent-bad.meta.json").write_text("{")
    after, cursor = read_path(path, cursor)
    assert after == [Spawn(SID, "a1", "ag1")]
    assert read_path(path, cursor)[0] == []
    assert Spawn(SID, "a1", "ag1") in read_path(path)[0]


def test_a_side_chain_in_the_same_file_is_a_thread(tmp_path: Path) -> None:
    side = {"isSidechain": True}
    items = read(
        tmp_path,
        user("u1", None, "go"),
        user("s1", None, "look around", **side),
        says("s2", "s1", "seen", **side),
        says("a1", "u1", "done"),
    )
    found = turns(items)
    assert [found[u].thread for u in ("s1", "s2", "a1")] == ["s1", "s1", None]
    assert not found["s1"].is_prompt


def test_a_whole_real_session() -> None:
    folder = DATA / "2.1.197"
    (path,) = folder.glob("*.jsonl")
    items, _ = read_path(path)
    prompts = [t.blocks[0].text for t in only(items, Turn) if t.is_prompt]
    assert prompts == [
        "Make greet return hello, test it and commit.",
        "Second prompt: write a readme.",
    ]
    assert [(e.tool, e.operation, Path(e.path).name) for e in only(items, Edit)] == [
        ("Edit", "modify", "app.py"),
        ("Write", "create", "test_app.py"),
        ("Bash", "create", "README.md"),
    ]
    printed = [c.sha[:7] for t in only(items, Turn) for b in t.blocks for c in b.commits]
    assert printed == ["497357d", "59ed65c"]
    assert [s.thread for s in only(items, Spawn)] == ["a8c3dea997cd810e7"]
    chained = [t for t in only(items, Turn) if t.parent_uuid is None]
    assert [t.turn_uuid[:8] for t in chained] == ["8365ef88"], "one chain from the first prompt"


def test_a_real_commit_and_an_edit_without_its_original() -> None:
    items, _ = read_path(DATA / "auth-go.jsonl")
    gone = {item.turn_uuid for item in only(items, Retraction)}
    prompts = [t for t in only(items, Turn) if t.is_prompt and t.turn_uuid not in gone]
    assert [t.blocks[0].text for t in prompts] == ["commit"]
    assert [c.sha for t in only(items, Turn) for b in t.blocks for c in b.commits]
    (edit,) = [e for e in only(items, Edit) if e.tool == "Edit"]
    added = [line[1:] for hunk in edit.hunks for line in hunk.lines if line[0] == "+"]
    assert added
    assert set(added) <= set((edit.new or "").split("\n"))


def test_roots_are_found_in_json_with_spaces(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    records = [json.loads(line) for line in (DATA / "auth-go.jsonl").read_text().splitlines()]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    found = claude.roots(source(path), opened)
    assert found == claude.roots(source(DATA / "auth-go.jsonl"), opened)
    assert found
