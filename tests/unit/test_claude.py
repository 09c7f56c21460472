"""Claude Code: records to turns, chains, prompts and scaffolding."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from claude_records import (
    CWD,
    SID,
    call,
    lines,
    only,
    read,
    read_path,
    record,
    result,
    says,
    turns,
    user,
)

from funes_git_parsers.base import Block, Retraction, Session, Skipped, Turn


def test_a_prompt_and_its_answer(tmp_path: Path) -> None:
    answer = says("a1", "u1", "Done.")
    answer["message"] |= {"id": "msg_1", "model": "claude-opus-4-8"}
    items = read(tmp_path, user("u1", None, "fix the test"), answer)
    assert items == [
        Session(SID, "claude_code", version="2.1.62"),
        Turn(
            session_id=SID,
            turn_uuid="u1",
            seq=1,
            ts=1772359200.5,
            role="user",
            harness="claude_code",
            blocks=(Block("text", "fix the test"),),
            exchange="u1",
            workdir=CWD,
            branch="main",
            is_prompt=True,
        ),
        Turn(
            session_id=SID,
            turn_uuid="a1",
            seq=2,
            ts=1772359200.5,
            role="assistant",
            harness="claude_code",
            blocks=(Block("text", "Done."),),
            parent_uuid="u1",
            exchange="u1",
            message_id="msg_1",
            workdir=CWD,
            branch="main",
            model="claude-opus-4-8",
        ),
    ]


def test_one_message_in_several_records_is_several_turns_with_one_id(tmp_path: Path) -> None:
    parts = [
        {"type": "thinking", "thinking": "Hm.", "signature": "x"},
        {"type": "thinking", "thinking": "", "signature": "only"},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/a é"}},
    ]
    records = [user("u1", None, "go")]
    for n, part in enumerate(parts):
        each = record(f"a{n}", records[-1]["uuid"], "assistant", [part])
        each["message"]["id"] = "msg_1"
        records.append(each)
    found = turns(read(tmp_path, *records))
    assert found["a0"].blocks == (Block("thinking", "Hm."),)
    assert "a1" not in found, "a signature alone is nothing to keep"
    assert found["a2"].blocks == (Block("tool_use", '{"file_path":"/a é"}', "Read", "t1"),)
    assert found["a2"].parent_uuid == "a0"
    assert {found["a0"].message_id, found["a2"].message_id} == {"msg_1"}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("as text", "as text"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "tool_reference", "tool_name": "WebFetch"}], "WebFetch"),
    ],
)
def test_tool_results_of_every_shape(tmp_path: Path, content: object, text: str) -> None:
    items = read(tmp_path, call("a1", None, "Read", {}), result("r1", "a1", content))
    turn = turns(items)["r1"]
    assert turn.role == "tool"
    assert turn.blocks == (Block("tool_result", text, "Read", "t-a1", is_error=False),)


def test_pictures_and_embedded_files_are_elided(tmp_path: Path) -> None:
    data = base64.b64encode(bytes(85_000)).decode()
    picture = {"source": {"type": "base64", "media_type": "image/png", "data": data}}
    document = {"source": {"type": "url", "url": "https://x.org/a.pdf"}}
    items = read(
        tmp_path,
        user(
            "u1",
            None,
            [
                {"type": "image", **picture},
                {"type": "document", **document},
                {"type": "text", "text": f"![x](data:image/gif;base64,{data})"},
            ],
        ),
        call("a1", "u1", "Read", {}),
        result("r1", "a1", [{"type": "image", **picture}, {"type": "text", "text": "seen"}]),
    )
    found = turns(items)
    assert [b.text for b in found["u1"].blocks] == [
        "[image/png, 83 KB]",
        "[document, https://x.org/a.pdf]",
        "![x]([image/gif, 83 KB])",
    ]
    assert found["r1"].blocks[0].text == "[image/png, 83 KB]\nseen"


def test_shell_results_carry_exit_status_and_printed_commits(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        call("a1", None, "Bash", {"command": "make"}),
        result("r1", "a1", "Exit code 2\nno rule", "Error: Exit code 2", error=True),
        call("a2", "r1", "Bash", {"command": "git commit -qm x"}),
        result(
            "r2",
            "a2",
            "",
            {"stdout": "", "stderr": "", "gitOperation": {"commit": {"sha": "4ead9dc"}}},
            error=False,
        ),
        call("a3", "r2", "Bash", {"command": "git commit -m x"}),
        result("r3", "a3", "[main 4ead9dc] x\n 1 file changed", {"stdout": "", "stderr": ""}),
        call("a4", "r3", "Bash", {"command": "sleep 9", "run_in_background": True}),
        result("r4", "a4", "running", {"stdout": "", "stderr": "", "backgroundTaskId": "b1"}),
    )
    found = {uuid: turn.blocks[0] for uuid, turn in turns(items).items()}
    assert (found["r1"].is_error, found["r1"].exit_code) == (True, 2)
    assert (found["r2"].is_error, found["r2"].exit_code) == (False, 0)
    assert [(c.sha, c.verb) for c in found["r2"].commits] == [("4ead9dc", "commit")]
    assert [(c.sha, c.branch) for c in found["r3"].commits] == [("4ead9dc", "main")]
    assert found["r4"].exit_code is None


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"isMeta": True}, "system-reminder"),
        ({"isMeta": True, "sourceToolUseID": "t1"}, "command"),
        ({"isCompactSummary": True}, "compaction"),
        ({"origin": {"kind": "task-notification"}}, "task-notification"),
    ],
)
def test_flags_mark_scaffolding(tmp_path: Path, changes: dict[str, object], kind: str) -> None:
    items = read(tmp_path, user("u1", None, "do it"), user("u2", "u1", "some text", **changes))
    turn = turns(items)["u2"]
    assert (turn.is_prompt, turn.exchange, turn.blocks[0].scaffold) == (False, "u1", kind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[Request interrupted by user]", "interrupt"),
        ("<local-command-stdout>ok</local-command-stdout>", "command"),
        ("<command-name>/clear</command-name>", "command"),
        ("<task-notification>\n<task-id>a</task-id></task-notification>", "task-notification"),
    ],
)
def test_texts_of_the_harness_are_no_prompts(tmp_path: Path, text: str, kind: str) -> None:
    items = read(tmp_path, user("u1", None, "do it"), user("u2", "u1", text))
    turn = turns(items)["u2"]
    assert (turn.is_prompt, turn.exchange, turn.blocks[0].scaffold) == (False, "u1", kind)


def test_api_errors_are_scaffolding_without_a_model(tmp_path: Path) -> None:
    failed = says("a1", None, "Overloaded", isApiErrorMessage=True)
    failed["message"]["model"] = "<synthetic>"
    turn = turns(read(tmp_path, failed))["a1"]
    assert (turn.model, turn.blocks[0].scaffold) == (None, "api-error")


def test_a_reminder_beside_a_prompt_is_marked_and_the_prompt_is_not(tmp_path: Path) -> None:
    reminder = "<system-reminder>be nice</system-reminder>"
    parts = [{"type": "text", "text": reminder}, {"type": "text", "text": "go"}]
    turn = turns(read(tmp_path, user("u1", None, parts)))["u1"]
    assert turn.is_prompt
    assert [b.scaffold for b in turn.blocks] == ["system-reminder", None]


def test_work_that_a_slash_command_starts_is_its_own_exchange(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        user("u1", None, "earlier"),
        says("a1", "u1", "ok"),
        user("c1", "a1", "<command-name>/fix</command-name><command-args>it</command-args>"),
        user("m1", "c1", "Fix whatever you are given.", isMeta=True),
        says("a2", "m1", "fixing"),
        user("u2", "a2", "thanks"),
    )
    found = turns(items)
    assert found["a2"].exchange == "c1"
    assert found["m1"].blocks[0].scaffold == "command"
    assert found["u2"].exchange == "u2"


def test_the_chain_leads_through_what_is_no_turn(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        user("u1", None, "go"),
        record("p1", "u1", "progress", None, data={"type": "hook_progress"}),
        record("x1", "p1", "attachment", None, attachment={"type": "task_reminder"}),
        record("s1", "x1", "system", None, subtype="turn_duration"),
        record("n1", "s1", "brand-new-kind", None),
        says("a1", "n1", "done"),
    )
    found = turns(items)
    assert (found["a1"].parent_uuid, found["a1"].exchange) == ("u1", "u1")
    assert len(found) == 2


def test_the_chain_leads_through_a_damaged_record_that_is_no_turn(tmp_path: Path) -> None:
    progress = {
        "parentUuid": "u1",
        "type": "progress",
        "data": {"type": "bash_progress", "output": "x"},
        "uuid": "p1",
    }
    damaged = lines(progress).replace(b'"x"', b'"\\x"')
    joined = lines(progress)[:-1] + damaged.replace(b'"p1"', b'"p2"')
    others = [user("u1", None, "go"), says("a1", "p1", "done"), says("a2", "p2", "lost")]
    (tmp_path / "s.jsonl").write_bytes(
        lines(others[0]) + damaged + lines(others[1]) + joined + lines(others[2])
    )
    items, _ = read_path(tmp_path / "s.jsonl")
    assert [item.line for item in items if isinstance(item, Skipped)] == [4]
    assert turns(items)["a1"].parent_uuid == "u1"


def test_compaction_keeps_the_chain(tmp_path: Path) -> None:
    boundary = record("s1", None, "system", None, subtype="compact_boundary")
    items = read(
        tmp_path,
        user("u1", None, "go"),
        says("a1", "u1", "half"),
        {**boundary, "logicalParentUuid": "a1"},
        user("u2", "s1", "This is the summary", isCompactSummary=True),
        says("a2", "u2", "rest"),
    )
    found = turns(items)
    assert (found["u2"].parent_uuid, found["u2"].exchange) == ("a1", "u1")
    assert found["u2"].blocks[0].scaffold == "compaction"
    assert found["a2"].exchange == "u1"


def test_two_windows_in_one_file_keep_their_chains(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        user("u1", None, "first window"),
        user("v1", None, "second window"),
        says("a1", "u1", "one"),
        says("b1", "v1", "two"),
        says("a2", "a1", "one again"),
    )
    assert {u: t.exchange for u, t in turns(items).items()} == {
        "u1": "u1",
        "v1": "v1",
        "a1": "u1",
        "b1": "v1",
        "a2": "u1",
    }


def test_both_branches_of_a_rewind_are_kept(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        user("u1", None, "go"),
        says("a1", "u1", "wrong way"),
        user("u2", "u1", "other way"),
        says("a2", "u2", "right way"),
    )
    found = turns(items)
    assert (found["u2"].parent_uuid, found["a2"].exchange) == ("u1", "u2")
    assert not only(items, Retraction)


def test_copies_of_a_record_are_read_once(tmp_path: Path) -> None:
    first = user("u1", None, "go")
    items = read(tmp_path, first, says("a1", "u1", "ok"), first, says("a2", "a1", "more"))
    assert [t.turn_uuid for t in only(items, Turn)] == ["u1", "a1", "a2"]


def test_a_record_without_uuid_has_a_stable_one(tmp_path: Path) -> None:
    bare = {"type": "user", "message": {"role": "user", "content": "hello"}}
    answer = {"type": "assistant", "message": {"role": "assistant", "content": "hi"}}
    first, second = only(read(tmp_path, bare, answer), Turn)
    again, _ = only(read(tmp_path, bare, answer), Turn)
    assert first.turn_uuid == again.turn_uuid
    assert first.session_id == SID, "from the file's name, as no record tells"
    assert (second.parent_uuid, second.exchange) == (first.turn_uuid, first.turn_uuid)
    assert first.ts is None


def test_branch_and_folder_are_the_records_own(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        user("u1", None, "a", gitBranch="HEAD", cwd="/elsewhere"),
        user("u2", "u1", "b", gitBranch=""),
        user("u3", "u2", "c", gitBranch="topic"),
    )
    found = [(t.branch, t.workdir) for t in only(items, Turn)]
    assert found == [(None, "/elsewhere"), (None, CWD), ("topic", CWD)]


def test_times_are_utc_or_missing(tmp_path: Path) -> None:
    stamps = ["2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00", "soon", None, 5]
    records = [user(f"u{n}", None, "x", timestamp=stamp) for n, stamp in enumerate(stamps)]
    assert [t.ts for t in only(read(tmp_path, *records), Turn)] == [
        1772359200.0,
        1772359200.0,
        None,
        None,
        None,
    ]


def test_bad_records_are_skipped_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"garbage\n" + lines(user("u1", None, "go"), [1], {"silly": 1}) + b"{]\n")
    items, _ = read_path(path)
    assert [(s.line, s.reason) for s in only(items, Skipped)] == [
        (1, "not valid JSON"),
        (3, "not a JSON object"),
        (5, "not valid JSON"),
    ]
    assert list(turns(items)) == ["u1"]


def test_two_records_on_one_line_are_two(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    passed = record("p1", "u1", "progress", None, data={"type": "hook_progress"})
    joined = lines(passed)[:-1] + lines(user("u2", "p1", "again"))
    path.write_bytes(lines(user("u1", None, "go")) + joined)
    assert turns(read_path(path)[0])["u2"].parent_uuid == "u1"


def test_titles_the_users_own_wins(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        {"type": "summary", "summary": "Of another file", "leafUuid": "elsewhere"},
        {"type": "summary", "summary": "Old summary", "leafUuid": "u1"},
        user("u1", None, "go"),
        {"type": "ai-title", "aiTitle": "By the model", "sessionId": SID},
        {"type": "ai-title", "aiTitle": "By the model", "sessionId": SID},
        {"type": "custom-title", "customTitle": "By me", "sessionId": SID},
        {"type": "ai-title", "aiTitle": "By the model again", "sessionId": SID},
    )
    titles = [s.title for s in only(items, Session) if s.title]
    assert titles == ["Old summary", "By the model", "By me"]


def test_a_new_version_and_the_session_forked_from_are_told(tmp_path: Path) -> None:
    items = read(
        tmp_path,
        user("u1", None, "a", forkedFrom={"sessionId": "parent", "messageUuid": "x"}),
        user("u2", "u1", "b"),
        user("u3", "u2", "c", version="2.1.99"),
    )
    assert [(s.version, s.parent_session_id) for s in only(items, Session)] == [
        ("2.1.62", "parent"),
        ("2.1.99", None),
    ]


def test_the_session_is_the_records_own_not_the_files(tmp_path: Path) -> None:
    items = read(tmp_path, user("u1", None, "a", sessionId="other"))
    assert only(items, Turn)[0].session_id == "other"


def test_fields_of_any_type_do_no_harm(tmp_path: Path) -> None:
    odd: list[object] = [None, 7, [], {}, [[]], "x", [{"type": []}], {"content": {}}]
    names = ("message", "uuid", "parentUuid", "sessionId", "cwd", "toolUseResult", "origin", "type")
    records = [{**user("u", None, "x"), name: value} for name in names for value in odd]
    records += [record("p", None, "progress", None, data=value) for value in odd]
    records += [record("q", None, "attachment", None, attachment=value) for value in odd]
    records += [{"type": "queue-operation", "operation": "enqueue", "content": v} for v in odd]
    assert not only(read(tmp_path, *records), Skipped)


def deep(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = [value]
    return value


def test_deep_nesting_never_raises(tmp_path: Path) -> None:
    for levels in range(500, 1100, 10):
        path = tmp_path / "s.jsonl"
        text = "[" * levels + "]" * levels
        part = '{"type":"tool_use","id":"t1","name":"Edit","input":{"a":' + text + "}}"
        path.write_text(
            '{"type":"assistant","sessionId":"s","message":{"content":[' + part + "]}}\n"
        )
        read_path(path)
