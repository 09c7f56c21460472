"""A session of Cline's SDK, on which its command line is built, as messages. Pure: no files.

Seen in what `cline` 3.0.65 wrote (npm), with cline/cline, `sdk/packages/core/src/services/
session-data.ts` and `sdk/packages/shared/src/prompt/format.ts`. parsers/README.md tells the format.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from funes_git_parsers import scaffold
from funes_git_parsers.base import Block, Role, Session
from funes_git_parsers.conversation import Message, text_block
from funes_git_parsers.media import elided, media, result_text
from funes_git_parsers.values import compact, folder, is_blank, mapping, parsed, seconds, string

_RUN = "run_commands"
_SPAWN = "spawn_agent"
_EXITED = re.compile(r"Command exited with code (\d{1,9})")
_STARTED = re.compile(r"agent_(\d{13})_")
_DISPLAYED = {"system": scaffold.ENVIRONMENT, "status": scaffold.NOTIFICATION}


def session(
    document: Mapping[str, Any], name: str, about: Mapping[str, Any], harness: str
) -> Session:
    """The session as a whole; `name` is that of its file, `about` its manifest."""
    origin = mapping(document.get("origin"))
    parent = string(origin.get("parentThreadId"))
    title = None if parent else string(mapping(about.get("metadata")).get("title"))
    own = string(document.get("sessionId")) or name
    return Session(own, harness, title, parent, string(origin.get("version")))


class Talk:
    """The messages of one session."""

    def __init__(self, session: Session, about: Mapping[str, Any], agents: Iterable[str]) -> None:
        """`agents` are the names of the files of the sessions that this one may have started."""
        self._session = session
        self._about = about
        metadata = mapping(about.get("metadata"))
        self._branch = string(mapping(metadata.get("git")).get("branch"))
        self._cwd = folder(about.get("cwd")) or folder(about.get("workspace_root"))
        self._heads = _heads(mapping(metadata.get("checkpoint")).get("history"))
        self._agents = sorted(
            (int(found[1]) / 1000, name)
            for name in agents
            if not session.parent_session_id and (found := _STARTED.match(name))
        )
        self._runs = 0
        self._split: dict[str, int] = {}  # calls of several commands: how many

    def messages(self, rows: list[Any]) -> Iterator[Message]:
        """The messages, in order; those with nothing in them are left out."""
        used: Counter[str] = Counter()
        spawned = self._spawned(rows)
        for n, row in enumerate(map(mapping, rows)):
            name = string(row.get("id")) or f"{self._session.session_id}-{n}"
            used[name] += 1
            message = self._message(row, name if used[name] == 1 else f"{name}~{used[name]}")
            if message:
                yield replace(message, spawns=tuple(spawned.get(n, ())))

    def _spawned(self, rows: list[Any]) -> dict[int, list[str]]:
        """The sessions that were started, by message: nothing names them, but their ids hold the
        time, which is that of the last call before it."""
        calling = [
            (_time(row) or 0, n)
            for n, row in enumerate(map(mapping, rows))
            if any(part.get("name") == _SPAWN for part in _parts(row) if part["type"] == "tool_use")
        ]
        found: dict[int, list[str]] = {}
        for started, name in self._agents:
            if before := [n for ts, n in calling if ts <= started]:
                found.setdefault(before[-1], []).append(f"{self._session.session_id}__{name}")
        return found

    def _message(self, row: dict[str, Any], uuid: str) -> Message | None:
        role: Role = "assistant" if row.get("role") == "assistant" else "user"
        make = self._said if role == "assistant" else self._told
        mark = _mark(mapping(row.get("metadata")))
        blocks = tuple(_marked(block, mark) for part in _parts(row) for block in make(part))
        if not blocks:
            return None
        is_typed = any(block.type == "text" and not block.scaffold for block in blocks)
        self._runs += role == "user" and is_typed
        return Message(
            uuid,
            role,
            blocks,
            _time(row),
            string(mapping(row.get("modelInfo")).get("id")) if role == "assistant" else None,
            self._cwd,
            from_person=self._session.parent_session_id is None,
            branch=self._branch,
            head=self._heads.get(self._runs) if role == "user" and is_typed else None,
        )

    def _said(self, part: dict[str, Any]) -> Iterator[Block]:
        kind, text = part.get("type"), string(part.get("text"))
        if kind == "tool_use":
            yield from self._call(part)
        elif kind in ("thinking", "reasoning"):
            if thought := string(part.get("thinking")) or text:
                yield Block("thinking", thought)
        elif text and not is_blank(text):
            yield text_block(text, "assistant")

    def _call(self, part: dict[str, Any]) -> Iterator[Block]:
        """A call; one that runs several commands is a call for each, as each has its own end."""
        name, call = string(part.get("name")), string(part.get("id"))
        commands = _commands(part.get("input")) if name == _RUN and call else []
        if call and commands:
            self._split[call] = len(commands)
            for n, command in enumerate(commands):
                yield Block("tool_use", compact({"command": command}), name, _one_of(call, n))
        else:
            yield Block("tool_use", compact(part.get("input", {})), name, call)

    def _told(self, part: dict[str, Any]) -> Iterator[Block]:
        text = part.get("text")
        if part.get("type") == "tool_result":
            yield from self._results(part)
        elif isinstance(text, str) and not is_blank(text):
            yield from _typed(text)
        elif "source" in part or part.get("type") == "image":
            yield Block("text", media(part))

    def _results(self, part: dict[str, Any]) -> Iterator[Block]:
        call = string(part.get("tool_use_id"))
        content = part.get("content")
        value = parsed(content) if isinstance(content, str) else content
        outcomes = [mapping(each) for each in (value if isinstance(value, list) else [value])]
        if not outcomes or not all("success" in each for each in outcomes):
            failed = part.get("is_error") is True or "error" in mapping(value)
            yield Block("tool_result", result_text(content), None, call, failed or None)
        elif call and self._split.get(call) == len(outcomes):
            for n, outcome in enumerate(outcomes):
                yield _ended(outcome, _one_of(call, n))
        else:
            failed = not any(each.get("success") is True for each in outcomes)
            text = "\n".join(map(_outcome, outcomes))
            mark = scaffold.kind(text, "tool")
            yield Block("tool_result", text, None, call, failed, scaffold=mark)


def _parts(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = row.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    parts = map(mapping, content if isinstance(content, list) else ())
    return [part for part in parts if string(part.get("type"))]


def _time(row: Mapping[str, Any]) -> float | None:
    ts = row.get("ts")
    if isinstance(ts, int | float) and not isinstance(ts, bool):
        return ts / 1000 if 0 < ts < 1e14 else None
    return seconds(ts)


def _heads(history: object) -> dict[int, str]:
    """The commit that was checked out when each run began, from 1; not where files were changed,
    for then Cline names a commit of its own."""
    rows = [mapping(row) for row in history] if isinstance(history, list) else []
    return {
        row["runCount"]: row["ref"]
        for row in rows
        if row.get("kind") == "commit"
        and isinstance(row.get("runCount"), int)
        and string(row.get("ref"))
    }


def _commands(asked: object) -> list[str]:
    """The commands of a call, in each of the forms that models send."""
    fields = mapping(asked)
    found = fields.get("commands", fields.get("command", fields.get("cmd", asked)))
    commands = []
    for one in found if isinstance(found, list) else [found]:
        words = mapping(one)
        program, rest = string(words.get("command")), words.get("args")
        arguments = (
            [word for word in rest if isinstance(word, str)] if isinstance(rest, list) else []
        )
        line = shlex.join([program, *arguments]) if program and arguments else program
        commands.append(one if isinstance(one, str) else line or "")
    return commands if all(commands) else []


def _one_of(call: str, n: int) -> str:
    return call if n == 0 else f"{call}~{n + 1}"


def _ended(outcome: Mapping[str, Any], call: str) -> Block:
    """How one command ended."""
    text = _outcome(outcome)
    success = outcome.get("success") is True
    exited = _EXITED.search(text) if not success else None
    code = 0 if success else int(exited[1]) if exited else None
    mark = scaffold.kind(text, "tool")
    return Block("tool_result", text, None, call, not success, code, scaffold=mark)


def _outcome(outcome: Mapping[str, Any]) -> str:
    told = result_text(outcome.get("result"))
    return told or elided(string(outcome.get("error")) or "")


def _typed(text: str) -> Iterator[Block]:
    """A user's message: what was typed stands in an element, what Cline adds around it."""
    for name in ("user_input", "user_command"):
        start, end = text.find(f"<{name} "), text.rfind(f"</{name}>")
        inner = text.find(">", start) + 1
        if 0 <= start < inner <= end:
            yield from _added(text[:start])
            yield text_block(elided(text[inner:end]), "user")
            yield from _added(text[end + len(name) + 3 :])
            return
    yield text_block(elided(text), "user")


def _added(text: str) -> Iterator[Block]:
    if not is_blank(text):
        yield Block("text", elided(text), scaffold=scaffold.ENVIRONMENT)


def _mark(metadata: Mapping[str, Any]) -> str | None:
    """What a message is that nobody typed."""
    if metadata.get("kind") == "compaction_summary":
        return scaffold.COMPACTION
    shown = string(metadata.get("displayRole"))
    return _DISPLAYED.get(shown, scaffold.API_ERROR) if shown else None


def _marked(block: Block, mark: str | None) -> Block:
    if not mark or block.type != "text":
        return block
    return Block("text", block.text, scaffold=block.scaffold or mark)
