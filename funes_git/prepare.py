"""Make what the stores take from a session's records: secrets out, edits hashed, chunks cut.

Nothing leaves here that has not been through the redactor.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from funes_git.belong import Places
from funes_git.chunk import chunks
from funes_git.editrecord import Change, Found, clean, clean_or_none, record
from funes_git.lines import changes
from funes_git.model import Batch
from funes_git.redact import Redactor
from funes_git.secretids import ids, without
from funes_git_parsers.base import Block, Edit, Item, Retraction, Session, Spawn, Turn
from funes_git_parsers.values import decoded

_ARGUMENT = re.compile(
    r'"(?:file_?path|path|notebook_path|filename|absolute_path|target_file)"\s*:\s*'
    r'"((?:[^"\\]|\\.){1,1000})"',
    re.IGNORECASE,
)
_PATCHED = re.compile(r"\*\*\* (?:Add|Update|Delete) File: ([^\n\\\"]{1,1000})")
_STRING = re.compile(r'"[0-9a-f-]*"|("(?:[^"\\]|\\.)*")')
"""A string in JSON text; ids, of which a cursor holds thousands, match without a group."""
_MAX_CALLS = 10_000


class Preparer:
    """Prepares the records of one source, a part at a time."""

    def __init__(self, redactor: Redactor, places: Places) -> None:
        self._redactor = redactor
        self._places = places
        self._calls: dict[str, tuple[str, ...]] = {}  # a call's files, for its result

    def batch(self, items: Iterable[Item]) -> Batch:
        """What belongs in the stores of `items`, without a state. Raises ScannerBroken."""
        parts: list[Session | Turn | Spawn | Retraction | Change] = []
        for item in items:
            if isinstance(item, Edit):
                if change := self._change(item):
                    parts.append(change)
            elif isinstance(item, Session | Turn | Spawn | Retraction):
                parts.append(item)
        every = [texts(part) for part in parts]
        found = self._redactor.find([text for each in every for text in each])
        batch = Batch()
        for part, own in zip(parts, every, strict=True):
            # most hold no secret, and need not be gone through again
            self._add(batch, part, {} if found.keys().isdisjoint(own) else found)
        files = self._files(batch)
        for turn in batch.turns:
            batch.chunks += chunks(turn, files.get(turn.turn_uuid, ()))
        return batch

    def cursor(self, text: str) -> str:
        """A parser's cursor without secrets. Raises ScannerBroken."""
        return clean_cursor(self._redactor, text)

    def _change(self, edit: Edit) -> Change | None:
        path = self._places.relative(edit.path)
        old_path = self._places.relative(edit.old_path) if edit.old_path else None
        if path is None and old_path is not None:
            # moved out of the repository: gone from where it was
            edit = replace(edit, operation="delete", old=None, new=None, hunks=(), old_path=None)
            path, old_path = old_path, None
        elif edit.old_path and old_path is None:
            edit = replace(edit, operation="create", old_path=None)  # moved in
        if path is None:
            return None
        return Change(edit, path, old_path, *changes(edit))

    def _add(
        self,
        batch: Batch,
        part: Session | Turn | Spawn | Retraction | Change,
        found: Found,
    ) -> None:
        match part:
            case Session():
                batch.sessions.append(clean_session(without(part, found), found))
            case Turn():
                turn = clean_turn(without(part, found), found)
                batch.turns.append(turn)
                if turn is not part:
                    batch.redactions += sum(found[t].count for t in texts(part) if t in found)
            case Change():
                part = replace(part, edit=without(part.edit, found))
                batch.edits.append(record(part, found))
            case Spawn():
                batch.spawns.append(without(part, found))
            case Retraction():
                batch.retractions.append(without(part, found))

    def _files(self, batch: Batch) -> dict[str, tuple[str, ...]]:
        """The files that each turn read or wrote, shared by the records of one message."""
        groups: defaultdict[str, dict[str, None]] = defaultdict(dict)
        group_of = {t.turn_uuid: t.message_id or t.turn_uuid for t in batch.turns}
        for edit in batch.edits:
            groups[group_of.get(edit.turn_uuid, edit.turn_uuid)][edit.path] = None
        for turn in batch.turns:
            for block in turn.blocks:
                groups[group_of[turn.turn_uuid]].update(
                    dict.fromkeys(self._block_files(block, turn.workdir))
                )
        made = {name: tuple(group) for name, group in groups.items() if group}
        return {uuid: made[name] for uuid, name in group_of.items() if name in made}

    def _block_files(self, block: Block, workdir: str | None) -> tuple[str, ...]:
        if block.type == "tool_result":
            return self._calls.pop(block.tool_use_id or "", ())
        if block.type != "tool_use":
            return ()
        found = dict.fromkeys(_argument_paths(block.text, workdir))
        files = tuple(f for path in found if (f := self._places.relative(path)))
        if files and block.tool_use_id:
            self._calls[block.tool_use_id] = files
            if len(self._calls) > _MAX_CALLS:
                del self._calls[next(iter(self._calls))]
        return files


