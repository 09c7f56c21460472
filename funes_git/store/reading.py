"""Reading sessions and turns from the catalog. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from funes_git.errors import UnknownTarget
from funes_git.model import Block, Session, Source, SourceState, Turn, TurnView
from funes_git.origin import origin
from funes_git.store.database import Row
from funes_git.store.edits import EditReading
from funes_git.store.pack import blocks_from_json, expand
from funes_git.store.records import SessionRow

TURN = """SELECT t.id, s.session_id, t.turn_uuid, t.seq, t.ts, t.role, s.harness, b.data,
  t.parent_uuid, t.exchange, t.message_id, t.thread, t.workdir, t.branch, t.head, t.model,
  t.is_prompt, t.retracted
  FROM turns t JOIN sessions s ON s.id = t.session JOIN bodies b ON b.turn = t.id """

LATEST = 500
"""Sources, the last changed first, that are looked at before a question is answered: of thousands
of sessions only those of late go on."""


def _turn(row: Row) -> Turn:
    session_id, uuid, seq, ts, role, harness, body = row[1:8]
    blocks = blocks_from_json(expand(body))
    head = (session_id, uuid, seq, ts, role, harness, blocks)
    values: list[Any] = [*head, *row[8:16], bool(row[16])]
    return Turn(*values)


class TurnReading(EditReading):
    """What the catalog knows of sources, sessions and turns."""

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
        return _only([r[0] for r in found], prefix, "session")

    def find_turn(self, session_id: str, prefix: str) -> str:
        """The full id of the one turn of `session_id` that starts with `prefix`. Raises
        UnknownTarget as `find_session` does."""
        found = self.rows(
            "SELECT t.turn_uuid FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE t.turn_uuid >= ? AND t.turn_uuid < ? AND s.session_id = ?"
            " AND t.seq IS NOT NULL ORDER BY t.turn_uuid LIMIT 6",
            (prefix, prefix + "\U0010ffff", session_id),
        )
        return _only([r[0] for r in found], prefix, "turn")

    def turn(self, session_id: str, turn_uuid: str) -> TurnView | None:
        """A turn with its edits and the commits that it is linked to, or None."""
        row = self._row(session_id, turn_uuid)
        return self._views([row])[0] if row else None

    def window(self, session_id: str, turn_uuid: str, n: int) -> list[TurnView]:
        """The turn with up to `n` turns before and after it on its own thread, oldest first; empty
        if there is no such turn."""
        row = self._row(session_id, turn_uuid)
        if row is None:
            return []
        where = "WHERE s.session_id = ? AND t.thread IS ? AND (t.seq, t.id) {} (?, ?)"
        values = (session_id, row[11], row[3], row[0], n)
        before = self.rows(
            TURN + where.format("<") + " ORDER BY t.seq DESC, t.id DESC LIMIT ?", values
        )
        after = self.rows(TURN + where.format(">") + " ORDER BY t.seq, t.id LIMIT ?", values)
        return self._views([*reversed(before), row, *after])

    def prompts(self, session_id: str) -> list[TurnView]:
        """What people asked for in a session, oldest first; where nothing is marked as such, the
        session's first turns."""
        where = TURN + "WHERE s.session_id = ? AND t.thread IS NULL"
        order = " ORDER BY t.seq, t.id"
        rows = self.rows(f"{where} AND t.is_prompt{order}", (session_id,))
        return self._views(rows or self.rows(f"{where}{order} LIMIT 5", (session_id,)))

    def before(self, session_id: str, turn_uuid: str, limit: int) -> list[Turn]:
        """Up to `limit` turns before it on its thread, newest first, whatever exchange they belong
        to; retracted ones only if it is retracted itself."""
        row = self._row(session_id, turn_uuid)
        if row is None:
            return []
        found = self.rows(
            TURN + "WHERE s.session_id = ? AND t.thread IS ?"
            " AND (t.seq, t.id) < (?, ?) AND t.retracted <= ?"
            " ORDER BY t.seq DESC, t.id DESC LIMIT ?",
            (session_id, row[11], row[3], row[0], row[17], limit),
        )
        return [_turn(r) for r in found]

    def turns_until(self, session_id: str, at: float, limit: int) -> list[Turn]:
        """Up to `limit` turns of a session, the latest up to the time `at` (seconds since the
        epoch), newest first; retracted ones are left out."""
        found = self.rows(
            TURN + "WHERE s.session_id = ? AND t.ts <= ? AND t.retracted = 0"
            " ORDER BY t.seq DESC, t.id DESC LIMIT ?",
            (session_id, at, limit),
        )
        return [_turn(r) for r in found]

    def words_before(self, session_id: str, turn_uuid: str, limit: int) -> list[Turn]:
        """Up to `limit` assistant turns before it on its thread, newest first, whatever exchange
        they belong to."""
        row = self._row(session_id, turn_uuid)
        if row is None:
            return []
        found = self.rows(
            TURN + "WHERE s.session_id = ? AND t.thread IS ? AND t.role = 'assistant'"
            " AND (t.seq, t.id) < (?, ?) ORDER BY t.seq DESC, t.id DESC LIMIT ?",
            (session_id, row[11], row[3], row[0], limit),
        )
        return [_turn(r) for r in found]

    def turns_of(self, session_id: str) -> Iterator[tuple[Turn, bool, str | None]]:
        """Every turn of a session, whether it was retracted, and the file that it was read from."""
        files: dict[int, str] = dict(
            self.rows("SELECT t.id, f.path FROM turns t JOIN files f ON f.id = t.file")
        )
        where = "WHERE s.session_id = ? AND t.seq IS NOT NULL ORDER BY t.seq, t.id"
        for row in self.rows(TURN + where, (session_id,)):
            yield _turn(row), bool(row[17]), files.get(row[0])

    def turns_from(self, source: Path) -> set[tuple[str, str]]:
        """(session, turn) of every turn that was read from a file and not taken back."""
        rows = self.rows(
            "SELECT s.session_id, t.turn_uuid FROM turns t JOIN files f ON f.id = t.file"
            " JOIN sessions s ON s.id = t.session WHERE f.path = ? AND NOT t.retracted",
            (str(source),),
        )
        return set(rows)

    def spawns_of(self, session_id: str) -> list[tuple[str, str]]:
        """(turn, thread) of every sub-agent that a session started."""
        return self.rows(
            "SELECT t.turn_uuid, p.thread FROM spawns p JOIN turns t ON t.id = p.turn"
            " JOIN sessions s ON s.id = t.session WHERE s.session_id = ?",
            (session_id,),
        )

    def words_of(self, session_id: str) -> Iterator[tuple[float, Block]]:
        """What the agents of a session said and called and what their tools printed, with the time;
        neither prompts nor the calls whose edits are known."""
        rows = self.rows(
            "SELECT t.id, t.ts, b.data FROM turns t JOIN bodies b ON b.turn = t.id"
            " JOIN sessions s ON s.id = t.session"
            " WHERE s.session_id = ? AND t.ts IS NOT NULL AND NOT t.is_prompt",
            (session_id,),
        )
        edits = self.rows(
            "SELECT e.turn, e.tool_use_id FROM edits e JOIN sessions s ON s.id = e.session"
            " WHERE s.session_id = ?",
            (session_id,),
        )
        known = set(edits)
        for turn, ts, body in rows:
            for block in blocks_from_json(expand(body)):
                if block.type != "tool_use" or (turn, block.tool_use_id or "") not in known:
                    yield ts, block

    def task_of(self, session_id: str, turn_uuid: str) -> Turn | None:
        """What the sub-agent that a turn belongs to was asked to do; None for turns that belong to
        no sub-agent."""
        row = self._row(session_id, turn_uuid)
        if row is None or (row[11] is None and self._started_by(session_id) is None):
            return None
        first = self.one(
            TURN + "WHERE s.session_id = ? AND t.thread IS ? AND t.role = 'user'"
            " ORDER BY t.seq, t.id LIMIT 1",
            (session_id, row[11]),
        )
        return _turn(first) if first else None

    def dispatch_of(self, session_id: str, turn_uuid: str) -> Turn | None:
        """The turn that started the sub-agent that a turn belongs to, if both are known."""
        row = self._row(session_id, turn_uuid)
        parent = self._started_by(row[11] or session_id) if row else None
        found = self._row(*parent) if parent else None
        return _turn(found) if found else None

    def prompt_of(self, session_id: str, turn_uuid: str) -> Turn | None:
        """The user's prompt that the turn follows from.

        For a sub-agent's turn it is the prompt of the turn that started the sub-agent. Where that
        is not known, the text that opened the turn's own exchange (`is_prompt` is then False), or
        None.
        """
        opening: Row | None = None
        seen: set[tuple[str, str]] = set()
        while (session_id, turn_uuid) not in seen:
            seen.add((session_id, turn_uuid))
            row = self._row(session_id, turn_uuid)
            if row is None:
                break
            opening = self._opening(row, session_id)
            if opening is not None and opening[16]:
                break
            parent = self._started_by(row[11] or session_id)
            if parent is None:
                break
            session_id, turn_uuid = parent
        return _turn(opening) if opening else None

    def last_words(self, prompt: Turn, limit: int) -> Iterator[Turn]:
        """Up to `limit` turns of the agent in the exchange that `prompt` opened, the last first,
        also after what was said to it meanwhile; retracted ones and those of sub-agents are left
        out."""
        sql = (
            TURN + "WHERE s.session_id = ? AND t.seq > ? AND t.exchange = ?"
            " AND t.role = 'assistant' AND t.thread IS NULL AND NOT t.retracted"
            " ORDER BY t.seq DESC, t.id DESC LIMIT ?"
        )
        values = (prompt.session_id, prompt.seq, prompt.turn_uuid, limit)
        yield from map(_turn, self.each(sql, values))  # most need the first alone

    def _opening(self, row: Row, session_id: str) -> Row | None:
        """The turn that opened a turn's exchange. A fork may begin in the middle of an exchange;
        its first turns are stored with the session that was read first."""
        exchange = row[9]
        if exchange is None:
            return None
        own = self._row(session_id, exchange)
        if own is not None and own[3] is not None:
            return own
        owner = self.holders(row[6], [exchange]).get(exchange)
        return self._row(owner, exchange) if owner else None

    def commits_of_exchanges(
        self, keys: Iterable[tuple[str, str]]
    ) -> dict[tuple[str, str], list[str]]:
        """The commits that any turn of an exchange, given as (session id, exchange), is linked to;
        weak links are left out."""
        wanted = set(keys)
        found: dict[tuple[str, str], list[str]] = {}
        for session_id in sorted({k[0] for k in wanted}):
            rows = self.rows(
                "SELECT DISTINCT t.exchange, l.sha FROM links l JOIN sessions s"
                " ON s.session_id = l.session_id JOIN turns t ON t.turn_uuid = l.turn_uuid"
                " AND t.session = s.id WHERE l.session_id = ? AND l.level != 'weak' ORDER BY l.sha",
                (session_id,),
            )
            for exchange, sha in rows:
                if (session_id, exchange) in wanted:
                    found.setdefault((session_id, exchange), []).append(sha)
        return found

    def _started_by(self, thread: str) -> tuple[str, str] | None:
        row = self.one(
            "SELECT s.session_id, t.turn_uuid FROM spawns p JOIN turns t ON t.id = p.turn"
            " JOIN sessions s ON s.id = t.session WHERE p.thread = ? AND t.seq IS NOT NULL"
            " ORDER BY t.ts, t.id LIMIT 1",
            (thread,),
        )
        return (row[0], row[1]) if row else None

    def _row(self, session_id: str, turn_uuid: str) -> Row | None:
        return self.one(
            TURN + "WHERE t.turn_uuid = ? AND s.session_id = ?", (turn_uuid, session_id)
        )

    def _views(self, rows: Iterable[Row]) -> list[TurnView]:
        rows = list(rows)
        edits = self.edits_of_turns([r[0] for r in rows])
        turns = [_turn(r) for r in rows]
        commits = self.commits_of_turns([(t.session_id, t.turn_uuid) for t in turns])
        views = []
        for row, turn in zip(rows, turns, strict=True):
            shas = tuple(commits.get((turn.session_id, turn.turn_uuid), ()))
            views.append(TurnView(turn, bool(row[17]), tuple(edits.get(row[0], ())), shas))
        return views


def _only(found: list[str], prefix: str, what: str) -> str:
    if prefix in found or len(found) == 1:
        return prefix if prefix in found else found[0]
    if not found or not prefix:
        raise UnknownTarget(f"no {what} starts with {prefix!r}", hint="git funes recall WORDS")
    names = ", ".join(found[:5]) + (", …" if len(found) > 5 else "")
    raise UnknownTarget(
        f"{prefix!r} could be any of these {what}s: {names}", hint=f"give more of the {what}'s id"
    )
