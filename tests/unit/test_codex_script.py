"""The tool calls in a program of Codex's code mode."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from funes_git_parsers.codex.script import ToolCall, calls


def test_arguments_are_taken_with_or_without_quotes_around_their_names() -> None:
    program = 'const r = await tools.exec_command({"cmd":"ls -l", workdir: \'/w\', n: 3}); text(r)'
    assert list(calls(program)) == [
        ToolCall("exec_command", None, {"cmd": "ls -l", "workdir": "/w"})
    ]


def test_every_call_of_a_program_is_found() -> None:
    program = """await Promise.all([
      tools.exec_command({cmd: "a"}),  // tools.exec_command({cmd: "no"})
      tools.exec_command({cmd: "b"}),
    ]); /* tools.exec_command({cmd: "no"}) */ text("tools.exec_command({cmd: 'no'})")"""
    assert [call.arguments for call in calls(program)] == [{"cmd": "a"}, {"cmd": "b"}]


def test_constants_are_followed_and_computed_text_is_not() -> None:
    program = """const cmd = "make"; let p = `two
lines`;
tools.exec_command({cmd}); tools.apply_patch(p); tools.exec_command({cmd: `x ${y}`})"""
    assert list(calls(program)) == [
        ToolCall("exec_command", None, {"cmd": "make"}),
        ToolCall("apply_patch", "two\nlines"),
        ToolCall("exec_command"),
    ]


def test_escapes_are_those_of_the_language() -> None:
    program = r"tools.apply_patch('it\'s\n\x41\u0042\u{43}\\') + tools.apply_patch('\uD83D')"
    assert [call.text for call in calls(program)] == ["it's\nABC\\", "\ufffd"]


@given(st.text(alphabet="tols.aexc_({[\"'`\\}]):,= \n/*$u"))
def test_no_program_raises(program: str) -> None:
    list(calls("tools.exec(" + program))
