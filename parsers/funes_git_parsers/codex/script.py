"""Reads the tool calls out of a program of Codex's code mode (JavaScript that calls `tools.…`).

A program is read, never run: only arguments that are literal strings, or constants that were
assigned one, are taken. Time is linear in the length of the program and no text makes it raise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import field

from funes_git_parsers.dataclass import dataclass

_TOKEN = re.compile(
    r"(?P<skip>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)"
    r"|(?P<name>[A-Za-z_$][\w$]*)|(?P<other>[0-9.]+|.)",
    re.S,
)
_ESCAPE = re.compile(r"\\(u\{?[0-9a-fA-F]+\}?|x[0-9a-fA-F]{2}|\r?\n|.)", re.S)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(slots=True)
class ToolCall:
    """A call of `tools.NAME(…)`: its named string arguments, or the one string it was given."""

    name: str
    text: str | None = None
    arguments: dict[str, str] = field(default_factory=dict)


def calls(program: str) -> Iterator[ToolCall]:
    """The calls of tools in the order of the program."""
    tokens = [(match.lastgroup or "", match[0]) for match in _TOKEN.finditer(program)]
    tokens = [token for token in tokens if token[0] != "skip"]
    constants: dict[str, str] = {}
    for at, (group, text) in enumerate(tokens):
        if group != "name":
            continue
        following = [token[1] for token in tokens[at + 1 : at + 4]]
        if text == "tools" and following[:1] == ["."] and following[2:] == ["("]:
            yield _call(tokens, at + 2, constants)
        elif following[:1] == ["="] and at + 2 < len(tokens):
            value = _value(tokens[at + 2], {})
            if value is not None:
                constants[text] = value


def _call(tokens: Sequence[tuple[str, str]], at: int, constants: dict[str, str]) -> ToolCall:
    """Read the call whose tool is named at `at`; its arguments begin two tokens later."""
    call = ToolCall(tokens[at][1])
    depth = 0
    for index in range(at + 1, len(tokens)):
        group, text = tokens[index]
        depth += (text in _OPENING) - (text in _CLOSING) if group == "other" else 0
        if depth == 0:
            break
        before, after = tokens[index - 1], tokens[index + 1 : index + 3]
        if depth == 1 and before[1] == "(" and call.text is None:
            call.text = _value(tokens[index], constants)
        elif depth == 2 and before[1] in ("{", ",") and len(after) == 2:
            _argument(call, tokens[index], after, constants)
    return call


def _argument(
    call: ToolCall,
    key: tuple[str, str],
    after: Sequence[tuple[str, str]],
    constants: dict[str, str],
) -> None:
    name = _value(key, {}) if key[0] == "string" else key[1]
    if name is None or key[0] not in ("string", "name"):
        return
    if after[0][1] == ":":
        value = _value(after[1], constants)
    else:  # the shorthand {cmd}
        value = constants.get(name) if after[0][1] in (",", "}") else None
    if value is not None:
        call.arguments[name] = value


def _value(token: tuple[str, str], constants: dict[str, str]) -> str | None:
    """The text of a string literal or of a known constant; None for a template with parts that
    are computed."""
    group, text = token
    if group == "name":
        return constants.get(text)
    if group != "string" or (text[0] == "`" and "${" in text):
        return None
    if text[0] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            pass
    return _ESCAPE.sub(_unescape, text[1:-1])


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "ux" and len(code) > 1:
        point = int(code[1:].strip("{}"), 16)
        return chr(point) if point < 0x110000 and not 0xD800 <= point < 0xE000 else "\ufffd"
    if code in ("\n", "\r\n"):
        return ""
    return _SIMPLE.get(code, code)
