"""pi: the tree, its versions, edits with exact lines, and the agents that write alike."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from parsing import Parsed, lines, parsed

from funes_git_parsers import scaffold
from funes_git_parsers.base import (
    Hunk,
    Places,
    PrintedCommit,
    Retraction,
    Session,
    Skipped,
    Spawn,
    Turn,
)
from funes_git_parsers.pi import OMP, OPENCLAW, PI

ID = "019e44d4-6ecf-7c1d-96ab-582effc13411"
FILE = f"/home/ada/.pi/agent/sessions/--w-repo--/2026-05-20T10-00-33-231Z_{ID}.jsonl"
HEADER = {
    "type": "session",
    "version": 3,
    "id": ID,
    "timestamp": "2026-05-20T10:00:33.231Z",
    "cwd": "/w/repo",
}
AT = "2026-05-20T10:01:00.500Z"


def entry(entry_id: str, parent: str | None, kind: str = "message", **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": entry_id, "parentId": parent, "timestamp": AT, **more}


def said(name: str, parent: str | None, role: str, *content: Any, **more: Any) -> dict[str, Any]:
    parts = [{"type": "text", "text": p} if isinstance(p, str) else p for p in content]
    return entry(name, parent, message={"role": role, "content": parts, **more})


def call(name: str, tool_id: str = "t1", **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": tool_id, "name": name, "arguments": arguments}


def result(
    name: str, parent: str, tool: str, text: str = "done", tool_id: str = "t1", **more: Any
) -> dict[str, Any]:
    return said(
        name, parent, "toolResult", text, toolCallId=tool_id, toolName=tool, isError=False, **more
    )


def read(*records: Any) -> Parsed:
    return parsed(PI, FILE, HEADER, *records)


def test_a_conversation_is_a_chain_of_turns() -> None:
    session = read(
        entry("m1", None, "model_change", provider="p", modelId="m"),
        said("u1", "m1", "user", "Cap the cache"),
        said(
            "a1",
            "u1",
            "assistant",
            {"type": "thinking", "thinking": "An LRU bound", "thinkingSignature": "x"},
            "Reading.",
            call("read", path="cache.py"),
            model="claude-sonnet-4-5",
            responseId="msg_1",
        ),
        result("r1", "a1", "read", "SIZE = None"),
    )
    assert session.of(Session) == [Session(ID, "pi", version="format 3")]
    user, answer, output = session.turns
    assert (user.turn_uuid, user.role, user.is_prompt, user.exchange) == ("u1", "user", True, "u1")
    assert user.ts == 1779271260.5
    assert user.parent_uuid is None  # the change of models is no turn
    assert [(b.type, b.text, b.tool) for b in answer.blocks] == [
        ("thinking", "An LRU bound", None),
        ("text", "Reading.", None),
        ("tool_use", '{"path":"cache.py"}', "read"),
    ]
    assert (answer.model, answer.message_id) == ("claude-sonnet-4-5", "msg_1")
    assert (output.role, output.parent_uuid, output.exchange) == ("tool", "a1", "u1")
    assert output.blocks[0].tool == "read"
    assert {turn.workdir for turn in session.turns} == {"/w/repo"}


def test_an_edit_has_the_lines_of_its_patch() -> None:
    session = read(
        said("a1", None, "assistant", call("edit", path="app.py", edits=[
            {"oldText": "hi", "newText": "hello"}, {"oldText": "x", "newText": "y"}])),
        result("r1", "a1", "edit", details={
            "diff": "-1 hi\n+1 hello",
            "patch": "--- app.py\n+++ app.py\n@@ -1,2 +1,2 @@\n-hi\n+hello\n-x\n+y\n"}),
    )  # fmt: skip
    (edit,) = session.edits
    assert (edit.path, edit.operation, edit.turn_uuid) == ("/w/repo/app.py", "modify", "a1")
    assert edit.hunks == (Hunk(1, 1, ("-hi", "+hello", "-x", "+y")),)
    assert (edit.old, edit.new) == (None, None)


def test_edits_of_oh_my_pi_are_told_by_their_results() -> None:
    """As 18.2.3 wrote them: the calls name lines by number, in files by their hash."""
    asked = '[app.py#F924]\nPUT 2.=2:\n+    return "hello"\nPUT >$:\n+# end\n'
    app = {
        "diff": ' 1|def greet():\n-2|    return "hi"\n+2|    return "hello"\n+3|# end',
        "firstChangedLine": 2,
        "op": "update",
        "path": "/w/repo/app.py",
        "oldText": 'def greet():\n    return "hi"\n',
        "newText": 'def greet():\n    return "hello"\n# end\n',
    }
    moved = {
        "diff": " 1|one line of mine\n+2|more of mine",
        "op": "update",
        "move": "/w/repo/old.txt",
        "sourcePath": "/w/repo/new.txt",
        "path": "/w/repo/old.txt",
    }
    failed = {"path": "/w/repo/app.py", "diff": "", "op": "update", "isError": True}
    gone = {"path": "/w/repo/gone.txt", "diff": "-1|x", "op": "delete", "oldText": "x\n"}
    session = read(
        said("a1", None, "assistant", call("edit", i="x", input=asked)),
        result("r1", "a1", "edit", details=app),
        said("a2", "r1", "assistant", call("edit", "t2", i="x", input="[a]\n…")),
        result("r2", "a2", "edit", tool_id="t2", details={"perFileResults": [moved, failed, gone]}),
    )
    lines = (" def greet():", '-    return "hi"', '+    return "hello"', "+# end")
    assert [
        (e.path, e.operation, e.old_path, [h.lines for h in e.hunks]) for e in session.edits
    ] == [
        ("/w/repo/app.py", "modify", None, [lines]),
        ("/w/repo/old.txt", "rename", "/w/repo/new.txt", [(" one line of mine", "+more of mine")]),
        ("/w/repo/gone.txt", "delete", None, []),
    ]


def test_older_versions_show_a_diff_with_line_numbers() -> None:
    shown = "\n".join(
        [
            "     ...",
            "  47   err",
            "  48   exit 1",
            "- 51 # Ensure",
            "+ 51 # Ensure; if not",
            "+ 52 CLEAN=false",
            "  52 if [[ ! -d ]]",
            "     ...",
            "+ 90 last",
        ]
    )
    session = read(
        said("a1", None, "assistant", call("edit", path="/x/i.sh", oldText="a", newText="b")),
        result("r1", "a1", "edit", details={"diff": shown}),
    )
    (edit,) = session.edits
    assert (edit.old, edit.new) == ("a", "b")
    assert edit.hunks == (
        Hunk(47, 47, ("   err", "   exit 1", "-# Ensure", "+# Ensure; if not", "+CLEAN=false",
                      " if [[ ! -d ]]")),
        Hunk(89, 90, ("+last",)),
    )  # fmt: skip


def test_edits_that_models_send_as_a_string_or_alone_are_read() -> None:
    session = read(
        said("a1", None, "assistant",
             call("edit", "t1", path="a", edits='[{"oldText": "1", "newText": "2"}]'),
             call("edit", "t2", path="b", edits={"oldText": "3", "newText": ""}),
             call("edit", "t3", path="c", edits="not json")),
        result("r1", "a1", "edit", tool_id="t1"),
        result("r2", "r1", "edit", tool_id="t2"),
        result("r3", "r2", "edit", tool_id="t3"),
    )  # fmt: skip
    assert [(e.path, e.old, e.new) for e in session.edits] == [
        ("/w/repo/a", "1", "2"),
        ("/w/repo/b", "3", ""),
    ]


def test_what_failed_or_got_no_result_wrote_nothing() -> None:
    session = read(
        said("a1", None, "assistant", call("write", "t1", path="a", content="x"),
             call("write", "t2", path="b", content="y")),
        {**result("r1", "a1", "write", tool_id="t1"),
         "message": {"role": "toolResult", "toolCallId": "t1", "toolName": "write",
                     "isError": True, "content": [{"type": "text", "text": "no"}]}},
    )  # fmt: skip
    assert session.edits == []
    assert session.turns[-1].blocks[0].is_error is True


def test_a_command_has_its_status_its_writes_and_its_commits() -> None:
    commands = "printf 'hi\\n' > n.txt && git add . && git commit -qm x && git rev-parse HEAD"
    sha = "da635387906aca75fb6d53979707db518fb72146"
    session = read(
        said("a1", None, "assistant", call("bash", "t1", command=commands)),
        result("r1", "a1", "bash", sha + "\n", "t1"),
        said("a2", "r1", "assistant", call("bash", "t2", command="false")),
        said("r2", "a2", "toolResult", "(no output)\n\nCommand exited with code 1",
             toolCallId="t2", toolName="bash", isError=True),
    )  # fmt: skip
    first, second = (t.blocks[0] for t in session.turns if t.role == "tool")
    assert (first.exit_code, first.is_error) == (0, False)
    assert first.commits == (PrintedCommit(sha, "rev-parse"),)
    assert (second.exit_code, second.is_error) == (1, True)
    (edit,) = session.edits
    assert (edit.path, edit.new, edit.origin) == ("/w/repo/n.txt", "hi\n", "shell")


def test_a_branch_that_was_given_up_is_taken_back() -> None:
    """Rewinding with /tree: the next entry follows an earlier one than the last."""
    session = read(
        said("u1", None, "user", "one"),
        said("a1", "u1", "assistant", "first try"),
        said("u2", "a1", "user", "go on"),
        said("a2", "u2", "assistant", "wrong"),
        entry("s1", "a1", "branch_summary", fromId="a2", summary="It tried."),
        said("u3", "s1", "user", "differently"),
    )
    assert session.of(Retraction) == [Retraction(ID, "a2"), Retraction(ID, "u2")]
    assert [t.turn_uuid for t in session.current] == ["u1", "a1", "s1", "u3"]
    by = {t.turn_uuid: t for t in session.turns}
    assert by["u3"].parent_uuid == "s1"
    assert by["s1"].parent_uuid == "a1"
    assert by["s1"].blocks[0].scaffold == scaffold.COMPACTION


def test_a_branch_that_is_taken_up_again_is_not_taken_back() -> None:
    session = read(
        said("u1", None, "user", "one"),
        said("a1", "u1", "assistant", "left"),
        said("a2", "u1", "assistant", "right"),
        said("u2", "a1", "user", "left it is"),
    )
    assert session.of(Retraction) == [Retraction(ID, "a2")]


def test_starting_over_takes_everything_back() -> None:
    """`/tree` to before the first entry: a second root."""
    session = read(said("u1", None, "user", "one"), said("u2", None, "user", "two"))
    assert session.of(Retraction) == [Retraction(ID, "u1")]
    assert session.current[0].exchange == "u2"


def test_a_line_that_cannot_be_read_does_not_break_the_chain() -> None:
    session = read(
        said("u1", None, "user", "one"),
        b'{"type":"message","id":"a1","parentId":"u1","message":"\\q"}\n',
        said("r1", "a1", "toolResult", "out", toolCallId="t", toolName="read"),
    )
    assert len(session.of(Skipped)) == 1
    assert session.of(Retraction) == []
    assert session.turns[-1].parent_uuid == "u1"


def test_version_1_has_neither_ids_nor_parents() -> None:
    at = {"timestamp": AT}
    session = parsed(
        PI,
        FILE,
        {"type": "session", "id": ID, **at, "cwd": "/w/repo", "provider": "anthropic",
         "modelId": "claude", "branchedFrom": f"/s/2026-05-20T09-00-00-000Z_{'b' * 8}.jsonl"},
        {"type": "message", **at, "message": {"role": "user", "content": "hello"}},
        {"type": "compaction", **at, "summary": "So far.", "firstKeptEntryIndex": 1},
        {"type": "message", **at, "message": {"role": "assistant", "content": [
            {"type": "text", "text": "hi"}], "stopReason": "stop"}},
    )  # fmt: skip
    assert session.of(Session) == [
        Session(ID, "pi", parent_session_id="b" * 8, version="format 1"),
    ]
    assert [t.turn_uuid for t in session.turns] == [f"{ID}-1", f"{ID}-2", f"{ID}-3"]
    assert [t.parent_uuid for t in session.turns] == [None, f"{ID}-1", f"{ID}-2"]
    assert session.turns[2].exchange == f"{ID}-1"


def test_a_fork_repeats_its_parents_entries_under_the_same_ids() -> None:
    """Its header is younger than its entries; the copies have the uuids of the originals."""
    fork = {**HEADER, "id": "f" * 8, "timestamp": "2026-05-21T00:00:00.000Z", "parentSession": FILE}
    session = parsed(PI, "/s/2026_ffffffff.jsonl", fork, said("u1", None, "user", "one"))
    assert session.of(Session)[0].parent_session_id == ID
    assert session.turns[0].turn_uuid == "u1"
    assert PI.GLOBAL_UUIDS


def test_what_the_person_ran_is_no_prompt_and_no_edit_of_the_agent() -> None:
    session = read(
        entry("b1", None, message={
            "role": "bashExecution", "command": "echo x > f && false", "output": "oops\n",
            "exitCode": 1, "cancelled": False, "truncated": False}),
    )  # fmt: skip
    (turn,) = session.turns
    assert (turn.role, turn.is_prompt) == ("user", False)
    assert [(b.type, b.text, b.exit_code) for b in turn.blocks] == [
        ("tool_use", '{"command":"echo x > f && false"}', None),
        ("tool_result", "oops\n", 1),
    ]
    assert session.edits == []


@pytest.mark.parametrize("role", ["custom", "hookMessage"])
def test_what_an_extension_said_is_scaffolding(role: str) -> None:
    session = read(
        entry("c1", None, "custom_message", customType="x", content="CONTEXT", display=False),
        said("c2", "c1", role, "more"),
    )
    assert [b.scaffold for b in session.blocks] == [scaffold.HOOK, scaffold.HOOK]
    assert not any(t.is_prompt for t in session.turns)


# The same kind as https://github.com/vshulcz/deja-vu/issues/1384
def test_a_sub_agents_edits_stand_in_the_result_of_its_call_alone() -> None:
    """pi's own example of such an extension runs another pi and keeps its messages."""
    inner = [
        {"role": "user", "content": "Write docs", "timestamp": 1779271200000},
        {"role": "assistant", "content": [call("write", "t9", path="docs.md", content="# D\n")]},
        {"role": "toolResult", "toolCallId": "t9", "toolName": "write", "content": []},
        "odd",
    ]
    session = read(
        said("u1", None, "user", "Delegate"),
        said("a1", "u1", "assistant", call("subagent", agent="worker", task="Write docs")),
        result("r1", "a1", "subagent", details={"mode": "single", "results": [
            {"agent": "worker", "messages": inner}, {"messages": None}, None]}),
    )  # fmt: skip
    assert session.of(Spawn) == [Spawn(ID, "a1", "r1:0")]
    inside = [turn for turn in session.turns if turn.thread]
    assert [(t.turn_uuid, t.thread, t.parent_uuid, t.is_prompt, t.exchange) for t in inside] == [
        ("r1:0:0", "r1:0", None, False, None),
        ("r1:0:1", "r1:0", "r1:0:0", False, None),
        ("r1:0:2", "r1:0", "r1:0:1", False, None),
    ]
    (edit,) = session.edits
    assert (edit.turn_uuid, edit.path, edit.new) == ("r1:0:1", "/w/repo/docs.md", "# D\n")


