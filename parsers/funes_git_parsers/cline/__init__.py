"""Cline and Roo Code: a folder for each task, with the messages that went to the model.

What is known of the format, and what surprised, is in parsers/README.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from funes_git_parsers import document, whole
from funes_git_parsers.base import Capability, Item, Opener, Places, Session, Source, regular
from funes_git_parsers.base import whole as whole_file
from funes_git_parsers.cline.messages import Task
from funes_git_parsers.conversation import Message
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.values import mapping

_READS: frozenset[Capability] = frozenset(("text", "thinking", "edits", "shell"))
_HISTORY = "api_conversation_history.json"
_MESSAGES = ".messages.json"
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_ABOVE = (".config", "Library/Application Support")
_SERVERS = (".vscode-server", ".vscode-server-insiders", ".cursor-server")


@dataclass(frozen=True, slots=True)
class ClineFormat:
    """The parser of one extension that keeps its tasks as Cline does."""

    NAME: str
    LABEL: str
    extension: str
    """Its id, which names its folder in VS Code's global storage."""
    home: str | None = None
    """Its folder below the user's home, where it runs outside of VS Code too."""
    variable: str = ""
    """The environment variable that names that folder instead."""
    GLOBAL_UUIDS: bool = False
    READS: frozenset[Capability] = _READS

    def folders(self, places: Places) -> list[Path]:
        """The folders that `discover` looks in."""
        storages = [
            *(places.home / above / name / "User" for above in _ABOVE for name in _EDITORS),
            *(places.home / server / "data" / "User" for server in _SERVERS),
        ]
        found = [top / "globalStorage" / self.extension / "tasks" for top in storages]
        named = places.env.get(self.variable) if self.variable else None
        if own := Path(named) if named else self.home and places.home / self.home:
            found += [own / "data" / "tasks", own / "data" / "sessions"]
        return found

    def discover(self, places: Places) -> Iterator[Source]:
        """Every task, by folder."""
        for folder in self.folders(places):
            names = (f"*/{_HISTORY}", f"*/*{_MESSAGES}")
            yield from regular(
                self.NAME, sorted(path for name in names for path in folder.glob(name))
            )

    def claim(self, path: Path, head: bytes) -> bool:
        """Whether the file is called as a task's messages are, and lies where this extension's do;
        elsewhere a task named by a number is Cline's, any other Roo's."""
        if path.name.endswith(_MESSAGES):
            return self.home is not None
        if path.name != _HISTORY:
            return False
        folders = {parent.name for parent in path.parents}
        if self.extension in folders or (self.home and self.home in folders):
            return True
        return not folders & set(_EXTENSIONS) and path.parent.name.isdigit() == bool(self.home)

    def sessions(self, path: Path) -> list[Source]:
        """The file is one session."""
        return [whole_file(self.NAME, path)]

    def roots(self, source: Source, open_file: Opener) -> set[str]:
        """What reading it finds."""
        return whole.roots_of(self.read(source, None, open_file))

    def read(self, source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
        """What of the task is new or gone since `cursor`."""

        def make(value: Any) -> tuple[Session, Iterable[Message]] | None:
            rows = mapping(value).get("messages") if isinstance(value, dict) else value
            if not isinstance(rows, list):
                return None
            task = source.path.name.removesuffix(_MESSAGES)
            task = source.path.parent.name if task == _HISTORY else task
            about = mapping(document.parsed(self._manifest(source, task, open_file)))
            return Session(task, self.NAME), Task(task, about).messages(rows)

        yield from document.read(source, cursor, open_file, make)

    def _manifest(self, source: Source, task: str, open_file: Opener) -> bytes:
        """What newer versions write beside the messages about the session as a whole."""
        path = source.path.with_name(f"{task}.json")
        if not source.path.name.endswith(_MESSAGES):
            return b""
        try:
            return whole.content(path, open_file)
        except OSError:
            return b""


CLINE = ClineFormat("cline", "Cline", "saoudrizwan.claude-dev", ".cline", "CLINE_DIR")
ROO = ClineFormat("roo", "Roo Code", "rooveterinaryinc.roo-cline")
_EXTENSIONS = (CLINE.extension, ROO.extension, CLINE.home or "")
