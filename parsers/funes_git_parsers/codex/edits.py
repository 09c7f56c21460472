"""What a Codex tool call wrote to files, from its input, its events and its outcome.

Knows Codex's editing tools; nothing of sessions, order or cursors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from funes_git_parsers import patch, shell
from funes_git_parsers.base import Edit, Hunk, Operation
from funes_git_parsers.codex import script as codex_script
from funes_git_parsers.codex.calls import PATCH_TOOLS, Call, Run, json_object
from funes_git_parsers.codex.outcome import Outcome
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.paths import join
from funes_git_parsers.values import mapping, string

_PATCH_FAILED = "apply_patch verification failed"
_CD = re.compile(
    r"(?:^|[;&|(\n])\s*cd\s+(?:--\s+)?('[^']*'|\"[^\"$`]*\"|[^\s;&|'\"$`]+)\s*(?=&&|;|\n)"
)


@dataclass(frozen=True, slots=True)
class _Write:
    path: str
    operation: Operation
    old: str | None = None
    new: str | None = None
    old_path: str | None = None
    hunks: tuple[Hunk, ...] = ()
    tool: str = "apply_patch"
    origin: Literal["tool", "shell"] = "tool"


def edits(session_id: str, call: Call, ran: list[Run], out: Outcome) -> list[Edit]:
    """The edits of a call that ran `ran` and ended with `out`; none of what failed."""
    return [
        Edit(
            session_id,
            call.turn_uuid,
            call.call_id,
            n,
            call.ts,
            write.path,
            write.operation,
            write.tool,
            write.old,
            write.new,
            write.old_path,
            write.hunks,
            write.origin,
        )
        for n, write in enumerate(_writes(call, ran, out))
    ]


def _writes(call: Call, ran: list[Run], out: Outcome) -> list[_Write]:
    failed = out.is_error is True
    patches = _patches(call, ran)
    found: list[_Write] = []
    if call.patched:
        is_one = all(len(changes) < 2 for changes in call.changes)
        order = [] if is_one else list(_order(patches))
        for changes in call.changes:
            found += _of_changes(changes, call.cwd, order)
    elif patches and not failed and _PATCH_FAILED not in out.text:
        for cwd, text in patches:
            for file in patch.parse(text):
                found += _of_patch(file, cwd)
    for run in ran:
        if run.exit_code == 0 or (run.exit_code is None and not failed):
            for w in shell.writes(_without_patches(run.command), run.cwd):
                shown = (w.path, w.operation, w.old, w.new, w.old_path, w.hunks)
                found.append(_Write(*shown, call.name or "shell", "shell"))
    return found


def _order(patches: Iterable[tuple[str | None, str]]) -> Iterator[str]:
    return (join(cwd, file.path) for cwd, text in patches for file in patch.parse(text))


def _of_patch(file: patch.PatchFile, cwd: str | None) -> Iterator[_Write]:
    path = join(cwd, file.path)
    if file.move_to and file.kind == "modify":
        target = join(cwd, file.move_to)
        yield _Write(target, "rename", old_path=path, hunks=file.hunks)
    elif file.kind != "modify" or file.hunks:
        yield _Write(path, file.kind, new=file.content, hunks=file.hunks)


def _of_changes(changes: Mapping[str, Any], cwd: str | None, order: list[str]) -> Iterator[_Write]:
    """What an event says was changed. Codex writes it from a hash map; `order` is the patch's."""
    places = {path: place for place, path in reversed(list(enumerate(order)))}
    known = {join(cwd, path): mapping(change) for path, change in changes.items()}
    for path in sorted(known, key=lambda path: (places.get(path, len(order)), path)):
        change = known[path]
        text = change.get("content")
        content = text if isinstance(text, str) else None
        match change.get("type"):
            case "add":
                yield _Write(path, "create", new=content)
            case "delete":
                yield _Write(path, "delete", old=content)
            case "update":
                yield from _of_update(path, change, cwd)


def _of_update(path: str, change: Mapping[str, Any], cwd: str | None) -> Iterator[_Write]:
    hunks = patch.hunks_of_unified(string(change.get("unified_diff")) or "")
    target = string(change.get("move_path"))
    if target:
        yield _Write(join(cwd, target), "rename", old_path=path, hunks=hunks)
    elif hunks:
        yield _Write(path, "modify", hunks=hunks)


def _patches(call: Call, ran: list[Run]) -> list[tuple[str | None, str]]:
    """The patches of a call, each with the folder that its paths start from."""
    if call.name in PATCH_TOOLS:
        return [(call.cwd, _patch_text(call.text))]
    found: list[tuple[str | None, str]] = []
    if call.name == "exec":
        for tool in codex_script.calls(call.text):
            if tool.name in PATCH_TOOLS:
                found.append((call.cwd, tool.text or tool.arguments.get("input", "")))
    for run in ran:
        if "apply_patch" in run.command or "applypatch" in run.command:
            for start, end in patch.spans(run.command):
                found.append((_folder_at(run, start), run.command[start:end]))
    return found


def _patch_text(text: str) -> str:
    """The patch that an editing tool was given: raw, or as an argument of a function."""
    if not text.lstrip().startswith("{"):
        return text
    arguments = json_object(text)
    return string(arguments.get("input")) or string(arguments.get("patch")) or ""


def _folder_at(run: Run, offset: int) -> str | None:
    """The folder that the command line has changed to before `offset`."""
    cwd = run.cwd
    line = run.command.rfind("\n", 0, offset)
    for match in _CD.finditer(run.command, 0, max(line, 0) or offset):
        cwd = join(cwd, match[1].strip("'\""))
    return cwd


def _without_patches(command: str) -> str:
    if patch.BEGIN not in command:
        return command
    for start, end in reversed(list(patch.spans(command))):
        command = command[:start] + command[end:]
    return command
