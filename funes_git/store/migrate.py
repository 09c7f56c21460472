"""Formats of SQLite stores: which version a file has, and the steps that bring an old one up.

A store's migrations are a list of SQL scripts. Script n brings version n to n + 1, and version 0
is an empty file; a script that was released is never edited. Standard library only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from funes_git.errors import FormatTooNew


def version(db: sqlite3.Connection) -> int:
    """The format version that the file was written with; 0 for an empty file."""
    (found,) = db.execute("PRAGMA user_version").fetchone()
    return int(found)


def check(found: int, newest: int, what: str) -> None:
    """Raise FormatTooNew if `found` is a version that this program does not know."""
    if found > newest:
        raise FormatTooNew(
            f"{what} has format {found}; this funes-git reads up to {newest}",
            hint="pip install --upgrade funes-git",
        )


def migrate(
    db: sqlite3.Connection,
    scripts: Sequence[str],
    what: str,
    backup: Callable[[int], None] | None = None,
) -> bool:
    """Bring the file up to the newest version, each step in a transaction of its own.

    `backup` is called first with the old version, unless the file is empty. Returns whether
    anything was done. Raises FormatTooNew for a file from the future.
    """
    found = version(db)
    check(found, len(scripts), what)
    if found == len(scripts):
        return False
    if found and backup:
        backup(found)
    for number in range(found, len(scripts)):
        step = f"BEGIN IMMEDIATE;{scripts[number]};PRAGMA user_version={number + 1};COMMIT;"
        try:
            db.executescript(step)
        except BaseException:
            if db.in_transaction:
                db.rollback()
            raise
    return True