# https://github.com/ygncode/pi-web/pull/51
def test_a_line_of_four_megabytes_is_read() -> None:
    session = read(said("u1", None, "user", "x" * (4 << 20)), said("a1", "u1", "assistant", "ok"))
    assert [len(t.blocks[0].text) for t in session.turns] == [4 << 20, 2]


# https://github.com/delexw/claude-code-trace/issues/85
def test_half_a_surrogate_pair_is_replaced() -> None:
    raw = b'{"type":"message","id":"u1","message":{"role":"user","content":"\\ud83d!"}}\n'
    assert [b.text for b in read(raw).blocks] == ["\ufffd!"]


# https://github.com/es6kr/claude-code-sessions/issues/137
def test_two_objects_on_a_line_and_a_copied_entry_are_read_once() -> None:
    one, two = lines([said("u1", None, "user", "one")]), lines([said("a1", "u1", "assistant", "x")])
    session = read(one.rstrip(b"\n") + two, one)
    assert [t.turn_uuid for t in session.turns] == ["u1", "a1"]


def test_errors_of_the_model_are_kept_and_marked() -> None:
    session = read(
        said("a1", None, "assistant", stopReason="error", errorMessage="429: quota"),
        said("a2", "a1", "assistant", stopReason="aborted", errorMessage="Operation aborted"),
    )
    (turn,) = session.turns
    assert (turn.blocks[0].text, turn.blocks[0].scaffold) == ("429: quota", scaffold.API_ERROR)


