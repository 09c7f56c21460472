"""Aider: the chat history of a working tree, `.aider.chat.history.md`, Markdown that only grows.

`# aider chat started at 2025-01-31 12:00:00` begins a session, in local time without a zone; that
is the only time there is. `#### ` stands before each line that the user typed, `> ` before what
Aider printed: `> Applied edit to a.py`, `> Commit 1a2b3c4 message`. All else is the model's. What
it edits stands in SEARCH/REPLACE blocks, whole files or diffs, below a line with the file's name
(Aider-AI/aider, aider/io.py, aider/coders/*_prompts.py). An edit counts once Aider printed that it
was applied. Prompts that hold lines like these are read wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias

from funes_git_parsers import patch, searchreplace, whole
from funes_git_parsers.base import (
    Block,
    Capability,
    Edit,
    Hunk,
    Item,
    Opener,
    Places,
    PrintedCommit,
    Role,
    Session,
    Source,
    Turn,
    regular,
)
from funes_git_parsers.base import whole as whole_file
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.paths import join

NAME = "aider"
LABEL = "Aider"
GLOBAL_UUIDS = False
READS: frozenset[Capability] = frozenset(("text", "edits", "shell"))

_FILE = ".aider.chat.history.md"
_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
_APPLIED = re.compile(r"> Applied edit to (.+?)\s*")
_COMMIT = re.compile(r"> Commit ([0-9a-f]{7,40}) ?(.*?)\s*")
_MODEL = re.compile(r"> (?:Main model|Models?): (\S+)")
_HEARD = re.compile(r"> (?:Applied edit to|Commit|Tokens:|You can use /undo|Add file to the chat)")
_FENCE = re.compile(r"(`{3,}|~{3,})\s*(\S*)\s*")

Kind: TypeAlias = Literal["user", "assistant", "tool"]


def folders(places: Places) -> list[Path]:
    """The repository's working trees."""
    return list(places.checkouts)


def discover(places: Places) -> Iterator[Source]:
    """The history of each working tree, if it has one."""
    named = places.env.get("AIDER_CHAT_HISTORY_FILE")
    return regular(NAME, (top / (named or _FILE) for top in places.checkouts))


