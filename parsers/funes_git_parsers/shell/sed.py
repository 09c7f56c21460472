"""What `sed -i` and `perl -pi` write: the files, and the lines that the script spells out whole.

Standard library only. Most scripts replace a part of a line, and only the file knows the rest; a
line is known where the script puts a whole one (`a`, `i`, `c`, or `s` from `^` to `$`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from funes_git_parsers.base import Hunk
from funes_git_parsers.shell.lex import Word

_ADDRESS = r"(?:(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)(?:,[^a-zA-Z\n]{1,20})?)?\s*"
_TEXT = re.compile(_ADDRESS + r"[aic](?:\\\n?|[ \t]*)(.+)", re.DOTALL)
_SUBSTITUTE = re.compile(_ADDRESS + r"s([/|#,@!])(.*)\1([gI0-9]*)", re.DOTALL)
_LITERAL = re.compile(r"(?:[^\\.*\[\]^$+?(){}|&]|\\[.*\[\]^$/|&\\])*")


def edited(words: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """The files that `sed` or `perl` with these arguments rewrites, and its scripts."""
    in_place, following = False, ""
    scripts: list[Word] = []
    files: list[Word] = []
    for word in words:
        text = word.text
        if following:
            scripts.append(word if following == "e" else Word(text, literal=False))
            following = ""
        elif match := re.fullmatch(r"-([a-zA-Z]*)([ef])|--(?:(e)xpression|(f)ile)", text):
            in_place = in_place or "i" in (match[1] or "")
            following = match[2] or match[3] or match[4]
        elif text.startswith("--in-place") or re.match(r"-[a-zA-Z]*i", text):
            in_place = True
        elif text.startswith(("--expression=", "--file=")):
            scripts.append(Word(text.partition("=")[2], word.literal and text[2] == "e"))
        elif text and not (text.startswith("-") and len(text) > 1):  # `-i ''` of BSD
            (files if scripts else scripts).append(word)
    return (files, scripts) if in_place else ([], [])


def whole_lines(scripts: Sequence[Word]) -> tuple[Hunk, ...]:
    """The lines that the scripts put into a file; none unless that is all they do."""
    hunks = []
    for script in scripts:
        lines = _lines(script.text) if script.literal else None
        if lines is None:
            return ()
        hunks.append(Hunk(0, 0, lines))
    return tuple(hunks)


def _lines(script: str) -> tuple[str, ...] | None:
    if match := _TEXT.fullmatch(script):
        text = match[1].removesuffix("\n").replace("\\\n", "\n")
        return None if "\\" in text else tuple("+" + line for line in text.split("\n"))
    match = _SUBSTITUTE.fullmatch(script)
    parts = re.split(rf"(?<!\\){re.escape(match[1])}", match[2]) if match else []
    if len(parts) != 2:
        return None
    pattern, new = parts
    if not re.match(r"\^|\.\*", pattern) or not re.search(r"(?<!\\)\$$|\.\*$", pattern):
        return None
    if not _LITERAL.fullmatch(new):
        return None
    inner = pattern.removeprefix("^").removesuffix("$")
    old = ("-" + _plain(inner),) if _LITERAL.fullmatch(inner) else ()
    return (*old, "+" + _plain(new))


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
