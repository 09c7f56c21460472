"""Writing the catalog: applying changes, each in one transaction, under the writer lock.

Standard library only. Whoever opens it holds the lock (store/lock.py).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Self

from funes_git.store.ancestry import PLACED
from funes_git.store.apply import UNLINKED, Applying
from funes_git.store.catalog import WHAT, Catalog
from funes_git.store.changes import Changes, Key, Stale, merged
from funes_git.store.database import StoreDamaged, connect_writable, cut_short, translated
from funes_git.store.links import LINKED, LinkWriting, event_values
from funes_git.store.migrate import migrate
from funes_git.store.pack import blocks_from_json, expand
from funes_git.store.records import HookEvent
from funes_git.store.schema import MIGRATIONS
from funes_git.store.settling import Settling

EVENT = """INSERT OR IGNORE INTO events (id, hook, at, sha, worktree, branch, rewrites, detail)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
STORED = ("sources", "sessions", "named_turns", "bodies", "spawns", "printed", "edits", "chunks",
          "files", "names", "unsettled")  # fmt: skip
"""The tables that come from the memory."""
SIDECARS = ("", "-wal", "-shm")


class CatalogWriter(Catalog, LinkWriting, Settling):
    """The catalog of one repository, open for writing. A context manager."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open for writing, created or migrated as needed. Raises FormatTooNew, or StoreDamaged
        if the file is no catalog or has been cut short."""
        if path.exists() and cut_short(path):
            raise StoreDamaged(f"{path.name} has been cut short", hint="git funes reindex")
        db: sqlite3.Connection | None = None
        try:
            db = connect_writable(path, wal=True)
            migrate(db, MIGRATIONS, WHAT)
            db.execute("SELECT 1 FROM meta, files, sources LIMIT 1").fetchone()
        except BaseException as error:
            if db:
                db.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise translated(error, path) from error
            raise
        return cls(db, path)

    @staticmethod
    def remove(path: Path) -> None:
        """Delete the catalog at `path` with everything that SQLite keeps beside it."""
        for ending in SIDECARS:
            path.with_name(path.name + ending).unlink(missing_ok=True)

    def prune(self, changes: Changes) -> Stale:
        """Take out of `changes` what is stored already, mark its turns that are retracted, and
        complete its sessions by what is known of them. A turn that comes again after it was
        retracted is current again.

        Returns what stored turns have and their new versions have not.
        """
        stale = self._prune_turns(changes)
        ids = list(changes.edits)
        for edit_id, digest in self.rows_in(
            "SELECT edit_id, digest FROM edits WHERE edit_id IN (?)", ids
        ):
            if changes.edits[edit_id].digest == digest:
                del changes.edits[edit_id]
            else:
                stale.replaced = True
        self._prune_marks(changes)
        for key in changes.retractions & changes.turns.keys():
            changes.turns[key].retracted = True
        for session_id, session in list(changes.sessions.items()):
            known = self.session(session_id)
            if known is None:
                continue
            changes.sessions[session_id] = merged(known.session, session)
            if changes.sessions[session_id] == known.session:
                del changes.sessions[session_id]
        return stale

    def _prune_turns(self, changes: Changes) -> Stale:
        stale = Stale()
        replaced: dict[int, Key] = {}
        for key, (number, digest, retracted) in self._known_turns(changes).items():
            stored = changes.turns[key]
            if digest == stored.digest and bool(retracted) == (key in changes.retractions):
                del changes.turns[key]
                continue
            stored.retracted = stored.retracted or (bool(retracted) and digest is None)
            replaced[number] = key
        stale.replaced = bool(replaced)
        kept = {c.id for stored in changes.turns.values() for c in stored.chunks}
        old = self.rows_in("SELECT chunk_id FROM chunks WHERE turn IN (?)", list(replaced))
        stale.chunks = [row[0] for row in old if row[0] not in kept]
        sql = "SELECT turn, data FROM bodies WHERE turn IN (?)"
        for number, body in self.rows_in(sql, list(replaced)):
            key = replaced[number]
            now, before = (len(changes.turns[key].turn.blocks), len(blocks_from_json(expand(body))))
            stale.blocks += [(*key, n) for n in range(now, before)]
            stale.blocks += [(*key, -1)] if now and not before else []
        return stale

    def _known_turns(self, changes: Changes) -> dict[Key, tuple[int, int | None, int]]:
        numbers = self._session_numbers({key[0] for key in changes.turns})
        found = {}
        for key in changes.turns:
            if key[0] in numbers:
                row = self.one(
                    "SELECT id, digest, retracted FROM turns WHERE turn_uuid = ? AND session = ?",
                    (key[1], numbers[key[0]]),
                )
                if row:
                    found[key] = (row[0], row[1], row[2])
        return found

    def _session_numbers(self, session_ids: Iterable[str]) -> dict[str, int]:
        sql = "SELECT session_id, id FROM sessions WHERE session_id IN (?)"
        return dict(self.rows_in(sql, sorted(session_ids)))

    def _prune_marks(self, changes: Changes) -> None:
        for spawn in list(changes.spawns):
            row = self.one(
                "SELECT 1 FROM spawns p JOIN turns t ON t.id = p.turn JOIN sessions s"
                " ON s.id = t.session WHERE p.thread = ? AND t.turn_uuid = ? AND s.session_id = ?",
                (spawn.thread, spawn.turn_uuid, spawn.session_id),
            )
            if row:
                changes.spawns.discard(spawn)
        for key in list(changes.retractions):
            row = self.one(
                "SELECT t.retracted FROM turns t JOIN sessions s ON s.id = t.session"
                " WHERE t.turn_uuid = ? AND s.session_id = ?",
                (key[1], key[0]),
            )
            if row and row[0] and key not in changes.turns:
                changes.retractions.discard(key)

    def apply(self, changes: Changes, settings: dict[str, str | None]) -> None:
        """Store `changes` with the settings that go with them, in one transaction."""
        applying = Applying(self.db, changes)
        with self.transaction():
            applying.run()
            self._set(settings)
        self.recent = list(applying.chunks())

    def rebuild(
        self, parts: Callable[[], Iterable[Changes]], settings: dict[str, str | None]
    ) -> None:
        """Replace everything that comes from the memory by `parts`, in one transaction: readers
        see the old until it is done. Links go too: they name edits by number."""
        with self.transaction():
            for table in (*STORED, *LINKED, *PLACED):
                self.db.execute(f"DELETE FROM {table}")
            for changes in parts():
                Applying(self.db, changes).run()
            self._set(settings)

    def shrink(self) -> None:
        """Write the file anew without what is free in it, where that is more than a quarter."""
        (free,), (pages,) = (self.one(f"PRAGMA {n}_count") or (0,) for n in ("freelist", "page"))
        if 4 * free > pages:
            with self.errors(), suppress(sqlite3.OperationalError):  # a full disk: it stays so
                self.db.execute("VACUUM")

    def put(self, settings: dict[str, str | None]) -> None:
        """Store values that the catalog keeps about itself; None removes one."""
        with self.transaction():
            self._set(settings)

    def _set(self, settings: dict[str, str | None]) -> None:
        for name, value in settings.items():
            if value is None:
                self.db.execute("DELETE FROM meta WHERE key = ?", (name,))
            else:
                self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def link_again(self, since: float) -> None:
        """Remember that the commits from this time on (seconds since the epoch) must be linked
        again."""
        with self.transaction():
            self.db.execute(UNLINKED, (str(since),))

    def note_error(self, at: float, words: str | None) -> None:
        """Remember for `status` how the background worker failed last; None: it did not."""
        self.put({"last_error": None if words is None else json.dumps([at, words])})

    def add_events(
        self, events: Iterable[HookEvent], settings: dict[str, str | None] | None = None
    ) -> None:
        """Copy hook events from decisions.sqlite; those that are known change nothing."""
        with self.transaction():
            self._set(settings or {})
            for event in events:
                if self.db.execute(EVENT, event_values(event)).rowcount:
                    self._hear(event)

    def mark_vectors(self, ids: Iterable[str], settings: dict[str, str | None]) -> None:
        """Remember that chunks have a vector."""
        with self.transaction():
            each = [(i,) for i in ids]
            self.db.executemany("UPDATE chunks SET vector = 1 WHERE chunk_id = ?", each)
            touched = self.rows_in(
                "SELECT DISTINCT t.session FROM chunks c JOIN turns t ON t.id = c.turn"
                " WHERE c.chunk_id IN (?)",
                [i for (i,) in each],
            )
            Applying(self.db, Changes()).recount({r[0] for r in touched})
            self._set(settings)

    def unmark_vectors(self, settings: dict[str, str | None]) -> None:
        """Remember that no chunk has a vector."""
        with self.transaction():
            self.db.execute("UPDATE chunks SET vector = 0 WHERE vector")
            self.db.execute("UPDATE sessions SET vectors = 0")
            self._set(settings)

    def close(self) -> None:
        """Close, after telling SQLite to look at what its planner should know."""
        with suppress(sqlite3.Error):
            self.db.execute("PRAGMA optimize")
        super().close()
