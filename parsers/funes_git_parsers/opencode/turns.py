"""Makes turns, edits and the rest of the messages of one OpenCode session.

A message is a turn; each result of a tool, which is kept in the part that made the call, is one of
its own after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from funes_git_parsers import media, scaffold, tools
from funes_git_parsers.base import COMMIT, Block, Item, Retraction, Role, Session, Spawn, Turn
from funes_git_parsers.opencode.edits import edits, lines_changed, lines_shown
from funes_git_parsers.opencode.store import Message, Stored
from funes_git_parsers.paths import join
from funes_git_parsers.revision import Entry, about
from funes_git_parsers.tools import Call
from funes_git_parsers.values import compact, integer, is_blank, mapping, moment, string

_COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def entries(stored: Stored, harness: str) -> list[Entry]:
    """The session as entries: one for each turn, and the first for the session."""
    info = stored.info
    session = Session(
        str(info["id"]),
        harness,
        string(info.get("title")),
        string(info.get("parentID")),
        string(info.get("version")),
    )
    return [about(session), *_Reader(stored, harness).run()]


def anchors(stored: Stored) -> set[str]:
    """The folder that the session was started in, and its repository's root commit: the project's
    id, unless it lies in no repository."""
    project = string(stored.info.get("projectID")) or ""
    found = {COMMIT + project} if _COMMIT_ID.fullmatch(project) else set()
    folder = string(stored.info.get("directory"))
    return found | ({folder} if folder else set())


class _Reader:
    def __init__(self, stored: Stored, harness: str) -> None:
        self._stored = stored
        self._harness = harness
        self._session = str(stored.info["id"])
        self._folder = string(stored.info.get("directory"))
        self._typed = string(stored.info.get("parentID")) is None
        revert = mapping(stored.info.get("revert"))
        self._gone_from = string(revert.get("messageID")), string(revert.get("partID"))
        self._gone = False
        self._seq = 0
        self._last: str | None = None
        self._exchange: str | None = None
        self._used: dict[str, int] = {}
        self._lines: dict[str, list[str]] = {}

    def run(self) -> Iterator[Entry]:
        for message in self._stored.messages:
            role = message.info.get("role")
            message_id, part_id = self._gone_from
            if message_id and message.info.get("id") == message_id and not part_id:
                self._gone = True
            if role == "user":
                self._note(lines_changed(message.info))
                yield from self._user(message)
            elif role == "assistant":
                yield from self._assistant(message)

    def _note(self, shown: Iterable[tuple[str, list[str]]]) -> None:
        for path, lines in shown:
            self._lines.setdefault(join(self._folder, path), []).extend(lines)

    # Turns

    def _entry(
        self, message: Message, uuid: str, role: Role, blocks: tuple[Block, ...], **more: Any
    ) -> tuple[Turn, list[Item]]:
        """The next turn, and the items of its entry so far."""
        info = message.info
        cwd = string(mapping(info.get("path")).get("cwd")) or self._folder
        created = moment(mapping(info.get("time")).get("created"))
        turn = Turn(
            session_id=self._session,
            turn_uuid=uuid,
            seq=self._seq,
            ts=more.pop("ts", None) or created,
            role=role,
            harness=self._harness,
            blocks=blocks,
            parent_uuid=self._last,
            exchange=self._exchange,
            message_id=string(info.get("id")),
            workdir=cwd,
            **more,
        )
        self._seq += 1
        self._last = uuid
        items: list[Item] = [turn]
        if self._gone:
            items.append(Retraction(self._session, uuid))
        return turn, items

    def _named(self, value: object) -> str:
        """A uuid of the session; an id that comes again (redacted exports have many) is told
        apart."""
        name = string(value) or "unnamed"
        self._used[name] = self._used.get(name, 0) + 1
        return name if self._used[name] == 1 else f"{name}~{self._used[name]}"

    def _user(self, message: Message) -> Iterator[Entry]:
        blocks = tuple(_said(part, "user") for part in message.parts if _is_shown(part))
        if not blocks:
            return
        uuid = self._named(message.info.get("id"))
        marks = {block.scaffold for block in blocks}
        if self._typed and marks & {None, scaffold.COMMAND}:
            self._exchange = uuid
        is_prompt = self._typed and None in marks
        _, items = self._entry(message, uuid, "user", blocks, is_prompt=is_prompt)
        yield Entry(uuid, tuple(items))

    def _assistant(self, message: Message) -> Iterator[Entry]:
        uuid = self._named(message.info.get("id"))
        is_summary = message.info.get("summary") is True
        blocks = tuple(self._blocks(message, is_summary))
        if not blocks:
            return
        model = string(message.info.get("modelID"))
        turn, items = self._entry(message, uuid, "assistant", blocks, model=model)
        results = []
        for part in message.parts:
            if part.get("id") == self._gone_from[1] and self._gone_from[1]:
                self._gone = True
            if part.get("type") == "tool":
                self._note(lines_shown(part))
                found, result = self._tool(message, turn, part)
                items += found
                results += [result] if result else []
        yield Entry(uuid, tuple(items))
        yield from results

    def _blocks(self, message: Message, is_summary: bool) -> Iterator[Block]:
        for part in message.parts:
            kind, text = part.get("type"), string(part.get("text"))
            if kind == "tool":
                call_id, state = string(part.get("callID")), mapping(part.get("state"))
                asked = media.elided(compact(mapping(state.get("input"))))
                yield Block("tool_use", asked, string(part.get("tool")), call_id)
            elif kind == "reasoning" and text and not is_blank(text):
                yield Block("thinking", text)
            elif _is_shown(part):
                block = _said(part, "assistant")
                mark = scaffold.COMPACTION if is_summary else block.scaffold
                yield Block("text", block.text, scaffold=mark)
        failed = mapping(mapping(message.info.get("error")).get("data"))
        if text := string(failed.get("message")):
            yield Block("text", text, scaffold=scaffold.API_ERROR)

    # Tools

    def _tool(
        self, message: Message, turn: Turn, part: Mapping[str, Any]
    ) -> tuple[list[Item], Entry | None]:
        """What a call adds to its turn, and its result if it has ended."""
        state, tool = mapping(part.get("state")), string(part.get("tool"))
        metadata, status = mapping(state.get("metadata")), state.get("status")
        times = mapping(state.get("time"))
        text = compact(mapping(state.get("input")))
        call_id = string(part.get("callID")) or ""
        ts = moment(times.get("start")) or turn.ts
        call = Call(call_id, tool or "", text, turn.turn_uuid, ts, turn.workdir)
        found: list[Item] = []
        if child := string(metadata.get("sessionId")) or string(metadata.get("sessionID")):
            found.append(Spawn(self._session, turn.turn_uuid, child))
        if status not in ("completed", "error"):
            return found, None
        code = integer(metadata.get("exit"))
        failed = status == "error" or bool(code)
        if not failed:
            found += edits(self._session, call, metadata, self._lines)
        output = _output(state)
        block = Block(
            "tool_result",
            output,
            tool,
            call_id or None,
            failed,
            code,
            tools.commits(call, output),
            scaffold.kind(output, "tool"),
        )
        uuid = self._named(part.get("id"))
        _, items = self._entry(message, uuid, "tool", (block,), ts=moment(times.get("end")))
        return found, Entry(uuid, tuple(items))


def _output(state: Mapping[str, Any]) -> str:
    """What a call gave back, with the files that came with it named."""
    text = string(state.get("output")) or string(state.get("error")) or ""
    attached = state.get("attachments")
    files = [mapping(each) for each in attached] if isinstance(attached, list) else []
    return "\n".join([media.elided(text), *(_file(each) for each in files)])


def _is_shown(part: Mapping[str, Any]) -> bool:
    """Whether a part of a message says something by itself."""
    if part.get("type") == "text":
        return not is_blank(string(part.get("text")) or "")
    if part.get("type") == "subtask":
        return string(part.get("prompt")) is not None
    return part.get("type") == "file"


def _said(part: Mapping[str, Any], role: Role) -> Block:
    if part.get("type") == "file":
        return Block("text", _file(part), scaffold=scaffold.ENVIRONMENT)
    if part.get("type") == "subtask":
        return Block("text", str(part["prompt"]), scaffold=scaffold.COMMAND)
    text = media.elided(str(part["text"]))
    mark = scaffold.kind(text, role)
    if part.get("synthetic") is True:
        mark = mark or scaffold.ENVIRONMENT
    return Block("text", text, scaffold=mark)


def _file(part: Mapping[str, Any]) -> str:
    """A file that a person attached, or a tool returned."""
    url = string(part.get("url")) or ""
    shown = media.elided(url)
    if shown != url:
        return shown
    name = string(part.get("mime")) or "file"
    return f"[{name}]" if url.startswith("data:") or not url else f"[{name}, {url}]"
