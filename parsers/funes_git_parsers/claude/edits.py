"""What a tool call of Claude Code wrote: edits with exact text, from the call and its result.

The call says what the model asked for, `toolUseResult` what happened. Knows nothing of records,
chains or files on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Literal

from funes_git_parsers import shell
from funes_git_parsers.base import Edit, Hunk, Operation
from funes_git_parsers.claude import hunks as lines
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.paths import join
from funes_git_parsers.tools import Change

SHELLS: Final = frozenset({"Bash"})
_ABSOLUTE = re.compile(r"/|~|[A-Za-z]:[\\/]|\\\\")

_PATHS = ("file_path", "filePath", "path", "relative_path", "target_file", "notebook_path", "file")
_OLD = ("old_string", "old_str", "old_text", "oldText", "oldString", "search", "needle")
_NEW = ("new_string", "new_str", "new_text", "newText", "newString", "replace", "repl", "body")
_WHOLE = ("file_text", "content", "contents", "text", "insert_text")
_WRITING_NAME = re.compile(r"write|create|edit|replace|insert|append|update|save|patch", re.I)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that waits for its result. `input` is kept only for tools that may write."""

    tool_use_id: str
    name: str
    session_id: str
    turn_uuid: str
    ts: float | None
    cwd: str | None
    input: dict[str, Any] | None

    def without_input(self) -> Call:
        """The call once its result was read."""
        return Call(
            self.tool_use_id,
            self.name,
            self.session_id,
            self.turn_uuid,
            self.ts,
            self.cwd,
            None,
        )


def may_write(name: str) -> bool:
    """Whether a call of this tool can give edits, so that its input must be kept."""
    return name in _WRITERS or name in SHELLS or name.startswith("mcp__")


def edits(call: Call, result: dict[str, Any]) -> list[Edit]:
    """The edits of a call that succeeded. `result` is the record's `toolUseResult`, or {}.

    The time of an edit is the call's: a command that writes and commits must not seem to have
    written after its own commit.
    """
    if call.input is None:
        return []
    origin: Literal["tool", "shell"] = "shell" if call.name in SHELLS else "tool"
    return [
        Edit(  # by position: names take five times as long
            call.session_id,
            call.turn_uuid,
            call.tool_use_id,
            n,
            call.ts,
            join(call.cwd, change.path),
            change.operation,
            call.name,
            change.old,
            change.new,
            change.old_path and join(call.cwd, change.old_path),
            change.hunks,
            origin,
        )
        for n, change in enumerate(_changes(call, call.input, result))
    ]


def _changes(call: Call, args: dict[str, Any], result: dict[str, Any]) -> Iterable[Change]:
    if call.name in SHELLS:
        return _shell(args, call.cwd)
    if writer := _WRITERS.get(call.name):
        return writer(args, result)
    if _WRITING_NAME.search(call.name.rpartition("__")[2]):
        return _any_editor(args, result)
    return ()


def _shell(args: dict[str, Any], cwd: str | None) -> list[Change]:
    command = _text(args, ("command",))
    return [
        Change(w.path, w.operation, w.old, w.new, w.old_path, w.hunks)
        for w in (shell.writes(command, cwd) if command else ())
    ]


def _edit(args: dict[str, Any], result: dict[str, Any]) -> Iterator[Change]:
    path = _path(args, result)
    asked_old, asked_new = _text(args, _OLD), _text(args, _NEW)
    # The result holds the texts as they were applied, after Claude's own small corrections.
    old = asked_old if (applied := _text(result, ("oldString",))) is None else applied
    new = asked_new if (applied := _text(result, ("newString",))) is None else applied
    if path is None or old is None or new is None:
        return
    original = _text(result, ("originalFile",))
    patch = lines.of_patch(result.get("structuredPatch"))
    if result.get("userModified") is True:
        yield _by_person(path, patch, asked_old or "", asked_new or "")
        return
    if patch and original and not lines.has_tabs(original, new):
        original = None  # the patch is shown as it is
    if old == "" and not original and not any(h.old_start > 1 for h in patch):
        yield Change(path, "create", new=new)
    else:
        every = result.get("replaceAll", args.get("replace_all")) is True
        yield Change(path, "modify", old, new, hunks=_hunks(original, old, new, every, patch))


def _hunks(
    original: str | None, old: str, new: str, every: bool, patch: Sequence[Hunk]
) -> tuple[Hunk, ...]:
    if original is not None:
        changed = lines.replaced(original, old, new, every)
        exact = lines.of_files(patch, original, changed, original.find(old))
        if exact := exact or lines.of_replacement(original, old, new, every):
            return exact
    return lines.restored(patch, old, new)


