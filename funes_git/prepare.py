"""Make what the stores take from a session's records: secrets out, lines hashed, chunks cut.

Line hashes are taken before redaction, so that content still matches; a line that a secret stood
on gets none. Nothing leaves here that has not been through the redactor.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha1

from funes_git.belong import Places
from funes_git.chunk import chunks
from funes_git.lines import PlacedLine, changes, exact_hash, loose_hash, split
from funes_git.model import Batch, EditRecord, LineKey
from funes_git.redact import Redacted, Redactor
from funes_git_parsers.base import Block, Edit, Item, Retraction, Session, Spawn, Turn

Found = Mapping[str, Redacted]

_ARGUMENT = re.compile(
    r'"(?:file_?path|path|notebook_path|filename|absolute_path|target_file)"\s*:\s*'
    r'"((?:[^"\\]|\\.){1,1000})"',
    re.IGNORECASE,
)
_PATCHED = re.compile(r"\*\*\* (?:Add|Update|Delete) File: ([^\n\\\"]{1,1000})")
_MAX_CALLS = 10_000


@dataclass(frozen=True, slots=True)
class _Change:
    """An edit inside the repository with what it changed, before redaction."""

    edit: Edit
    path: str
    old_path: str | None
    added: list[PlacedLine]
    removed: list[PlacedLine]
    diff: str


class Preparer:
    """Prepares the records of one source, a part at a time."""

    def __init__(self, redactor: Redactor, places: Places) -> None:
        self._redactor = redactor
        self._places = places
        self._calls: dict[str, tuple[str, ...]] = {}  # a call's files, for its result

    def batch(self, items: Iterable[Item]) -> Batch:
        """What belongs in the stores of `items`, without a state. Raises ScannerBroken."""
        parts: list[Session | Turn | Spawn | Retraction | _Change] = []
        for item in items:
            if isinstance(item, Edit):
                if change := self._change(item):
                    parts.append(change)
            elif isinstance(item, Session | Turn | Spawn | Retraction):
                parts.append(item)
        found = self._redactor.find([text for part in parts for text in _texts(part)])
        batch = Batch()
        for part in parts:
            self._add(batch, part, found)
        files = self._files(batch)
        for turn in batch.turns:
            batch.chunks += chunks(turn, files.get(turn.turn_uuid, ()))
        return batch

    def _change(self, edit: Edit) -> _Change | None:
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
        return _Change(edit, path, old_path, *changes(edit))

    def _add(
        self,
        batch: Batch,
        part: Session | Turn | Spawn | Retraction | _Change,
        found: Found,
    ) -> None:
        match part:
            case Session():
                batch.sessions.append(_session(part, found))
            case Turn():
                turn = _turn(part, found)
                batch.turns.append(turn)
                if turn is not part:
                    batch.redactions += sum(found[t].count for t in _texts(part) if t in found)
            case _Change():
                batch.edits.append(_record(part, found))
            case Spawn():
                batch.spawns.append(part)
            case Retraction():
                batch.retractions.append(part)

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


def _argument_paths(text: str, workdir: str | None) -> Iterator[str]:
    """The paths that a call's arguments name, absolute where its working folder is known."""
    for pattern in (_ARGUMENT, _PATCHED):
        for path in pattern.findall(text):
            plain = path.replace("\\\\", "\\")
            is_absolute = plain.startswith("/") or plain[1:2] == ":"
            yield plain if is_absolute or not workdir else f"{workdir}/{plain}"


def _texts(part: Session | Turn | Spawn | Retraction | _Change) -> Iterator[str]:
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
        case _Change():
            edit = part.edit
            fields = [part.path, part.old_path, edit.path, edit.tool, edit.old, edit.new, part.diff]
        case _:
            fields = []
    return (text for text in fields if text)


def _clean(text: str, found: Found) -> str:
    return found[text].text if text in found else text


def _clean_or_none(text: str | None, found: Found) -> str | None:
    return None if text is None else _clean(text, found)


def _session(session: Session, found: Found) -> Session:
    if not any(text in found for text in _texts(session)):
        return session
    return replace(
        session,
        title=_clean_or_none(session.title, found),
        version=_clean_or_none(session.version, found),
        repository_url=_clean_or_none(session.repository_url, found),
    )


def _turn(turn: Turn, found: Found) -> Turn:
    """The turn without secrets; the same object where it had none."""
    if not any(text in found for text in _texts(turn)):
        return turn
    return replace(
        turn,
        workdir=_clean_or_none(turn.workdir, found),
        branch=_clean_or_none(turn.branch, found),
        model=_clean_or_none(turn.model, found),
        blocks=tuple(_block(block, found) for block in turn.blocks),
    )


def _block(block: Block, found: Found) -> Block:
    commits = tuple(
        replace(
            commit,
            subject=_clean_or_none(commit.subject, found),
            branch=_clean_or_none(commit.branch, found),
        )
        for commit in block.commits
    )
    text, tool = _clean(block.text, found), _clean_or_none(block.tool, found)
    return replace(block, text=text, tool=tool, commits=commits)


def _record(change: _Change, found: Found) -> EditRecord:
    edit = change.edit
    secret = _secret_lines(change, found)
    key = f"{edit.session_id}:{edit.turn_uuid}:{edit.tool_use_id}:{edit.n}"
    return EditRecord(
        edit_id=sha1(key.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:16],
        session_id=edit.session_id,
        turn_uuid=edit.turn_uuid,
        tool_use_id=edit.tool_use_id,
        n=edit.n,
        ts=edit.ts,
        path=_clean(change.path, found),
        operation=edit.operation,
        tool=_clean(edit.tool, found),
        origin=edit.origin,
        recorded_path=_clean(edit.path, found),
        old_path=_clean_or_none(change.old_path, found),
        old=_clean_or_none(edit.old, found),
        new=_clean_or_none(edit.new, found),
        diff=_diff(change.diff, secret, found),
        added=_keys(change.added, secret),
        removed=_keys(change.removed, secret),
    )


def _keys(lines: list[PlacedLine], secret: Mapping[str, str]) -> tuple[LineKey, ...]:
    return tuple(
        LineKey(pos, exact_hash(text), loose_hash(text))
        for pos, text in lines
        if text not in secret
    )


def _secret_lines(change: _Change, found: Found) -> dict[str, str]:
    """The lines of an edit that a secret stands on, and what is left of each."""
    lines: dict[str, str] = {}
    for text, sign in ((change.edit.old, 0), (change.edit.new, 0), (change.diff, 1)):
        if text and text in found:
            for line, rest in _touched(text, found[text].spans):
                lines.setdefault(line[sign:], rest[sign:] or "[REDACTED]")
    return lines


def _touched(text: str, spans: tuple[tuple[int, int], ...]) -> Iterator[tuple[str, str]]:
    """Each line that a span overlaps, and the line with the span's part of it struck out."""
    at = 0
    for line in split(text):
        end = at + len(line)
        over = [(max(a, at), min(b, end)) for a, b in spans if a < end and b > at]
        if over:
            rest, done = "", at
            for a, b in over:
                rest += text[done:a] + "[REDACTED]"
                done = b
            yield line, rest + text[done:end]
        at = end + 1


def _diff(diff: str, secret: Mapping[str, str], found: Found) -> str:
    """The diff without secrets, also those that only the whole text gave away."""
    lines = _clean(diff, found).split("\n") if diff else []
    return "\n".join(line[:1] + secret[line[1:]] if line[1:] in secret else line for line in lines)
