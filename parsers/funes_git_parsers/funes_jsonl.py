"""Turns files of huggingface/funes (`.funes.jsonl`): its own turn model, one turn a line.

The format is docs/funes-jsonl.md there. Lines of one session may be spread over files, and a file
may hold many sessions; ids are the writer's and stay. What funes would reject is skipped or, where
it does not matter here (a field that we do not know, another time zone), read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from funes_git_parsers import harness, media, scaffold, whole
from funes_git_parsers.base import (
    Block,
    BlockType,
    Capability,
    Item,
    Opener,
    Places,
    Role,
    Session,
    Skipped,
    Source,
)
from funes_git_parsers.base import whole as whole_file
from funes_git_parsers.conversation import Conversation, Message
from funes_git_parsers.jsonl import Records
from funes_git_parsers.values import folder, mapping, seconds, string

NAME = "funes_jsonl"
LABEL = "funes turns files"
GLOBAL_UUIDS = False
READS: frozenset[Capability] = frozenset(("text", "thinking", "edits", "shell"))

SUFFIX = ".funes.jsonl"
_KINDS: dict[str, BlockType] = {
    "text": "text",
    "thinking": "thinking",
    "tool_use": "tool_use",
    "tool_result": "tool_result",
}
_ROLES: dict[str, Role] = {"assistant": "assistant", "tool": "tool"}


def discover(places: Places) -> Iterator[Source]:
    """None: funes' own spool holds copies of sessions that the agents' parsers read."""
    return iter(())


def folders(places: Places) -> list[Path]:
    """None."""
    return []


def claim(path: Path, head: bytes) -> bool:
    """By its name, which the format fixes."""
    return path.name.removesuffix(".zst").endswith(SUFFIX)


def sessions(path: Path) -> list[Source]:
    """The file, with all its sessions."""
    return [whole_file(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """What reading it finds."""
    return whole.roots_of(read(source, None, open_file))


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """All turns of the file, if it changed."""
    return whole.of_records(source, cursor, open_file, _items)


def _items(records: Records) -> Iterator[Item]:
    threads: dict[str, Conversation] = {}
    for turn in records:
        if isinstance(turn, Skipped):
            yield turn
            continue
        session_id, uuid = string(turn.get("session_id")), string(turn.get("turn_uuid"))
        if session_id is None or uuid is None or turn.get("format", 1) != 1:
            yield Skipped(records.line, "not a turn of format 1")
            continue
        agent = harness.named(string(turn.get("harness")) or "") or NAME
        if session_id not in threads:
            threads[session_id] = Conversation(session_id, agent)
            yield Session(session_id, agent)
        role = string(turn.get("role")) or ""
        yield from threads[session_id].add(
            Message(
                uuid,
                _ROLES.get(role, "user"),
                tuple(_blocks(turn.get("blocks"), _ROLES.get(role, "user"))),
                seconds(turn.get("ts")),
                workdir=folder(turn.get("cwd")),
                from_person=role != "system",
            )
        )


def _blocks(value: object, role: Role) -> Iterator[Block]:
    for part in value if isinstance(value, list) else ():
        fields = mapping(part)
        kind = _KINDS.get(str(fields.get("block_type")))
        text = fields.get("text")
        if kind is None or not isinstance(text, str):
            continue
        call, tool = string(fields.get("tool_use_id")), string(fields.get("tool_name"))
        mark = None
        if kind == "text" or kind == "tool_result":
            text = media.elided(text)
            mark = scaffold.kind(text, "tool" if kind == "tool_result" else role)
        yield Block(kind, text, tool, call, scaffold=mark)
