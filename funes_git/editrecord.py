"""Make the stored record of an edit: its lines hashed, its secrets out, its diff for people.

Line hashes are taken before redaction, so that content still matches; a line that a secret stood
on gets none. Pure functions; what is secret was found before (redact.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha1
from typing import TypeAlias

from funes_git.linehash import exact_hash, loose_hash
from funes_git.lines import PlacedLine, split
from funes_git.model import EditRecord, LineKey
from funes_git.redact import Redacted
from funes_git_parsers.base import Edit
from funes_git_parsers.dataclass import dataclass

Found: TypeAlias = Mapping[str, Redacted]
"""The texts that hold secrets, by their original."""


@dataclass(frozen=True, slots=True)
class Change:
    """An edit inside the repository with what it changed, before redaction."""

    edit: Edit
    path: str
    old_path: str | None
    added: list[PlacedLine]
    removed: list[PlacedLine]
    diff: str


def clean(text: str, found: Found) -> str:
    """The text without its secrets."""
    return found[text].text if text in found else text


def clean_or_none(text: str | None, found: Found) -> str | None:
    """The same for a text that may be missing."""
    return None if text is None else clean(text, found)


def record(change: Change, found: Found) -> EditRecord:
    """What is stored of an edit."""
    edit = change.edit
    secret = _secret_lines(edit.old, edit.new, change.diff, found)
    key = f"{edit.session_id}:{edit.turn_uuid}:{edit.tool_use_id}:{edit.n}"
    return EditRecord(
        edit_id=sha1(key.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:16],
        session_id=edit.session_id,
        turn_uuid=edit.turn_uuid,
        tool_use_id=edit.tool_use_id,
        n=edit.n,
        ts=edit.ts,
        path=clean(change.path, found),
        operation=edit.operation,
        tool=clean(edit.tool, found),
        origin=edit.origin,
        recorded_path=clean(edit.path, found),
        old_path=clean_or_none(change.old_path, found),
        old=clean_or_none(edit.old, found),
        new=clean_or_none(edit.new, found),
        diff=_diff(change.diff, secret, found),
        added=_keys(change.added, secret),
        removed=_keys(change.removed, secret),
    )


def texts(edit: EditRecord) -> list[str]:
    """Every text of a stored edit that may hold a secret."""
    places = (edit.path, edit.old_path, edit.recorded_path)
    return [text for text in (*places, edit.tool, edit.old, edit.new, edit.diff) if text]


def redacted(edit: EditRecord, found: Found) -> EditRecord:
    """A stored edit without secrets that were found since."""
    secret = _secret_lines(edit.old, edit.new, edit.diff, found)
    hashes = {exact_hash(line) for line in secret}
    return replace(
        edit,
        path=clean(edit.path, found),
        tool=clean(edit.tool, found),
        recorded_path=clean(edit.recorded_path, found),
        old_path=clean_or_none(edit.old_path, found),
        old=clean_or_none(edit.old, found),
        new=clean_or_none(edit.new, found),
        diff=_diff(edit.diff, secret, found),
        added=tuple(key for key in edit.added if key.exact not in hashes),
        removed=tuple(key for key in edit.removed if key.exact not in hashes),
    )


def _keys(lines: list[PlacedLine], secret: Mapping[str, str]) -> tuple[LineKey, ...]:
    return tuple(
        LineKey(pos, exact_hash(text), loose_hash(text))
        for pos, text in lines
        if text not in secret
    )


def _secret_lines(old: str | None, new: str | None, diff: str, found: Found) -> dict[str, str]:
    """The lines of an edit that a secret stands on, and what is left of each."""
    lines: dict[str, str] = {}
    for text, sign in ((old, 0), (new, 0), (diff, 1)):
        if text and text in found:
            for line, rest in _touched(text, found[text].spans):
                lines.setdefault(line[sign:], rest[sign:] or "[REDACTED]")
    return lines


def _touched(text: str, spans: tuple[tuple[int, int], ...]) -> Iterator[tuple[str, str]]:
    """Each line that a span overlaps, and the line with the span's part of it struck out."""
    at = 0
    for line in split(text):
        end = at + len(line)
        over = [(max(a, at), min(b, end)) for a, b in spans if a < end and b > at]
        if over:
            rest, done = "", at
            for a, b in over:
                rest += text[done:a] + "[REDACTED]"
                done = b
            yield line, rest + text[done:end]
        at = end + 1


def _diff(diff: str, secret: Mapping[str, str], found: Found) -> str:
    """The diff without secrets, also those that only the whole text gave away."""
    lines = clean(diff, found).split("\n") if diff else []
    return "\n".join(line[:1] + secret[line[1:]] if line[1:] in secret else line for line in lines)
