"""git's C-style quoting of odd path names (`core.quotePath`)."""

from __future__ import annotations

import re

ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
LETTERS = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))


def unquote(raw: bytes) -> str:
    """A path as git printed it, quoted or not. Bytes that are not UTF-8 become surrogates, so that
    the name can be handed back to the file system."""
    if raw.startswith(b'"') and raw.endswith(b'"') and len(raw) > 1:
        raw = ESCAPE.sub(_character, raw[1:-1])
    return raw.decode("utf-8", "surrogateescape")


def storable(path: str) -> str:
    """A path as text that every store takes: bytes that are not UTF-8 are written as `\\xe9`."""
    if path.isascii():
        return path
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _character(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([LETTERS[code[0]] if len(code) == 1 else int(code, 8) & 255])
