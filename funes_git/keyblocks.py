"""Find whole private keys: also cut off, numbered, escaped, in a diff or in a string.

Pure functions on text. What stands between the BEGIN and END lines counts only where it is base64,
so that code which mentions those lines loses nothing. A text is looked through once, piece by
piece: one pattern for all of a key tries every way to divide a broken one, which never ends.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"-----(BEGIN|END)[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PIECE = re.compile(
    # line ends, also escaped; a diff's sign; a line number; the quotes of strings in code
    r"(?P<between>(?:\\+[nr]|[\s|>\"',\\]|-(?!----[BE])|\d{1,6}[\t→:|])++)"
    r"|(?P<line>\+?(?:[A-Za-z0-9+/]{16,}={0,2}"
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n\\]{0,80}))"
    r"|(?P<short>[A-Za-z0-9+/=]{1,18})"  # the last line, a check sum, a sign before an END line
    r"|(?P<other>.)",
    re.DOTALL,
)
_GAP = 40
"""The longest between two pieces of a key, in characters."""
_SHORTS = 3
"""The most pieces in a row that are no whole lines: more of them are words."""
_WINDOW = 16_384
"""Characters: the longest private key that anyone has is shorter."""


def find(text: str) -> list[tuple[int, int]]:
    """Start and end of every private key in `text`, or of what is left of one."""
    if "PRIVATE KEY" not in text:
        return []
    found: list[tuple[int, int]] = []
    done = 0
    for mark in _MARK.finditer(text):
        if mark.start() < done:
            continue  # the last line of a key that was found from its first
        if mark[1] == "BEGIN":
            end = _end(text, mark.end())
            if end is not None:
                found.append((mark.start(), end))
                done = end
        else:
            start = _start(text, max(done, mark.start() - _WINDOW), mark.start())
            done = mark.end()
            if start is not None:
                found.append((start, done))
    return found


def _end(text: str, after: int) -> int | None:
    """Where the key ends whose first line ends at `after`; None where no line of one follows."""
    last: int | None = None
    line: int | None = None
    shorts = 0
    for piece in _PIECE.finditer(text, after, after + _WINDOW):
        kind = piece.lastgroup
        if kind == "line":
            last = line = piece.end()
            shorts = 0
        elif kind == "short" and line is not None:
            shorts += 1
            if shorts > _SHORTS:
                return line
            last = piece.end()
        elif kind != "between" or len(piece[0]) > _GAP:
            mark = _MARK.match(text, piece.start())
            return mark.end() if mark and mark[1] == "END" and line is not None else last
    return last


def _start(text: str, first: int, before: int) -> int | None:
    """Where what is left of a key begins whose last line begins at `before`."""
    start: int | None = None
    shorts = 0
    for piece in _PIECE.finditer(text, first, before):
        kind = piece.lastgroup
        if kind == "line":
            start = piece.start() if start is None else start
            shorts = 0
        elif kind == "short" and shorts < _SHORTS:
            shorts += 1
        elif kind != "between" or len(piece[0]) > _GAP:
            start = None
    return start
