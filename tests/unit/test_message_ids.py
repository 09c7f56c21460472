"""A message id that only a hostile hand writes hides no other session of a database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from types import ModuleType

import pytest

from funes_git_parsers.goose import store as goose
from funes_git_parsers.hermes import store as hermes


@pytest.mark.parametrize("store", [hermes, goose])
@pytest.mark.parametrize("number", [2**63 - 2, 2**62])
def test_a_message_id_beyond_all_others_hides_no_other_session(
    store: ModuleType, number: int
) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.row_factory = sqlite3.Row
        db.execute("CREATE TABLE sessions (id TEXT PRIMARY KEY)")
        db.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, timestamp REAL)"
        )
        db.executemany("INSERT INTO sessions VALUES (?)", [("ours",), ("theirs",)])
        rows = [(1, "ours", 1_767_000_000.0), (number, "theirs", 1.0)]
        db.executemany("INSERT INTO messages VALUES (?, ?, ?)", rows)
        assert [key for key, _, _ in store.listed(db)] == ["ours"]
