"""A Codex tool call while it is open: the command lines in it, and what events tell of it.

Knows the shapes of Codex's tools; nothing of patches, edits, sessions and cursors.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from funes_git_parsers import shell
from funes_git_parsers.base import PrintedCommit
from funes_git_parsers.codex import script as codex_script
from funes_git_parsers.codex.outcome import Outcome
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.paths import join
from funes_git_parsers.values import decoded, folder, integer, mapping, string

SHELLS = {"shell", "shell_command", "exec_command", "local_shell", "container.exec"}
PROGRAMS = {"exec", "wait"}
"""Code mode: a program that calls tools, and waiting for one that still runs."""
PATCH_TOOLS = {"apply_patch", "applypatch"}
_INTERPRETER = re.compile(r"(?:.*[/\\])?(?:ba|z|da|k|fi)?sh(?:\.exe)?", re.I)
_POWERSHELL = re.compile(r"(?:.*[/\\])?(?:powershell|pwsh)(?:\.exe)?", re.I)


@dataclass(frozen=True, slots=True)
class Run:
    """One command line, the folder it ran in and, where an event told, how it ended."""

    command: str
    cwd: str | None
    exit_code: int | None = None
    output: str | None = None


@dataclass(slots=True)
class Call:
    """A tool call that has no output yet, with what events said of it so far."""

    turn_uuid: str
    call_id: str
    name: str | None
    text: str
    ts: float | None
    cwd: str | None
    patched: bool = False
    """An event told how its patches ended: then `changes` holds all that succeeded."""
    changes: tuple[Mapping[str, Any], ...] = ()
    runs: tuple[Run, ...] = ()
    exit_code: int | None = None
    is_error: bool | None = None


def commits(
    call: Call, ran: list[Run], out: Outcome, running: Callable[[str], str | None]
) -> tuple[PrintedCommit, ...]:
    """The commits that git commands of the call (`ran`) printed, or of the process that it read
    from."""
    found: list[PrintedCommit] = []
    for run in ran:
        output = out.body if run.output is None else run.output
        found += shell.printed_commits(run.command, output)
    if call.name == "write_stdin" and (command := running(_process(call.text))):
        found += shell.printed_commits(command, out.body)
    return tuple(dict.fromkeys(found)) if found else ()


def _process(text: str) -> str:
    return str(json_object(text).get("session_id"))


def runs(call: Call) -> list[Run]:
    """The command lines of a call."""
    if call.name in PROGRAMS:
        return list(call.runs or _scripted(call))
    return _given(call.text, call.cwd) if call.name in SHELLS else []


def _given(text: str, folder_before: str | None) -> list[Run]:
    arguments = json_object(text)
    line = _command_line(arguments.get("command", arguments.get("cmd")))
    asked = folder(arguments.get("workdir") or arguments.get("working_directory"))
    cwd = join(folder_before, asked) if asked else folder_before
    return [Run(line, cwd)] if line else []


def _scripted(call: Call) -> Iterator[Run]:
    for tool in codex_script.calls(call.text):
        text = tool.arguments.get("cmd") or tool.arguments.get("command")
        if tool.name in SHELLS and text:
            asked = tool.arguments.get("workdir")
            yield Run(text, join(call.cwd, asked) if asked else call.cwd)


def _event_run(event: Mapping[str, Any]) -> Run:
    """The command that an event says has ended (`exec_command_end`, `CommandExecution`)."""
    output = event.get("aggregated_output")
    return Run(
        _command_line(event.get("command")),
        folder(event.get("cwd")),
        integer(event.get("exit_code")),
        output if isinstance(output, str) else "",
    )


def _command_line(command: object) -> str:
    """A command as one shell line: the script of `bash -lc SCRIPT`, else the words quoted."""
    if isinstance(command, str):
        return command
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        return ""
    words: list[str] = command
    if words and words[0] in PATCH_TOOLS:
        return " ".join(words)  # the patch is an argument of its own: quotes would change it
    if len(words) > 2 and words[1].startswith("-"):
        if _INTERPRETER.fullmatch(words[0]) and words[1].endswith("c"):
            return words[2]
        if _POWERSHELL.fullmatch(words[0]):
            return words[-1]
    return shlex.join(words)


def note(call: Call, kind: object, event: Mapping[str, Any], *, is_own: bool) -> None:
    """Keep what an event says of a call; not `is_own`: of a tool that the call's program used."""
    if kind in ("exec_command_end", "CommandExecution"):
        if is_own:
            call.exit_code = integer(event.get("exit_code"))
        elif (run := _event_run(event)).command:
            call.runs += (run,)
    elif kind in ("patch_apply_end", "FileChange"):
        succeeded = event.get("success") is True or event.get("status") == "completed"
        changes = mapping(event.get("changes"))
        call.patched = call.patched or bool(changes) or not succeeded
        if succeeded and changes:
            call.changes += (changes,)
    elif kind in ("mcp_tool_call_end", "McpToolCall"):
        result = mapping(event.get("result"))
        inner = mapping(result.get("Ok", result))
        failed = "Err" in result or event.get("status") == "failed"
        call.is_error = failed or inner.get("isError", inner.get("is_error")) is True


def completed(out: Outcome, call: Call) -> Outcome:
    """The outcome with what only events told of it."""
    code = call.exit_code if out.exit_code is None else out.exit_code
    failed = out.is_error
    if failed is None:
        failed = call.is_error if code is None else code != 0
    if (code, failed) == (out.exit_code, out.is_error):
        return out
    return replace(out, exit_code=code, is_error=failed)


def started_agent(kind: object, event: Mapping[str, Any]) -> str | None:
    """The thread of a sub-agent that an event says was started."""
    thread: object = None
    if kind == "collab_agent_spawn_end":
        thread = event.get("new_thread_id")
    elif kind in ("sub_agent_activity", "SubAgentActivity"):
        thread = event.get("agent_thread_id") if event.get("kind") == "started" else None
    elif kind == "CollabAgentToolCall" and event.get("tool") in ("spawn_agent", "spawnAgent"):
        threads = event.get("receiver_thread_ids")
        thread = threads[0] if isinstance(threads, list) and threads else None
    return string(thread)


def spawned(out: Outcome) -> str | None:
    """The thread that the output of `spawn_agent` names."""
    return string(json_object(out.body).get("agent_id"))


def json_object(text: str) -> Mapping[str, Any]:
    """Text that should be a JSON object; an empty one if it is not."""
    try:
        return mapping(decoded(text))
    except (ValueError, RecursionError):
        return {}
