"""What was imported from other tools, as the catalog knows it: reading. Standard library only."""

from __future__ import annotations

import json
from collections.abc import Sequence

from funes_git.model import Attribution
from funes_git.origin import ATTRIBUTED, FOLDER, origin
from funes_git.store.database import Database
from funes_git.store.records import HookEvent


class ImportReading(Database):
    """Sessions from elsewhere, and what other tools said of commits."""

    def attributions(self, sha: str) -> list[Attribution]:
        """What other tools said of a commit, in order of time."""
        sql = "SELECT sha, detail FROM events WHERE sha = ? AND hook = ? ORDER BY at, id"
        rows = self.rows(sql, (sha, ATTRIBUTED))
        return [_attribution(*row) for row in rows]

    def imported_sessions(self) -> dict[str, str]:
        """Session → the tool that it was imported from, of those with no turn from an agent's own
        file."""
        rows = self.rows("SELECT id, path FROM files WHERE instr(path, ?)", (f"/{FOLDER}/",))
        files = {number: tool for number, path in rows if (tool := origin(path))}
        found: dict[str, str] = {}
        own: set[str] = set()
        for session_id, file in self.rows_in(
            "SELECT DISTINCT s.session_id, t.file FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE t.session IN (SELECT session FROM turns WHERE file IN (?))"
            " AND t.file IS NOT NULL",
            list(files),
        ):
            if file in files:
                found[session_id] = files[file]
            else:
                own.add(session_id)
        return {session_id: tool for session_id, tool in found.items() if session_id not in own}

    def unknown_events(self, events: Sequence[HookEvent]) -> list[HookEvent]:
        """Those of these events that are not kept yet."""
        ids = [event.id for event in events]
        known = {row[0] for row in self.rows_in("SELECT id FROM events WHERE id IN (?)", ids)}
        return [event for event in events if event.id not in known]

    def own_turns(self, session_ids: Sequence[str]) -> set[tuple[str, str]]:
        """(session, turn) of the turns of these sessions that came from an agent's own file."""
        rows = self.rows_in(
            "SELECT s.session_id, t.turn_uuid, f.path FROM turns t"
            " JOIN sessions s ON s.id = t.session JOIN files f ON f.id = t.file"
            " WHERE s.session_id IN (?)",
            session_ids,
        )
        return {(row[0], row[1]) for row in rows if origin(row[2]) is None}

    def prompt_at(self, session_id: str, at: float) -> str | None:
        """The turn that a session was answering at the time `at`: its newest prompt before, else
        its first turn. None for a session without turns."""
        row = self.one(
            "SELECT t.turn_uuid, t.is_prompt AND coalesce(t.ts, 0) <= ? AS asked FROM turns t"
            " JOIN sessions s ON s.id = t.session"
            " WHERE s.session_id = ? AND t.seq IS NOT NULL AND NOT t.retracted"
            " ORDER BY asked DESC, CASE WHEN asked THEN -t.seq ELSE t.seq END LIMIT 1",
            (at, session_id),
        )
        return row[0] if row else None


def attribution_event(one: Attribution, at: float) -> HookEvent:
    """An attribution as it is kept beside the hooks' events: truth that nothing else can tell. `at`
    is the commit's time."""
    told = {"source": one.source, "session": one.session_id, "harness": one.harness}
    if one.turn_uuid:
        told["turn"] = one.turn_uuid
    detail = json.dumps({**told, "path": one.path, "lines": one.lines}, sort_keys=True)
    from hashlib import sha1  # takes long to load, and most only read

    key = sha1(f"{one.commit}\0{detail}".encode(), usedforsecurity=False).hexdigest()
    return HookEvent(f"{ATTRIBUTED}:{key}", ATTRIBUTED, at, sha=one.commit, detail=detail)


def _attribution(sha: str, detail: str) -> Attribution:
    told = json.loads(detail)
    lines = tuple((first, last) for first, last in told["lines"])
    return Attribution(
        sha,
        told["session"],
        told["harness"],
        told["source"],
        told["path"],
        lines,
        told.get("turn", ""),
    )
