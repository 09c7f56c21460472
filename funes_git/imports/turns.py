"""Conversations of which another tool kept only the words, as turns files that a parser reads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha1
from typing import Any, Literal

from funes_git.imports.found import Transcript
from funes_git.store.columns import iso_time
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.funes_jsonl import SUFFIX


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: `uuid` is its name within its session, `ts` in seconds since the epoch; blocks are
    those of docs/funes-jsonl.md in huggingface/funes."""

    uuid: str
    role: Literal["user", "assistant", "tool"]
    ts: float | None
    blocks: tuple[dict[str, Any], ...]


def transcript(session_id: str, harness: str, turns: Iterable[Said]) -> Transcript:
    """The turns as one file."""
    lines = [
        json.dumps({
            "format": 1,
            "session_id": session_id,
            "turn_uuid": turn.uuid,
            "seq": number,
            "ts": iso_time(turn.ts),
            "role": turn.role,
            "harness": harness,
            "blocks": turn.blocks,
        })
        for number, turn in enumerate(turns)
    ]  # fmt: skip
    data = "".join(f"{line}\n" for line in lines).encode()
    stamp = sha1(data, usedforsecurity=False).hexdigest()
    return Transcript(f"{file_name(session_id)}{SUFFIX}", stamp, lambda: data)


def text(words: str) -> dict[str, Any]:
    """A block of words."""
    return {"block_type": "text", "text": words}


def file_name(session_id: str) -> str:
    """A name for the file of a session, that no other has; the id itself may hold a secret."""
    return sha1(session_id.encode(), usedforsecurity=False).hexdigest()[:20]
