"""The quick scan of a session file for folders and paths: by bytes, nothing is decoded as JSON.

May find more than a parser yields, never less. Standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import BinaryIO, Final

from funes_git_parsers.jsonl import whole_lines
from funes_git_parsers.paths import join
from funes_git_parsers.values import string

MAX_FOLDERS: Final = 64
"""Relative paths are taken from so many of the session's folders."""
_ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
_REST = r"""[^\s"'`;|&<>()$*?\[\]{}\\,:=]"""
_WORDS: Final = (  # what they begin with stands first: so it is found quickly
    re.compile(rf"/(?<![\w./~$}}-]/){_REST}+"),
    re.compile(rf"\.\.(?<![\w./~$}}-]\.\.)(?:/{_REST}*)?"),
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
    folder_names, path_names, text_names = tuple(folders), tuple(paths), tuple(texts)
    for lines in whole_lines(stream):
        for name, raw in raw_values(lines, (*folder_names, *path_names, *text_names)):
            text = unescaped(raw)
            if name in text_names:
                for pattern in (*_WORDS, _PATCHED):
                    found.update(pattern.findall(text))
            else:
                (cwds if name in folder_names else found).add(text)
    relative = [path for path in found if not _ABSOLUTE.match(path)]
    found |= {join(cwd, path) for cwd in sorted(cwds)[:MAX_FOLDERS] for path in relative}
    return {path for path in found | cwds if _ABSOLUTE.match(path)}


def raw_values(data: bytes, keys: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """(key, JSON-escaped value) of every string member of `data` that is named in `keys`, each pair
    once. Agents write compact JSON; a copy that another program wrote again may have spaces."""
    seen: set[tuple[bytes, bytes]] = set()
    for member in _members(keys).finditer(data):
        start = member.end()
        end = data.find(b'"', start)
        if data[end - 1 : end] == b"\\":
            whole = _VALUE.match(data, start)
            end = whole.end() if whole else end
        pair = (member[1], data[start : end if end >= 0 else len(data)])
        if pair not in seen:
            seen.add(pair)
            yield pair[0].decode(), pair[1]


@cache
def _members(keys: tuple[str, ...]) -> re.Pattern[bytes]:
    """The beginnings of string members with these names."""
    return re.compile(b'"(%b)": ?"' % "|".join(map(re.escape, keys)).encode())


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
