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

_WORDS = (
    "class struct interface trait enum type union record protocol extension object mixin impl"
    " module namespace package function func fun fn def defp defmodule sub proc macro"
)
_KEYWORD = rf"(?:{'|'.join(_WORDS.split())})"
_VARIABLE = r"(?:const|let|var|val)"
_FUNCTION = r"(?:async\s*)?(?:function\b|\(.*=>|\(\s*$|[\w$]+\s*=>)"
"""How the value begins that is a function of JavaScript."""
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
            rf"|{_BEFORE}{_VARIABLE}\s+{word}[^=]*=\s*{_FUNCTION}"
        )
        self._value = re.compile(rf"({_TYPES}){word}\s*[?!]?\s*(?::[^=(]+=|[:=])\s*{_FUNCTION}")
        self._method = re.compile(rf"({_TYPES}){word}\s*(?:<[^()]*>)?\s*(?=\()")
        self._braces = suffix in BRACES

    def defined(self, lines: Sequence[str], inside: range) -> int | None:
        """Its number, from 0, `inside` these."""
        declared = None
        for number in inside:
            if not self._word.search(lines[number]):
                continue
            if self._sure.match(lines[number]):
                return number
            kind = self._without_keyword(lines, number) if self._braces else ""
            if kind == "defined":
                return number
            if kind == "declared" and declared is None:
                declared = number
        return declared

    def _without_keyword(self, lines: Sequence[str], number: int) -> str:
        line = lines[number]
        value, method = self._value.match(line), self._method.match(line)
        found = value or method
        if found is None or _NO_TYPE.search(found[1]) or _COMMENT.match(line):
            return ""
        if value:
            return "defined"
        head = "\n".join([line[found.end() :], *lines[number + 1 : number + 100]])[:_HEAD]
        rest = _after_parameters(head)
        if _BODY.match(rest):
            return "defined"
        return "declared" if _DECLARED.match(rest) else ""


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
