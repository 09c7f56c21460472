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
from funes_git_parsers.cline import sessions
from funes_git_parsers.cline.messages import Task
from funes_git_parsers.cline.sessions import Talk
from funes_git_parsers.conversation import Message
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.values import mapping

_READS: frozenset[Capability] = frozenset(("text", "thinking", "edits", "shell"))
_ALSO: frozenset[Capability] = frozenset(("sub-agents", "git"))
"""What Cline's sessions hold beyond tasks."""
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
    GLOBAL_UUIDS: bool = False
    READS: frozenset[Capability] = _READS

    def folders(self, places: Places) -> list[Path]:
        """The folders that `discover` looks in."""
        storages = [
            *(places.home / above / name / "User" for above in _ABOVE for name in _EDITORS),
            *(places.home / server / "data" / "User" for server in _SERVERS),
        ]
        found = [top / "globalStorage" / self.extension / "tasks" for top in storages]
        if self.home:
            top = places.env.get("CLINE_DIR") or places.home / self.home
            data = Path(places.env.get("CLINE_DATA_DIR") or Path(top, "data"))
            elsewhere = places.env.get("CLINE_SESSION_DATA_DIR")
            found += [data / "tasks", Path(elsewhere) if elsewhere else data / "sessions"]
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

        def task(value: Any) -> tuple[Session, Iterable[Message]] | None:
            if not isinstance(value, list):
                return None
            name = source.path.parent.name
            return Session(name, self.NAME), Task(name).messages(value)

        def session(value: Any) -> tuple[Session, Iterable[Message]] | None:
            fields = mapping(value)
            rows = fields.get("messages")
            if not isinstance(rows, list):
                return None
            about = mapping(document.parsed(_manifest(source, open_file)))
            name = source.path.name.removesuffix(_MESSAGES)
            found = sessions.session(fields, name, about, self.NAME)
            return found, Talk(found, about, _agents(source.path)).messages(rows)

        is_session = source.path.name.endswith(_MESSAGES)
        yield from document.read(source, cursor, open_file, session if is_session else task)


def _manifest(source: Source, open_file: Opener) -> bytes:
    """What lies beside the messages about the session, and those that it started, as a whole."""
    folder = source.path.parent
    try:
        return whole.content(folder / f"{folder.name}.json", open_file)
    except OSError:
        return b""


def _agents(path: Path) -> list[str]:
    """What lies beside the messages of a session for each session that it started."""
    beside = path.parent.glob(f"*{_MESSAGES}")
    return [each.name.removesuffix(_MESSAGES) for each in beside if each != path]


CLINE = ClineFormat("cline", "Cline", "saoudrizwan.claude-dev", ".cline", READS=_READS | _ALSO)
ROO = ClineFormat("roo", "Roo Code", "rooveterinaryinc.roo-cline")
_EXTENSIONS = (CLINE.extension, ROO.extension, CLINE.home or "")
