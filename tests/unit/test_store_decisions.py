"""decisions.sqlite and migrations: truth is kept, backed up, and never replaced."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from funes_git.errors import FormatTooNew, FunesError
from funes_git.store.decisions import MIGRATIONS, WITH_FORGOTTEN, Decisions, forgotten_in
from funes_git.store.forgotten import Forgotten
from funes_git.store.migrate import migrate, version
from funes_git.store.records import HookEvent

EVENT = HookEvent("e1", "post-commit", 5.0, sha="1" * 40, branch="main", worktree="/w")
LATER = HookEvent("e0", "post-rewrite", 4.0, rewrites=(("1" * 40, "2" * 40),), detail="amend")


def test_events_are_kept_once_in_the_order_they_came(tmp_path: Path) -> None:
    with Decisions.open(tmp_path / "decisions.sqlite") as decisions:
        decisions.add_events([EVENT])
        decisions.add_events([EVENT, LATER])
        assert [e for _, e in decisions.events()] == [EVENT, LATER]
        first = decisions.events()[0][0]
        assert [e for _, e in decisions.events(after=first)] == [LATER]


def test_settings_are_kept_until_removed(tmp_path: Path) -> None:
    path = tmp_path / "decisions.sqlite"
    with Decisions.open(path) as decisions:
        decisions.put("adopted", "/x")
    with Decisions.open(path) as decisions:
        assert decisions.setting("adopted") == "/x"
        decisions.put("adopted", None)
        assert decisions.setting("adopted") is None
    assert path.stat().st_mode & 0o777 == 0o600


def test_older_file_is_backed_up_and_brought_up_in_order(tmp_path: Path) -> None:
    path = tmp_path / "decisions.sqlite"
    with Decisions.open(path) as decisions:
        decisions.put("adopted", "/x")
    newer = (
        *MIGRATIONS,
        "ALTER TABLE settings ADD COLUMN at REAL; UPDATE settings SET at = 1",
        "UPDATE settings SET at = at + 1",
    )
    with Decisions.open(path, newer) as decisions:
        assert decisions.rows("SELECT name, value, at FROM settings") == [("adopted", "/x", 2.0)]
        assert version(decisions.db) == len(newer)
    backup = tmp_path / f"decisions.sqlite.format-{len(MIGRATIONS)}"
    assert backup.stat().st_mode & 0o777 == 0o600
    with Decisions.open(backup) as old:
        assert old.setting("adopted") == "/x"
    with pytest.raises(FormatTooNew) as caught:
        Decisions.open(path)
    assert "upgrade" in (caught.value.hint or "")


def test_migration_that_fails_leaves_the_old_version(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "x.sqlite", isolation_level=None)
    assert migrate(db, ["CREATE TABLE a (x)"], "x")
    with pytest.raises(sqlite3.OperationalError):
        migrate(db, ["CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (x)"], "x")
    assert version(db) == 1
    assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("a",)]
    assert not migrate(db, ["CREATE TABLE a (x)"], "x")
    db.close()


def test_damaged_decisions_are_reported_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "decisions.sqlite"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(FunesError, match="damaged") as caught:
        Decisions.open(path)
    assert "reindex" not in (caught.value.hint or "")
    assert path.read_bytes() == b"no database" * 100


def test_what_is_forgotten_can_be_read_without_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "decisions.sqlite"
    assert forgotten_in(path) == Forgotten()
    Decisions.open(path, MIGRATIONS[: WITH_FORGOTTEN - 1]).close()
    assert forgotten_in(path) == Forgotten()
    with Decisions.open(path) as decisions:
        decisions.forget([("session", "s")], 1.0)
    assert forgotten_in(path) == Forgotten(frozenset({"s"}))
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(FormatTooNew):
        forgotten_in(path)
