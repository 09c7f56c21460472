"""The messages of one Gemini CLI session file, whatever its form: what was said, in order, and
what was taken back.

Forms: google-gemini/gemini-cli `packages/core/src/services/chatRecordingService.ts`
(`loadConversationRecord`). No turns yet; opens no files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from io import BytesIO
from typing import Any

from funes_git_parsers import document
from funes_git_parsers.base import Skipped
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.jsonl import read_records
from funes_git_parsers.values import mapping, string


@dataclass(slots=True)
class History:
    """What a file tells. `messages` by id, in the order of their first; `gone` are the ids of those
    that were taken back."""

    about: dict[str, Any] = field(default_factory=dict)
    current: list[str] = field(default_factory=list)
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    skipped: list[Skipped] = field(default_factory=list)

    def add(self, record: dict[str, Any]) -> None:
        """Take one line of a `.jsonl` file, or the object that a `.json` file is."""
        changed = record.get("$set")
        if "$rewindTo" in record:
            self._rewind(record["$rewindTo"])
        elif isinstance(changed, dict):
            self._about(changed)
        elif string(record.get("id")):
            self._message(record)
        elif "sessionId" in record or "projectHash" in record:
            self._about(record)

    def _about(self, values: dict[str, Any]) -> None:
        """Facts of the session. The messages among them are what the model is shown from now on:
        long results are masked there and old messages left out, so that what is known already stays
        as it was."""
        self.about |= {key: value for key, value in values.items() if key != "messages"}
        messages = values.get("messages")
        for message in messages if isinstance(messages, list) else ():
            if isinstance(message, dict) and string(message.get("id")) not in self.messages:
                self._message(message)

    def _message(self, message: dict[str, Any]) -> None:
        name = string(message.get("id"))
        if name is None or string(message.get("type")) is None:
            return
        if name not in self.messages or name in self.gone:
            self.current.append(name)
        self.messages[name] = message
        self.gone.discard(name)

    def _rewind(self, name: object) -> None:
        """Take back a message and all after it; all of them if it is not known."""
        while self.current:
            last = self.current.pop()
            self.gone.add(last)
            if last == name:
                break


def history_of(data: bytes, *, is_lines: bool) -> History:
    """Read a session file: `is_lines` for JSON Lines, else one object (if it is one)."""
    found = History()
    if not is_lines:
        whole = document.parsed(data)
        if isinstance(whole, dict):
            found.add(whole)
        elif data.strip():  # it may be in the middle of being written
            found.skipped.append(Skipped(1, "not a JSON object"))
        return found
    for record in read_records(BytesIO(data)):
        if isinstance(record, Skipped):
            found.skipped.append(record)
        else:
            found.add(record)
    return found


def texts(history: History) -> Iterator[str]:
    """The texts of the first messages, where the harness says which folder it works in."""
    for message in list(history.messages.values())[:3]:
        content = message.get("content")
        for part in content if isinstance(content, list) else [content]:
            text = mapping(part).get("text", part)
            if isinstance(text, str):
                yield text
