"""Turns changes into the catalog's rows, inside the caller's transaction. Standard library only."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator

from funes_git.model import Chunk
from funes_git.store.changes import Changes, Key, StoredEdit, StoredTurn
from funes_git.store.pack import files_to_text, squeeze
from funes_git.store.records import ChunkRow


def _upsert(table: str, columns: tuple[str, ...], key: str, *kept: str) -> str:
    updated = (c for c in columns if c != key and c not in kept)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        f" ON CONFLICT ({key}) DO UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in updated)}"
    )


SESSION = """INSERT INTO sessions
  (session_id, harness, title, parent_session_id, version, repository_url)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (session_id) DO UPDATE SET harness = excluded.harness,
  title = coalesce(excluded.title, title), version = coalesce(excluded.version, version),
  parent_session_id = coalesce(excluded.parent_session_id, parent_session_id),
  repository_url = coalesce(excluded.repository_url, repository_url)"""
TURN_COLUMNS = (
    *("id", "session", "turn_uuid", "seq", "ts", "parent", "message_id", "role", "exchange"),
    *("thread", "workdir", "branch", "head", "model", "is_prompt", "retracted", "redactions"),
    *("file", "digest"),
)
TURN = _upsert("named_turns", TURN_COLUMNS, "id")
EDIT_COLUMNS = (
    *("edit_id", "turn", "session", "tool_use_id", "n", "ts", "path", "basename", "old_path"),
    *("operation", "tool", "origin", "recorded_path", "digest", "added", "removed", "body"),
)
EDIT = _upsert("edits", EDIT_COLUMNS, "edit_id")
CHUNK = f"""INSERT OR REPLACE INTO chunks (chunk_id, turn, block, split, block_type, tool, prose,
  vector, gone, files, label, start, length, text) VALUES ({", ".join("?" * 14)})"""
GONE = """INSERT OR REPLACE INTO chunks (chunk_id, turn, block, split, block_type, prose, vector,
  gone, start, length) SELECT chunk_id, turn, block, split, block_type, 0, 0, 1, 0, 0 FROM chunks
  WHERE gone = 0 AND """
SOURCE = """INSERT INTO sources (harness, path, key, size, mtime_ns, cursor, skipped, turns)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path, harness, key) DO UPDATE SET
  size = excluded.size, mtime_ns = excluded.mtime_ns, cursor = excluded.cursor,
  skipped = excluded.skipped, turns = excluded.turns"""
COUNTS = """UPDATE sessions SET
  (turns, first_ts, last_ts, redactions) = (SELECT count(*), min(ts), max(ts),
    coalesce(sum(redactions), 0) FROM turns WHERE session = sessions.id AND seq IS NOT NULL),
  edits = (SELECT count(*) FROM edits WHERE session = sessions.id),
  (chunks, prose, vectors) = (SELECT count(*), coalesce(sum(c.prose), 0),
    coalesce(sum(c.vector), 0) FROM turns t JOIN chunks c ON c.turn = t.id
    WHERE t.session = sessions.id AND c.gone = 0)
  WHERE id = ?"""

LABEL = re.compile(r"\[tool_[^]\n]*\] ")
"""What chunk.py puts before the text of a call or a result."""
ENDED = "SELECT last_ts FROM sessions WHERE id = ?"
UNLINKED = """INSERT INTO meta VALUES ('unlinked_since', ?) ON CONFLICT (key) DO UPDATE SET
  value = min(CAST(value AS REAL), CAST(excluded.value AS REAL))"""
"""Commits from this time on are linked again."""


class Applying:
    """One application of changes to the catalog behind `db`."""

    def __init__(self, db: sqlite3.Connection, changes: Changes) -> None:
        self.db = db
        self.changes = changes
        self.sessions: dict[str, int] = {}
        self.turns: dict[Key, int] = {}
        self.files: dict[str, int] = {}
        self.names: dict[str, int] = {}
        self.newest_session = 0
        """Of those that were stored before; none of the later ones' turns was."""
        self.next_turn = 0
        self.newest_chunk = 0
        self.known: list[int] = []
        """The turns that were stored before."""

    def run(self) -> None:
        """Store everything. Storing it again changes nothing."""
        self._number_sessions()
        (newest,) = self.db.execute("SELECT coalesce(max(id), 0) FROM turns").fetchone()
        self.next_turn = newest + 1
        (self.newest_chunk,) = self.db.execute(
            "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunks'"
        ).fetchone()
        self.known = self._number_turns()
        self._drop_parts(self.known)
        self._turns()
        self._edits()
        self._marks()
        self._states()
        self._note_unlinked()
        self.recount(self.sessions.values())
        if not self.changes.only_states:
            self.db.execute(
                "INSERT INTO meta VALUES ('generation', 1) ON CONFLICT (key) DO UPDATE SET"
                " value = value + 1"
            )

    def chunks(self) -> Iterator[ChunkRow]:
        """The newest chunks of the catalog, as they were stored; none where any was changed or
        taken back, which others tell that are not in `changes`."""
        if self.known or self.changes.retractions:
            return
        number = self.newest_chunk
        for stored in self.changes.turns.values():
            t = stored.turn
            for c in stored.chunks:
                number += 1
                yield ChunkRow(
                    *(number, c.id, t.session_id, t.turn_uuid, t.seq, t.ts, t.role, t.harness),
                    *(t.branch, t.exchange, t.thread),
                    block_idx=c.block_idx,
                    split_idx=c.split_idx,
                    block_type=c.block_type,
                    tool=c.tool,
                    prose=c.prose,
                    files=c.files,
                    text=c.text,
                    gone=False,
                    new=True,
                )

    def _note_unlinked(self) -> None:
        """Remember from which time on commits must be linked again: that of the earliest new turn
        or edit since the last linking, or the end so far of a session that goes on, which covers
        the time between. Set with the rows themselves, so that it is never lost."""
        times = [stored.turn.ts for stored in self.changes.turns.values()]
        times += [stored.edit.ts for stored in self.changes.edits.values()]
        known = [ts for ts in times if ts is not None]
        if known:
            ends = (self.db.execute(ENDED, (number,)) for number in self.sessions.values())
            known += [ts for end in ends for (ts,) in end if ts is not None]
            self.db.execute(UNLINKED, (str(min(known)),))

    def recount(self, numbers: Iterable[int]) -> None:
        """Bring the counts of sessions up to date."""
        self.db.executemany(COUNTS, ((n,) for n in sorted(set(numbers))))

    def _number_sessions(self) -> None:
        newest = self.db.execute("SELECT coalesce(max(id), 0) FROM sessions").fetchone()
        (self.newest_session,) = newest
        rows = []
        for s in self.changes.sessions.values():
            about = (s.title, s.parent_session_id, s.version, s.repository_url)
            rows.append((s.session_id, s.harness, *about))
        self.db.executemany(SESSION, rows)
        for session_id in self.changes.touched():
            row = self._session_number(session_id)
            if row is None:  # an edit, a sub-agent or a retraction came before all turns
                self.db.execute(SESSION, (session_id, "", None, None, None, None))
                row = self._session_number(session_id)
            self.sessions[session_id] = row[0] if row else 0

    def _session_number(self, session_id: str) -> tuple[int] | None:
        sql = "SELECT id FROM sessions WHERE session_id = ?"
        row: tuple[int] | None = self.db.execute(sql, (session_id,)).fetchone()
        return row

    def _number_turns(self) -> list[int]:
        """Give every turn that is stored or named a number; returns those that were known."""
        named = {(e.edit.session_id, e.edit.turn_uuid) for e in self.changes.edits.values()}
        named.update((s.session_id, s.turn_uuid) for s in self.changes.spawns)
        named.update(self.changes.retractions)
        known = []
        for key in self.changes.turns:
            found = self._turn_number(key)
            if found:
                known.append(found)
            self.turns[key] = found or self._new_turn()
        for key in sorted(named - self.turns.keys()):
            self.turns[key] = self._turn_number(key) or self._stub(key)
        return known

    def _turn_number(self, key: Key) -> int | None:
        session = self.sessions[key[0]]
        if session > self.newest_session:
            return None
        sql = "SELECT id FROM turns WHERE turn_uuid = ? AND session = ?"
        row = self.db.execute(sql, (key[1], session)).fetchone()
        return row[0] if row else None

    def _new_turn(self) -> int:
        self.next_turn += 1
        return self.next_turn - 1

    def _stub(self, key: Key) -> int:
        number = self._new_turn()
        self.db.execute(
            "INSERT INTO named_turns (id, session, turn_uuid) VALUES (?, ?, ?)",
            (number, self.sessions[key[0]], key[1]),
        )
        return number

    def _drop_parts(self, numbers: list[int]) -> None:
        """A turn that is stored again replaces what it had; chunks that it has no more stay as
        rows that say so."""
        each = [(n,) for n in numbers]
        self.db.executemany("DELETE FROM printed WHERE turn = ?", each)
        self.db.executemany(GONE + "turn = ?", each)

    def _turns(self) -> None:
        turns = self.changes.turns
        self.db.executemany(TURN, (self._turn_values(k, s) for k, s in turns.items()))
        self.db.executemany(
            "INSERT OR REPLACE INTO bodies VALUES (?, ?)",
            ((self.turns[key], stored.data) for key, stored in turns.items()),
        )
        self.db.executemany(CHUNK, self._chunk_values())
        self.db.executemany(
            "INSERT INTO printed VALUES (?, ?, ?, ?, ?, ?)",
            (
                (self.turns[key], n, c.sha, c.verb, c.branch, c.subject)
                for key, stored in turns.items()
                for n, c in enumerate(c for block in stored.turn.blocks for c in block.commits)
            ),
        )

    def _turn_values(self, key: Key, stored: StoredTurn) -> tuple[object, ...]:
        t = stored.turn
        who = (self.turns[key], self.sessions[key[0]], t.turn_uuid, t.seq, t.ts)
        parent = t.parent_uuid and (self.turns.get((key[0], t.parent_uuid)) or t.parent_uuid)
        said = (t.role, t.exchange, t.thread, t.workdir, t.branch, t.head, t.model)
        marks = (int(t.is_prompt), int(stored.retracted), stored.redactions)
        file = self._file(stored.source_path)
        return (*who, parent, t.message_id, *map(self._name, said), *marks, file, stored.digest)

    def _file(self, path: str) -> int | None:
        return self._number(self.files, "files", "path", path) if path else None

    def _name(self, name: str | None) -> int | None:
        """The number of what many rows say."""
        return None if name is None else self._number(self.names, "names", "name", name)

    def _number(self, known: dict[str, int], table: str, column: str, text: str) -> int:
        """The number of a text in the `column` of a table, where it is stored if it is new."""
        if text not in known:
            self.db.execute(f"INSERT OR IGNORE INTO {table} ({column}) VALUES (?)", (text,))
            sql = f"SELECT id FROM {table} WHERE {column} = ?"
            known[text] = self.db.execute(sql, (text,)).fetchone()[0]
        return known[text]

    def _chunk_values(self) -> Iterator[tuple[object, ...]]:
        for key, stored in self.changes.turns.items():
            number = self.turns[key]
            gone = int(stored.retracted)
            place = _Places(stored)
            for c in stored.chunks:
                # as numbers: sqlite3 looks for an adapter of each truth value, four times as long
                vector = int(c.id in stored.with_vector)
                what = (c.block_type, c.tool, int(c.prose), vector, gone)
                files = self._name(files_to_text(c.files))
                yield (c.id, number, c.block_idx, c.split_idx, *what, files, *place.of(c))

    def _edits(self) -> None:
        self.db.executemany(EDIT, (self._edit_values(e) for e in self.changes.edits.values()))

    def _edit_values(self, stored: StoredEdit) -> tuple[object, ...]:
        e = stored.edit
        turn = self.turns[e.session_id, e.turn_uuid]
        call = (e.edit_id, turn, self.sessions[e.session_id], e.tool_use_id, e.n, e.ts)
        what = (e.path, e.path.rsplit("/", 1)[-1], e.old_path, e.operation, e.tool, e.origin)
        texts = (stored.digest, stored.added, stored.removed, stored.data)
        return (*call, *what, e.recorded_path, *texts)

    def _marks(self) -> None:
        self.db.executemany(
            "INSERT OR IGNORE INTO spawns VALUES (?, ?)",
            ((s.thread, self.turns[s.session_id, s.turn_uuid]) for s in self.changes.spawns),
        )
        retracted = [(self.turns[key],) for key in self.changes.retractions]
        self.db.executemany("UPDATE named_turns SET retracted = 1 WHERE id = ?", retracted)
        self.db.executemany(GONE + "turn = ?", retracted)

    def _states(self) -> None:
        for state in self.changes.states.values():
            s = state.source
            place = (s.harness, str(s.path), s.key, s.size, s.mtime_ns)
            cursor = squeeze(
                state.cursor
            )  # the ids of all turns of a long session, for some agents
            self.db.execute(SOURCE, (*place, cursor, state.skipped, state.turns))


class _Places:
    """Finds chunks in their blocks, each after the one before it."""

    def __init__(self, stored: StoredTurn) -> None:
        self.blocks = stored.turn.blocks
        self.at: dict[int, int] = {}

    def of(self, chunk: Chunk) -> tuple[str | None, int, int, str | bytes | None]:
        """The label that the chunk begins with, where what follows it starts in its block and how
        long that is; with its own text instead, where it is no part of it."""
        if chunk.block_idx < len(self.blocks):
            head = LABEL.match(chunk.text)
            for label in ("", head[0]) if head else ("",):
                start = self._start(chunk, len(label))
                if start >= 0:
                    self.at[chunk.block_idx] = start
                    return label or None, start, len(chunk.text) - len(label), None
        return None, 0, len(chunk.text), squeeze(chunk.text)

    def _start(self, chunk: Chunk, skipped: int) -> int:
        text, after = self.blocks[chunk.block_idx].text, self.at.get(chunk.block_idx, 0)
        return text.find(chunk.text[skipped:], after)
