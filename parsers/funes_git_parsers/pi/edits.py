"""What a tool call of pi wrote: exact lines from the result's diff, else texts from the call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from funes_git_parsers import patch, tools
from funes_git_parsers.base import Hunk
from funes_git_parsers.tools import Call, Change
from funes_git_parsers.values import mapping, string

_SHOWN = re.compile(r"^(?:([ +-])( *\d{1,9})[ |](.*)|)", re.MULTILINE)


def changes(call: Call, details: Mapping[str, Any]) -> list[Change]:
    """What a call that succeeded did. `details` are the result's."""
    if ("op" in details or "perFileResults" in details) and (told := list(_told(details))):
        return told
    asked = tools.asked(call)
    hunks = _hunks(details) if asked else ()
    if not hunks or {(c.path, c.operation) for c in asked} != {_modified(asked[:1])}:
        return asked
    is_one = len(asked) == 1
    old, new = (asked[0].old, asked[0].new) if is_one else (None, None)
    return [Change(asked[0].path, "modify", old, new, hunks=hunks)]


def _told(details: Mapping[str, Any]) -> Iterator[Change]:
    """What oh-my-pi tells of each file that an edit changed; its calls name lines by number."""
    several = details.get("perFileResults")
    for file in map(mapping, several if isinstance(several, list) else [details]):
        path, shown, source = (string(file.get(name)) for name in ("path", "diff", "sourcePath"))
        operation = file.get("op")
        if not path or file.get("isError") is True:
            continue
        hunks = tuple(_of_shown(shown)) if shown else ()
        if operation == "create" and (made := string(file.get("newText"))):
            yield Change(path, "create", new=made)
        elif operation == "delete":
            yield Change(path, "delete")
        elif operation in ("create", "update") and source and source != path:
            yield Change(path, "rename", old_path=source, hunks=hunks)
        elif operation in ("create", "update") and hunks:
            yield Change(path, "modify", hunks=hunks)


def _modified(first: list[Change]) -> tuple[str, str] | None:
    return (first[0].path, "modify") if first else None


def _hunks(details: Mapping[str, Any]) -> tuple[Hunk, ...]:
    """The exact lines that an edit changed: newer versions give a patch beside the diff that is
    shown."""
    if unified := string(details.get("patch")):
        return patch.hunks_of_unified(unified)
    shown = string(details.get("diff"))
    return tuple(_of_shown(shown)) if shown else ()


def _of_shown(diff: str) -> list[Hunk]:
    """The hunks of a diff made for the eye: sign, line number, space (oh-my-pi: a bar), line. One
    that was removed or kept has its old number, one that was added its new one; `...` stands for
    lines left out."""
    shown = _SHOWN.findall(diff)
    found: list[Hunk] = []
    end = shift = 0  # how many more lines the new file has so far
    for signs in "".join([sign or "." for sign, _, _ in shown]).split("."):
        start, end = end, end + len(signs) + 1
        added, removed = signs.count("+"), signs.count("-")
        if added or removed:
            at = int(shown[start][1])
            old, new = (at - shift, at) if signs[0] == "+" else (at, at + shift)
            lines = [sign + line for sign, _, line in shown[start : end - 1]]
            found.append(Hunk(old, new, tuple(lines)))
        shift += added - removed
    return found
