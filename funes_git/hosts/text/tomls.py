"""Entries in TOML: each a table of its own, written after everything else."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

from funes_git.hosts.text import Entry, Unfit, is_ours

_HEADER = re.compile(r"(?m)^[ \t]*\[+([^\]\r\n]*)\]+")
_TOKEN = re.compile(
    r"""#[^\n]*|\"{3}(?s:\\.|[^\\])*?\"{3}|'{3}(?s:.)*?'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'"""
)


def read(text: str) -> Any:
    """What the text says. Raises Unfit."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Unfit(f"it is no TOML: {error}") from error


def put(text: str, entries: Sequence[Entry]) -> str:
    """The text with the entries in it. Raises Unfit, also where something else has their place."""
    for entry in entries:
        found = _at(read(text), entry.path)
        if found == entry.value:
            continue
        if found is not None and not is_ours(found):
            raise Unfit(f"`{'.'.join(entry.path)}` is there already, and not ours")
        text = _append(cut(text, [entry]), entry)
        if _at(_reread(text, entry), entry.path) != entry.value:
            raise Unfit(f"a table `{'.'.join(entry.path)}` cannot be added to it")
    return text


def cut(text: str, entries: Sequence[Entry]) -> str:
    """The text without the tables that are ours, and what a user has put below them. Raises
    Unfit."""
    for entry in entries:
        found = _at(read(text), entry.path)
        if found is None or not is_ours(found):
            continue
        rest = text
        for start, end in reversed(_tables(text, entry.path)):
            rest = rest[:start] + rest[end:]
        if _reread(rest, entry) != _without(read(text), entry.path):
            raise Unfit(f"`{'.'.join(entry.path)}` is no table of its own: take it out by hand")
        text = rest
    return text


def _append(text: str, entry: Entry) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    rows = [f"[{'.'.join(entry.path)}]", *(f"{k} = {_value(v)}" for k, v in entry.value.items())]
    before = text if not text or text.endswith("\n") else text + newline
    if before.strip("\ufeff \t\r\n"):
        before += newline
    return before + newline.join(rows) + newline


def _value(value: Any) -> str:
    """Strings, numbers and lists of them are written alike in JSON and TOML."""
    return json.dumps(value, ensure_ascii=False)


def _at(document: Any, path: Sequence[str]) -> Any:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _without(document: Any, path: Sequence[str]) -> Any:
    """The document without what is at `path`, and without what is empty then."""
    rest = dict(document)
    below = _without(rest[path[0]], path[1:]) if len(path) > 1 else {}
    rest[path[0]] = below
    return rest if below else {key: value for key, value in rest.items() if key != path[0]}


def _reread(text: str, entry: Entry) -> Any:
    try:
        return read(text)
    except Unfit as error:
        where = ".".join(entry.path[:-1])
        raise Unfit(f"`{where}` is written in a way that no table can be added to") from error


def _tables(text: str, path: Sequence[str]) -> list[tuple[int, int]]:
    """Where the table at `path` and those below it stand: from the line break before the header to
    the last line that says something."""
    headers = list(_HEADER.finditer(_TOKEN.sub(_blank, text)))
    found = []
    for number, header in enumerate(headers):
        names = [part.strip().strip("\"'") for part in header[1].split(".")]
        if names[: len(path)] == list(path):
            end = headers[number + 1].start() if number + 1 < len(headers) else len(text)
            found.append(_trimmed(text, header.start(), end))
    return found


def _blank(token: re.Match[str]) -> str:
    """A text of several lines may hold what looks like a header."""
    return token[0] if token[0][:3] not in ('"""', "'''") else re.sub(r"[^\n]", " ", token[0])


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave comments and blank lines that stand before the next table to it, and take the blank
    line before ours."""
    lines = text[start:end].splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    blank = re.search(r"(?<=\n)\r?\n$", text[:start])
    return (blank.start() if blank else start), start + sum(map(len, lines))
