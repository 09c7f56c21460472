"""What Cursor's editing tools wrote, told by their results. Knows one call, and no conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from funes_git_parsers import tools
from funes_git_parsers.base import Hunk
from funes_git_parsers.tools import Call, Change
from funes_git_parsers.values import integer, mapping, parsed, string

_APART = 10_000
"""Lines between chunks whose places are not known, so that they do not touch."""
_PATHS = ("target_file", "file_path", "path", "relativeWorkspacePath", "target_notebook")


def changes(call: Call, result: str, contents: Mapping[str, str]) -> Iterable[Change] | None:
    """What an editing call wrote, if its result tells it: the whole texts, themselves or by their
    names in `contents`; or a diff. None where the arguments are all that is known."""
    found = mapping(parsed(result))
    path = _path(call)
    if path is None:
        return None
    if found.get("isApplied") is False:
        return []
    before = _content(found, "contentsBeforeEdit", "beforeContentId", contents)
    after = _content(found, "contentsAfterEdit", "afterContentId", contents)
    if after is not None:
        created = not before
        return [Change(path, "create" if created else "modify", before or None, after)]
    hunks = tuple(_hunks(mapping(found.get("diff"))))
    if hunks:
        return [Change(path, "modify", hunks=hunks)]
    sketch = tools.arguments_of(call).get("code_edit")
    if isinstance(sketch, str):
        return [Change(path, "modify", new=sketch)]  # leaves out what stays as it is
    return None


def _path(call: Call) -> str | None:
    arguments = tools.arguments_of(call)
    return next((path for name in _PATHS if (path := string(arguments.get(name)))), None)


def _content(
    found: Mapping[str, Any], text: str, name: str, contents: Mapping[str, str]
) -> str | None:
    value = found.get(text)
    return value if isinstance(value, str) else contents.get(string(found.get(name)) or "")


def _hunks(diff: Mapping[str, Any]) -> Iterator[Hunk]:
    """The chunks of a diff. Some versions write a blank after each sign."""
    chunks = diff.get("chunks")
    for n, chunk in enumerate(chunks if isinstance(chunks, list) else ()):
        shown = mapping(chunk)
        lines = (string(shown.get("diffString")) or "").rstrip("\n").split("\n")
        lines = [line or " " for line in lines if line[:1] in ("", "+", "-", " ")]
        if all(line[1:2] in ("", " ") for line in lines):
            lines = [line[:1] + line[2:] for line in lines]
        old, new = integer(shown.get("oldStart")), integer(shown.get("newStart"))
        if any(line[0] in "+-" for line in lines):
            yield Hunk(old or 1 + n * _APART, new or 1 + n * _APART, tuple(lines))


def content_names(result: str) -> Iterator[str]:
    """The names of the whole texts that a result points to."""
    found = mapping(parsed(result))
    for key in ("beforeContentId", "afterContentId"):
        if name := string(found.get(key)):
            yield name
