"""One rendered call: the blocks that it becomes, and what it wrote.

The rendering is not reversible: a call's input is its summary. Of what was written there are the
diffs of Cursor and Codex, and the whole text of a file that Claude wrote; of Claude's `Edit` only
the path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from funes_git_parsers import media, patch, tools
from funes_git_parsers.base import Block, Hunk, Operation
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.specstory import markup
from funes_git_parsers.values import compact

_NAME = re.compile(r'data-tool-name="([^"]*)"')
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.S)
_TAGS = re.compile(r"</?(?:details|summary|think)>")
_PATHS = (
    re.compile(r"(?:Edit|Write|Create|Created|Update) file: ([^\n<]+)"),
    re.compile(r"^(?:Path: | )?`([^`\n]+)`", re.M),
)
_WROTE = re.compile(
    r"^(?:Output: )?(?:File created successfully at: (?P<new>[^\n(]+)"
    r"|Created file file://(?P<made>[^\n]+?)(?: with requested content)?\.?$"
    r"|The file (?P<old>[^\n]+?) has been updated)",
    re.M,
)
_COMMAND = re.compile(r"^`([^`\n]+)`\s*$", re.M)
_OF_PATCH = re.compile(r"^\*\*(Add|Update|Delete): `([^`\n]+)`\*\*$", re.M)
_OPERATIONS: dict[str, Operation] = {"Add": "create", "Update": "modify", "Delete": "delete"}
_CURSOR = "**Chunk "
"""What stands before each diff of Cursor's, where a blank follows every sign."""
_SCRIPTS = ("bash", "sh", "shell", "zsh")


@dataclass(frozen=True, slots=True)
class Written:
    """What a call wrote to one path: the exact lines, or the whole text of a new file."""

    path: str
    operation: Operation
    hunks: tuple[Hunk, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call with its result, and what it wrote if it succeeded."""

    use: Block
    result: Block
    written: tuple[Written, ...]


def call_of(tag: str, body: str, call_id: str) -> Call:
    """The call of a `<tool-use>`, from its tag and what is in it."""
    named = _NAME.search(tag)
    tool = named[1] if named and named[1] else "tool"
    summary = _SUMMARY.search(body)
    shown = _TAGS.sub("", (summary[1] if summary else "").strip())
    rest = body[summary.end() :] if summary else body
    plain = _TAGS.sub("", markup.without_fences(rest))
    fences = markup.fences(rest)
    outputs = [text for kind, text in fences if kind in ("", "text")]
    output = "".join(outputs).rstrip("\n")
    is_shell = 'data-tool-type="shell"' in tag
    given = _command(shown, plain, fences) if is_shell else _target(shown, plain, output)
    failed = 'data-edit-status="rejected"' in tag or tools.failed("".join(outputs[-1:]))
    written: tuple[Written, ...] = ()
    if 'data-tool-type="write"' in tag and not failed:
        written = tuple(_written(given.get("path"), rest, fences))
    return Call(
        Block("tool_use", compact(given or {"summary": shown}), tool, call_id),
        Block("tool_result", media.elided(output), None, call_id, failed or None),
        written,
    )


def _command(shown: str, plain: str, fences: list[tuple[str, str]]) -> dict[str, str]:
    line = _COMMAND.search(plain) or re.search(r"`([^`\n]+)`$", shown)
    scripts = [text for kind, text in fences if kind in _SCRIPTS]
    command = line[1] if line else scripts[0].rstrip("\n") if scripts else ""
    return {"command": command} if command else {}


def _target(shown: str, plain: str, output: str) -> dict[str, str]:
    for pattern in _PATHS:
        if found := pattern.search(shown) or pattern.search(plain):
            return {"path": found[1].strip()}
    wrote = _WROTE.search(output) or _WROTE.search(plain)
    return {"path": _path(wrote)} if wrote else {}


def _path(wrote: re.Match[str]) -> str:
    return (wrote["new"] or wrote["made"] or wrote["old"]).strip()


def _written(path: str | None, rest: str, fences: list[tuple[str, str]]) -> Iterator[Written]:
    marks = list(_OF_PATCH.finditer(rest))
    for n, mark in enumerate(marks):
        part = rest[mark.end() : marks[n + 1].start() if n + 1 < len(marks) else len(rest)]
        hunks = tuple(_hunks(markup.fences(part), is_spaced=False))
        yield Written(mark[2], _OPERATIONS[mark[1]], hunks)
    if marks or path is None:
        return
    if hunks := tuple(_hunks(fences, is_spaced=_CURSOR in rest)):
        yield Written(path, "modify", hunks)
        return
    said = fences[-1][1] if len(fences) > 1 else markup.without_fences(rest)
    if fences and (wrote := _WROTE.search(said)):
        # a whole file, which the rendering ends with a line of its own
        text = fences[0][1].removesuffix("\n")
        if not wrote["old"]:
            yield Written(path, "create", text=text)
        else:
            yield Written(path, "modify", (Hunk(1, 1, tuple(f"+{t}" for t in text.splitlines())),))


def _hunks(fences: list[tuple[str, str]], *, is_spaced: bool) -> Iterator[Hunk]:
    """The hunks of the diffs; what has no ranges is parted where a line begins with `@@`."""
    for kind, diff in fences:
        if kind != "diff":
            continue
        lines = diff.split("\n")
        if is_spaced:  # and an escape of its own
            lines = [_respaced(line).replace("&#96;", "`") for line in lines]
        found = patch.hunks_of_unified("\n".join(lines))
        yield from found or _bare(lines)


def _respaced(line: str) -> str:
    return line[:1] + line[2:] if line[:1] in ("+", "-", " ") else line


def _bare(lines: list[str]) -> Iterator[Hunk]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.startswith("@@"):
            parts.append([])
        elif line[:1] in ("+", "-", " "):
            parts[-1].append(line)
    for n, part in enumerate(filter(None, parts), start=1):
        yield Hunk(n, n, tuple(part))