def clean_cursor(redactor: Redactor, text: str) -> str:
    """A parser's cursor without secrets: it may hold what is still to be told (a title, a command).
    Raises ScannerBroken."""
    try:
        decoded(text)
    except (ValueError, RecursionError):
        return redactor.redact([text])[0].text
    found = redactor.find(_strings(text))
    return json.dumps(_replaced(json.loads(text), found)) if found else text


def _strings(text: str) -> list[str]:
    """Every string in JSON text but ids, the names of members too."""
    strings = filter(None, _STRING.findall(text))
    return [json.loads(found) if "\\" in found else found[1:-1] for found in strings]


def _replaced(value: Any, found: Found) -> Any:
    match value:
        case str():
            return clean(value, found)
        case list():
            return [_replaced(item, found) for item in value]
        case dict():
            return {clean(name, found): _replaced(item, found) for name, item in value.items()}
    return value


def _argument_paths(text: str, workdir: str | None) -> Iterator[str]:
    """The paths that a call's arguments name, absolute where its working folder is known."""
    for pattern in (_ARGUMENT, _PATCHED):
        for path in pattern.findall(text):
            plain = path.replace("\\\\", "\\")
            is_absolute = plain.startswith("/") or plain[1:2] == ":"
            yield plain if is_absolute or not workdir else f"{workdir}/{plain}"


def texts(part: Session | Turn | Spawn | Retraction | Change) -> list[str]:
    """Every text of a record that may hold a secret."""
    match part:
        case Session():
            fields = [part.title, part.version, part.repository_url]
        case Turn():
            fields = [part.workdir, part.branch, part.model]
            for block in part.blocks:
                fields += (block.text, block.tool)
                for commit in block.commits:
                    fields += (commit.subject, commit.branch)
        case Change():
            edit = part.edit
            fields = [part.path, part.old_path, edit.path, edit.tool, edit.old, edit.new, part.diff]
        case _:
            fields = []
    fields += ids(part.edit if isinstance(part, Change) else part)
    return [text for text in fields if text]


def clean_session(session: Session, found: Found) -> Session:
    """The session without secrets; the same object where it had none."""
    if not found:
        return session
    return replace(
        session,
        title=clean_or_none(session.title, found),
        version=clean_or_none(session.version, found),
        repository_url=clean_or_none(session.repository_url, found),
    )


def clean_turn(turn: Turn, found: Found) -> Turn:
    """The turn without secrets; the same object where it had none."""
    if not found:
        return turn
    return replace(
        turn,
        workdir=clean_or_none(turn.workdir, found),
        branch=clean_or_none(turn.branch, found),
        model=clean_or_none(turn.model, found),
        blocks=tuple(_block(block, found) for block in turn.blocks),
    )


def _block(block: Block, found: Found) -> Block:
    commits = tuple(
        replace(
            commit,
            subject=clean_or_none(commit.subject, found),
            branch=clean_or_none(commit.branch, found),
        )
        for commit in block.commits
    )
    text, tool = clean(block.text, found), clean_or_none(block.tool, found)
    return replace(block, text=text, tool=tool, commits=commits)
