"""What the filters of a search ask the catalog: which turns are meant. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git.store.database import Database


class Narrowing(Database):
    """Turns by what is known of them besides their words."""

    def models(self) -> list[str]:
        """The names of all models that wrote a turn, sorted."""
        rows = self.rows("SELECT DISTINCT model FROM turns WHERE model IS NOT NULL ORDER BY model")
        return [model for (model,) in rows]

    def turns_by(self, models: Sequence[str]) -> list[tuple[str, str]]:
        """(session id, turn) of every turn that one of these models wrote."""
        sql = (
            "SELECT s.session_id, t.turn_uuid FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE t.model IN (?)"
        )
        return list(self.rows_in(sql, models))

    def edits_of_commits(self, shas: Sequence[str]) -> set[tuple[str, str, str | None]]:
        """(session id, turn, edit id) of every link of these commits, weak links left out; the id
        is None where a link names no edit."""
        sql = (
            "SELECT DISTINCT session_id, turn_uuid, edit_id FROM links"
            " WHERE sha IN (?) AND level != 'weak'"
        )
        return set(self.rows_in(sql, shas))
