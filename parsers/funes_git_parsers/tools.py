"""What a call to an editing or shell tool wrote, told by the names of its arguments.

For forms that hold sessions of any agent, and for agents whose tools are like everyone's. Standard
library only; knows nothing of records, sessions and results.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from funes_git_parsers import patch, searchreplace, shell
from funes_git_parsers.base import Edit, Hunk, Operation, PrintedCommit
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.paths import join
from funes_git_parsers.values import decoded, mapping, string

_SHELLS = frozenset({
    *("bash", "shell", "shell_command", "exec", "exec_command", "local_shell", "terminal"),
    *("powershell", "execute"),
    *("execute_command", "run_command", "run_commands", "run_shell_command", "run_terminal_cmd"),
    *("run_terminal_command", "run_terminal_command_v2"),
})  # fmt: skip
_WRITING = re.compile(r"write|create|edit|replace|insert|append|update|save|patch|diff", re.I)
_DELETING = re.compile(r"(?:^|_)(?:delete|remove)_?(?:file)?$", re.I)
_PATHS = (
    *("file_path", "filePath", "absolute_path", "absolutePath", "path", "relative_path"),
    *("target_file", "notebook_path", "filename", "file"),
)
_OLD = ("old_string", "old_str", "old_text", "oldText", "oldString", "search", "before")
_NEW = (
    *("new_string", "new_str", "new_text", "newText", "newString", "replace", "new_source"),
    "after",
)
_FOLDERS = ("workdir", "dir_path", "directory", "cwd")
_WHOLE = ("content", "contents", "file_text", "text", "code_edit")
_MADE = (*_WHOLE, "new_text")
"""Cline's `editor` makes a file of it where there is none."""
_PATCHES = ("input", "patch", "patchText", "diff")
_FAILED = re.compile(
    r"\s*(?:<tool_use_error>|\{?\"?(?:error|success\"?\s*:\s*false)\b|error[: ]|failed\b|fatal: "
    r"|user (?:rejected|denied)|apply_patch verification failed|file (?:not found|does not exist))",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call: `text` is its input, as JSON or as the tool takes it; `arguments` the same by
    name, where who makes it has them at hand."""

    tool_use_id: str
    tool: str
    text: str
    turn_uuid: str
    ts: float | None
    cwd: str | None
    arguments: Mapping[str, Any] | None = None

    def plain(self) -> list[Any]:
        """Its fields, as JSON values; `text` tells the arguments."""
        return [self.tool_use_id, self.tool, self.text, self.turn_uuid, self.ts, self.cwd]


@dataclass(frozen=True, slots=True)
class Change:
    """What a call did to one file; the fields are those of `Edit`."""

    path: str
    operation: Operation
    old: str | None = None
    new: str | None = None
    old_path: str | None = None
    hunks: tuple[Hunk, ...] = ()


def edits(session_id: str, call: Call, changes: Iterable[Change] | None = None) -> list[Edit]:
    """The edits of a call that succeeded, or whose outcome is not known: `changes`, where more is
    known than the call's own arguments tell.

    Their time is the call's: a command that writes and commits must not seem to have written after
    its own commit.
    """
    origin: Literal["tool", "shell"] = "shell" if command(call) is not None else "tool"
    return [
        Edit(
            session_id,
            call.turn_uuid,
            call.tool_use_id,
            n,
            call.ts,
            join(call.cwd, change.path),
            change.operation,
            call.tool,
            change.old,
            change.new,
            join(call.cwd, change.old_path) if change.old_path else None,
            change.hunks,
            origin,
        )
        for n, change in enumerate(asked(call) if changes is None else changes)
    ]


def commits(call: Call, output: str) -> tuple[PrintedCommit, ...]:
    """The commits that the git commands of a shell call printed."""
    line = command(call)
    return shell.printed_commits(line, output) if line else ()


def failed(output: str) -> bool:
    """Whether a result without a status of its own reads like one of a call that failed."""
    return _FAILED.match(output) is not None


def command(call: Call) -> str | None:
    """The command line of a shell call; None for any other tool."""
    if _plain_name(call.tool) not in _SHELLS:
        return None
    arguments = arguments_of(call)
    words = arguments.get("command", arguments.get("cmd"))
    if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
        is_script = len(words) == 3 and words[1].startswith("-") and words[1].endswith("c")
        return str(words[2]) if is_script else shlex.join(words)
    return string(words)


def asked(call: Call) -> list[Change]:
    """What a call's arguments ask for."""
    line = command(call)
    if line is not None:
        cwd = _first(arguments_of(call), _FOLDERS)
        return _of_shell(line, join(call.cwd, cwd) if cwd else call.cwd)
    name = _plain_name(call.tool)
    if not _may_edit(name):
        return []
    arguments = arguments_of(call)
    text = _first(arguments, _PATCHES) or ("" if arguments else call.text)
    if patch.BEGIN in text:
        return list(_of_patch(text))
    path = _first(arguments, _PATHS)
    return list(_of_arguments(name, path, arguments)) if path else []


def _of_shell(line: str, cwd: str | None) -> list[Change]:
    if patch.BEGIN in line:
        patches = (line[start:end] for start, end in patch.spans(line))
        return [change for text in patches for change in _of_patch(text)]
    return [
        Change(w.path, w.operation, w.old, w.new, w.old_path, w.hunks)
        for w in shell.writes(line, cwd)
    ]


def _of_patch(text: str) -> Iterator[Change]:
    for file in patch.parse(text):
        if file.move_to and file.kind == "modify":
            yield Change(file.move_to, "rename", old_path=file.path, hunks=file.hunks)
        elif file.kind != "modify" or file.hunks:
            yield Change(file.path, file.kind, new=file.content, hunks=file.hunks)


def _of_arguments(name: str, path: str, arguments: Mapping[str, Any]) -> Iterator[Change]:
    diff = string(arguments.get("diff"))
    if several := _several(arguments.get("edits", arguments.get("changes"))):
        for one in several:
            yield from _replaced(path, one)
    elif diff:
        for old, new in searchreplace.blocks(diff):
            yield Change(path, "modify", old, new)
        if hunks := patch.hunks_of_unified(diff):
            yield Change(path, "modify", hunks=hunks)
    elif arguments.get("insert_line") is not None:
        text = _first_text(arguments, ("new_str", "new_text", "insert_text", *_WHOLE))
        yield from [Change(path, "modify", new=text)] if text else []
    elif _first_text(arguments, _OLD) is not None:
        yield from _replaced(path, arguments)
    elif _DELETING.search(name):
        yield Change(path, "delete")
    elif (whole := _first_text(arguments, _MADE if name == "editor" else _WHOLE)) is not None:
        is_part = re.search("insert|append", name, re.I)
        yield Change(path, "modify" if is_part else "create", new=whole)


def _several(edits: object) -> list[dict[str, Any]]:
    """A list of edits; some models send it as a string, or one edit alone."""
    if isinstance(edits, str):
        try:
            edits = json.loads(edits)
        except (ValueError, RecursionError):
            return []
    found = edits if isinstance(edits, list) else [edits]
    return [one for one in found if isinstance(one, dict)]


def _replaced(path: str, arguments: Mapping[str, Any]) -> Iterator[Change]:
    old, new = _first_text(arguments, _OLD), _first_text(arguments, _NEW)
    if old is not None and new is not None:
        yield Change(path, "modify", old, new) if old else Change(path, "create", new=new)


@lru_cache(maxsize=256)
def _may_edit(name: str) -> bool:
    return bool(_WRITING.search(name) or _DELETING.search(name))


@lru_cache(maxsize=256)
def _plain_name(tool: str) -> str:
    """The tool without the server that offers it (`mcp__fs__write_file`)."""
    name = tool.rpartition("__")[2].rpartition(".")[2]
    return name.lower() if name.lower() in _SHELLS else name


def arguments_of(call: Call) -> Mapping[str, Any]:
    """The arguments of a call by name; none if its input is something else."""
    return _decoded(call.text) if call.arguments is None else call.arguments


@lru_cache(maxsize=16)  # each call is asked for its command, its folder and its changes
def _decoded(text: str) -> Mapping[str, Any]:
    try:
        return mapping(decoded(text))
    except (ValueError, RecursionError):
        return {}


def _first(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    for name in names:
        if (found := arguments.get(name)) and isinstance(found, str):
            return found
    return None


def _first_text(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """Like `_first`, but an empty text counts."""
    for name in names:
        if isinstance(text := arguments.get(name), str):
            return text
    return None
