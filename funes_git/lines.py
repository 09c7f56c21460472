"""The lines that an edit added and removed.

Pure functions on text; knows nothing of git, of stores or of redaction. A line is what stands
between two newline bytes, as in git: other line separators do not end it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from funes_git_parsers.base import Edit, Hunk

PlacedLine: TypeAlias = tuple[int, str]
"""A line and its position, from 1, in the new (or old) text."""

Opcode: TypeAlias = tuple[str, int, int, int, int]
"""As difflib gives it: what happens to lines `[i1:i2]` of the old text and `[j1:j2]` of the new."""

CONTEXT = 3
MAX_PAIRS = 400_000
"""Equal pairs of lines up to which difflib's quadratic search takes well under a second."""


def split(text: str) -> list[str]:
    """The lines of `text`; a last newline ends the last line and starts none."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def changes(edit: Edit) -> tuple[list[PlacedLine], list[PlacedLine], str]:
    """The lines that `edit` added, those that it removed, and its diff as unified-diff hunks.

    Hunks win. Else `old` and `new` are compared by line. They may start or end in the middle of a
    line of the file; such a piece is kept, as it equals no line of a file but by being one, except
    where `new` provably runs on into the line after it: then its last line is no line at all.
    All empty where the text is not known.
    """
    if edit.hunks:
        return _of_hunks(edit.hunks)
    if edit.operation == "delete":
        old, new = split(edit.old or ""), []
    elif edit.new is None:
        return [], [], ""
    else:
        old, new = split(edit.old or ""), split(edit.new)
    return _of_texts(old, new, cut=_runs_on(edit))


def _runs_on(edit: Edit) -> bool:
    """Whether the replacement drops the newline that the replaced text ended with."""
    return bool(
        edit.operation == "modify"
        and edit.old
        and edit.new
        and edit.old.endswith("\n")
        and not edit.new.endswith("\n")
    )


def _of_hunks(hunks: Sequence[Hunk]) -> tuple[list[PlacedLine], list[PlacedLine], str]:
    added: list[PlacedLine] = []
    removed: list[PlacedLine] = []
    out: list[str] = []
    for hunk in hunks:
        old, new = hunk.old_start, hunk.new_start
        for line in hunk.lines:
            sign, text = line[:1], line[1:]
            if sign == "+":
                added.append((new, text))
            elif sign == "-":
                removed.append((old, text))
            old += sign != "+"
            new += sign != "-"
        out.append(_header(hunk.old_start, old, hunk.new_start, new))
        out += hunk.lines
    return added, removed, "\n".join(out)


def _header(old_start: int, old_end: int, new_start: int, new_end: int) -> str:
    return f"@@ -{old_start},{old_end - old_start} +{new_start},{new_end - new_start} @@"


def _of_texts(
    old: list[str], new: list[str], cut: bool
) -> tuple[list[PlacedLine], list[PlacedLine], str]:
    added: list[PlacedLine] = []
    removed: list[PlacedLine] = []
    opcodes = _opcodes(old, new)
    for _, i1, i2, j1, j2 in (code for code in opcodes if code[0] != "equal"):
        removed += [(i + 1, old[i]) for i in range(i1, i2)]
        added += [(j + 1, new[j]) for j in range(j1, j2)]
    if cut and added and added[-1][0] == len(new):
        added.pop()
    return added, removed, _render(old, new, opcodes)


def _opcodes(old: list[str], new: list[str]) -> list[Opcode]:
    """difflib's opcodes of everything between the common head and tail."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    codes: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    for tag, i1, i2, j1, j2 in _middle(middle_old, middle_new):
        codes.append((tag, i1 + head, i2 + head, j1 + head, j2 + head))
    if tail:
        codes.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return codes


def _common(one: Sequence[str], two: Sequence[str]) -> int:
    """How many lines the two begin with in common."""
    n = 0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        n += 1
    return n


def _middle(old: list[str], new: list[str]) -> Iterator[Opcode]:
    if not old and not new:
        return
    counts = Counter(new)
    if sum(counts[line] for line in old) > MAX_PAIRS:
        # too many equal pairs to align in bounded time: all of it counts as replaced
        yield "replace", 0, len(old), 0, len(new)
        return
    yield from SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


def _render(old: list[str], new: list[str], opcodes: list[Opcode]) -> str:
    out: list[str] = []
    for group in _groups(opcodes):
        first, last = group[0], group[-1]
        out.append(_header(first[1] + 1, last[2] + 1, first[3] + 1, last[4] + 1))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                out += [" " + line for line in old[i1:i2]]
            else:
                out += ["-" + line for line in old[i1:i2]]
                out += ["+" + line for line in new[j1:j2]]
    return "\n".join(out)


def _groups(opcodes: list[Opcode]) -> Iterator[list[Opcode]]:
    """The opcodes in hunks of `CONTEXT` equal lines around each change."""
    group: list[Opcode] = []
    for index, code in enumerate(opcodes):
        tag, i1, i2, j1, j2 = code
        if tag != "equal":
            group.append(code)
            continue
        length = i2 - i1
        if index and (index + 1 == len(opcodes) or length > 2 * CONTEXT):
            group.append((tag, i1, min(i2, i1 + CONTEXT), j1, min(j2, j1 + CONTEXT)))
            yield group
            group = []
        if index + 1 < len(opcodes):
            skip = max(0, length - CONTEXT) if not group else 0
            group.append((tag, i1 + skip, i2, j1 + skip, j2))
    if any(code[0] != "equal" for code in group):
        yield group
