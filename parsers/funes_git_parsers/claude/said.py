"""A message of Claude Code, taken apart: who says it, and what the flags of its record tell.

Pure; a flag of another type than Claude writes counts as absent.
"""

from __future__ import annotations

from typing import Any

from funes_git_parsers import media, scaffold
from funes_git_parsers.base import Block, Role
from funes_git_parsers.claude.state import Link
from funes_git_parsers.values import mapping, string


class Said:
    """A message, taken apart: its record, its parts, those that are what tools returned, the
    record's `toolUseResult` if it is of the only one, and who says it."""

    __slots__ = ("message", "parts", "record", "results", "role", "used")

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self.message = mapping(record.get("message"))
        self.parts = parts = media.parts(self.message.get("content"))
        self.results: list[dict[str, Any]] = []
        self.used: object = None
        self.role: Role = "assistant"
        if record["type"] != "assistant":
            self.results = [part for part in parts if part.get("type") == "tool_result"]
            self.used = record.get("toolUseResult") if len(self.results) == 1 else None
            self.role = "tool" if self.results else "user"


def is_typed(record: dict[str, Any], before: Link, blocks: list[Block]) -> bool:
    """Whether a person typed this user record."""
    flags = ("isMeta", "isCompactSummary", "isSidechain")
    if before.thread is not None or any(record.get(flag) is True for flag in flags):
        return False
    origin = mapping(record.get("origin")).get("kind")
    return origin in (None, "human") and any(block.scaffold is None for block in blocks)


def is_command(blocks: list[Block]) -> bool:
    """Whether the blocks are a slash command, as its wrapper names it."""
    return any(b.scaffold == scaffold.COMMAND and "<command-name>" in b.text for b in blocks)


def forced(record: dict[str, Any], before: Link) -> str | None:
    """The scaffolding that a user record's flags tell of."""
    if record.get("isCompactSummary") is True:
        return scaffold.COMPACTION
    if mapping(record.get("origin")).get("kind") == scaffold.NOTIFICATION:
        return scaffold.NOTIFICATION
    if record.get("isMeta") is True:
        is_expansion = before.is_command or string(record.get("sourceToolUseID"))
        return scaffold.COMMAND if is_expansion else scaffold.REMINDER
    return None