def test_pictures_are_named() -> None:
    data = "A" * 113_000
    session = read(said("u1", None, "user", "see", {
        "type": "image", "mimeType": "image/png", "data": data}))  # fmt: skip
    assert [b.text for b in session.blocks] == ["see", "[image/png, 83 KB]"]


def test_the_sessions_name_is_its_title() -> None:
    session = read(entry("i1", None, "session_info", name="Refactor auth"))
    assert session.of(Session)[-1].title == "Refactor auth"


def test_a_key_that_is_garbage_costs_nothing() -> None:
    """Seen: a model that sent the whole command as the name of the argument."""
    session = read(
        said("a1", None, "assistant", {"type": "toolCall", "id": "t1", "name": "bash",
                                       "arguments": {"cd /w && " * 1000: True}}),
        result("r1", "a1", "bash"),
    )  # fmt: skip
    assert session.turns[1].blocks[0].tool == "bash"
    assert session.edits == []


def test_reading_in_two_parts_gives_what_reading_at_once_gives() -> None:
    records = [
        HEADER,
        said("u1", None, "user", "one"),
        said("a1", "u1", "assistant", call("write", path="a", content="x")),
        result("r1", "a1", "write"),
        said("u2", "u1", "user", "back"),
        said("a2", "u2", "assistant", "ok"),
    ]
    data = lines(records)
    at_once = parsed(PI, FILE, data)
    for cut in range(len(data)):
        parts = Parsed(PI, FILE)
        parts.add(data[:cut])
        parts.add(data[cut:])
        assert parts.turns == at_once.turns, cut
        assert parts.current == at_once.current, cut
        assert parts.edits == at_once.edits, cut


