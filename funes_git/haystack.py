"""Lay out texts as one buffer of bytes in which secrets are searched. Pure functions.

Every change keeps lengths, so that what is found in the buffer is found in the texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

SEPARATOR = b"\n\x02\n"  # no pattern's white space runs over it
MAX_BUFFER = 128 << 10
"""Characters that are searched together: what both scanners take for it grows faster than these."""

# one pattern per literal beginning: an alternation of them is ten times slower
_COLOURS = {
    b"\x1b[": re.compile(rb"\x1b\[[0-9;]*[A-Za-z]"),
    b"\\u001b[": re.compile(rb"\\u001b\[[0-9;]*[A-Za-z]"),
}
_EMBEDDED = {
    b";base64,": re.compile(rb"data:[A-Za-z0-9.+/;=-]{3,80};base64,[A-Za-z0-9+/=_\-]{64,}")
} | {
    magic: re.compile(magic + rb"[A-Za-z0-9+/]{512,}={0,2}")
    for magic in (b"iVBORw0KGgo", b"/9j/", b"R0lGOD", b"UklGR", b"JVBERi0")
}


def groups(texts: list[str]) -> Iterator[list[str]]:
    """Texts in groups that make buffers of about MAX_BUFFER."""
    group: list[str] = []
    size = 0
    for text in texts:
        group.append(text)
        size += len(text)
        if size >= MAX_BUFFER:
            yield group
            group, size = [], 0
    if group:
        yield group


def joined(encoded: Sequence[bytes]) -> bytes:
    """The texts as one, kept apart."""
    return SEPARATOR + SEPARATOR.join(encoded)


def starts_of(encoded: Sequence[bytes]) -> list[int]:
    """Where each text starts in `joined`."""
    starts: list[int] = []
    at = len(SEPARATOR)
    for raw in encoded:
        starts.append(at)
        at += len(raw) + len(SEPARATOR)
    return starts


def without_images(raw: bytes) -> bytes:
    """The same with embedded images as spaces: they are noise to every rule, and slow."""
    return _blank(raw, _EMBEDDED)


def is_escaped(raw: bytes) -> bool:
    """Whether `unescaped` changes anything."""
    return b"\\" in raw or b"\x1b" in raw


def unescaped(raw: bytes) -> bytes:
    r"""The same length, with `\n`, `\"` and colours as white space before or instead of what they
    stand for, so that a word begins where it does in the decoded text."""
    raw = _blank(raw, _COLOURS)
    if b"\\" not in raw:
        return raw
    for escape, plain in ((b"\\n", b" \n"), (b"\\t", b" \t"), (b"\\r", b" \r"), (b"\\", b" ")):
        raw = raw.replace(escape, plain)
    return raw


def _blank(raw: bytes, patterns: dict[bytes, re.Pattern[bytes]]) -> bytes:
    """The same length, with every match of the patterns whose literal occurs as spaces."""
    for literal, pattern in patterns.items():
        if literal in raw:
            raw = pattern.sub(lambda match: b" " * len(match[0]), raw)
    return raw
