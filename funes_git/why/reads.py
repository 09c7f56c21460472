"""Which calls show an agent what is in a file. Pure.

A call counts only if it reads: one that writes the file, stages it, or hands its name to another
agent says nothing of what the agent had seen. Knows nothing of the shell but its quoting and its
separators: `funes_git_parsers.shell`, which knows more, is slow to import.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from funes_git_parsers.base import Block

_WORD = re.compile(r"[\w.~/\\-]+")

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_READING = frozenset(("read", "view", "cat", "grep", "search", "rg", "ripgrep"))
_CHANGING = frozenset(("write", "edit", "replace", "create", "update", "todo"))
_NOT_PATHS = frozenset(("pattern", "query", "regex", "description", "explanation", "prompt"))
"""Arguments of a reading tool in which a name is looked for, or told of."""

_SEARCHERS = frozenset(("rg", "grep", "egrep", "fgrep", "ag", "ack"))
_READERS = _SEARCHERS | frozenset(
    ("cat", "sed", "head", "tail", "less", "more", "nl", "bat", "awk", "wc", "diff", "tac", "cut")
)
_GIT = frozenset(("show", "diff", "log", "blame", "grep"))
_SHELLS = frozenset(("bash", "sh", "zsh"))
_BEFORE = frozenset(
    ("do", "then", "else", "if", "while", "!", "{", "sudo", "env", "time", "timeout", "xargs")
)
"""Words after which a command begins."""

_TOKEN = re.compile(
    r"""((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\|;&<>()`])++)|([|;&()`\n])|([<>]+)""", re.S
)
_CODE = re.compile(r"""\bcmd["']?\s*:\s*("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`)""", re.S)
"""A command in a program that calls a shell tool."""

MOST = 20_000
"""Characters of a command that are looked at."""


def names(path: str, text: str) -> bool:
    """Whether `text` names the file: by its path, a longer one that ends in it, or the last parts
    of it."""
    base = path.rpartition("/")[2]
    if base not in text:
        return False
    for word in _WORD.findall(text):
        said = word.replace("\\", "/").rstrip(".").removeprefix("./")
        if said.endswith(base) and (
            f"/{said}".endswith(f"/{path}") or f"/{path}".endswith(f"/{said}")
        ):
            return True
    return False


def call_of(block: Block) -> str:
    """A shell's command, or another tool's arguments, as they were given."""
    return _command(_arguments(block)) or block.text


def reads(block: Block, path: str) -> bool:
    """Whether the call shows what is in the file at `path`."""
    if not names(path, block.text):
        return False
    arguments = _arguments(block)
    words = {part.lower() for part in _PARTS.findall((block.tool or "").rpartition("__")[2])}
    if arguments.get("command") == "view" or (words & _READING and not words & _CHANGING):
        return any(names(path, text) for text in _texts(arguments or block.text))
    commands = [_command(arguments)] if arguments else [_bare(c) for c in _CODE.findall(block.text)]
    return any(_reads(command, path) for command in commands if command)


def _arguments(block: Block) -> dict[str, Any]:
    try:
        found = json.loads(block.text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _command(arguments: dict[str, Any]) -> str:
    command = arguments.get("command") or arguments.get("cmd") or ""
    if isinstance(command, list):
        command = " ".join(str(part) for part in command)
    return str(command)


def _texts(value: Any, depth: int = 3) -> Iterator[str]:
    """The texts among a call's arguments that may be paths."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth:
        for item in value:
            yield from _texts(item, depth - 1)
    elif isinstance(value, dict) and depth:
        for key, item in value.items():
            if key not in _NOT_PATHS:
                yield from _texts(item, depth - 1)


def _reads(command: str, path: str, depth: int = 2) -> bool:
    for words in _simple(command[:MOST]):
        while len(words) > 1 and (words[0] in _BEFORE or "=" in words[0] or words[0].isdigit()):
            words = words[1:]
        program, rest = words[0].rpartition("/")[2], words[1:]
        if program in _SHELLS and depth and rest and rest[0].endswith("c"):
            # of a list of arguments the script has lost its quotes
            if _reads(" ".join(rest[1:]), path, depth - 1):
                return True
        elif any(names(path, word) for word in _operands(program, rest)):
            return True
    return False


def _operands(program: str, words: Sequence[str]) -> list[str]:
    """What a command that reads names, besides its options; nothing for another command."""
    if program == "git":
        at = next((n for n, word in enumerate(words[:4]) if word in _GIT), None)
        if at is None:
            return []
        program, words = f"git {words[at]}", words[at + 1 :]
    elif program not in _READERS:
        return []
    if program == "sed" and any(re.match(r"-\w*i|--in-place", word) for word in words):
        return []
    told = [word for word in words if not word.startswith("-")]
    searches = program.rpartition(" ")[2] in _SEARCHERS
    return told[1:] if searches and "-e" not in words else told


def _simple(command: str) -> Iterator[list[str]]:
    """The words of each simple command; where it writes to or reads from is no word of it."""
    words: list[str] = []
    redirected = False
    for word, end, redirect in _TOKEN.findall(command.replace("\\\n", " ")):
        if end and words:
            yield words
            words = []
        elif word and not redirected:
            words.append(_bare(word))
        redirected = bool(redirect)
    if words:
        yield words


def _bare(word: str) -> str:
    """A word without its quotes."""
    return re.sub(r"""^["'`]|["'`]$""", "", word).replace('\\"', '"')
