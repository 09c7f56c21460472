"""LanceDB's client: loaded late, kept to little memory, its errors made ours."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from funes_git.errors import FunesError
from funes_git.store.heap import lean
from funes_git.store.late import put_off, without_overrides

if TYPE_CHECKING:
    from lancedb.db import DBConnection
    from lancedb.table import LanceTable, Table

TRIES = 5
CACHE = 32 << 20
"""Bytes that Lance may keep of each of what indices and files say of themselves (6 and 1 GB by
default)."""
T = TypeVar("T")


def connected(folder: Path) -> DBConnection:
    lancedb = load()
    session = lancedb.Session(index_cache_size_bytes=CACHE, metadata_cache_size_bytes=CACHE)
    connection: DBConnection = lancedb.connect(folder, session=session)
    return connection


def load() -> Any:
    """Import lancedb, but neither the client of a REST service that it names and nobody here calls,
    nor that client's 200 records, nor checks of its own methods: that takes half the time."""
    if "lancedb" not in sys.modules:
        put_off("lance_namespace_urllib3_client")
        put_off("lance_namespace_urllib3_client.models", classes=True)
    with without_overrides():
        import lancedb

    lean()
    gc.freeze()  # its 200,000 objects stay: looking for garbage among them takes long
    return lancedb


def own(table: Table) -> LanceTable:
    from lancedb.table import LanceTable

    if not isinstance(table, LanceTable):
        raise FunesError("the memory is no local LanceDB database", "git funes doctor")
    return table


def declare_key(table: LanceTable) -> None:
    """Say that `id` is the primary key, unless that is said."""
    if b"unenforced-primary-key" not in str(table.schema.field("id").metadata).encode():
        table.set_unenforced_primary_key("id")


def literals(values: Iterable[str]) -> str:
    """Strings as a list in SQL."""
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values)


def retried(write: Callable[[], T]) -> T:
    """Run a write again where Lance says that another one came first. Nothing of it was stored."""
    for wait in range(1, TRIES):
        try:
            return write()
        except (RuntimeError, OSError) as error:
            if "commit conflict" not in str(error).lower():
                raise FunesError(f"cannot write the memory: {error}", "git funes doctor") from error
            time.sleep(0.05 * wait)
    return write()


@contextmanager
def private() -> Iterator[None]:
    """Files that are made inside are for the user alone."""
    old = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(old)
