"""LanceDB's client: loaded late, kept to little memory, its errors made ours."""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from funes_git.errors import FunesError
from funes_git.store.heap import lean

if TYPE_CHECKING:
    from lancedb.db import DBConnection
    from lancedb.table import LanceTable, Table

TRIES = 5
CACHE = 32 << 20
"""Bytes that Lance may keep of each of what indices and files say of themselves (6 and 1 GB by
default)."""
T = TypeVar("T")


def connected(folder: Path) -> DBConnection:
    lancedb = _lancedb()
    session = lancedb.Session(index_cache_size_bytes=CACHE, metadata_cache_size_bytes=CACHE)
    connection: DBConnection = lancedb.connect(folder, session=session)
    return connection


def _lancedb() -> Any:
    """Import lancedb, but not the client of a REST service that it names and nobody here calls:
    that takes a third of the time, and is loaded when something asks for it."""
    _put_off("lance_namespace_urllib3_client")
    import lancedb

    lean()
    gc.freeze()  # its 200,000 objects stay: looking for garbage among them takes long
    return lancedb


def _put_off(name: str) -> None:
    """Have a package's own code run when one of its names is first asked for, though its modules
    are imported before."""
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return
    package, loader = importlib.util.module_from_spec(spec), spec.loader

    def load(missing: str) -> object:
        del package.__getattr__
        loader.exec_module(package)
        return getattr(package, missing)

    package.__getattr__ = load  # type: ignore[method-assign]
    sys.modules[name] = package


def own(table: Table) -> LanceTable:
    from lancedb.table import LanceTable

    if not isinstance(table, LanceTable):
        raise FunesError("the memory is no local LanceDB database", "git funes doctor")
    return table


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
