"""A memory in one file: a zip archive of its tables, not compressed, since they are."""

from __future__ import annotations

import glob
import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from funes_git import config
from funes_git.errors import FunesError
from funes_git.remotes import tables
from funes_git.remotes.huberrors import Conflict
from funes_git.remotes.names import Name
from funes_git.remotes.tables import Difference
from funes_git.store.database import private_folder


class FilePlace:
    """A `.funes` file."""

    def __init__(self, name: Name) -> None:
        self.name = name
        self._file = Path(name.where)

    def head(self) -> str:
        with self._opened() as archive:
            listed = [f"{each.filename}\0{each.CRC}" for each in archive.infolist()]
        return sha256("\n".join(sorted(listed)).encode()).hexdigest()[:40] if listed else ""

    def paths(self, version: str) -> list[str]:
        with self._opened() as archive:
            return sorted(each for each in archive.namelist() if tables.is_table(each))

    def fetch(self, version: str, paths: Iterable[str]) -> Path:
        folder = config.user_layout().memories / "unpacked" / version
        with self._opened() as archive:
            for path in paths:
                target = folder / path
                if not target.exists():
                    private_folder(target.parent)
                    part = target.with_name(f"{target.name}.{os.getpid()}.part")
                    with archive.open(path) as source, part.open("wb") as sink:
                        shutil.copyfileobj(source, sink, 1 << 20)
                    part.replace(target)
        return folder

    def create(self, *, private: bool) -> bool:
        if self._file.exists():
            return False
        with self._written():
            pass
        return True

    def remove(self) -> None:
        """Delete the file, with what a process that was killed left of it."""
        name = glob.escape(self._file.name)
        for left in (self._file, *self._file.parent.glob(f"{name}.*{tables.PART}")):
            left.unlink(missing_ok=True)

    def demand_room(self) -> None:
        pass  # a file is a memory or cannot be read

    def demand_private(self) -> None:
        pass  # who gets the file is its owner's business

    def commit(self, change: Difference, parent: str, message: str) -> str:
        if self.head() != parent:
            raise Conflict(f"{self.name.text} was changed meanwhile", "try again")
        dropped = {*change.gone, *change.added}
        with self._opened() as old, self._written() as new:
            for entry in old.infolist():
                if entry.filename not in dropped:
                    with old.open(entry) as source, new.open(entry, "w", force_zip64=True) as sink:
                        shutil.copyfileobj(source, sink, 1 << 20)
            for path, file in change.added.items():
                new.write(file, path)
        return self.head()

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        try:
            with zipfile.ZipFile(self._file) as archive:
                yield archive
        except FileNotFoundError as error:
            raise FunesError(
                f"there is no file {self._file}",
                "check the name; git funes export FILE makes one",
            ) from error
        except zipfile.BadZipFile as error:
            raise FunesError(
                f"{self._file} is no memory in a file", "git funes export FILE makes one"
            ) from error

    @contextmanager
    def _written(self) -> Iterator[zipfile.ZipFile]:
        """A new archive, that takes the file's place when it is whole."""
        part = self._file.with_name(f"{self._file.name}.{os.getpid()}.part")
        try:
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as stream, zipfile.ZipFile(stream, "w") as archive:
                yield archive
            part.replace(self._file)
        finally:
            part.unlink(missing_ok=True)
