"""Exact hunks for the edits of Claude Code.

Claude's `structuredPatch` is made for the eye: leading tabs come as two spaces each. So its lines
are looked up in the original and the changed file where the record holds the original, and where it
does not, they are given back the tabs of the replaced and the replacing text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from funes_git_parsers.base import Hunk
from funes_git_parsers.values import integer

_SIGNS = (" ", "+", "-")
_LEADING_PAIRS = re.compile(r"^(?:  )+")
_MAX_DIFF = 4_000_000  # lines × lines; beyond this a region counts as replaced whole


def of_patch(patch: object) -> tuple[Hunk, ...]:
    """The hunks of a `structuredPatch`, as displayed; () if it is none."""
    found: list[Hunk] = []
    for part in patch if isinstance(patch, list) else []:
        match part:
            case {"oldStart": old_start, "newStart": new_start, "lines": [*texts]}:
                old, new = integer(old_start), integer(new_start)
                kept = [t for t in texts if isinstance(t, str) and t[:1] in _SIGNS]
                if kept and old is not None and new is not None:
                    found.append(Hunk(old, new, tuple(kept)))
    return tuple(found)


def replaced(original: str, old: str, new: str, every: bool) -> str:
    """`original` with `old` replaced, once or everywhere, as Claude does it."""
    return original.replace(_taken(original, old, new), new, -1 if every else 1)


def has_tabs(*texts: str) -> bool:
    """Whether a tab is in any of the texts, or is written in it as a program would."""
    return any("\t" in text or ("\\" in text and "\\t" in text) for text in texts)


def of_files(patch: Sequence[Hunk], original: str, changed: str, near: int) -> tuple[Hunk, ...]:
    """The hunks of a displayed patch with the lines that the two files have at those places; () if
    the patch does not fit them. They are the same up to `near`, which is about where they differ.
    """
    start = original.rfind("\n", 0, max(near, 0)) + 1
    line = original.count("\n", 0, start)
    before, after = _Lines(original, start, line), _Lines(changed, start, line)
    found: list[Hunk] = []
    for hunk in patch:
        size = sum(map(len, hunk.lines))
        old = iter(before.at(hunk.old_start - 1, size))
        new = iter(after.at(hunk.new_start - 1, size))
        texts: list[str] = []
        for shown in hunk.lines:
            sign = shown[0]
            text = next(new if sign == "+" else old, None)
            if sign == " ":
                next(new, None)
            if text is None or _displayed(text) != shown[1:]:
                return ()
            texts.append(sign + text)
        found.append(Hunk(hunk.old_start, hunk.new_start, tuple(texts)))
    return tuple(found)


class _Lines:
    """The lines of a text, which may be long, from near the place where they were last asked:
    first from `start`, where `line` begins."""

    def __init__(self, text: str, start: int, line: int) -> None:
        self._text, self._start, self._line = text, start, line

    def at(self, line: int, size: int) -> list[str]:
        """The lines from `line` (from 0) on that are in the next `size` characters; the last may be
        cut. None if there is no such line."""
        text = self._text
        while self._line < line:
            end = text.find("\n", self._start)
            if end < 0:
                return []
            self._start, self._line = end + 1, self._line + 1
        while self._line > max(line, 0):
            self._start = text.rfind("\n", 0, self._start - 1) + 1
            self._line -= 1
        return text[self._start : self._start + size].split("\n") if line >= 0 else []


def of_replacement(original: str, old: str, new: str, every: bool) -> tuple[Hunk, ...]:
    """The full lines that change when `old` is replaced by `new` in `original`, once or everywhere.
    () if `old` does not occur."""
    old = _taken(original, old, new)
    hunks: list[Hunk] = []
    line = shift = counted = 0
    for start, stop, text in _regions(original, old, new, every):
        line += original.count("\n", counted, start)
        counted = start
        at_end = stop == len(original)
        before, after = _lines(original[start:stop], at_end), _lines(text, at_end)
        hunks += _diff(before, after, line + 1, line + 1 + shift)
        shift += len(after) - len(before)
    return tuple(hunks)


def of_texts(old: str, new: str) -> tuple[Hunk, ...]:
    """The line diff of two whole files."""
    return tuple(_diff(_lines(old, True), _lines(new, True), 1, 1))


def restored(patch: Sequence[Hunk], old: str, new: str) -> tuple[Hunk, ...]:
    """The hunks of a displayed patch with the tabs that the old and the new text have.

    A line that is in neither (the edit began or ended inside it, or it is context) gets tabs if
    every indented line of the two texts is indented by tabs.
    """
    if "\t" not in old and "\t" not in new:
        return tuple(patch)  # displayed as it is
    before, after = old.split("\n"), new.split("\n")
    known = {"-": _by_display(before), "+": _by_display(after), " ": _by_display(before)}
    indents = {line[0] for line in before[1:] + after[1:] if line.startswith(("\t", "  "))}
    unknown = _with_tabs if indents == {"\t"} else str

    def exact(shown: str) -> str:
        text = known[shown[0]].get(shown[1:])
        return shown[0] + (unknown(shown[1:]) if text is None else text)

    return tuple(
        Hunk(hunk.old_start, hunk.new_start, tuple(map(exact, hunk.lines))) for hunk in patch
    )


def only(hunks: Sequence[Hunk], old: str, new: str) -> tuple[Hunk, ...]:
    """The hunks without added lines that are not in `new` and removed lines that are not in `old`,
    split where a line is left out so that the line numbers stay right."""
    allowed = {"-": set(old.split("\n")), "+": set(new.split("\n"))}
    found: list[Hunk] = []
    for hunk in hunks:
        at = {"-": hunk.old_start, "+": hunk.new_start}
        kept: list[str] = []
        for text in hunk.lines:
            sign = text[0]
            if sign == " " or text[1:] in allowed[sign]:
                kept.append(text)
                continue
            found += _ended(kept, at)
            kept = []
            at[sign] += 1
        found += _ended(kept, at)
    return tuple(hunk for hunk in found if any(t[0] != " " for t in hunk.lines))


def added(hunks: Sequence[Hunk]) -> str:
    """The added lines as one text."""
    return "\n".join(t[1:] for hunk in hunks for t in hunk.lines if t[0] == "+")


def removed(hunks: Sequence[Hunk]) -> str:
    """The removed lines as one text."""
    return "\n".join(t[1:] for hunk in hunks for t in hunk.lines if t[0] == "-")


def _taken(original: str, old: str, new: str) -> str:
    """The text that is taken out: with the line end where all of a line is deleted."""
    is_deletion = new == "" and not old.endswith("\n")
    return old + "\n" if is_deletion and old + "\n" in original else old


def _displayed(line: str) -> str:
    if line[:1] != "\t":
        return line
    text = line.lstrip("\t")
    return "  " * (len(line) - len(text)) + text


def _ended(kept: list[str], at: dict[str, int]) -> list[Hunk]:
    """The hunk of `kept`, moving `at` behind it."""
    hunk = Hunk(at["-"], at["+"], tuple(kept))
    at["-"] += sum(t[0] != "+" for t in kept)
    at["+"] += sum(t[0] != "-" for t in kept)
    return [hunk] if kept else []


def _with_tabs(shown: str) -> str:
    return _LEADING_PAIRS.sub(lambda m: "\t" * (len(m[0]) // 2), shown)


def _by_display(lines: Sequence[str]) -> dict[str, str]:
    """Lines by the form in which a patch displays them; a line that has that very form wins."""
    return {**{_displayed(line): line for line in lines}, **{line: line for line in lines}}


def _regions(original: str, old: str, new: str, every: bool) -> Iterator[tuple[int, int, str]]:
    """(start, stop, replacement) of runs of whole lines around the places that change."""
    start = original.find(old) if old else -1
    while start >= 0:
        first = original.rfind("\n", 0, start) + 1
        text = original[first:start]
        while True:
            text += new
            done = start + len(old)
            stop = original.find("\n", done)
            stop = len(original) if stop < 0 else stop
            start = original.find(old, done) if every else -1
            if not 0 <= start <= stop:
                break
            text += original[done:start]
        yield first, stop, text + original[done:stop]


def _lines(text: str, at_end: bool) -> list[str]:
    """The lines of a run of whole lines that ends before a line end or (`at_end`) with the file."""
    found = text.split("\n")
    if at_end and found[-1] == "":
        found.pop()
    return found


def _diff(old: list[str], new: list[str], old_start: int, new_start: int) -> Iterator[Hunk]:
    """One hunk for each changed run, without context."""
    for _, a, b, c, d in _opcodes(old, new):
        signed = (*("-" + t for t in old[a:b]), *("+" + t for t in new[c:d]))
        # As in a unified diff, an empty side names the line before.
        yield Hunk(old_start + a - (a == b), new_start + c - (c == d), signed)


def _opcodes(old: list[str], new: list[str]) -> list[tuple[Any, int, int, int, int]]:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if not a and not b:
        return []
    if not a or not b or len(a) * len(b) > _MAX_DIFF:
        return [("replace", head, head + len(a), head, head + len(b))]
    codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [
        (tag, head + i, head + j, head + k, head + m) for tag, i, j, k, m in codes if tag != "equal"
    ]
