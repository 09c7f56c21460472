"""Entries in JSON and in what programs read as such: with comments, trailing commas and a BOM."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from funes_git.hosts.text import Entry, Unfit, is_ours
from funes_git_parsers.dataclass import dataclass

DEEPEST = 100
_TRIVIA = re.compile(r"(?:\s|//[^\n\r]*|/\*(?s:.*?)\*/)*")
_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


@dataclass(slots=True)
class Node:
    """A value and where it stands: `text[start:end]`. `key_start` is where its member begins in an
    object (`start` in an array)."""

    start: int
    end: int
    value: Any
    key: str | None = None
    key_start: int = 0
    children: list[Node] = field(default_factory=list)
    comma: bool = False
    """Whether a comma follows the last child."""

    def child(self, key: str) -> Node | None:
        """The member of an object; of several with one name the last, as programs read it."""
        return next((node for node in reversed(self.children) if node.key == key), None)


def read(text: str) -> Any:
    """What the text says; `{}` for none. Raises Unfit."""
    return _parse(text).value if text.strip("\ufeff \t\r\n") else {}


def put(text: str, entries: Sequence[Entry]) -> str:
    """The text with the entries in it. Raises Unfit, also where an entry that is not ours has the
    place of one."""
    if not text.strip("\ufeff \t\r\n"):
        text = text[:1].strip(" \t\r\n") + "{\n}\n"
    for entry in entries:
        text = _put(text, entry)
    return text


def cut(text: str, entries: Sequence[Entry]) -> str:
    """The text without the entries, and without what is empty then. Raises Unfit."""
    if not text.strip("\ufeff \t\r\n"):
        return text
    for entry in entries:
        while not entry.needed and (node := _ours(_parse(text), entry)):
            text = _cut(text, node)
    return text


# --- reading ------------------------------------------------------------------------------------


def _parse(text: str) -> Node:
    position = _trivia(text, 1 if text.startswith("\ufeff") else 0)
    root = _value(text, position, 0)
    if _trivia(text, root.end) != len(text):
        raise _bad(text, _trivia(text, root.end))
    if not isinstance(root.value, dict):
        raise Unfit("it holds no object")
    return root


def _value(text: str, start: int, depth: int) -> Node:
    if text[start : start + 1] in ("{", "[") and depth < DEEPEST:
        return _container(text, start, depth)
    if text[start : start + 1] == '"':
        value, end = _string(text, start)
        return Node(start, end, value)
    if found := _SCALAR.match(text, start):
        return Node(start, found.end(), json.loads(found[0]))
    raise _bad(text, start)


def _container(text: str, start: int, depth: int) -> Node:
    named = text[start] == "{"
    node = Node(start, start, {} if named else [])
    close, position = "}" if named else "]", _trivia(text, start + 1)
    while text[position : position + 1] != close:
        if node.children and not node.comma:
            raise _bad(text, position)
        child = _member(text, position, depth) if named else _value(text, position, depth + 1)
        child.key_start = position
        node.children.append(child)
        position = _trivia(text, child.end)
        node.comma = text[position : position + 1] == ","
        position = _trivia(text, position + 1) if node.comma else position
    node.end = position + 1
    items = node.children
    node.value = {n.key: n.value for n in items} if named else [n.value for n in items]
    return node


def _member(text: str, start: int, depth: int) -> Node:
    if text[start : start + 1] != '"':
        raise _bad(text, start)
    key, end = _string(text, start)
    colon = _trivia(text, end)
    if text[colon : colon + 1] != ":":
        raise _bad(text, colon)
    node = _value(text, _trivia(text, colon + 1), depth + 1)
    node.key = key
    return node


def _string(text: str, start: int) -> tuple[str, int]:
    try:
        return json.decoder.scanstring(text, start + 1, True)  # type: ignore[attr-defined, no-any-return]
    except json.JSONDecodeError as error:
        raise _bad(text, error.pos) from error


def _trivia(text: str, position: int) -> int:
    found = _TRIVIA.match(text, position)
    return found.end() if found else position


def _bad(text: str, position: int) -> Unfit:
    line = text.count("\n", 0, position) + 1
    return Unfit(f"line {line} is no JSON")


# --- adding -------------------------------------------------------------------------------------


def _put(text: str, entry: Entry) -> str:
    node, path = _parse(text), list(entry.path)
    while path and (found := node.child(path[0])):
        node = found
        path.pop(0)
        wanted = dict if path else list if entry.many else object
        if not isinstance(node.value, wanted):
            raise Unfit(f"`{'.'.join(entry.path)}` cannot be added: `{node.key}` is something else")
    if path:
        value = [entry.value] if entry.many else entry.value
        for key in reversed(path[1:]):
            value = {key: value}
        return _insert(text, node, value, path[0])
    if entry.many:
        return text if entry.value in node.value else _insert(text, node, entry.value)
    if entry.needed or node.value == entry.value:
        return text
    if not is_ours(node.value):
        raise Unfit(f"`{'.'.join(entry.path)}` is there already, and not ours")
    fresh = _written(entry.value, _shape(text, node.key_start))
    return text[: node.start] + fresh + text[node.end :]


def _insert(text: str, node: Node, value: Any, key: str | None = None) -> str:
    """Add a child after the last one, in the style of what is there."""
    name = "" if key is None else f"{json.dumps(key)}: "
    if not node.children:
        return _fill(text, node, name, value)
    last, close = node.children[-1].end, node.end - 1
    first = node.children[0].key_start
    if "\n" in text[node.start : first]:
        shape, tail = _shape(text, first), len(text[:close].rstrip())
        body = shape.line + name + _written(value, shape)
    else:
        body = " " + name + json.dumps(value, ensure_ascii=False)
        tail = text.index(",", _trivia(text, last)) + 1 if node.comma else last
    if node.comma:
        return text[:tail] + body + "," + text[tail:]
    return text[:last] + "," + text[last:tail] + body + text[tail:]


def _fill(text: str, node: Node, name: str, value: Any) -> str:
    """Add the first child."""
    outer, close = _shape(text, node.start), node.end - 1
    inner = _Shape(outer.newline, outer.indent + outer.unit, outer.unit)
    tail = len(text[:close].rstrip())
    space = text[tail:close] if "\n" in text[tail:close] else outer.line
    return text[:tail] + inner.line + name + _written(value, inner) + space + text[close:]


@dataclass(frozen=True, slots=True)
class _Shape:
    """How lines are broken at one depth: `newline`, `indent`, and one more level of it."""

    newline: str
    indent: str
    unit: str

    @property
    def line(self) -> str:
        return self.newline + self.indent


def _shape(text: str, position: int) -> _Shape:
    """The shape of the line that `position` is on."""
    newline = "\r\n" if "\r\n" in text else "\n"
    start = text.rfind("\n", 0, position) + 1
    indent = re.match(r"[ \t]*", text[start:position].lstrip("\ufeff"))
    unit = re.search(r"(?m)^[ \t]+(?=\S)", text)
    return _Shape(newline, indent[0] if indent else "", unit[0] if unit else "  ")


def _written(value: Any, shape: _Shape) -> str:
    return json.dumps(value, indent=shape.unit, ensure_ascii=False).replace("\n", shape.line)


# --- removing -----------------------------------------------------------------------------------


def _ours(root: Node, entry: Entry) -> list[Node] | None:
    """The way to the outermost thing to remove: its parent, and it. None if nothing is ours."""
    trail = [root]
    for key in entry.path[:-1] if entry.many else entry.path:
        found = trail[-1].child(key)
        if found is None:
            return None
        trail.append(found)
    if entry.many:
        trail += _item(trail[-1])  # of any event: other versions used others
    if trail[-1] is root or not is_ours(trail[-1].value):
        return None
    while len(trail) > 2 and len(trail[-2].children) == 1:
        trail.pop()
    return trail[-2:]


def _item(node: Node) -> list[Node]:
    """The way down to a hook of ours, or to a group that holds no other; people's own may stand
    beside ours."""
    for child in node.children:
        if is_ours(child.value):
            hooks = child.child("hooks")
            if isinstance(child.value, dict) and (
                hooks is None or all(is_ours(item) for item in hooks.value)
            ):
                return [child]
            return [child, *_item(child)]
    return []


def _cut(text: str, trail: list[Node]) -> str:
    parent, node = trail
    number = parent.children.index(node)
    end = node.end
    if number + 1 < len(parent.children) or parent.comma:
        end = text.index(",", _trivia(text, end)) + 1
    start = len(text[: node.key_start].rstrip())
    before = text[text.rfind("\n", 0, start) + 1 : start]
    if "//" in before and not re.match(r"[ \t]*\r?\n", text[end:]):
        start = node.key_start  # what follows must not end up behind a comment
    if number and end == node.end:
        comma = text.index(",", _trivia(text, parent.children[number - 1].end))
        return text[:comma] + text[comma + 1 : start] + text[end:]
    return text[:start] + text[end:]