def test_any_value_in_any_field_is_survived() -> None:
    odd: list[Any] = [None, 7, -1e400, True, "", "x", [], [None, 3], {}, {"a": None}]
    records: list[Any] = [HEADER]
    for field, value in itertools.product(
        ("type", "id", "parentId", "timestamp", "message", "summary", "name", "cwd", "content"), odd
    ):
        records.append({**said("x", None, "user", "t"), field: value})
    for field, value in itertools.product(
        ("role", "content", "model", "toolCallId", "toolName", "details", "timestamp", "command"),
        odd,
    ):
        records.append(said("a", None, "assistant", call("edit", path="p", oldText="", newText="")))
        records.append(result("y", "a", "edit"))
        records[-1]["message"][field] = value
        records[-2]["message"][field] = value
    session = read(*records)
    assert session.turns


# --- where it lies -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parser", "below"),
    [
        (PI, ".pi/agent/sessions/--w-repo--/2026_a.jsonl"),
        (PI, ".pi/agent/sessions/2026_a.jsonl"),
        (OPENCLAW, ".openclaw/agents/main/sessions/a.jsonl"),
        (OPENCLAW, ".clawdbot/agents/main/sessions/a.jsonl.reset.2026-01-01T00-00-00Z"),
        (OMP, ".omp/agent/sessions/-w-repo/2026_a.jsonl"),
    ],
)
def test_sessions_are_found_and_claimed(tmp_path: Path, parser: Any, below: str) -> None:
    path = tmp_path / below
    path.parent.mkdir(parents=True)
    path.write_bytes(lines([HEADER]))
    (path.parent / "sessions.json").write_text("{}")
    assert [s.path for s in parser.discover(Places(tmp_path, {}))] == [path]
    owners = [p.NAME for p in (PI, OPENCLAW, OMP) if p.claim(path, path.read_bytes())]
    assert owners == [parser.NAME]


