"""What OpenCode's tools wrote. Knows the state of one tool part, and nothing of messages.

Tools: anomalyco/opencode, `packages/opencode/src/tool/{edit,write,apply_patch,multiedit,bash}.ts`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from funes_git_parsers import patch, tools
from funes_git_parsers.base import Edit, Hunk
from funes_git_parsers.paths import join
from funes_git_parsers.tools import Call, Change
from funes_git_parsers.values import mapping, string

_NUMBERED = re.compile(r"^ *\d+(?:: |\| )(.*)$", re.MULTILINE)
_TELLING = 4
"""Characters; a shorter line (a brace) stands at many depths."""


def edits(
    session_id: str, call: Call, metadata: Mapping[str, Any], lines: Mapping[str, Sequence[str]]
) -> Iterator[Edit]:
    """The edits of a call that was completed, of whose result `metadata` is what the tool kept.
    `lines` are full lines that the session has shown of each file."""
    yield from tools.edits(session_id, call, _changes(call, metadata, lines))


def lines_shown(part: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The files that a part shows, with full lines of each: one that was read."""
    state = mapping(part.get("state"))
    path = string(mapping(state.get("input")).get("filePath"))
    if part.get("tool") == "read" and path:
        yield path, _NUMBERED.findall(string(state.get("output")) or "")


def lines_changed(info: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The files that changed after a user's message, with full lines of each: what OpenCode keeps
    beside the message, from its own snapshots."""
    diffs = mapping(info.get("summary")).get("diffs")
    for kept in (mapping(each) for each in (diffs if isinstance(diffs, list) else ())):
        texts = [string(kept.get(name)) or "" for name in ("before", "after")]
        found = [line for text in texts for line in text.split("\n")]
        for hunk in patch.hunks_of_unified(string(kept.get("patch")) or ""):
            found += [line[1:] for line in hunk.lines]
        if path := string(kept.get("file")):
            yield path, found


def _changes(
    call: Call, metadata: Mapping[str, Any], lines: Mapping[str, Sequence[str]]
) -> Iterator[Change]:
    whole = [change for kept in _files(metadata) if (change := _whole(kept))]
    if whole:
        yield from whole
        return
    for change in tools.asked(call):
        yield _refined(call.tool, change, metadata, lines.get(join(call.cwd, change.path), ()))


def _files(metadata: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What a tool kept of each file that it changed."""
    several = metadata.get("files")
    for kept in (metadata.get("filediff"), *(several if isinstance(several, list) else ())):
        if isinstance(kept, dict):
            yield kept


def _whole(kept: Mapping[str, Any]) -> Change | None:
    """A change of which the whole texts were kept, as versions until 1.3 did."""
    before, after = kept.get("before"), kept.get("after")
    path = string(kept.get("filePath")) or string(kept.get("file"))
    if path is None or not isinstance(before, str) or not isinstance(after, str):
        return None
    kind, target = kept.get("type"), string(kept.get("movePath"))
    if kind == "delete":
        return Change(path, "delete", old=before)
    if target:
        return Change(target, "rename", before, after, old_path=path)
    if kind == "add" or not before:
        return Change(path, "create", new=after)
    return Change(path, "modify", before, after)


def _refined(
    tool: str, change: Change, metadata: Mapping[str, Any], lines: Sequence[str]
) -> Change:
    """A change that was asked for, with what is known of how it was made."""
    if tool == "write":
        existed = metadata.get("exists") is True
        return replace(change, operation="modify" if existed else "create")
    if tool == "edit" and change.old is not None and change.new is not None:
        diff = string(mapping(metadata.get("filediff")).get("patch"))
        hunks = patch.hunks_of_unified(diff or string(metadata.get("diff")) or "")
        asked = [line for text in (change.old, change.new) for line in _full_lines(text)]
        return replace(change, hunks=restored(hunks, asked) or restored(hunks, lines))
    return change


def _full_lines(text: str) -> list[str]:
    """The lines of a text but the first, unless that begins with the line's indentation."""
    lines = text.split("\n")
    return lines if text[:1].isspace() else lines[1:]


def restored(hunks: Sequence[Hunk], lines: Sequence[str]) -> tuple[Hunk, ...]:
    """The hunks with their indentation, told by full `lines` of the file; none if it cannot be
    told.

    OpenCode takes the indentation that all lines of a diff share away from each (`trimDiff`).
    """
    shown = {line[1:] for hunk in hunks for line in hunk.lines if len(line.strip()) > _TELLING}
    found: Counter[str] = Counter()
    for line in set(lines):
        depth = len(line) - len(line.lstrip())
        found.update(line[:cut] for cut in range(depth + 1) if line[cut:] in shown)
    if not found:
        return ()
    indent = found.most_common(1)[0][0]
    return tuple(
        replace(hunk, lines=tuple(_indented(line, indent) for line in hunk.lines)) for hunk in hunks
    )


def _indented(line: str, indent: str) -> str:
    return line[:1] + indent + line[1:] if line[1:].strip() else line
