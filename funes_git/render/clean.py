"""Recorded text is hostile: what it may not do to a terminal or to an agent is taken out here.

Colour sequences carry no words and are dropped. Every other control character, escape sequence,
direction override and invisible tag is shown as a visible mark, so that nothing is hidden, moved
or executed, and nothing pretends to be another line of our own output.
"""

from __future__ import annotations

import re

_COLOUR = re.compile("(?:\x1b\\[|\x9b)[0-9;:]*m")
_HARMFUL = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls, but for tab and newline
    "\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\ufff9-\ufffb"
    "\ud800-\udfff"  # undecodable bytes of paths
    "\U000e0000-\U000e007f"  # tags: invisible letters
    "]"
)


def _mark(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "\u2421"
    if 0xDC80 <= point <= 0xDCFF:
        return f"\\x{point - 0xDC00:02x}"
    return f"<U+{point:04X}>"


def safe(text: str) -> str:
    """The text with its lines, and nothing that acts on a terminal."""
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return _HARMFUL.sub(_mark, _COLOUR.sub("", text))


def line(text: str) -> str:
    """The text safe and on one line: runs of white space become one space."""
    return " ".join(safe(text).split())


def source(text: str) -> str:
    """A line of a file, safe: its carriage return, if it has one, belongs to the line's end."""
    return safe(text.rstrip("\r\n")).replace("\n", "\u2424")
