"""The blocks of one row of Hermes, and what in them nobody typed. Knows no order of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from funes_git_parsers import media, scaffold
from funes_git_parsers.base import Block, PrintedCommit, Role
from funes_git_parsers.hermes.calls import Outcome
from funes_git_parsers.hermes.store import Row
from funes_git_parsers.values import compact, is_blank, mapping, string

_SUMMARIES: Final = (
    "[CONTEXT COMPACTION",
    "[CONTEXT SUMMARY]:",
    "[Your active task list was preserved across context compression]",
)
_SUMMARY_END = re.compile(r"--- END OF CONTEXT SUMMARY [^\n]*---\s*")
_STARTS: Final = (
    *(("Review the conversation above", scaffold.HOOK),),
    *((f"[{who}: Background process", scaffold.NOTIFICATION) for who in ("SYSTEM", "IMPORTANT")),
    *(("[ASYNC DELEGATION", scaffold.NOTIFICATION),),
    *((f"[{who}: The user has invoked the ", scaffold.COMMAND) for who in ("SYSTEM", "IMPORTANT")),
)


def text_blocks(row: Row, role: Role) -> tuple[Block, ...]:
    """What was said, pictures as their type and size."""
    return tuple(block for text in _texts(row.content) for block in _said(text, row, role))


def _said(text: str, row: Row, role: Role) -> Iterator[Block]:
    """A text with its mark; a summary may have the message that it stands before in the same
    text."""
    if row.summary or text.lstrip().startswith(_SUMMARIES):
        end = _SUMMARY_END.search(text)
        yield Block("text", text[: end.end()] if end else text, scaffold=scaffold.COMPACTION)
        if end and (rest := text[end.end() :]):
            yield Block("text", rest, scaffold=scaffold.kind(rest, role))
        return
    mark = scaffold.kind(text, role)
    if role == "user" and mark is None:
        mark = next((kind for start, kind in _STARTS if text.startswith(start)), None)
        mark = mark or (scaffold.NOTIFICATION if row.hidden else None)
    yield Block("text", text, scaffold=mark)


def _texts(content: object) -> Iterator[str]:
    parts = content if isinstance(content, list) else [content]
    for part in parts:
        text = part if isinstance(part, str) else _part(mapping(part))
        if text and not is_blank(text):
            yield media.elided(text)


def _part(part: Mapping[str, Any]) -> str:
    """One part of content: a text, or a picture in one of the shapes of the models' APIs."""
    if text := string(part.get("text")):
        return text
    if "source" in part:
        return media.media(dict(part))
    found = part.get("image_url")
    url = string(mapping(found).get("url")) or string(found) or ""
    shown = media.elided(url)
    return shown if shown != url else f"[image {url}]" if url else ""


def thinking(row: Row) -> tuple[Block, ...]:
    """The readable reasoning of a row."""
    return (Block("thinking", row.thinking),) if row.thinking and row.thinking.strip() else ()


def call_blocks(row: Row) -> tuple[Block, ...]:
    """The tool calls of a row."""
    found = []
    for call in row.calls:
        function = mapping(call.get("function"))
        asked = function.get("arguments")
        text = asked if isinstance(asked, str) else compact(asked if asked is not None else {})
        name = string(function.get("name"))
        found.append(Block("tool_use", media.elided(text), name, string(call.get("id"))))
    return tuple(found)


def result_block(
    row: Row, text: str, tool: str | None, out: Outcome, commits: tuple[PrintedCommit, ...]
) -> Block:
    """The result of a call. What another program's tool returned stands inside JSON: there too it
    is known whether we printed it ourselves."""
    mark = scaffold.kind(text, "tool")
    if mark is None and out.body:
        mark = scaffold.kind(out.body, "tool")
    return Block(
        "tool_result",
        text,
        tool,
        row.call_id,
        out.is_error,
        out.exit_code,
        commits,
        mark,
    )


def result_text(row: Row) -> str:
    """The text of a tool's row, verbatim but for pictures."""
    return "\n".join(_texts(row.content))
