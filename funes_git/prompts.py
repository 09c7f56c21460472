"""What a prompt says: the words of a person, without what a harness put beside them. Pure."""

from __future__ import annotations

import re

from funes_git_parsers import scaffold
from funes_git_parsers.base import Turn

PARAGRAPH = re.compile(r"\n\s*\n")


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


def part_about(prompt: str, names: list[str], after: int) -> str | None:
    """The first paragraph of `prompt` that begins after `after` characters and holds one of
    `names`, the more telling names first."""
    at = 0
    paragraphs = []
    for text in PARAGRAPH.split(prompt):
        at = prompt.index(text, at)
        if at >= after:
            paragraphs.append(text.strip())
        at += len(text)
    for name in names:
        for text in paragraphs:
            if name in text:
                return text
    return None
