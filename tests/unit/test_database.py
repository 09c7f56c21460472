"""An agent's database is asked where it is, and not a byte of it changes."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from funes_git_parsers import database

WRITER = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("PRAGMA journal_mode = " + sys.argv[2])
db.execute("CREATE TABLE t (a)")
db.execute("INSERT INTO t VALUES (1)")
db.commit()
if sys.argv[2] == "delete":
    db.execute("BEGIN EXCLUSIVE")
    db.execute("PRAGMA cache_size = 1")
    db.execute("CREATE TABLE junk (a)")
    db.executemany("INSERT INTO junk VALUES (randomblob(?))", [(40,)] * 20000)
    db.execute("DELETE FROM t")
print("written", flush=True)
sys.stdin.read()
os._exit(0)
"""


def count(db: sqlite3.Connection) -> int:
    found = db.execute("SELECT count(*) AS n FROM t").fetchone()["n"]
    assert isinstance(found, int)
    return found


def state(folder: Path) -> dict[str, tuple[str, int]]:
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.iterdir())
    }


@pytest.fixture(params=["wal", "delete"])
def writer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another program that has the database open: with a log, or in the middle of a transaction."""
    command = [sys.executable, "-c", WRITER, str(tmp_path / "x.db"), request.param]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout
        assert running.stdout.readline() == "written\n"
        yield running
        if running.poll() is None:
            running.communicate("")


def test_a_database_in_use_is_read_and_not_changed(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    before = state(tmp_path)
    assert database.ask(tmp_path / "x.db", count) == 1
    assert state(tmp_path) == before


def test_a_database_whose_writer_died_is_read_and_not_repaired(
    writer: subprocess.Popen[str], tmp_path: Path
) -> None:
    writer.communicate("")
    before = state(tmp_path)
    assert len(before) > 1  # a log or a journal is left
    assert database.ask(tmp_path / "x.db", count) == 1
    assert state(tmp_path) == before


def test_a_log_without_its_index_is_read_from_one_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = wal")
        db.execute("CREATE TABLE t (a)")
        db.execute("INSERT INTO t VALUES (1)")
        db.commit()
        kept = {name: (tmp_path / name).read_bytes() for name in ("x.db", "x.db-wal")}
    folder = tmp_path / "restored"
    folder.mkdir()
    for name, data in kept.items():
        (folder / name).write_bytes(data)
    copies: list[Path] = []
    copy = database._copy
    monkeypatch.setattr(database, "_copy", lambda *to: (copies.append(to[1]), copy(*to)))
    before = state(folder)
    assert [database.ask(folder / "x.db", count) for _ in range(3)] == [1, 1, 1]
    assert state(folder) == before
    assert len(copies) == 1
    assert not copies[0].parent.exists()


def test_a_database_in_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = wal")
        db.execute("CREATE TABLE t (a)")
        db.commit()
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    before = state(tmp_path)
    assert database.ask(path, count) == 0
    assert state(tmp_path) == before
    tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"),
        (b"{}", "not a SQLite database"),
        (b"", "not a SQLite database"),
    ],
)
def test_what_is_no_database_is_named(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(OSError, match=reason) as error:
        database.ask(path, count)
    assert error.value.filename == str(path)


def test_a_view_or_a_virtual_table_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t (a, b)")
        db.execute(
            "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
            " SELECT i FROM n"
        )
        db.execute("CREATE VIRTUAL TABLE f USING fts5(a)")
    names = ("t", "v", "f", "none")
    found = database.ask(path, lambda db: [database.columns(db, name) for name in names])
    assert found == [{"a", "b"}, set(), set(), set()]


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(database.MAGIC + bytes(4000))
    with pytest.raises(OSError, match="cannot read the database") as error:
        database.ask(path, count)
    assert error.value.filename == str(path)


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE other (a)")
    with pytest.raises(OSError, match="it has no table t"):
        database.ask(path, lambda db: database.select(db, "t", ("a",)))


def test_columns_that_a_version_lacks_are_null(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t (a)")
        db.execute("INSERT INTO t VALUES (1)")
        db.commit()
    row = database.ask(path, lambda db: db.execute(database.select(db, "t", ("a", "b"))).fetchone())
    assert dict(row) == {"a": 1, "b": None}


def test_a_schema_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE t (a)")
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE t (a)", b"CREATE TABL\xfc t (a)"))
    with pytest.raises(OSError, match="damaged schema"):
        database.ask(path, count)
