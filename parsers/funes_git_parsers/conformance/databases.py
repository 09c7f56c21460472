"""Databases that another program has open, that are damaged, or half migrated."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

from funes_git_parsers import database
from funes_git_parsers.base import Item
from funes_git_parsers.conformance.damage import SURROGATE, odd_values
from funes_git_parsers.conformance.home import Home, survives
from funes_git_parsers.conformance.stands import stands
from funes_git_parsers.conformance.watch import photograph

CELLS: tuple[Any, ...] = (None, "", "x", 0, -1, 1e308, b"\xff\xfe", "[]", "{}", "null", "[null]")


class DatabaseTests:
    """SQLite databases below the home; nothing is tried where there are none."""

    at_home: Callable[[Path], Home]

    def test_a_locked_database_is_read(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        expected = _everything(home)
        for path in home.databases():
            with closing(sqlite3.connect(path, isolation_level=None)) as db:
                db.execute("BEGIN EXCLUSIVE")
                with patch.object(database, "PATIENCE", 0.05):
                    assert _everything(home) == expected

    def test_what_is_only_in_the_wal_is_read(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        expected = _everything(home)
        for path in home.databases():
            _move_to_wal(path)
        before = photograph(home.path)
        assert _everything(home) == expected
        assert photograph(home.path) == before, "a database or what lies beside it was changed"

    def test_a_wal_that_is_gone_is_survived(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for path in home.databases():
            _move_to_wal(path)
            path.with_name(path.name + "-wal").unlink()
            survives(home, path, f"{path.name} without its -wal")

    def test_a_wal_of_another_database_is_survived(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for path in home.databases():
            wal = path.with_name(path.name + "-wal")
            for content in (b"", b"x", bytes(4096), b"\x37\x7f\x06\x82" + bytes(4124)):
                wal.write_bytes(content)
                survives(home, path, f"{path.name} with another -wal")
            wal.unlink()

    def test_a_database_that_cannot_be_asked_is_named(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for path in home.databases():
            path.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
            sources = [source for source in home.sources() if source.path == path]
            assert len(sources) == 1, f"discover() does not name {path.name}"
            try:
                home.read(sources[0])
            except OSError:
                continue
            raise AssertionError(f"read() of {path.name}, a Git LFS pointer, raises no OSError")

    def test_tables_and_columns_that_are_not_there_yet(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for path in home.databases():
            data = path.read_bytes()
            for table, columns in _tables(path).items():
                _alter(home, path, f'DROP TABLE "{table}"')
                path.write_bytes(data)
                for column in columns:
                    _alter(home, path, f'ALTER TABLE "{table}" RENAME "{column}" TO "gone!"')
                    path.write_bytes(data)

    def test_odd_values_in_cells(self, tmp_path: Path) -> None:
        home = self.at_home(tmp_path)
        for path in home.databases():
            data = path.read_bytes()
            for table, columns in _tables(path).items():
                for column in columns:
                    for value in _cells(path, table, column):
                        _alter(home, path, f'UPDATE "{table}" SET "{column}" = ?', value)
                        path.write_bytes(data)


def _everything(home: Home) -> dict[tuple[str, str], Any]:
    found: dict[tuple[str, str], list[Item]] = {}
    for source in home.sources():
        found[str(source.path), source.key] = home.read(source)
    return {key: stands(items) for key, items in found.items()}


def _move_to_wal(path: Path) -> None:
    """Leave a database as a program does that is at work: its content in the `-wal`."""
    aside = path.with_name("aside.db")
    shutil.move(path, aside)
    with closing(sqlite3.connect(aside, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.execute("VACUUM")
        shutil.copyfile(aside, path)
        shutil.copyfile(f"{aside}-wal", f"{path}-wal")
    for left in path.parent.glob("aside.db*"):
        left.unlink()


def _tables(path: Path) -> dict[str, list[str]]:
    with closing(sqlite3.connect(path)) as db:
        names = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        ours = [name for (name,) in names if not name.startswith("sqlite_")]
        return {
            name: [row[1] for row in db.execute(f'PRAGMA table_info("{name}")')] for name in ours
        }


def _cells(path: Path, table: str, column: str) -> Iterator[Any]:
    """Values to put into all cells of a column: odd ones, and where it holds JSON, its own with
    something odd in it."""
    yield from CELLS
    seen: set[tuple[Any, ...]] = set()
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute(f'SELECT DISTINCT "{column}" FROM "{table}" LIMIT 20').fetchall()
    for (cell,) in rows:
        with suppress(ValueError, TypeError):
            value = json.loads(cell)
            if isinstance(value, dict | list):
                for _, odd in odd_values(value, seen):
                    yield json.dumps(odd)
    yield json.dumps({"type": SURROGATE})


def _alter(home: Home, path: Path, statement: str, *values: Any) -> None:
    """Change the database, if it can be, and read it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")  # it is thrown away
        for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
            db.execute(f'DROP TRIGGER "{name}"')
        try:
            db.execute(statement, values)
        except sqlite3.Error:
            return  # the schema does not allow it
    survives(home, path, f"{path.name} after {statement} {values!r:.200}")
