"""The tables of catalog.sqlite, as migrations. Standard library only.

Everything here can be rebuilt from `memory/`, decisions.sqlite and git. Sessions, turns, edits and
chunks are numbered by the catalog; the numbers change when it is rebuilt. A turn without `seq` is
a stub: an edit, a sub-agent or a retraction named it before the turn itself was read.
"""

from __future__ import annotations

VERSION_1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE sources (
  id INTEGER PRIMARY KEY, harness TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL,
  size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, cursor TEXT NOT NULL,
  skipped INTEGER NOT NULL, turns INTEGER NOT NULL, UNIQUE (path, harness, key));
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, harness TEXT NOT NULL, title TEXT,
  parent_session_id TEXT, version TEXT, repository_url TEXT, first_ts REAL, last_ts REAL,
  turns INTEGER NOT NULL DEFAULT 0, edits INTEGER NOT NULL DEFAULT 0,
  chunks INTEGER NOT NULL DEFAULT 0, prose INTEGER NOT NULL DEFAULT 0,
  vectors INTEGER NOT NULL DEFAULT 0, redactions INTEGER NOT NULL DEFAULT 0);
CREATE TABLE turns (
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, turn_uuid TEXT NOT NULL, seq INTEGER, ts REAL,
  role TEXT, parent_uuid TEXT, exchange TEXT, message_id TEXT, thread TEXT, workdir TEXT,
  branch TEXT, head TEXT, model TEXT, is_prompt INTEGER NOT NULL DEFAULT 0,
  retracted INTEGER NOT NULL DEFAULT 0, redactions INTEGER NOT NULL DEFAULT 0, file INTEGER,
  digest INTEGER, UNIQUE (turn_uuid, session));
CREATE INDEX turns_in_order ON turns (session, seq, ts, redactions);
CREATE TABLE bodies (turn INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE spawns (
  thread TEXT NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (thread, turn)) WITHOUT ROWID;
CREATE TABLE printed (
  turn INTEGER NOT NULL, n INTEGER NOT NULL, sha TEXT NOT NULL, verb TEXT NOT NULL, branch TEXT,
  subject TEXT, PRIMARY KEY (turn, n)) WITHOUT ROWID;
CREATE TABLE edits (
  id INTEGER PRIMARY KEY, edit_id TEXT NOT NULL UNIQUE, turn INTEGER NOT NULL, session INTEGER NOT
  NULL, tool_use_id TEXT NOT NULL, n INTEGER NOT NULL, ts REAL, path TEXT NOT NULL,
  basename TEXT NOT NULL, old_path TEXT, operation TEXT NOT NULL, tool TEXT NOT NULL,
  origin TEXT NOT NULL, recorded_path TEXT NOT NULL, digest INTEGER NOT NULL,
  added BLOB NOT NULL, removed BLOB NOT NULL, body BLOB NOT NULL);
CREATE INDEX edits_path ON edits (path);
CREATE INDEX edits_old_path ON edits (old_path) WHERE old_path IS NOT NULL;
CREATE INDEX edits_basename ON edits (basename);
CREATE INDEX edits_turn ON edits (turn);
CREATE INDEX edits_session ON edits (session);
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, chunk_id TEXT NOT NULL UNIQUE, turn INTEGER NOT NULL,
  block INTEGER NOT NULL, split INTEGER NOT NULL, block_type TEXT NOT NULL, tool TEXT,
  prose INTEGER NOT NULL, vector INTEGER NOT NULL, gone INTEGER NOT NULL, files TEXT,
  start INTEGER NOT NULL, length INTEGER NOT NULL, text BLOB);
CREATE INDEX chunks_turn ON chunks (turn, gone, prose, vector);
CREATE INDEX chunks_pending ON chunks (id) WHERE prose = 1 AND vector = 0 AND gone = 0;
CREATE TABLE commits (
  id INTEGER PRIMARY KEY, sha TEXT NOT NULL UNIQUE, parents TEXT NOT NULL,
  commit_time REAL NOT NULL, reason TEXT, added INTEGER NOT NULL, explained INTEGER NOT NULL);
CREATE INDEX commits_reason ON commits (reason);
CREATE TABLE links (
  id INTEGER PRIMARY KEY, sha TEXT NOT NULL, session_id TEXT NOT NULL, turn_uuid TEXT NOT NULL,
  harness TEXT NOT NULL, relation TEXT NOT NULL, content TEXT NOT NULL, proof TEXT NOT NULL,
  level TEXT NOT NULL, score REAL NOT NULL, path TEXT, lines TEXT NOT NULL, source TEXT NOT NULL,
  edit_id TEXT);
CREATE INDEX links_sha ON links (sha);
CREATE INDEX links_turn ON links (turn_uuid, session_id, level, sha);
CREATE INDEX links_session ON links (session_id, level, turn_uuid, sha);
CREATE INDEX links_level ON links (level);
CREATE TABLE claims (
  edit INTEGER NOT NULL, sha TEXT NOT NULL, kind TEXT NOT NULL, positions BLOB NOT NULL,
  PRIMARY KEY (edit, sha, kind)) WITHOUT ROWID;
CREATE INDEX claims_sha ON claims (sha);
CREATE TABLE moves (
  path TEXT NOT NULL, old_path TEXT NOT NULL, sha TEXT NOT NULL,
  PRIMARY KEY (path, old_path, sha)) WITHOUT ROWID;
