"""Cuts a POSIX shell command line into the simple commands that it would run.

Standard library only; knows the shell's quoting and nothing of what commands do. One pass over the
text, each character looked at once; no text makes it raise. It is a reader, not a shell: nothing is
expanded, and a word that a shell would have expanded says so (`literal` is False).
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import lru_cache
from typing import Literal, TypeAlias

from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.shell.escapes import ansi_c

MAX_DEPTH = 40
"""Nested substitutions deeper than this are read as plain text: recursion must end."""

_BLANKS = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_REDIRECT = re.compile(r"(\d*)(<<<|<<-|<<|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|(&)(>>?)")
_SIMPLE = re.compile(
    r"([^ \t\r\n'\"\\$`|&;()<>*?\[{#~][^ \t\r\n'\"\\$`|&;()<>*?\[{]*)(?:[ \t]+|(?=[\n|&;)])|\Z)"
)
"""A word in which nothing is quoted or expanded, with the blanks behind it: most are."""
_REDIRECTS = frozenset("<>&0123456789")
_OPERATOR = re.compile(r"&&|\|\||\|&|;;&?|[|&;]")
_PLAIN = re.compile(r"[^ \t\r\n'\"\\$`|&;()<>]+")
_QUOTED = re.compile(r"[^\"\\$`]+")
_BACKTICKS = re.compile(r"`[^`\\]*(?:\\.[^`\\]*)*`?", re.DOTALL)
_ANSI_C = re.compile(r"[^'\\]*(?:\\.[^'\\]*)*", re.DOTALL)
_PARAMETER = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])")
# `[id].tsx` is a name in web frameworks; a shell that finds no match takes it as one
_GLOB = re.compile(r"[*?]|\[(?!\[?(?:\.{3})?[A-Za-z]\w+\])|\{[^{},.]*+(?:,|\.\.)[^{}]*+\}")


@dataclass(frozen=True, slots=True)
class Word:
    """A word after quote removal. `literal` is False where the shell would have put something else
    (a variable, a substitution, a glob, a home folder)."""

    text: str
    literal: bool = True
    quoted: bool = False


@dataclass(slots=True)
class Redirect:
    """`fd` as written ("" for the default, "&" for both outputs). `body` is a here-document's text
    before any expansion; `raw` says that its delimiter was quoted, so that none takes place."""

    fd: str
    op: str
    target: Word
    body: str | None = None
    raw: bool = False


@dataclass(slots=True)
class Command:
    """A simple command, or (with `group`) what follows the closing of a group: only redirects.
    `before` is the operator in front of it, `after` the one behind it ("" at a new line)."""

    before: str = ""
    after: str = ""
    group: bool = False
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)


Event: TypeAlias = Command | Literal["(", ")"]
"""A command, or the start or the end of a subshell."""


@lru_cache(maxsize=4)  # a command is asked what it wrote and what it committed
def lex(text: str) -> tuple[Event, ...]:
    """The commands of `text` in the order in which they would start."""
    lexer = _Lexer(text)
    lexer.script(0, nested=False)
    return tuple(lexer.events)


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self.events: list[Event] = []
        self.waiting: list[Redirect] = []
        self.command = Command()

    # --- commands -------------------------------------------------------------------------------

    def script(self, depth: int, *, nested: bool) -> None:
        """Read commands up to the end, or (nested) past the parenthesis that closes them."""
        outer, self.command = self.command, Command()
        level = 0
        text, end = self.text, len(self.text)
        while self.pos < end:
            words, at = self.command.words, self.pos
            while match := _SIMPLE.match(text, at):
                words.append(Word(match[1]))
                at = match.end()
            self.pos = at
            if at == end:
                break
            char = text[at]
            if char == ")" and nested and level == 0:
                self.pos += 1
                break
            if char in "()" and not text.startswith("((", at):
                level = self.parenthesis(char, level)  # opens or closes a subshell
            else:
                self.token(char, depth)
        self.finish("")
        for _ in range(level):
            self.events.append(")")
        self.command = outer

    def token(self, char: str, depth: int) -> None:
        """Read one token that is no parenthesis."""
        if char == "\n":
            self.finish("")
            self.pos += 1
            self.read_bodies()
        elif char in " \t\r\\" and (match := _BLANKS.match(self.text, self.pos)):
            self.pos = match.end()
        elif char == "#":
            end = self.text.find("\n", self.pos)
            self.pos = end if end >= 0 else len(self.text)
        elif char in _REDIRECTS and (match := _REDIRECT.match(self.text, self.pos)):
            self.pos = match.end()
            self.redirect(match[1] or match[3] or "", match[2] or match[4], depth)
        elif char in "&|;" and (match := _OPERATOR.match(self.text, self.pos)):
            self.pos = match.end()
            self.finish(match[0])
        else:
            start = self.pos
            self.command.words.append(self.word(depth))
            self.pos += self.pos == start  # `<(` where nesting ended

    def finish(self, operator: str) -> None:
        """End the current command at `operator`."""
        done = self.command
        done.after = operator
        if done.words or done.redirects or done.group:
            self.events.append(done)
            self.command = Command(before=operator)
        elif operator:
            self.command = Command(before=operator)

    def parenthesis(self, char: str, level: int) -> int:
        before = self.command.before
        self.finish("")
        self.pos += 1
        if char == "(":
            self.events.append("(")
            self.command = Command(before=before)
            return level + 1
        if level == 0:  # a pattern of `case`
            return 0
        self.events.append(")")
        self.command = Command(before=before, group=True)
        return level - 1

    def redirect(self, fd: str, op: str, depth: int) -> None:
        if match := _BLANKS.match(self.text, self.pos):
            self.pos = match.end()
        target = self.word(depth)
        redirect = Redirect(fd, op, target, raw=target.quoted)
        self.command.redirects.append(redirect)
        if op in ("<<", "<<-"):
            self.waiting.append(redirect)

    def read_bodies(self) -> None:
        """Read the here-documents that start on this line."""
        for redirect in self.waiting:
            redirect.body = self.body(redirect.target.text, tabs=redirect.op == "<<-")
        self.waiting.clear()

    def body(self, delimiter: str, *, tabs: bool) -> str:
        lines: list[str] = []
        while self.pos < len(self.text):
            end = self.text.find("\n", self.pos)
            end = end if end >= 0 else len(self.text)
            line = self.text[self.pos : end]
            self.pos = end + 1
            line = line.lstrip("\t") if tabs else line
            if line.removesuffix("\r") == delimiter:
                break
            lines.append(line + "\n")
        self.pos = min(self.pos, len(self.text))
        return "".join(lines)

    # --- words ----------------------------------------------------------------------------------

    def word(self, depth: int) -> Word:
        """Read one word; always moves on, except at an operator."""
        parts: list[str] = []
        literal, quoted = True, False
        start = self.pos
        while self.pos < len(self.text):
            char = self.text[self.pos]
            if match := _PLAIN.match(self.text, self.pos):
                self.pos = match.end()
                parts.append(match[0])
                literal = literal and not _GLOB.search(match[0])
            elif char in "'\"\\":
                quoted = True
                literal = self.quote(char, parts, depth) and literal
            else:
                known = self.expansion(char, start, parts, depth)
                if known is None:
                    break
                literal = literal and known
        text = "".join(parts)
        home = self.text.startswith("~", start)
        return Word(text, literal and not home, quoted)

    def quote(self, char: str, parts: list[str], depth: int) -> bool:
        """Read a quoted part; whether it is literal."""
        self.pos += 1
        if char == "\\":
            escaped = self.text[self.pos : self.pos + 1]
            self.pos += 1
            parts.append("" if escaped == "\n" else escaped)
            return True
        if char == '"':
            return self.double(parts, depth)
        end = self.text.find("'", self.pos)
        end = end if end >= 0 else len(self.text)
        parts.append(self.text[self.pos : end])
        self.pos = end + 1
        return True

    def double(self, parts: list[str], depth: int) -> bool:
        """Read up to the closing double quote; whether nothing in it would be expanded."""
        literal = True
        while self.pos < len(self.text):
            char = self.text[self.pos]
            if match := _QUOTED.match(self.text, self.pos):
                self.pos = match.end()
                parts.append(match[0])
            elif char == '"':
                self.pos += 1
                return literal
            elif char == "\\":
                escaped = self.text[self.pos + 1 : self.pos + 2]
                parts.append(escaped if escaped and escaped in '$`"\\' else "\\" + escaped)
                if escaped == "\n":
                    parts.pop()
                self.pos += 2
            elif char == "`":
                self.backticks()
                literal = False
            else:
                literal = self.dollar(parts, depth, quoted=True) and literal
        return literal

    def expansion(self, char: str, start: int, parts: list[str], depth: int) -> bool | None:
        """Read an expansion; whether it is literal, or None if none is here."""
        if char == "$":
            return self.dollar(parts, depth, quoted=False)
        if char == "`":
            self.backticks()
        elif self.text.startswith(("<(", ">("), self.pos) and depth < MAX_DEPTH:
            self.pos += 2
            self.nested(depth)
        elif char == "(" and self.text.startswith("((", self.pos) and self.pos == start:
            end = self.text.find("))", self.pos)
            self.pos = end + 2 if end >= 0 else len(self.text)
        elif char == "(" and parts and parts[-1].endswith("=") and depth < MAX_DEPTH:
            self.array(depth)
        else:
            return None
        return False

    def dollar(self, parts: list[str], depth: int, *, quoted: bool) -> bool:
        """Read what a `$` starts; whether it is literal."""
        following = self.text[self.pos + 1 : self.pos + 2]
        if following == "(" and depth < MAX_DEPTH:
            self.pos += 2
            self.nested(depth)
        elif following == "{":
            end = self.text.find("}", self.pos)
            self.pos = end + 1 if end >= 0 else len(self.text)
        elif following == "'" and not quoted:
            match = _ANSI_C.match(self.text, self.pos + 2)
            inner = match[0] if match else ""
            parts.append(ansi_c(inner))
            self.pos = min(self.pos + 3 + len(inner), len(self.text))
            return True
        elif match := _PARAMETER.match(self.text, self.pos):
            self.pos = match.end()
        else:
            parts.append("$")
            self.pos += 1
            return True
        return False

    def nested(self, depth: int) -> None:
        self.events.append("(")
        self.script(depth + 1, nested=True)
        self.events.append(")")

    def array(self, depth: int) -> None:
        """Skip the value of an array: its words are no command."""
        kept = len(self.events)
        self.pos += 1
        self.script(depth + 1, nested=True)
        del self.events[kept:]

    def backticks(self) -> None:
        match = _BACKTICKS.match(self.text, self.pos)
        self.pos = match.end() if match else self.pos + 1
