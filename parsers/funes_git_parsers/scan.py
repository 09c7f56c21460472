"""The quick scan of a session file for folders and paths: by bytes, nothing is decoded as JSON.

May find more than a parser yields, never less. Standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import BinaryIO, Final

from funes_git_parsers.jsonl import whole_lines
from funes_git_parsers.paths import join
from funes_git_parsers.values import string

MAX_FOLDERS: Final = 64
"""Relative paths are taken from so many of the session's folders."""
_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
_WORD: Final = re.compile(
    r"""(?<![\w./~$}-])(?:/[^\s"'`;|&<>()$*?\[\]{}\\,:=]+|\.\.(?:/[^\s"'`;|&<>()$*?\[\]{}\\,:=]*)?)"""
)
_VALUE: Final = re.compile(rb'(?:[^"\\]|\\.)*')
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.M)


def roots(
    stream: BinaryIO, folders: Iterable[str], paths: Iterable[str], texts: Iterable[str] = ()
) -> set[str]:
    """The folders and absolute paths of a session file.

    `folders` and `paths` name the JSON members that hold them, `texts` those that hold a command
    line or a patch, in which every word that could be a path counts. A relative path may start from
    any of the folders.
    """
    cwds: set[str] = set()
    found: set[str] = set()
    words = tuple(texts)
    for lines in whole_lines(stream):
        for _, raw in raw_values(lines, folders):
            cwds.add(unescaped(raw))
        for _, raw in raw_values(lines, paths):
            found.add(unescaped(raw))
        for _, raw in raw_values(lines, words):
            text = unescaped(raw)
            found.update(_WORD.findall(text))
            found.update(_PATCHED.findall(text))
    relative = [path for path in found if not _ABSOLUTE.match(path)]
    found |= {join(cwd, path) for cwd in sorted(cwds)[:MAX_FOLDERS] for path in relative}
    return {path for path in found | cwds if _ABSOLUTE.match(path)}


def raw_values(data: bytes, keys: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """(key, JSON-escaped value) of every string member of `data` that is named in `keys`, each pair
    once. Agents write compact JSON; a copy that another program wrote again may have spaces."""
    colons = (b":", b": ") if b'": "' in data else (b":",)
    for name, colon in product(keys, colons):
        key = b'"%b"%b"' % (name.encode(), colon)
        seen: set[bytes] = set()
        at = data.find(key)
        while at >= 0:
            start = at + len(key)
            end = data.find(b'"', start)
            if data[end - 1 : end] == b"\\":
                found = _VALUE.match(data, start)
                end = found.end() if found else end
            if (value := data[start : end if end >= 0 else len(data)]) not in seen:
                seen.add(value)
                yield name, value
            at = data.find(key, start)


def unescaped(raw: bytes) -> str:
    """A JSON string's inside as text that can be stored."""
    text = raw.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    try:
        value = json.loads(f'"{text}"', strict=False)
    except ValueError:
        return text
    return string(value.encode("utf-8", "replace").decode()) or ""
