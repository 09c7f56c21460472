"""Where a function, method or class is defined in a file, told by its lines alone: for languages
that git has no rules for, and for what its rules pass over, such as methods inside a class. Pure.

A definition is a line that only a definition looks like. It goes as far as what is indented deeper,
and the bracket or `end` that closes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def _suffixes(names: str) -> frozenset[str]:
    return frozenset(f".{name}" for name in names.split())


SCRIPTS = _suffixes("cjs cts js jsx mjs mts svelte ts tsx vue")
BRACES = SCRIPTS | _suffixes("c cc cpp cs cxx dart groovy h hh hpp java")
"""Languages whose methods need no keyword, and in which no call is followed by a block."""
UNRULED = SCRIPTS | _suffixes("cs dart groovy scala swift")
"""Languages that git has no rules for, or none that find most methods."""
PROSE = _suffixes("adoc markdown md org rst txt")
"""Texts, in which the word `function` defines nothing."""

_WORDS = (
    "class struct interface trait enum type union record protocol extension object mixin impl"
    " module namespace package function func fun fn def defp defmodule sub proc macro"
)
_KEYWORD = rf"(?:{'|'.join(_WORDS.split())})"
_VARIABLE = r"(?:const|let|var|val)"
_FUNCTION = r"(?:async\s*)?(?:function\b|(?:<[^()]*>\s*)?\((?:.*=>|[^()]*$)|[\w$]+\s*=>)"
"""How the value begins that is a function of JavaScript."""
_CALL = r"(?:(?:await|new)\s+)?[\w$.]+\s*(?:<.*>)?\("
_GIVEN = rf"{_CALL}\s*(?:$|{_FUNCTION})"
"""A call that is given a function: `useCallback(async () => {`."""
_TYPED = r"(?:[^=]|=>)*=(?![>=])\s*"
"""What stands between the name of a variable and its value: its type."""
_BEFORE = r"^\s*(?:[@\w$.()]+\s+)*?"
"""Modifiers: `export default async`, `pub(crate)`."""
_TYPES = r"^\s*(?:[\w$@#~*&<\[][\w$<>\[\],.?:&*]*\s+)*[*&~#]*"
"""What stands before the name of a method that has no keyword: modifiers and types."""
_NO_TYPE = re.compile(
    r"\b(?:return|new|throw|await|yield|else|case|typeof|delete|in|of|if|for|while|do|switch|catch"
    r"|goto|using|import|from|require|assert|not|and|or)\b"
)
_BODY = re.compile(
    r"\s*(?:(?:const|noexcept|override|final|async\*?|//.*\n)\s*)*(?:throws\s[\w\s.,]+)?"
    r"(?::[^;]*?|->[^;]*?|where\b[^;]*?)?(?:\{|=>)"
)
"""What follows the parameters of a method that has a body."""
_TYPE_HEAD = re.compile(
    r"\s*(?:(?:export|declare|default)\s+)*(?:interface|type)\s+[\w$]"
    r"|\s*\}\s*:\s*(?:[\w$.]+<)?\{\s*$|.*\(\s*[\w$]+\s*:\s*(?:[\w$.]+<)?\{\s*$"
)
"""What begins a type of TypeScript, whose members have no bodies."""
_OVERLOAD = re.compile(r"[^={]*\bfunction\b[^={]*;\s*$")
_COMMENT = re.compile(r"\s*(?:\*|/[/*])")
_DECLARED = re.compile(r"\s*:")
_BRACKET_OR_TEXT = re.compile(r"""[()]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""")
_HEAD = 4000
"""Characters of a method's head that are looked at."""
_OPENED = re.compile(r"(?:[{(\[:]|=>|->|=)\s*$")
_CLOSED = re.compile(r"[)\]}]|end\b")
_PASSED_OVER = re.compile(r"\s*(?:$|#|//|(?:public|private|protected)\b[\w\s]*:\s*$)")
"""Lines whose indentation says nothing."""


def find(lines: Sequence[str], symbol: str, suffix: str) -> tuple[int, int] | None:
    """The first and the last line, from 1, of what is called `symbol` (`method`, `Class.method`)
    in a file whose name ends with `suffix`; the first with a body where there are several."""
    if suffix in PROSE:
        return None
    first, last = 1, len(lines)
    for name in re.split(r"\.|::|#", symbol):
        inside = range(first - 1, last)
        at = _Name(name, suffix).defined(lines, inside) if name else None
        if at is None:
            return None
        first, last = at + 1, _end(lines, at)
    return first, last


