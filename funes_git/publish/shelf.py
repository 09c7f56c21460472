"""Sessions on the disk, cleaned and scanned, while it is decided what of them leaves: a release of
any size is held one session at a time. The file has no name and goes with the process.
"""

from __future__ import annotations

import pickle
import tempfile
import weakref
from pathlib import Path

from funes_git.publish.part import Part
from funes_git_parsers.dataclass import dataclass


class Shelf:
    """A file of sessions, in a folder that only the user may read."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        weakref.finalize(self, self._file.close)

    def put(self, part: Part) -> Shelved:
        """Lay a session down."""
        start = self._file.seek(0, 2)
        self._file.write(pickle.dumps(part, pickle.HIGHEST_PROTOCOL))
        return Shelved(self, part.id, start, self._file.tell() - start)

    def read(self, start: int, length: int) -> Part:
        """The session that lies there."""
        self._file.seek(start)
        part: Part = pickle.loads(self._file.read(length))  # our own, of this process
        return part


@dataclass(frozen=True, slots=True)
class Shelved:
    """The place of the session called `id` on a shelf."""

    shelf: Shelf
    id: str
    start: int
    length: int

    def part(self) -> Part:
        """The session, read anew each time."""
        return self.shelf.read(self.start, self.length)
