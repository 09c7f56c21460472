"""Reading turns from the catalog. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from funes_git.model import Block, Turn, TurnView
from funes_git.store.database import Row
from funes_git.store.pack import blocks_from_json, expand
from funes_git.store.sessions import SessionReading, only

TURN = """SELECT t.id, s.session_id, t.turn_uuid, t.seq, t.ts, t.role, s.harness, b.data,
  t.parent_uuid, t.exchange, t.message_id, t.thread, t.workdir, t.branch, t.head, t.model,
  t.is_prompt, t.retracted
  FROM turns t JOIN sessions s ON s.id = t.session JOIN bodies b ON b.turn = t.id """

REMARKS = 16
"""So many turns of the harness, such as the rules of the repository, may come before a task."""


def _turn(row: Row) -> Turn:
    session_id, uuid, seq, ts, role, harness, body = row[1:8]
    blocks = blocks_from_json(expand(body))
    head = (session_id, uuid, seq, ts, role, harness, blocks)
    values: list[Any] = [*head, *row[8:16], bool(row[16])]
    return Turn(*values)


def _says(turn: Turn) -> bool:
    """Whether there are words in it that the harness did not write."""
    return any(block.type == "text" and not block.scaffold for block in turn.blocks)


class TurnReading(SessionReading):
    """What the catalog knows of turns."""

    def find_turn(self, session_id: str, prefix: str) -> str:
        """The full id of the one turn of `session_id` that starts with `prefix`. Raises
        UnknownTarget as `find_session` does."""
        found = self.rows(
            "SELECT t.turn_uuid FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE t.turn_uuid >= ? AND t.turn_uuid < ? AND s.session_id = ?"
            " AND t.seq IS NOT NULL ORDER BY t.turn_uuid LIMIT 6",
            (prefix, prefix + "\U0010ffff", session_id),
        )
        return only([r[0] for r in found], prefix, "turn")

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
        if row is None:
            return None
        started = row[11] is not None or self._started_by(session_id) is not None
        # of a session that came of another, what follows no prompt is a sub-agent's
        if not started and (row[9] is not None or not self._came_of_another(session_id)):
            return None
        told = self.rows(
            TURN + "WHERE s.session_id = ? AND t.thread IS ? AND t.role = 'user'"
            " ORDER BY t.seq, t.id LIMIT ?",
            (session_id, row[11], REMARKS),
        )
        turns = [_turn(each) for each in told]
        task = next(filter(_says, turns), turns[0] if turns else None)
        return None if task and task.is_prompt else task

    def is_task(self, session_id: str, turn_uuid: str) -> bool:
        """Whether an agent gave the words of a turn to its sub-agent. False where that is not
        known."""
        row = self._row(session_id, turn_uuid)
        return row is not None and self._holds_task(_turn(row))

    def dispatch_of(self, session_id: str, turn_uuid: str) -> Turn | None:
        """The turn that started the sub-agent that a turn belongs to, if both are known."""
        row = self._row(session_id, turn_uuid)
        parent = self._started_by(row[11] or session_id) if row else None
        found = self._row(*parent) if parent else None
        return _turn(found) if found else None

    def prompts_among(self, keys: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those of the turns, given as (session id, turn), that are prompts."""
        wanted = set(keys)
        sql = (
            "SELECT s.session_id, t.turn_uuid FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE t.turn_uuid IN (?) AND t.is_prompt AND t.seq IS NOT NULL"
        )
        return wanted & set(self.rows_in(sql, sorted({turn for _, turn in wanted})))

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
        """Those with words of the last `limit` turns of the agent in the exchange that `prompt`
        opened, the last first, also after what was said to it meanwhile; retracted ones and those
        of sub-agents are left out."""
        sql = (
            f"{TURN} WHERE t.id IN (SELECT t.id FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE s.session_id = ? AND t.seq > ? AND t.exchange = ? AND t.role = 'assistant'"
            " AND t.thread IS NULL AND NOT t.retracted ORDER BY t.seq DESC, t.id DESC LIMIT ?)"
            " AND t.id IN (SELECT turn FROM chunks WHERE turn = t.id AND gone = 0 AND prose = 1)"
            " ORDER BY t.seq DESC, t.id DESC"
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
        sql = (
            "SELECT DISTINCT l.session_id, t.exchange, l.sha FROM links l JOIN sessions s"
            " ON s.session_id = l.session_id JOIN turns t ON t.turn_uuid = l.turn_uuid"
            " AND t.session = s.id WHERE l.session_id IN (?) AND l.level != 'weak' ORDER BY l.sha"
        )
        found: dict[tuple[str, str], list[str]] = {}
        for session_id, exchange, sha in self.rows_in(sql, sorted({k[0] for k in wanted})):
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
            task = self._holds_task(turn)
            views.append(TurnView(turn, bool(row[17]), tuple(edits.get(row[0], ())), shas, task))
        return views

    def _holds_task(self, turn: Turn) -> bool:
        if turn.role != "user" or turn.is_prompt:
            return False
        if not _says(turn) or turn.thread:
            return _says(turn)
        # a fork's prompts are prompts: what is none, in a session that came of one, is a task
        return self._came_of_another(turn.session_id)

    def _came_of_another(self, session_id: str) -> bool:
        """Whether a session is a sub-agent's or a fork, also of one that is not here."""
        known = self.session(session_id)
        parent = known.session.parent_session_id if known else None
        return (parent or self._started_by(session_id)) is not None
