"""Find whole private keys: also cut off, numbered, escaped, in a diff or in a string.

Pure functions on text. What stands between the BEGIN and END lines counts only where it is base64,
so that code which mentions those lines loses nothing.
"""

from __future__ import annotations

import re

_BEGIN = r"-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# line ends, also escaped; a diff's sign; a line number; the quotes of strings in code
_BETWEEN = r"(?:\\+[nr]|[\s\-|>\"',\\]|\d{1,6}[\t→:|])"
_LINE = r"(?:[A-Za-z0-9+/]{16,}={0,2}|(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n\\]{0,80})"
_SHORT = r"\+?=?[A-Za-z0-9+/]{1,16}={0,2}"

_WHOLE = re.compile(
    rf"{_BEGIN}(?:{_BETWEEN}{{1,12}}\+?{_LINE})+"
    rf"(?:{_BETWEEN}{{1,12}}{_SHORT})*?(?:{_BETWEEN}{{0,12}}\+?{_END}|(?!{_BETWEEN}{{1,12}}{_SHORT}))"
)
_TAIL = re.compile(rf"(?:{_LINE}{_BETWEEN}{{1,12}})+(?:{_SHORT}{_BETWEEN}{{1,12}}){{0,2}}\+?{_END}")
_WINDOW = 16_384  # the longest private key that anyone has is shorter


def find(text: str) -> list[tuple[int, int]]:
    """Start and end of every private key in `text`, or of what is left of one."""
    if "PRIVATE KEY" not in text:
        return []
    found = [match.span() for match in _WHOLE.finditer(text)]
    for end in re.finditer(_END, text):
        if any(start <= end.start() < stop for start, stop in found):
            continue
        window = max(0, end.start() - _WINDOW)
        if tail := _TAIL.search(text, window, end.end()):
            found.append(tail.span())
    return found