def test_folders_can_be_named_by_the_environment() -> None:
    home = Path("/home/ada")
    assert PI.folders(Places(home, {"PI_CODING_AGENT_DIR": "~/p"})) == [home / "p" / "sessions"]
    named = {"PI_CODING_AGENT_SESSION_DIR": "/x", "PI_CODING_AGENT_DIR": "/y"}
    assert PI.folders(Places(home, named)) == [Path("/x")]
    openclaw = {"OPENCLAW_STATE_DIR": "/z"}
    assert OPENCLAW.folders(Places(home, openclaw)) == [Path("/z/agents")]


def test_a_trace_of_the_hub_is_not_pis() -> None:
    head = b'{"type":"session","harness":"pi","id":"x","name":"n"}\n'
    assert not PI.claim(Path("/x/trace.jsonl"), head)


def test_a_title_may_stand_before_the_header() -> None:
    """oh-my-pi writes it into a first line of fixed width."""
    title = {"type": "title", "v": 1, "title": "Cache work", "pad": " " * 40}
    path = f"/home/ada/.omp/agent/sessions/-w/2026-05-20_{ID}.jsonl"
    session = parsed(OMP, path, title, HEADER, said("u1", None, "user", "one"))
    assert OMP.claim(Path(path), session.data)
    assert session.of(Session)[-2:] == [
        Session(ID, "omp", "Cache work"),
        Session(ID, "omp", version="format 3"),
    ]


