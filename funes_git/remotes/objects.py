"""A memory in an object store: `s3://BUCKET/…`, `gs://BUCKET/…`. Imports pyarrow late.

Who you are is for the store's own settings to say (`AWS_*`, Google's default credentials). A store
has no lock, so one is made of two steps that each store orders: leave a mark, then look whose marks
are there. Whoever sees another's takes the own one away and comes again later; of two at once at
least one does.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from funes_git import config
from funes_git.errors import FunesError
from funes_git.remotes import tables
from funes_git.remotes.huberrors import Conflict, Unreachable
from funes_git.remotes.names import Name
from funes_git.remotes.places import demand_room, manifests_last, version_of
from funes_git.remotes.tables import Difference
from funes_git.store.database import private_folder

MARKS = ".funes-lock"
STALE = 900.0
"""Seconds after which a mark counts as left by a push that was killed."""
PIECE = 1 << 20


class StorePlace:
    """A folder of an object store."""

    def __init__(self, name: Name, store: Any = None) -> None:
        """`store` is a pyarrow file system in which the memory lies at the top; by default the one
        that the name says."""
        self.name = name
        self._store = store or self._connected()

    def _connected(self) -> Any:
        from pyarrow.fs import FileSystem, SubTreeFileSystem

        with self._errors():
            store, path = FileSystem.from_uri(self.name.where.replace("gcs://", "gs://"))
            return SubTreeFileSystem(path, store)

    def head(self) -> str:
        return version_of(self._listed())

    def paths(self, version: str) -> list[str]:
        return self._listed()

    def _listed(self) -> list[str]:
        from pyarrow.fs import FileSelector, FileType

        with self._errors():
            found = self._store.get_file_info(
                FileSelector("", recursive=True, allow_not_found=True)
            )
        paths = (info.path.lstrip("/") for info in found if info.type == FileType.File)
        return sorted(path for path in paths if tables.is_table(path))

    def fetch(self, version: str, paths: Iterable[str]) -> Any:
        folder = config.user_layout().memories / f"{self.name.slug}-files"
        for path in paths:
            target = folder / path
            if target.exists() and not path.endswith(".json"):  # those alone are replaced
                continue
            private_folder(target.parent)
            part = target.with_name(f"{target.name}.{os.getpid()}.part")
            with self._errors(), self._store.open_input_stream(path) as source:
                _copy(source, part)
            part.replace(target)
        return folder

    def create(self, *, private: bool) -> bool:
        self.demand_room()
        return not self._listed()

    def demand_room(self) -> None:
        from pyarrow.fs import FileSelector

        if not tables.is_memory(self._listed()):
            with self._errors():
                found = self._store.get_file_info(FileSelector("", allow_not_found=True))
            demand_room(self.name, {info.path.strip("/") for info in found} - {MARKS})

    def demand_private(self) -> None:
        pass  # who may read a bucket is its owner's business

    def commit(self, change: Difference, parent: str, message: str) -> str:
        self.demand_room()
        with self._locked():
            if self.head() != parent:
                raise Conflict(f"{self.name.text} was changed meanwhile", "try again")
            for path in sorted(change.added, key=manifests_last):
                with self._errors(), change.added[path].open("rb") as source:
                    self._store.create_dir(path.rpartition("/")[0] or "/", recursive=True)
                    with self._store.open_output_stream(path) as sink:
                        while piece := source.read(PIECE):
                            sink.write(piece)
            for path in change.gone:
                with self._errors(), suppress(FileNotFoundError):
                    self._store.delete_file(path)
            return self.head()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        own = f"{MARKS}/{uuid4().hex}.json"
        with self._errors():
            self._store.create_dir(MARKS, recursive=True)
            with self._store.open_output_stream(own) as sink:
                sink.write(json.dumps({"at": time.time()}).encode())
        try:
            if self._others(own):
                time.sleep(random.uniform(0.0, 1.0))
                raise Conflict(f"somebody else is writing {self.name.text}", "try again")
            yield
        finally:
            with self._errors(), suppress(FileNotFoundError):
                self._store.delete_file(own)

    def _others(self, own: str) -> bool:
        from pyarrow.fs import FileSelector

        with self._errors():
            marks = self._store.get_file_info(FileSelector(MARKS, allow_not_found=True))
        paths = (mark.path.lstrip("/") for mark in marks)
        return any(path != own and self._is_recent(path) for path in paths)

    def _is_recent(self, path: str) -> bool:
        try:
            with self._store.open_input_stream(path) as source:
                at = float(json.loads(source.read())["at"])
        except FileNotFoundError:
            return False  # taken away meanwhile
        except (ValueError, KeyError, TypeError):
            return True  # just being written
        return time.time() - at < STALE

    @contextmanager
    def _errors(self) -> Iterator[None]:
        from pyarrow import ArrowException

        try:
            yield
        except FileNotFoundError:
            raise
        except ArrowException as error:
            raise FunesError(
                f"{self.name.text}: {_first_line(error)}", "git funes push -h"
            ) from error
        except OSError as error:
            raise Unreachable(
                f"{self.name.text} cannot be reached: {_first_line(error)}",
                "check the bucket's name, your credentials and the network",
            ) from error


def _copy(source: Any, target: Path) -> None:
    with target.open("wb") as sink:
        while piece := source.read(PIECE):
            sink.write(piece)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
