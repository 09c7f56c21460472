"""Sessions in the Hub's Session Trace Simple Format, which its trace viewer opens
(https://huggingface.co/docs/hub/session-traces-format): a header line and one message a line.

`funes_git_parsers.hub_traces` reads them back block by block. Pure functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from funes_git.store.columns import iso_time
from funes_git_parsers.base import Block, Session, Turn

FOLDER = "traces"
_PLAIN = re.compile(r"[A-Za-z0-9][\w.-]{0,120}")
_ORDER = {"thinking": 0, "text": 1, "tool_use": 2}


def name_of(session_id: str) -> str:
    """The path of a session's file in the dataset."""
    plain = _PLAIN.fullmatch(session_id) and ".." not in session_id
    stem = session_id if plain else sha256(session_id.encode("utf-8", "replace")).hexdigest()[:32]
    return f"{FOLDER}/{stem}.jsonl"


def is_of(path: str, session_id: str) -> bool:
    """Whether a path is that of a session's file, or of one of its sub-agents."""
    own = name_of(session_id)
    return path == own or path.startswith(own.removesuffix("jsonl"))


def files(session: Session, turns: Sequence[Turn]) -> dict[str, bytes]:
    """The files of a session by their paths: one for itself, one for each sub-agent that shares
    its id."""
    threads: dict[str | None, list[Turn]] = {}
    for turn in turns:
        threads.setdefault(turn.thread, []).append(turn)
    own, made = session.session_id, {}
    for thread, said in threads.items():
        name = own if thread is None else f"{own}.{thread}"
        title = session.title if thread is None else f"Sub-agent of {own}"
        lines = list(trace(name, session.harness, title, said))
        if len(lines) > 1:
            path = name_of(own) if thread is None else _beside(name_of(own), thread)
            made[path] = "".join(lines).encode("utf-8", "replace")
    return made


def _beside(path: str, thread: str) -> str:
    """The path of a sub-agent's file, beside that of its session."""
    return f"{path.removesuffix('.jsonl')}.{name_of(thread).removeprefix(f'{FOLDER}/')}"


def trace(name: str, harness: str, title: str | None, turns: Iterable[Turn]) -> Iterator[str]:
    """The lines of one conversation."""
    header = {"type": "session", "harness": harness, "id": name}
    yield _line({**header, "name": title} if title else header)
    for turn in turns:
        for message in _messages(turn):
            stamp = {"timestamp": iso_time(turn.ts)} if turn.ts is not None else {}
            model = {"model": turn.model} if turn.model else {}
            yield _line({"type": "message", "message": {**message, **stamp, **model}})


def _messages(turn: Turn) -> Iterator[dict[str, Any]]:
    """The messages of a turn: those of the API have their parts in one order, thoughts first."""
    group: list[Block] = []
    for block in turn.blocks:
        if block.scaffold is not None:
            continue
        if block.type == "tool_result":
            yield from _message(turn, group)
            group = []
            failed = {} if block.is_error is None else {"is_error": block.is_error}
            yield {
                "role": "tool",
                "tool_call_id": block.tool_use_id or "",
                "content": block.text,
                **failed,
            }
        elif group and not _follows(group[-1], block):
            yield from _message(turn, group)
            group = [block]
        else:
            group.append(block)
    yield from _message(turn, group)


def _follows(before: Block, block: Block) -> bool:
    one, two = _ORDER[before.type], _ORDER[block.type]
    return one < two or one == two == _ORDER["tool_use"]


def _message(turn: Turn, blocks: Sequence[Block]) -> Iterator[dict[str, Any]]:
    """The message of some blocks, none of them a result."""
    if not blocks:
        return
    message: dict[str, Any] = {"role": "user" if turn.role == "user" else "assistant"}
    for block in blocks:
        if block.type == "thinking":
            message["reasoning_content"] = block.text
        elif block.type == "text":
            message["content"] = block.text
        else:
            call = {"name": block.tool or "", "arguments": block.text}
            called = {"id": block.tool_use_id or "", "type": "function", "function": call}
            message.setdefault("tool_calls", []).append(called)
    message.setdefault("content", "")
    yield message


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