def test_openclaws_tools_are_read() -> None:
    session = parsed(
        OPENCLAW,
        f"/home/ada/.openclaw/agents/main/sessions/{ID}.jsonl",
        HEADER,
        said("a1", None, "assistant",
             call("exec", "t1", command="echo hi > a.txt", workdir="sub"),
             call("apply_patch", "t2", input="*** Begin Patch\n*** Add File: b.txt\n+new\n"
                  "*** Delete File: c.txt\n*** End Patch")),
        result("r1", "a1", "exec", tool_id="t1", details={"exitCode": 0}),
        result("r2", "r1", "apply_patch", tool_id="t2"),
    )  # fmt: skip
    assert [(e.path, e.operation, e.new) for e in session.edits] == [
        ("/w/repo/sub/a.txt", "create", "hi\n"),
        ("/w/repo/b.txt", "create", "new\n"),
        ("/w/repo/c.txt", "delete", None),
    ]


def test_roots_hold_every_folder_and_path() -> None:
    session = read(
        said("a1", None, "assistant",
             call("edit", path="/other/repo/x.py", oldText="a", newText="b"),
             call("write", path="src/y.py", content=""),
             call("bash", command="cd ../third && make > /fourth/log")),
    )  # fmt: skip
    found = {"/w/repo", "/other/repo/x.py", "/w/repo/src/y.py", "/w/third", "/fourth/log"}
    assert session.roots() >= found


def test_a_sub_agent_of_oh_my_pi_has_a_file_below_its_parents(tmp_path: Path) -> None:
    """As 18.2.3 wrote them."""
    top = tmp_path / ".omp" / "agent" / "sessions" / "--w-repo--"
    task = call("task", tasks=[{"name": "Three", "task": "Write three.txt"}])
    progress = {"results": [], "progress": [{"id": "Three"}, {"id": "../Three"}, {"id": "Gone"}]}
    (top / f"2026_{ID}").mkdir(parents=True)
    session = (
        HEADER,
        said("u1", None, "user", "Write three.", attribution="user"),
        said("a1", "u1", "assistant", task),
        result("r1", "a1", "task", details=progress),
    )
    (top / f"2026_{ID}.jsonl").write_bytes(lines(session))
    header = {**HEADER, "id": "child", "parentSession": str(top / f"2026_{ID}.jsonl")}
    asked = said("c1", None, "user", "Complete the assignment.", attribution="agent")
    title = {"type": "title", "title": ""}
    (top / f"2026_{ID}" / "Three.jsonl").write_bytes(lines((title, header, asked)))
    found = {
        source.path.name: list(OMP.read(source, None, lambda path: path.open("rb")))
        for source in OMP.discover(Places(tmp_path, {}))
    }
    parent, child = found[f"2026_{ID}.jsonl"], found["Three.jsonl"]
    assert [i for i in parent if isinstance(i, Spawn)] == [Spawn(ID, "a1", "child")]
    assert [i.is_prompt for i in parent if isinstance(i, Turn)] == [True, False, False]
    assert [i.is_prompt for i in child if isinstance(i, Turn)] == [False]
    assert next(i for i in child if isinstance(i, Session)).parent_session_id == ID
