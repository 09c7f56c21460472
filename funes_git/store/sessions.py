"""Reading sessions, and where they were read, from the catalog. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from funes_git.errors import UnknownTarget
from funes_git.model import Session, Source, SourceState
from funes_git.origin import origin
from funes_git.store.edits import EditReading
from funes_git.store.pack import expand
from funes_git.store.records import SessionRow

LATEST = 500
"""Sources, the last changed first, that are looked at before a question is answered: of thousands
of sessions only those of late go on."""


class SessionReading(EditReading):
    """What the catalog knows of sources and sessions."""

    def state_of(self, source: Source) -> SourceState | None:
        """How far `source` has been read (matched by harness, path and key), or None."""
        row = self.one(
            "SELECT size, mtime_ns, cursor, skipped, turns FROM sources"
            " WHERE path = ? AND harness = ? AND key = ?",
            (str(source.path), source.harness, source.key),
        )
        if row is None:
            return None
        known = Source(source.harness, source.path, row[0], row[1], source.key)
        return SourceState(known, expand(row[2]), *row[3:])

    def states(self) -> list[SourceState]:
        """How far every source has been read."""
        rows = self.rows(
            "SELECT harness, path, size, mtime_ns, key, cursor, skipped, turns FROM sources"
            " ORDER BY path, harness, key"
        )
        return [SourceState(Source(r[0], Path(r[1]), *r[2:5]), expand(r[5]), *r[6:]) for r in rows]

    def sizes_read(self) -> dict[tuple[str, str, str], tuple[int, int, int]]:
        """By harness, path and key of every source that was read: size, modification time in
        nanoseconds, and how many turns of it belong here."""
        rows = self.rows("SELECT harness, path, key, size, mtime_ns, turns FROM sources")
        return {row[:3]: row[3:] for row in rows}

    def imported_from(self) -> set[str]:
        """The other tools of which something was imported, sessions or words on commits."""
        paths = self.rows("SELECT DISTINCT path FROM sources")
        links = self.rows("SELECT DISTINCT source FROM links")
        return {tool for (path,) in paths if (tool := origin(path))} | {row[0] for row in links}

    def unread(self) -> list[tuple[str, Path]]:
        """(harness, file) of the sources that have changed on disk since they were read; only those
        that were read before, are not empty now and are among the LATEST: nothing but size and time
        is looked at."""
        found = []
        for harness, name, size, mtime in self.rows(
            "SELECT harness, path, size, mtime_ns FROM sources WHERE key = '' AND size >= 0"
            " ORDER BY mtime_ns DESC LIMIT ?",
            (LATEST,),
        ):
            try:
                now = os.stat(name)  # noqa: PTH116 - a Path for each costs more than to ask
            except OSError:
                continue  # gone: what was read stays
            if now.st_size and (now.st_size, now.st_mtime_ns) != (size, mtime):
                found.append((harness, Path(name)))
        return found

    def holders(self, harness: str, turn_uuids: Sequence[str]) -> dict[str, str]:
        """Turn → the session that holds it, of those turns of `harness` that are stored. Where
        several sessions do, the first that was stored."""
        rows = self.rows_in(
            "SELECT t.id, t.turn_uuid, s.session_id, s.harness FROM turns t"
            " JOIN sessions s ON s.id = t.session WHERE t.turn_uuid IN (?) AND t.seq IS NOT NULL",
            turn_uuids,
        )
        found = sorted((row for row in rows if row[3] == harness), reverse=True)
        return {row[1]: row[2] for row in found}

    def session(self, session_id: str) -> SessionRow | None:
        """A session by its full id, or None."""
        row = self.one(
            "SELECT session_id, harness, title, parent_session_id, version, repository_url,"
            " first_ts, last_ts, turns, edits FROM sessions WHERE session_id = ?",
            (session_id,),
        )
        if row is None:
            return None
        source = self.source_of(session_id)
        counted: list[Any] = [*row[6:], str(source) if source else None]
        return SessionRow(Session(*row[:6]), *counted)

    def session_spans(self) -> list[tuple[str, str, float, float]]:
        """(session id, harness, first, last) of every session with times, in order of time; in
        seconds since the epoch."""
        return self.rows(
            "SELECT session_id, harness, first_ts, last_ts FROM sessions"
            " WHERE first_ts IS NOT NULL ORDER BY first_ts, session_id"
        )

    def sessions_around(self, until: float, since: float) -> list[tuple[str, str, float, float]]:
        """Of `session_spans` those that began up to the time `until` and ended at `since` or later;
        in seconds since the epoch."""
        return self.rows(
            "SELECT session_id, harness, first_ts, last_ts FROM sessions"
            " WHERE first_ts <= ? AND last_ts >= ? ORDER BY first_ts, session_id",
            (until, since),
        )

    def folders(self) -> list[str]:
        """The folders that turns ran in."""
        return [
            folder
            for (folder,) in self.rows("SELECT DISTINCT workdir FROM turns")
            if folder is not None
        ]

    def newest_turn(self) -> float | None:
        """The time of the newest turn, in seconds since the epoch."""
        row = self.one("SELECT max(last_ts) FROM sessions")
        return row[0] if row else None

    def source_of(self, session_id: str) -> Path | None:
        """The agent's own file that the session was read from; of several (a sub-agent may have
        one of its own), that of the main thread."""
        row = self.one(
            "SELECT f.path FROM turns t JOIN sessions s ON s.id = t.session"
            " JOIN files f ON f.id = t.file WHERE s.session_id = ?"
            " ORDER BY t.thread IS NOT NULL, t.seq LIMIT 1",
            (session_id,),
        )
        return Path(row[0]) if row else None

    def sources_of(self, prefix: str) -> list[Source]:
        """Everything that the sessions whose ids start with `prefix` were read from, as it was
        then."""
        rows = self.rows(
            "SELECT DISTINCT o.harness, o.path, o.size, o.mtime_ns, o.key FROM sessions s"
            " JOIN turns t ON t.session = s.id JOIN files f ON f.id = t.file"
            " JOIN sources o ON o.path = f.path AND o.key IN ('', s.session_id)"
            " WHERE s.session_id >= ? AND s.session_id < ? ORDER BY o.path, o.harness, o.key",
            (prefix, prefix + "\U0010ffff"),
        )
        return [Source(r[0], Path(r[1]), *r[2:]) for r in rows]

    def find_session(self, prefix: str) -> str:
        """The full id of the one session whose id starts with `prefix`. Raises UnknownTarget if
        there is none, or several; then its message names them."""
        found = self.rows(
            "SELECT session_id FROM sessions WHERE session_id >= ? AND session_id < ?"
            " ORDER BY session_id LIMIT 6",
            (prefix, prefix + "\U0010ffff"),
        )
        return only([r[0] for r in found], prefix, "session")


def only(found: list[str], prefix: str, what: str) -> str:
    if prefix in found or len(found) == 1:
        return prefix if prefix in found else found[0]
    if not found or not prefix:
        raise UnknownTarget(f"no {what} starts with {prefix!r}", hint="git funes recall WORDS")
    names = ", ".join(found[:5]) + (", …" if len(found) > 5 else "")
    raise UnknownTarget(
        f"{prefix!r} could be any of these {what}s: {names}", hint=f"give more of the {what}'s id"
    )
