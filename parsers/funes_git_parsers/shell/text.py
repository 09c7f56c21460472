"""The text that a command of a pipeline prints, where the command line spells it out.

Standard library only: here-documents, `echo`, `printf`, and what passes them on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from funes_git_parsers.base import Hunk
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.shell.escapes import ansi_c
from funes_git_parsers.shell.lex import Word

_EXPANDS = re.compile(r"\$[A-Za-z_0-9{(@*#?$!-]|`")
_ESCAPED = re.compile(r"\\([\\$`])|\\\n")
_DIRECTIVE = re.compile(r"%(?:%|[sdi])")
_ANY_DIRECTIVE = re.compile(r"%.?", re.DOTALL)

MAX_PRINTED = 1 << 20
"""Characters that a `printf` which repeats its format may make."""


@dataclass(frozen=True, slots=True)
class Text:
    """`exact` is None where the text is not fully known; `hunks` then hold the lines that are."""

    exact: str | None = None
    hunks: tuple[Hunk, ...] = ()


UNKNOWN = Text()


def literal(text: str) -> Text:
    """A text that is known."""
    return Text(text)


def heredoc(body: str, *, raw: bool) -> Text:
    """The text of a here-document; `raw` if its delimiter was quoted."""
    if raw:
        return Text(body)
    if not _expands(body):
        return Text(_ESCAPED.sub(r"\1", body))
    return Text(None, _exact_lines(body))


def _expands(text: str) -> bool:
    return _EXPANDS.search(_ESCAPED.sub("", text)) is not None


def _exact_lines(body: str) -> tuple[Hunk, ...]:
    """The runs of lines in which nothing is expanded, up to a substitution that may span lines."""
    hunks: list[Hunk] = []
    run: list[str] = []
    lines = body.split("\n")[:-1]
    for number, line in enumerate([*lines, "$$"], start=1):
        if _expands(line) or line.endswith("\\"):
            if run:
                start = number - len(run)
                hunks.append(Hunk(start, start, tuple(run)))
            run = []
            if not _closed(_ESCAPED.sub("", line)):
                break
        else:
            run.append("+" + _ESCAPED.sub(r"\1", line))
    return tuple(hunks)


def _closed(line: str) -> bool:
    """Whether the substitutions of a line end on it."""
    if line.count("`") % 2 or line.count("${") > line.count("}"):
        return False
    return "$(" not in line or line.count("(") <= line.count(")")


def output(name: str, words: Sequence[Word], stdin: Text) -> Text:
    """What command `name` with arguments `words` prints, given its standard input."""
    if name in ("", ":", "true"):
        return Text("") if not words else UNKNOWN
    if name in ("cat", "tee"):
        passes = name == "tee" or all(word.text == "-" for word in words)
        return stdin if passes else UNKNOWN
    if name not in ("echo", "printf") or not all(word.literal for word in words):
        return UNKNOWN
    texts = [word.text for word in words]
    return Text(_echo(texts) if name == "echo" else _printf(texts))


def _echo(texts: list[str]) -> str | None:
    flags = ""
    while texts and re.fullmatch(r"-[neE]+", texts[0]):
        flags += texts.pop(0)[1:]
    text = " ".join(texts)
    if "\\" in text:
        if "e" not in flags:  # shells differ
            return None if re.search(r"\\[\\abcefnrtv0x]", text) else _ended(text, flags)
        if "\\c" in text:
            return None
        text = ansi_c(text)
    return _ended(text, flags)


def _ended(text: str, flags: str) -> str:
    return text if "n" in flags else text + "\n"


def _printf(texts: list[str]) -> str | None:
    if texts and texts[0] == "--":
        texts = texts[1:]
    if not texts or not texts[0]:
        return None
    form, values = texts[0], texts[1:]
    if any(d != "%%" and not _DIRECTIVE.fullmatch(d) for d in _ANY_DIRECTIVE.findall(form)):
        return None
    form = ansi_c(form)
    wanted = sum(d != "%%" for d in _DIRECTIVE.findall(form))
    rounds = max(1, -(-len(values) // wanted)) if wanted else 1
    if rounds * len(form) > MAX_PRINTED:
        return None
    values = values + [""] * (rounds * wanted - len(values))
    rest = iter(values)
    return "".join(
        _DIRECTIVE.sub(lambda m: "%" if m[0] == "%%" else next(rest), form) for _ in range(rounds)
    )
