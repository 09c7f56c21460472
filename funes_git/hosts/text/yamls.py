"""Entries in YAML: each on a line of its own, or inside the brackets that are there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from funes_git.hosts.text import Entry, Unfit, is_ours

if TYPE_CHECKING:
    from yaml.nodes import Node


def read(text: str) -> Any:
    """What the text says; `{}` for none. Raises Unfit."""
    if not text.strip():
        return {}  # most have no such file, and the library takes long to load
    import yaml

    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Unfit(_where(error)) from error
    if not isinstance(value, dict | None):
        raise Unfit("it holds no mapping")
    return value or {}


def put(text: str, entries: Sequence[Entry]) -> str:
    """The text with the entries in it. Raises Unfit, also where something else has their place."""
    for entry in entries:
        found = _at(read(text), entry.path)
        if (entry.value in (found or [])) if entry.many else (found == entry.value):
            continue
        if not entry.many and found is not None:
            if not is_ours(found):
                raise Unfit(f"`{'.'.join(entry.path)}` is there already, and not ours")
            text = cut(text, [entry])
        text = _put(text, entry)
    return text


def cut(text: str, entries: Sequence[Entry]) -> str:
    """The text without the entries, and without what is empty then. Raises Unfit."""
    for entry in entries:
        while trail := _ours(text, entry):
            text = _cut(text, trail)
    return text


# --- where things are ---------------------------------------------------------------------------


def _compose(text: str) -> Node | None:
    if not text.strip():
        return None
    import yaml

    read(text)
    return yaml.compose(text, Loader=yaml.SafeLoader)


def _pairs(node: Node | None) -> list[tuple[Node, Node]]:
    return list(node.value) if node is not None and _kind(node) == "mapping" else []


def _child(node: Node | None, key: str) -> tuple[Node, Node] | None:
    return next((pair for pair in _pairs(node) if pair[0].value == key), None)


def _at(document: Any, path: Sequence[str]) -> Any:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _kind(node: Node | None) -> str:
    """`mapping`, `sequence` or `scalar`."""
    return str(getattr(node, "id", ""))


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"line {mark.line + 1} is no YAML" if mark else "it is no YAML"


def _said(node: Node) -> Any:
    """The value of a node, as far as telling whose it is needs."""
    if _kind(node) == "mapping":
        return {key.value: _said(value) for key, value in node.value}
    return [_said(item) for item in node.value] if _kind(node) == "sequence" else node.value


# --- adding -------------------------------------------------------------------------------------


def _put(text: str, entry: Entry) -> str:
    """Go down as far as the path is there, and write the rest below."""
    newline = "\r\n" if "\r\n" in text else "\n"
    node, path, key = _compose(text), list(entry.path), None
    while path and (pair := _child(node, path[0])):
        key, node = pair
        path.pop(0)
        if node.start_mark.index < key.end_mark.index:
            raise Unfit(f"`{key.value}` is an alias: entries cannot be added to it")
    value: Any = [entry.value] if entry.many and path else entry.value
    for name in reversed(path[1:]):
        value = {name: value}
    written = json.dumps(value, ensure_ascii=False)
    line = f"{path[0]}: {written}" if path else f"- {written}"
    if key is None:
        return _below(text, line, newline)
    assert node is not None
    return _beside(text, (key, node), line, newline)


def _below(text: str, line: str, newline: str) -> str:
    """Add a key at the top level: after everything else."""
    before = text if not text or text.endswith("\n") else text + newline
    root = _compose(text)
    if root is not None and getattr(root, "flow_style", False):
        raise Unfit("all of it is in brackets: entries cannot be added to it")
    return before + line + newline


def _beside(text: str, pair: tuple[Node, Node], line: str, newline: str) -> str:
    """Add a child to what a key has: before the children that are there."""
    key, node = pair
    if _kind(node) != "scalar" and getattr(node, "flow_style", False):
        return _inside(text, node, line)
    wanted = "sequence" if line.startswith("- ") else "mapping"
    empty = _kind(node) == "scalar" and node.tag.endswith(":null")
    if not empty and _kind(node) != wanted:
        raise Unfit(f"`{key.value}` is something else")
    indent = key.start_mark.column + 2 if empty else node.start_mark.column
    start = text.find("\n", key.end_mark.index) + 1
    if not start:
        return text + newline + " " * indent + line + newline
    return text[:start] + " " * indent + line + newline + text[start:]


def _inside(text: str, node: Node, line: str) -> str:
    start = node.start_mark.index + 1
    return text[:start] + line.removeprefix("- ") + (", " if node.value else "") + text[start:]


# --- removing -----------------------------------------------------------------------------------


def _ours(text: str, entry: Entry) -> list[tuple[Node, Node]] | None:
    """The way to what is to be removed, each step its start and its value."""
    node, trail = _compose(text), []
    for key in entry.path[:-1] if entry.many else entry.path:
        pair = _child(node, key)
        if pair is None:
            return None
        trail.append(pair)
        node = pair[1]
    if entry.many:
        trail += _item(node)
    if not trail or not is_ours(_said(trail[-1][1])):
        return None
    while len(trail) > 1 and len(trail[-2][1].value) == 1:
        trail.pop()
    return trail


def _item(node: Node | None) -> Iterator[tuple[Node, Node]]:
    """The event and the hook in it that is ours."""
    for event, hooks in _pairs(node):
        for hook in hooks.value if _kind(hooks) == "sequence" else ():
            if is_ours(_said(hook)):
                yield from ((event, hooks), (hook, hook))
                return


def _cut(text: str, trail: list[tuple[Node, Node]]) -> str:
    start, end = trail[-1][0].start_mark.index, _last(trail[-1][1])
    parent = trail[-2][1] if len(trail) > 1 else None
    if parent is not None and getattr(parent, "flow_style", False):
        after = text[end:].lstrip()
        if after.startswith(","):
            rest = after[1:].lstrip(" ")
            return text[:start] + rest
        before = text[:start].rstrip()
        return before.removesuffix(",") + text[end:]
    line = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end) + 1 or len(text)
    return text[:line] + text[stop:]


def _last(node: Node) -> int:
    """Where a value ends: a block reaches, for PyYAML, to the next thing."""
    if _kind(node) == "scalar" or getattr(node, "flow_style", False):
        return int(node.end_mark.index)
    last = node.value[-1]
    return _last(last[1] if isinstance(last, tuple) else last)