class _Name:
    """Tells the line that defines a name."""

    def __init__(self, name: str, suffix: str) -> None:
        own = rf"(?<![\w$]){re.escape(name)}"
        word = rf"{own}(?![\w$])"
        self._word = re.compile(word)
        self._sure = re.compile(
            rf"{_BEFORE}{_KEYWORD}\s*\*?\s+(?:self\.)?{word}|{_BEFORE}function\s*\*\s*{word}"
            rf"|^(?:export\s+|declare\s+)*{_VARIABLE}\s+{word}"
            rf"|{_BEFORE}{_VARIABLE}\s+{word}{_TYPED}(?:{_FUNCTION}|{_GIVEN})"
        )
        field = rf"{word}\s*[?!]?\s*(?::[^=(]+=|[:=])\s*"
        self._value = re.compile(rf"({_TYPES}){field}{_FUNCTION}")
        self._bound = re.compile(
            rf"{_BEFORE}{_VARIABLE}\s+{word}{_TYPED}{_CALL}|({_TYPES}){field}{_GIVEN}"
        )
        self._method = re.compile(rf"({_TYPES}){word}\s*(?:<[^()]*>)?\s*(?=\()")
        self._suffix = suffix

    def defined(self, lines: Sequence[str], inside: range) -> int | None:
        """Its number, from 0, `inside` these."""
        members = _members(lines) if self._suffix in SCRIPTS else frozenset()
        others: dict[str, int] = {}
        for number in inside:
            if not self._word.search(lines[number]):
                continue
            kind = self._kind(lines, number)
            if kind == "defined" and number not in members:
                return number
            if kind:
                others.setdefault("declared" if number in members else kind, number)
        return others.get("bound", others.get("declared"))

    def _kind(self, lines: Sequence[str], number: int) -> str:
        """How the line defines it: `defined`, `bound` to what a call gives, `declared` without a
        body; empty if it does not."""
        line = lines[number]
        if line.rstrip().endswith("=") and number + 1 < len(lines):
            line = f"{line.rstrip()} {lines[number + 1].lstrip()}"
        if self._sure.match(line):
            scripted = self._suffix in SCRIPTS and _OVERLOAD.match(line)
            return "declared" if scripted else "defined"
        return self._without_keyword(lines, number, line) if self._suffix in BRACES else ""

    def _without_keyword(self, lines: Sequence[str], number: int, line: str) -> str:
        value, method, bound = (way.match(line) for way in (self._value, self._method, self._bound))
        found = value or method or bound
        if found is None or _NO_TYPE.search(found[1] or "") or _COMMENT.match(line):
            return ""
        if value:
            return "defined"
        if method is None:
            return "bound" if self._suffix in SCRIPTS else ""
        head = "\n".join([line[method.end() :], *lines[number + 1 : number + 100]])[:_HEAD]
        rest = _after_parameters(head)
        if _BODY.match(rest):
            return "defined"
        return "declared" if _DECLARED.match(rest) else ""


def _members(lines: Sequence[str]) -> frozenset[int]:
    """The lines, from 0, inside the types of TypeScript."""
    around: list[tuple[int, bool]] = []
    found = set()
    for number, line in enumerate(lines):
        if _PASSED_OVER.match(line):
            continue
        own = _indent(line)
        while around and around[-1][0] >= own:
            around.pop()
        inside = bool(around) and around[-1][1]
        if inside:
            found.add(number)
        around.append((own, inside or bool(_TYPE_HEAD.match(line))))
    return frozenset(found)


def _after_parameters(text: str) -> str:
    """What follows the bracket that closes the one at the start of `text`."""
    depth = 0
    for found in _BRACKET_OR_TEXT.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return text[found.end() :]
    return ""


def _end(lines: Sequence[str], at: int) -> int:
    """The last line, from 1, of what begins in line `at`, from 0."""
    base, last = _indent(lines[at]), at
    for number in range(at + 1, len(lines)):
        if _PASSED_OVER.match(lines[number]):
            continue
        own, text = _indent(lines[number]), lines[number].strip()
        goes_on = own > base or text == "{"
        if own < base or not (goes_on or _CLOSED.match(text)):
            break
        last = number
        if not (goes_on or _OPENED.search(text)):
            break
    return last + 1


def _indent(line: str) -> int:
    shown = line.expandtabs(8)
    return len(shown) - len(shown.lstrip())