def claim(path: Path, head: bytes) -> bool:
    """Whether the file is Markdown that begins a chat of Aider's."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return path.suffix == ".md" and start.startswith(b"# aider chat started at ")


def sessions(path: Path) -> list[Source]:
    """The file, with all its chats."""
    return [whole_file(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """The folder that the file lies in."""
    return {str(source.path.parent)}


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """All chats of the file, if it changed; a line that is not complete yet is left for later."""

    def items(text: str) -> Iterator[Item]:
        folder = str(source.path.parent)
        ids: dict[str, int] = {}
        for started, lines in _chats(text[: text.rfind("\n") + 1]):
            again = ids[started] = ids.get(started, 0) + 1
            plain = "".join(c for c in started if c.isdigit())
            name = f"aider-{plain}" + (f"-{again}" if again > 1 else "")
            yield from _Chat(name, folder, _seconds(started)).read(lines)

    return whole.of_text(source, cursor, open_file, items)


def _chats(text: str) -> Iterator[tuple[str, list[str]]]:
    """(when it started, its lines) of each chat; what stands before the first belongs to none."""
    started: str | None = None
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if found := _STARTED.fullmatch(line):
            if started is not None:
                yield started, lines
            started, lines = found[1], []
        else:
            lines.append(line)
    if started is not None:
        yield started, lines


def _seconds(started: str) -> float | None:
    try:
        return datetime.fromisoformat(started).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _kind(line: str) -> Kind:
    if line.startswith("####"):
        return "user"
    return "tool" if line.startswith(">") else "assistant"


def _parts(lines: list[str]) -> Iterator[tuple[Kind, list[str]]]:
    """Runs of lines of one kind, without those that are blank all through. What stands in a fenced
    block of the model's is the model's, until Aider itself is heard."""
    kind: Kind = "assistant"
    part: list[str] = []
    fence = ""
    for line in lines:
        now = _kind(line) if line.strip() else kind
        if fence and not _HEARD.match(line):
            now = "assistant"
            fence = "" if line.rstrip() == fence else fence
        elif now == "assistant" and (opened := _FENCE.fullmatch(line)):
            fence = opened[1]
        else:
            fence = ""
        if now != kind:
            if any(each.strip() for each in part):
                yield kind, part
            kind, part = now, []
        part.append(line)
    if any(each.strip() for each in part):
        yield kind, part


@dataclass(slots=True)
class _Chat:
    """One chat as it is read."""

    session_id: str
    folder: str
    ts: float | None
    seq: int = 0
    parent: str | None = None
    exchange: str | None = None
    model: str | None = None
    said: tuple[str, str] | None = None
    """The turn and the text of what the model wrote last."""
    edited: dict[str, int] = field(default_factory=dict)
    """How many edits each turn has."""

    def read(self, lines: list[str]) -> Iterator[Item]:
        """The session, its turns and edits."""
        yield Session(self.session_id, NAME)
        for kind, part in _parts(lines):
            if kind == "user":
                typed = "".join(line[4:].removeprefix(" ") for line in part if line.strip())
                yield self._turn("user", Block("text", typed.rstrip()))
            elif kind == "assistant":
                text = "".join(part).strip("\n")
                yield self._turn("assistant", Block("text", text))
                self.said = (self.parent or "", text)
            else:
                yield from self._printed(part)

    def _turn(self, role: Role, block: Block) -> Turn:
        uuid = f"{self.session_id}-{self.seq}"
        is_prompt = role == "user"
        self.exchange = uuid if is_prompt else self.exchange
        turn = Turn(
            session_id=self.session_id,
            turn_uuid=uuid,
            seq=self.seq,
            ts=self.ts,
            role=role,
            harness=NAME,
            blocks=(block,),
            parent_uuid=self.parent,
            exchange=self.exchange,
            workdir=self.folder,
            model=self.model if role == "assistant" else None,
            is_prompt=is_prompt,
        )
        self.seq += 1
        self.parent = uuid
        return turn

    def _printed(self, part: list[str]) -> Iterator[Item]:
        """What Aider printed: commits that it made, edits that it applied."""
        commits = tuple(
            PrintedCommit(found[1], "commit", subject=found[2] or None)
            for line in part
            if (found := _COMMIT.fullmatch(line))
        )
        for line in part:
            self.model = found[1] if (found := _MODEL.match(line)) else self.model
        text = "".join(line[1:].removeprefix(" ") for line in part if line.strip()).rstrip()
        yield self._turn("tool", Block("tool_result", text, commits=commits))
        for line in part:
            if found := _APPLIED.fullmatch(line):
                yield from self._applied(found[1])

    def _applied(self, path: str) -> Iterator[Edit]:
        uuid, text = self.said or ("", "")
        for edit in _edits(text, path) if uuid else ():
            n = self.edited[uuid] = self.edited.get(uuid, 0) + 1
            operation, old, new, hunks = edit
            where = join(self.folder, path)
            about = (self.session_id, uuid, f"{uuid}-edit", n, self.ts, where, operation, "edit")
            yield Edit(*about, old, new, hunks=hunks)


_Found: TypeAlias = tuple[Literal["create", "modify"], str | None, str | None, tuple[Hunk, ...]]


def _edits(text: str, path: str) -> Iterator[_Found]:
    """What a message of the model does to the file at `path`."""
    for name, kind, body in _fences(text):
        if name != path and not (kind == "diff" and f"+++ {path}" in body):
            continue
        blocks = searchreplace.blocks(body)
        if blocks:
            for old, new in blocks:
                yield ("modify", old, new, ()) if old else ("create", None, new, ())
        elif kind == "diff":
            if hunks := patch.hunks_of_unified(_numbered(body)):
                yield "modify", None, None, hunks
        else:
            yield "create", None, body, ()


def _numbered(diff: str) -> str:
    """A diff whose hunks have ranges; the model is asked to write none (`@@ ... @@`)."""
    out: list[str] = []
    body: list[str] = []
    for line in [*diff.splitlines(), "@@"]:
        if not line.startswith("@@"):
            body.append(line)
            continue
        signed = [each for each in body if each[:1] in ("+", "-", " ") or not each]
        signed = [each or " " for each in signed if not each.startswith(("+++ ", "--- "))]
        old = sum(each[0] != "+" for each in signed)
        new = sum(each[0] != "-" for each in signed)
        if signed:
            out += [f"@@ -{len(out) + 1},{old} +{len(out) + 1},{new} @@", *signed]
        body = []
    return "\n".join(out) + "\n"


def _fences(text: str) -> Iterator[tuple[str, str, str]]:
    """(the line above, or the first line inside, kind, body) of each fenced block."""
    above = ""
    lines = iter(text.splitlines(keepends=True))
    for line in lines:
        opened = _FENCE.fullmatch(line)
        if not opened:
            above = line.strip().strip("*`:#") or above
            continue
        body: list[str] = []
        for inner in lines:
            if inner.rstrip() == opened[1]:
                break
            body.append(inner)
        yield above.strip(), opened[2], "".join(body)
        above = ""
