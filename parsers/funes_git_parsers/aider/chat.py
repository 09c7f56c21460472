"""One chat of Aider's history as a session. Pure: no files.

Aider ends each line of its own, and of a prompt, with two blanks, so that Markdown breaks there;
the model's quotes and headings have none (Aider-AI/aider, aider/io.py, `append_chat_history`).
Histories whose blanks an editor took away are read by the first characters alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from funes_git_parsers import shell
from funes_git_parsers.aider import edits
from funes_git_parsers.aider.edits import FENCE, Form
from funes_git_parsers.base import Block, Edit, Item, PrintedCommit, Role, Session, Turn
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.paths import join
from funes_git_parsers.values import compact

HARNESS = "aider"

_BREAK = "  \n"
_VERSION = "> Aider v"
_APPLIED = re.compile(r"> Applied edit to (.+?)\s*")
_COMMIT = re.compile(r"> Commit ([0-9a-f]{7,40}) ?(.*?)\s*")
_RUNNING = re.compile(r"> Running (.+?)\s*")
_MODEL = re.compile(r"> (?:Main model|Models?): (\S+)")
_FORMAT = re.compile(r"> (?:Main model|Models?|Editor model): .*?with ([\w-]+) edit format")
_HEARD = re.compile(r"> (?:Applied edit to|Commit|Tokens:|You can use /undo|Add file to the chat)")

Kind: TypeAlias = Literal["user", "assistant", "tool"]


def _parts(lines: list[str]) -> Iterator[tuple[Kind, list[str]]]:
    """Runs of lines of one kind, without those that are blank all through. What stands in a fenced
    block of the model's is the model's, until Aider itself is heard."""
    is_broken = any(line.startswith(">") and line.endswith(_BREAK) for line in lines)
    about = _lines_about(lines)
    kind: Kind = "assistant"
    part: list[str] = []
    fence = ""
    for n, line in enumerate(lines):
        now = _kind(line, is_broken) if line.strip() else kind
        if n < about:
            now = "tool"
        elif fence and not _HEARD.match(line):
            now = "assistant"
            fence = "" if line.rstrip() == fence else fence
        elif now == "assistant" and (opened := FENCE.fullmatch(line)):
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


def _lines_about(lines: list[str]) -> int:
    """How many lines tell how Aider was started: its command line may have several."""
    for n, line in enumerate(lines):
        if line.startswith(_VERSION):
            return n
        if line.startswith("####"):
            break
    return 0


def _kind(line: str, is_broken: bool) -> Kind:
    if is_broken and not line.endswith(_BREAK):
        return "assistant"
    if line.startswith("####"):
        return "user"
    return "tool" if line.startswith(">") else "assistant"


def _plain(part: list[str], mark: str) -> str:
    """The text of lines that were marked."""
    kept = (line.removesuffix(_BREAK).rstrip("\n") for line in part if line.strip())
    return "\n".join(line.removeprefix(mark).removeprefix(" ") for line in kept).rstrip()


@dataclass(slots=True)
class Chat:
    """One chat as it is read."""

    session_id: str
    folder: str
    ts: float | None
    seq: int = 0
    parent: str | None = None
    exchange: str | None = None
    model: str | None = None
    forms: set[Form] = field(default_factory=set)
    """How the model was asked to write edits."""
    said: tuple[str, str] | None = None
    """The turn and the text of what the model wrote last."""
    edited: dict[str, int] = field(default_factory=dict)
    """How many edits each turn has."""

    def read(self, lines: list[str]) -> Iterator[Item]:
        """The session, its turns and edits."""
        yield Session(self.session_id, HARNESS)
        for kind, part in _parts(lines):
            if kind == "user":
                yield self._turn("user", Block("text", _plain(part, "####")))
            elif kind == "assistant":
                text = "".join(part).strip("\n")
                yield self._turn("assistant", Block("text", text))
                self.said = (self.parent or "", text)
            else:
                yield from self._printed(part)

    def _turn(self, role: Role, *blocks: Block) -> Turn:
        uuid = f"{self.session_id}-{self.seq}"
        is_prompt = role == "user"
        self.exchange = uuid if is_prompt else self.exchange
        turn = Turn(
            session_id=self.session_id,
            turn_uuid=uuid,
            seq=self.seq,
            ts=self.ts,
            role=role,
            harness=HARNESS,
            blocks=blocks,
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
        """What Aider printed: commits that it made, edits that it applied, commands that it ran."""
        commits = tuple(
            PrintedCommit(found[1], "commit", subject=found[2] or None)
            for line in part
            if (found := _COMMIT.fullmatch(line))
        )
        for line in part:
            self.model = found[1] if (found := _MODEL.match(line)) else self.model
            asked = edits.form(found[1]) if (found := _FORMAT.match(line)) else None
            self.forms |= {asked} if asked else set()
        commands = [found[1] for line in part if (found := _RUNNING.fullmatch(line))]
        uuid = f"{self.session_id}-{self.seq}"
        calls = (
            Block("tool_use", compact({"command": command}), "shell", f"{uuid}-run-{n}")
            for n, command in enumerate(commands)
        )
        yield self._turn("tool", *calls, Block("tool_result", _plain(part, ">"), commits=commits))
        yield from self._applied([found[1] for line in part if (found := _APPLIED.fullmatch(line))])
        for n, command in enumerate(commands):
            yield from self._ran(uuid, f"{uuid}-run-{n}", command)

    def _applied(self, paths: Sequence[str]) -> Iterator[Edit]:
        uuid, text = self.said or ("", "")
        for found in edits.edits(text, paths, self.forms) if uuid and paths else ():
            n = self.edited[uuid] = self.edited.get(uuid, 0) + 1
            path, operation, old, new, hunks = found
            where = join(self.folder, path)
            about = (self.session_id, uuid, f"{uuid}-edit", n, self.ts, where, operation, "edit")
            yield Edit(*about, old, new, hunks=hunks)

    def _ran(self, uuid: str, call: str, command: str) -> Iterator[Edit]:
        """What a command wrote, as far as its own words tell; how it ended is not recorded."""
        for n, wrote in enumerate(shell.writes(command, self.folder)):
            path, old_path = join(self.folder, wrote.path), wrote.old_path
            yield Edit(
                *(self.session_id, uuid, call, n, self.ts, path, wrote.operation, "shell"),
                *(wrote.old, wrote.new, join(self.folder, old_path) if old_path else None),
                hunks=wrote.hunks,
                origin="shell",
            )
