"""The forms by which tools exchange sessions: Hub traces, funes' turns files, SpecStory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from funes_git.sessionfile import head, open_session
from funes_git_parsers import PARSERS, funes_jsonl, harness, hub_traces, specstory
from funes_git_parsers.base import Cursor, Edit, Item, Parser, Session, Skipped, Turn

DATA = Path(__file__).parents[1] / "data" / "interchange"
SIMPLE = DATA / "simple" / "simple.jsonl"
TURNS = DATA / "turns" / "turns.funes.jsonl"
STORY = DATA / "specstory" / ".specstory/history/2026-01-01_09-41Z-cap.md"
SPEC_ID = "5c7d5c23-0691-4467-b98e-0fb865b4a639"


def read(parser: Parser, path: Path) -> list[Item]:
    (source,) = parser.sessions(path)
    return list(parser.read(source, None, open_session))


def turns(items: list[Item]) -> list[Turn]:
    return [item for item in items if isinstance(item, Turn)]


def edits(items: list[Item]) -> list[Edit]:
    return [item for item in items if isinstance(item, Edit)]


@pytest.mark.parametrize(
    ("parser", "path"), [(hub_traces, SIMPLE), (funes_jsonl, TURNS), (specstory, STORY)]
)
def test_each_form_is_claimed_by_its_parser_and_by_no_other(parser: Parser, path: Path) -> None:
    start = head(path)
    assert [p.NAME for p in PARSERS.values() if p.claim(path, start)] == [parser.NAME]


def test_a_simple_trace_keeps_its_agent_and_gets_funes_turn_ids() -> None:
    items = read(hub_traces, SIMPLE)
    assert items[0] == Session("b1a2c3", "claude_code", title="Cap the cache")
    found = turns(items)
    assert [t.turn_uuid for t in found] == [f"b1a2c3-{n}" for n in range(7)]
    assert {(t.harness, t.workdir) for t in found} == {("claude_code", "/w/app")}
    assert [t.is_prompt for t in found] == [False, True, *[False] * 5]
    assert found[0].blocks[0].scaffold == "environment"
    assert (found[2].ts, found[2].model, found[2].exchange) == (1767000002.5, "m-1", "b1a2c3-1")
    assert [b.type for b in found[2].blocks] == ["thinking", "tool_use", "tool_use"]
    assert found[3].blocks[0].tool == "Edit"
    (commit,) = found[6].blocks[0].commits
    assert (commit.sha, commit.branch, commit.subject) == ("1234abc", "main", "Cap the cache")


def test_an_edit_is_known_from_the_calls_that_did_not_fail() -> None:
    (edit,) = edits(read(hub_traces, SIMPLE))
    assert (edit.path, edit.operation, edit.turn_uuid) == (
        "/w/app/src/cache.py",
        "modify",
        "b1a2c3-2",
    )
    assert (edit.old, edit.new) == ("SIZE = None\n", "SIZE = 128\n")


def test_a_call_without_result_counts_once_the_session_went_on(tmp_path: Path) -> None:
    call = {"id": "x", "function": {"name": "write", "arguments": '{"path":"/w/a","content":"1"}'}}
    lines: list[dict[str, Any]] = [
        {"type": "session", "harness": "pi", "id": "s"},
        {"type": "message", "message": {"role": "assistant", "content": "", "toolCalls": [call]}},
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert edits(read(hub_traces, path)) == []
    lines.append({"type": "message", "message": {"role": "user", "content": "and now?"}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [edit.path for edit in edits(read(hub_traces, path))] == ["/w/a"]


def table(path: Path, columns: dict[str, list[Any]]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("encode", [json.dumps, lambda message: message])
def test_a_table_of_traces_has_one_session_a_row(tmp_path: Path, encode: Any) -> None:
    messages = [
        encode({"role": "user", "content": "Add one"}),
        encode({"role": "assistant", "content": "Done."}),
    ]
    path = table(
        tmp_path / "t.parquet",
        {
            "sent_at": ["2026-01-01T00:00:02.000Z"] * 20,
            "session_id": [f"s{n}" for n in range(20)],
            "messages": [messages] * 20,
            "harness": ["codex", "claude_code"] * 10,
            "metadata": ['{"cwd":"/w/app"}'] * 20,
        },
    )
    assert hub_traces.claim(path, head(path))
    found = turns(read(hub_traces, path))
    assert len(found) == 40
    assert [(t.session_id, t.harness) for t in found[1:3]] == [
        ("s0", "codex"),
        ("s1", "claude_code"),
    ]
    assert found[39].turn_uuid == "s19-1"
    assert {(t.workdir, t.ts) for t in found} == {("/w/app", 1767225602.0)}
    (source,) = hub_traces.sessions(path)
    assert hub_traces.roots(source, open_session) == {"/w/app"}


def test_a_table_of_something_else_is_no_session(tmp_path: Path) -> None:
    path = table(tmp_path / "t.parquet", {"price": [1, 2]})
    assert head(path) == b""
    assert not any(parser.claim(path, b"") for parser in PARSERS.values())
    broken = tmp_path / "b.parquet"
    broken.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(OSError, match="damaged Parquet file"):
        head(broken)


def test_a_message_that_is_not_json_costs_only_itself(tmp_path: Path) -> None:
    good = json.dumps({"role": "user", "content": "hello \ud83d"})
    path = table(tmp_path / "t.parquet", {"session_id": ["s"], "messages": [["{not json", good]]})
    (turn,) = turns(read(hub_traces, path))
    assert turn.blocks[0].text == "hello \ufffd"


def test_turns_files_keep_the_ids_of_their_writer() -> None:
    items = read(funes_jsonl, TURNS)
    found = turns(items)
    assert [(t.session_id, t.turn_uuid, t.harness) for t in found] == [
        ("b3f2", "t-1", "claude_code"),
        ("b3f2", "t-2", "claude_code"),
        ("b3f2", "t-3", "claude_code"),
        ("gh/acme/app#7", "IC_1", "github"),
    ]
    assert [t.ts for t in found[:2]] == [1767260467.0, 1767260472.0]
    assert found[1].blocks[0].text == "check the target first"
    (edit,) = edits(items)
    assert (edit.path, edit.new, edit.origin) == ("/w/app/target.txt", "arm64\n", "shell")


def test_a_turn_of_a_later_format_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "a.funes.jsonl"
    later = {"format": 2, "session_id": "later", "turn_uuid": "t-1", "seq": 0}
    path.write_text(f"{json.dumps(later)}\n{TURNS.read_text()}")
    items = read(funes_jsonl, path)
    skipped = [item for item in items if isinstance(item, Skipped)]
    assert skipped == [Skipped(1, "not a turn of format 1")]
    assert len(turns(items)) == 4


def test_a_file_that_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.funes.jsonl"
    lines = TURNS.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2]))
    first = read(funes_jsonl, path)
    assert isinstance(first[-1], Cursor)
    (source,) = funes_jsonl.sessions(path)
    again = list(funes_jsonl.read(source, first[-1].text, open_session))
    assert again == [first[-1]]
    path.write_text("".join(lines[:3]))
    grown = list(funes_jsonl.read(source, first[-1].text, open_session))
    assert [t.turn_uuid for t in turns(grown)] == ["t-1", "t-2", "t-3"]


def test_specstory_says_whose_session_it_rendered() -> None:
    items = read(specstory, STORY)
    assert items[0] == Session(SPEC_ID, "claude_code", title="Cap the cache")
    found = turns(items)
    assert [t.role for t in found] == ["user", "assistant", "assistant", "assistant", "user"]
    assert [t.is_prompt for t in found] == [True, False, False, False, True]
    assert found[0].blocks[0].text == "Cap the cache at 128"
    assert [(b.type, b.text) for b in found[1].blocks[:2]] == [
        ("thinking", "An LRU bound keeps hot keys."),
        ("text", "I'll cap it."),
    ]
    assert (found[1].ts, found[1].model) == (1767260466.0, "claude-opus-4-8")
    assert found[4].blocks[0].text == "thanks"


def test_specstory_edits_come_from_rendered_diffs_that_were_accepted() -> None:
    items = read(specstory, STORY)
    (edit,) = edits(items)
    assert edit.path == str(DATA / "specstory" / "src/cache.py")
    assert [hunk.lines for hunk in edit.hunks] == [("-SIZE = None", "+SIZE = 128", " KEYS = {}")]
    (commit,) = turns(items)[3].blocks[1].commits
    assert commit.sha == "1234abc"


def test_a_diff_of_cursor_has_a_blank_after_each_sign(tmp_path: Path) -> None:
    path = tmp_path / "s.md"
    path.write_text(
        "<!-- Generated by SpecStory -->\n\n_**User**_\n\nhi\n\n---\n\n_**Agent (model gpt-5, mode "
        'Agent)**_\n\n<tool-use data-tool-type="write" data-tool-name="edit_file">\n<details>'
        "<summary>Tool use: **edit_file** • Edit file: /w/a.py</summary>\n\n**Chunk 1**\nLines "
        "added: 1, lines removed: 1\n\n```diff\n@@ -1,2 +1,2 @@\n  def f():\n-     return &#96;\n"
        "+     return 2\n```\n</details>\n</tool-use>\n"
    )
    (edit,) = edits(read(specstory, path))
    assert edit.hunks[0].lines == (" def f():", "-    return `", "+    return 2")


def rendered(tmp_path: Path, *messages: str) -> list[Any]:
    """What is read of messages that SpecStory rendered."""
    path = tmp_path / "s.md"
    head = "<!-- Generated by SpecStory, Markdown v2.1.0 -->"
    path.write_text("\n\n".join((head, *messages)) + "\n")
    return read(specstory, path)


def call(tool: str, body: str, kind: str = "write") -> str:
    """A message with one call."""
    return (
        f'_**Agent (claude-opus-4-8 2026-01-01 09:41:06Z)**_\n\n<tool-use data-tool-type="{kind}" '
        f'data-tool-name="{tool}"><details>\n<summary>Tool use: **{tool}**</summary>\n{body}\n'
        "</details></tool-use>"
    )


ASKED = "_**User (2026-01-01 09:41:00Z)**_\n\nLook at the sessions"
WRITTEN = call(
    "Write", "\n```python\nKEYS = {}\n\n```\n\n```text\nFile created successfully at: /w/k.py\n```"
)


def test_what_a_call_printed_is_no_message_and_no_call(tmp_path: Path) -> None:
    """Agents look at `.specstory/history` too, which is such Markdown."""
    shown = f"{ASKED}\n\n{WRITTEN}".replace("```", "\\```")
    printed = call("Bash", f"`cat .specstory/history/a.md`\n\n```text\n{shown}\n```", "shell")
    items = rendered(tmp_path, ASKED, printed, "_**User (2026-01-01 09:42:00Z)**_\n\nThanks")
    assert [t.role for t in turns(items)] == ["user", "assistant", "user"]
    assert edits(items) == []
    assert turns(items)[1].blocks[1].text == shown.replace("\\```", "```")


def test_what_a_person_pasted_is_no_call(tmp_path: Path) -> None:
    pasted = WRITTEN.partition("\n\n")[2]
    items = rendered(tmp_path, f"{ASKED}\n\n{pasted}")
    assert [[b.type for b in t.blocks] for t in turns(items)] == [["text"]]
    assert edits(items) == []


@pytest.mark.parametrize(
    ("said", "operation"),
    [
        ("File created successfully at: /w/k.md (file state is current)", "create"),
        ("The file /w/k.md has been updated. Here's the result of `cat -n`:", "modify"),
    ],
)
def test_a_file_that_was_written_whole_is_there_letter_by_letter(
    tmp_path: Path, said: str, operation: str
) -> None:
    text = "# Keys\n```python\nKEYS = {}\n```\n"
    fence = text.replace("```", "\\```")
    items = rendered(
        tmp_path, ASKED, call("Write", f"\n```md\n{fence}\n```\n\n```text\n{said}\n```")
    )
    (edit,) = edits(items)
    assert (edit.path, edit.operation) == ("/w/k.md", operation)
    lines = text.splitlines()
    assert (edit.new or "").splitlines() == (lines if operation == "create" else [])
    written = [line[1:] for hunk in edit.hunks for line in hunk.lines]
    assert written == ([] if operation == "create" else lines)


def test_of_an_edit_of_claude_only_the_path_was_rendered(tmp_path: Path) -> None:
    said = "The file /w/k.py has been updated successfully. (file state is current)"
    items = rendered(tmp_path, ASKED, call("Edit", f"\n```text\n{said}\n```"))
    assert turns(items)[1].blocks[0].text == '{"path":"/w/k.py"}'
    assert edits(items) == []


def test_a_patch_of_codex_may_write_several_files(tmp_path: Path) -> None:
    body = (
        "**Add: `docs/a.md`**\n\n```diff\n+alpha\n```\n"
        "**Update: `b.py`**\n\n```diff\n@@\n-one\n+two\n@@ def f\n three\n+four\n```"
    )
    items = rendered(tmp_path, ASKED, call("apply_patch", body))
    assert [(e.path, e.operation, [h.lines for h in e.hunks]) for e in edits(items)] == [
        ("docs/a.md", "create", [("+alpha",)]),
        ("b.py", "modify", [("-one", "+two"), (" three", "+four")]),
    ]


def test_an_agent_has_one_name() -> None:
    assert {
        harness.named(name) for name in ("Claude Code", "claude-code", "claude", "claude_code")
    } == {"claude_code"}
    assert harness.named("Codex CLI") == "codex"
    assert harness.named("llama.app") == "llama_app"


@pytest.mark.parametrize(
    ("line", "is_row"),
    [
        ({"session_id": "s", "messages": [{"role": "user", "content": "Hi"}]}, True),
        ({"session_id": "s", "about": {"tags": ["}", '"']}, "messages": "[]"}, True),
        ({"session_id": "s", "hook": "BeforeModel", "llm_request": {"messages": []}}, False),
        ({"session_id": "s", "rows": [{"messages": []}]}, False),
        ({"session_id": "s", "note": '"messages": ['}, False),
    ],
)
def test_a_row_has_messages_of_its_own(line: dict[str, object], is_row: bool) -> None:
    """What Gemini CLI gives to its hooks holds a request to the model, with messages."""
    for text in (json.dumps(line), json.dumps(line, separators=(",", ":"))):
        assert hub_traces.claim(Path("x.json"), text.encode()) is is_row
