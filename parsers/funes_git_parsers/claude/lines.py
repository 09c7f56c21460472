"""The place in the chain of a line of a Claude Code file that cannot be decoded.

A record that brings nothing (progress, attachments) is still what others follow; where its JSON is
damaged, a few bytes tell. An unescaped quote never occurs inside a JSON string, so a key in the
bytes is that key and nothing else. A line in doubt has no place, nor has one with two objects.
"""

from __future__ import annotations

import re
from typing import Final

from funes_git_parsers.jsonl import is_joined

_NEAR: Final = 1024
"""Where a record's kind stands: before it there are only short fields."""
_UNUSED: Final = re.compile(
    rb'"type":"progress","data":\{"type":"|,"attachment":\{"type":"(?!queued_command")'
)
_HEAD: Final = re.compile(rb'\{"parentUuid":(?:null|"([\w-]+)")')
_UUID: Final = re.compile(rb',"uuid":"([\w-]+)"')


def place(line: bytes) -> tuple[str, str | None] | None:
    """The uuid and the parent's uuid of a record that brings nothing, as it is commonly laid
    out."""
    parent = _HEAD.match(line)
    uuid = _UUID.match(line, line.rfind(b',"uuid":"'))
    if not parent or not uuid or not _UNUSED.search(line, 0, _NEAR) or is_joined(line):
        return None
    return uuid[1].decode(), parent[1].decode() if parent[1] else None
