"""What a prompt says: the words of a person, without what a harness put beside them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from funes_git_parsers import scaffold
from funes_git_parsers.base import Turn

HEADING = re.compile(r"(#{1,6}) ")
LABEL = re.compile(r"\*\*.*[`/][\w.-]+\.\w{1,5}\b")
"""A paragraph that begins with the name of a file in bold."""
ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)]) ")
RULE = re.compile(r"(?:-{3,}|\*{3,})$")

_LED_IN = re.compile(r"\s*[^\n]{1,80}:[ \t]*\r?\n\s*#{1,6} ")

_BREAK = re.compile(r"\n\s*\n|\n(?=#{1,6} )")


def words_of(turn: Turn | None) -> str | None:
    """The words of a turn that opened an exchange; for a slash command, the command as typed."""
    if turn is None:
        return None
    texts = [block for block in turn.blocks if block.type == "text"]
    said = [scaffold.visible(block.text).strip() for block in texts if not block.scaffold]
    if any(said):
        return "\n\n".join(text for text in said if text)
    commands = (scaffold.command_line(block.text) for block in texts)
    return next((command for command in commands if command), None)


def headline(prompt: str) -> str:
    """The prompt for a line that cuts it: from its heading on where all before that is one line
    which leads to it, as Claude Code writes `Implement the following plan:` before a plan."""
    found = _LED_IN.match(prompt)
    return f"… {prompt[found.end() :]}" if found else prompt


def first_words(turn: Turn) -> str:
    """The words of a turn, else its first block that is not empty: a call, what a tool printed."""
    return words_of(turn) or next((b.text for b in turn.blocks if b.text.strip()), "")


def part_about(prompt: str, names: list[str], after: int) -> str | None:
    """The section of `prompt` about something: from the first paragraph that begins after `after`
    characters and holds one of `names`, the more telling names first, and the heading above it, up
    to the next heading as high, the next label of a file, or the end of its list."""
    spans = list(_pieces(prompt))
    texts = [prompt[start:end] for start, end in spans]
    for name in names:
        for n, text in enumerate(texts):
            if spans[n][0] >= after and name in text:
                first, last = _section(texts, n)
                return prompt[spans[first][0] : spans[last][1]]
    return None


def _pieces(prompt: str) -> Iterator[tuple[int, int]]:
    """Where paragraphs, each with its heading, begin and end; code with blank lines in it is one
    with what stands before it."""
    start = 0
    for gap in [*_BREAK.finditer(prompt), None]:
        end = gap.start() if gap else len(prompt)
        if gap and prompt.count("```", start, end) % 2:
            continue
        if prompt[start:end].strip():
            yield start, end
        start = gap.end() if gap else end


def _section(texts: list[str], n: int) -> tuple[int, int]:
    """The first and the last paragraph of the section around the paragraph `n`."""
    above = texts[n - 1] if n else ""
    alone = "\n" not in above and _level(above) and not _level(texts[n])
    first = n - 1 if alone else n
    level = _level(texts[first])
    last = n
    while last + 1 < len(texts) and _goes_on(texts[last], texts[last + 1], level):
        last += 1
    return first, last


def _goes_on(text: str, following: str, level: int) -> bool:
    """Whether the section of a heading of `level`, or of none (0), holds the next paragraph too."""
    if HEADING.match(following):
        return level > 0 and _level(following) > level
    if RULE.match(following) or LABEL.match(following):
        return False
    return level > 0 or bool(LABEL.match(text)) or text.endswith(":") or bool(ITEM.match(following))


def _level(text: str) -> int:
    heading = HEADING.match(text)
    return len(heading[1]) if heading else 0