CREATE INDEX moves_sha ON moves (sha);
CREATE TABLE events (
  id TEXT PRIMARY KEY, hook TEXT NOT NULL, at REAL NOT NULL, sha TEXT, worktree TEXT, branch TEXT,
  rewrites TEXT NOT NULL, detail TEXT NOT NULL);
CREATE TABLE rewrites (
  old TEXT NOT NULL, new TEXT NOT NULL, at REAL NOT NULL, event TEXT NOT NULL,
  PRIMARY KEY (old, new, event)) WITHOUT ROWID;
"""

VERSION_2 = """
CREATE INDEX rewrites_new ON rewrites (new);
CREATE TABLE descents (
  sha TEXT NOT NULL, edit INTEGER NOT NULL, old TEXT NOT NULL,
  PRIMARY KEY (sha, edit, old)) WITHOUT ROWID;
CREATE INDEX descents_edit ON descents (edit);
CREATE INDEX descents_old ON descents (old);
CREATE TABLE unsettled (edit INTEGER PRIMARY KEY);
INSERT INTO unsettled SELECT DISTINCT edit FROM claims;
"""

VERSION_3 = """
CREATE TABLE places (
  sha TEXT PRIMARY KEY, chain INTEGER NOT NULL, position INTEGER NOT NULL,
  generation INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE chains (id INTEGER PRIMARY KEY, length INTEGER NOT NULL);
CREATE TABLE joins (
  chain INTEGER NOT NULL, position INTEGER NOT NULL, generation INTEGER NOT NULL,
  old_chain INTEGER NOT NULL, old_position INTEGER NOT NULL, old_generation INTEGER NOT NULL,
  PRIMARY KEY (chain, position, old_chain, old_position)) WITHOUT ROWID;
CREATE INDEX commits_time ON commits (commit_time);
CREATE INDEX joins_old ON joins (old_chain, old_position);
CREATE INDEX printed_sha ON printed (sha);
CREATE INDEX events_sha ON events (sha);
CREATE INDEX events_picked ON events (id) WHERE hook = 'reflog' AND rewrites = '[]';
CREATE INDEX edits_created ON edits (operation) WHERE operation = 'create';
CREATE INDEX sources_changed ON sources (mtime_ns);
CREATE INDEX sessions_first ON sessions (first_ts, last_ts, session_id, harness);
DELETE FROM meta WHERE key = 'linked_tips';
"""
"""Where commits stand in the history. The commits that are linked already have no place: all are
linked anew."""

_NAMED = ("role", "exchange", "thread", "workdir", "branch", "head", "model")
"""What many turns say: each of them is stored once, and the turns have its number."""


def _named(old: str) -> str:
    return "".join(
        f"INSERT OR IGNORE INTO names (name) SELECT {each} FROM {old} WHERE {each} IS NOT NULL;"
        for each in _NAMED
    )


def _numbers() -> str:
    return ", ".join(f"(SELECT id FROM names WHERE name = o.{each})" for each in _NAMED)


def _texts() -> str:
    return ", ".join(f"(SELECT name FROM names WHERE id = n.{each}) AS {each}" for each in _NAMED)


VERSION_4 = f"""
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
{_named("turns")}
INSERT OR IGNORE INTO names (name) SELECT files FROM chunks WHERE files IS NOT NULL;
ALTER TABLE turns RENAME TO old_turns;
CREATE TABLE named_turns (
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, turn_uuid TEXT NOT NULL, seq INTEGER, ts REAL,
  parent, message_id TEXT, {", ".join(f"{each} INTEGER" for each in _NAMED)},
  is_prompt INTEGER NOT NULL DEFAULT 0, retracted INTEGER NOT NULL DEFAULT 0,
  redactions INTEGER NOT NULL DEFAULT 0, file INTEGER, digest INTEGER,
  UNIQUE (turn_uuid, session));
INSERT INTO named_turns SELECT id, session, turn_uuid, seq, ts, coalesce((SELECT id FROM old_turns p
  WHERE p.turn_uuid = o.parent_uuid AND p.session = o.session), parent_uuid), message_id,
  {_numbers()}, is_prompt, retracted, redactions, file, digest FROM old_turns o;
DROP TABLE old_turns;
CREATE INDEX turns_in_order ON named_turns (session, seq, ts, redactions);
CREATE VIEW turns AS SELECT id, session, turn_uuid, seq, ts, CASE typeof(parent) WHEN 'integer'
  THEN (SELECT turn_uuid FROM named_turns p WHERE p.id = n.parent) ELSE parent END AS parent_uuid,
  message_id, {_texts()}, is_prompt, retracted, redactions, file, digest FROM named_turns n;

ALTER TABLE chunks ADD COLUMN label TEXT;
UPDATE chunks SET files = (SELECT id FROM names WHERE name = files) WHERE files IS NOT NULL;

ALTER TABLE events RENAME TO old_events;
CREATE TABLE events (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hook TEXT NOT NULL, at REAL NOT NULL, sha TEXT,
  worktree TEXT, branch TEXT, rewrites TEXT NOT NULL, detail TEXT NOT NULL);
INSERT INTO events SELECT rowid, * FROM old_events;
DROP TABLE old_events;
CREATE INDEX events_sha ON events (sha);
CREATE INDEX events_picked ON events (id) WHERE hook = 'reflog' AND rewrites = '[]';
"""
"""What many rows say is stored once, and a turn's parent is the number of its turn where that is
known. Every row that is asked for by its number has a column for it, so that the file can be
written anew without what is free in it."""

MIGRATIONS = (VERSION_1, VERSION_2, VERSION_3, VERSION_4)
