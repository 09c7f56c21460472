"""The backslash escapes of a shell's `$'…'`, `echo -e` and `printf`. Standard library only."""

from __future__ import annotations

import re

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPES |= {"e": "\x1b", "E": "\x1b", "\\": "\\", "'": "'", '"': '"', "?": "?"}


def ansi_c(text: str) -> str:
    """What the text inside `$'…'` stands for."""

    def replace(match: re.Match[str]) -> str:
        digits = match[1] or match[2] or match[3]
        if digits:
            code = int(digits, 8 if match[1] else 16)
            return chr(code) if code < 0x110000 else match[0]
        return _ESCAPES.get(match[4], match[0])

    pattern = r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|[uU]([0-9a-fA-F]{1,8})|(.))"
    return re.sub(pattern, replace, text, flags=re.DOTALL)