def _write(args: dict[str, Any], result: dict[str, Any]) -> Iterator[Change]:
    path = _path(args, result)
    asked = _text(args, ("content",))
    written = _text(result, ("content",))
    content = asked if written is None else written
    if path is None or content is None:
        return
    original = _text(result, ("originalFile",))
    patch = lines.of_patch(result.get("structuredPatch"))
    operation: Operation = "create" if _is_new(result, original) else "modify"
    if result.get("userModified") is True and asked is not None and asked != content:
        patch = lines.of_texts(original or "", content)
        hunks = lines.only(patch, original or "", asked)
        yield Change(path, operation, hunks=hunks, old=original, new=lines.added(hunks))
    elif operation == "create":
        yield Change(path, "create", new=content)
    elif original is None and result.get("structuredPatch") == []:
        yield Change(path, "modify", old=content, new=content)  # it was that text already
    elif original is None:
        yield Change(path, "modify", new=content, hunks=lines.restored(patch, "", content))
    else:
        yield Change(path, "modify", old=original, new=content)


def _is_new(result: dict[str, Any], original: str | None) -> bool:
    kind = result.get("type")
    return kind == "create" or (kind != "update" and not original)


def _multi_edit(args: dict[str, Any], result: dict[str, Any]) -> Iterator[Change]:
    path = _path(args, result)
    steps = [step for step in _list(args, "edits") if isinstance(step, dict)]
    if path is None:
        return
    if result.get("userModified") is True:
        olds = "\n".join(_text(step, _OLD) or "" for step in steps)
        news = "\n".join(_text(step, _NEW) or "" for step in steps)
        yield _by_person(path, lines.of_patch(result.get("structuredPatch")), olds, news)
        return
    text = _text(result, ("originalFileContents", "originalFile"))
    for step in steps:
        old, new = _text(step, _OLD), _text(step, _NEW)
        if old is None or new is None:
            continue
        every = step.get("replace_all") is True
        hunks = lines.of_replacement(text, old, new, every) if text is not None else ()
        if text is not None:
            text = lines.replaced(text, old, new, every) if old else new
        yield Change(path, "modify" if old else "create", old or None, new, hunks=hunks)


def _notebook(args: dict[str, Any], result: dict[str, Any]) -> Iterator[Change]:
    path = _path(args, result)
    old = _text(result, ("original_file", "originalFile"))
    new = _text(result, ("updated_file", "updatedFile"))
    if path is None or result.get("error"):
        return
    if old is None or new is None:
        old, new = None, _text(args, ("new_source",))
    yield Change(path, "modify", old, new)


def _any_editor(args: dict[str, Any], result: dict[str, Any]) -> Iterator[Change]:
    """An editor that is not Claude's own, known by the names of its arguments."""
    path = _path(args, result)
    remote = "owner" in args and "repo" in args  # a forge's API, not the working tree
    if path is None or remote or args.get("dryRun") is True or args.get("dry_run") is True:
        return
    if steps := [step for step in _list(args, "edits") if isinstance(step, dict)]:
        for step in steps:
            yield Change(path, "modify", _text(step, _OLD), _text(step, _NEW))
        return
    old, new, whole = _text(args, _OLD), _text(args, _NEW), _text(args, _WHOLE)
    if new is not None:
        yield Change(path, "modify", old, new)
    elif whole is not None:
        inserted = "insert_line" in args or "insert_text" in args
        yield Change(path, "modify" if inserted else "create", new=whole)


def _by_person(path: str, patch: Sequence[Hunk], old: str, new: str) -> Change:
    """A person changed the edit before accepting it: only what is the agent's own text counts."""
    hunks = lines.only(lines.restored(patch, old, new), old, new)
    return Change(path, "modify", lines.removed(hunks), lines.added(hunks), hunks=hunks)


_WRITERS: Final[dict[str, Callable[[dict[str, Any], dict[str, Any]], Iterator[Change]]]] = {
    "Edit": _edit,
    "Write": _write,
    "MultiEdit": _multi_edit,
    "NotebookEdit": _notebook,
    "str_replace_editor": _any_editor,
    "str_replace_based_edit_tool": _any_editor,
}


def _path(args: dict[str, Any], result: dict[str, Any]) -> str | None:
    asked = _text(args, _PATHS)
    done = _text(result, ("filePath", "notebook_path"))
    if asked and (_ABSOLUTE.match(asked) or not done):
        return asked
    return done or None


def _text(values: dict[str, Any], keys: Sequence[str]) -> str | None:
    for key in keys:
        if isinstance(value := values.get(key), str):
            return value
    return None


def _list(values: dict[str, Any], key: str) -> list[Any]:
    value = values.get(key)
    return value if isinstance(value, list) else []
