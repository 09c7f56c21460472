"""Cut turns into chunks: the units that are searched.

Pure functions. The cutting is huggingface/funes' (1,200 code points, 150 overlap, the same
rendering and ids), so that its memories and ours line up. What no person or model wrote is left
out, and so are the questions to our own tools: each would be the best answer to itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha1

from funes_git.model import Chunk
from funes_git_parsers import scaffold
from funes_git_parsers.base import Block, Turn

MAX = 1200
OVERLAP = 150
HEAD = 4000
TAIL = 1000

_DATA_URI = re.compile(r"(data:[\w.+/;=-]{3,80};base64,)[A-Za-z0-9+/=_-]{64,}")


def chunks(turn: Turn, files: tuple[str, ...] = ()) -> list[Chunk]:
    """The chunks of a turn, in the order of its blocks. `files` are the paths that the turn read or
    wrote. Of a tool's result only the first 4,000 and the last 1,000 code points are cut."""
    return [
        Chunk(
            id=chunk_id(turn.session_id, turn.turn_uuid, index, split),
            session_id=turn.session_id,
            turn_uuid=turn.turn_uuid,
            block_idx=index,
            split_idx=split,
            block_type=block.type,
            tool=block.tool,
            text=text,
            prose=block.type in ("text", "thinking"),
            files=files,
        )
        for index, block in enumerate(turn.blocks)
        if block.scaffold is None and not scaffold.ours(block.tool)
        for split, text in enumerate(_pieces(block))
    ]


def chunk_id(session_id: str, turn_uuid: str, block: int, split: int) -> str:
    """The first 16 hex digits of sha1(`session:turn:block:split`)."""
    key = f"{session_id}:{turn_uuid}:{block}:{split}"
    return sha1(key.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:16]


def _pieces(block: Block) -> Iterator[str]:
    text = scaffold.visible(block.text)
    if ";base64," in text:
        text = _DATA_URI.sub(r"\1…", text)
    if block.type == "tool_use":
        text = f"[tool_use {block.tool}] {text}"
    elif block.type == "tool_result":
        if not text.strip():
            return
        label = f"[tool_result {block.tool}] " if block.tool else "[tool_result] "
        if len(text) > HEAD + TAIL:
            yield from cut(label + text[:HEAD])
            yield from cut(text[-TAIL:])
            return
        text = label + text
    yield from cut(text)


def cut(text: str) -> Iterator[str]:
    """Pieces of at most MAX code points, broken at the last newline, else the last space, of their
    second half; each begins OVERLAP before the one before it ends."""
    text = text.strip()
    start = 0
    while start < len(text):
        end = min(start + MAX, len(text))
        if end < len(text):
            middle = start + MAX // 2
            stop = text.rfind("\n", middle + 1, end)
            if stop < 0:
                stop = text.rfind(" ", middle + 1, end)
            end = stop if stop > 0 else end
        if piece := text[start:end].strip():
            yield piece
        if end >= len(text):
            return
        start = max(end - OVERLAP, start + 1)
