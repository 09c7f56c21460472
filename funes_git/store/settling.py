"""Storing what came of what: descents of commits by the lines they show, and the levels of links in
commits that were rewritten. Standard library only. The caller holds the writer lock.

Whatever changes the claims on an edit notes it as unsettled in the same transaction (links.py), so
that a run that dies leaves work to do, never a wrong level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from funes_git.store.database import Database


class Descent(NamedTuple):
    """Commit `sha` shows lines of an edit (its row id) that commit `old` showed before."""

    sha: str
    edit: int
    old: str


class Settling(Database):
    """Reading what is unsettled, and settling it."""

    def unsettled(self, most: int) -> list[int]:
        """Edits (row ids) whose claims have changed since they were settled."""
        sql = "SELECT edit FROM unsettled ORDER BY edit LIMIT ?"
        return [row[0] for row in self.rows(sql, (most,))]

    def told_of(self, shas: Sequence[str]) -> dict[str, set[str]]:
        """Each of these commits that git says was rewritten → the commits it was made of."""
        found: dict[str, set[str]] = {}
        for new, old in self.rows_in("SELECT new, old FROM rewrites WHERE new IN (?)", shas):
            found.setdefault(new, set()).add(old)
        return found

    def descents_of(self, shas: Sequence[str]) -> dict[str, list[str]]:
        """Each of these commits that shows lines of an older one → the older ones."""
        found: dict[str, list[str]] = {}
        sql = "SELECT DISTINCT sha, old FROM descents WHERE sha IN (?) ORDER BY sha, old"
        for sha, old in self.rows_in(sql, shas):
            found.setdefault(sha, []).append(old)
        return found

    def commit_times(self, shas: Sequence[str]) -> dict[str, float]:
        """When these commits were made, as far as linking has looked at them."""
        return dict(self.rows_in("SELECT sha, commit_time FROM commits WHERE sha IN (?)", shas))

    def settle(self, edits: Sequence[int], descents: Sequence[Descent]) -> None:
        """Store the descents of these edits in place of those that were known, with the levels that
        follow from them, in one transaction."""
        each = [(edit,) for edit in edits]
        changed = list(
            self.rows_in("SELECT DISTINCT sha, edit FROM descents WHERE edit IN (?)", edits)
        )
        with self.transaction():
            self.db.executemany("DELETE FROM descents WHERE edit = ?", each)
            self.db.executemany("INSERT INTO descents VALUES (?, ?, ?)", descents)
            self.db.executemany(
                "UPDATE links SET proof = 'none', level = 'lines' WHERE proof = 'patch-id'"
                " AND sha = ? AND edit_id = (SELECT edit_id FROM edits WHERE id = ?)",
                changed,
            )
            self.db.executemany(
                "UPDATE links SET proof = 'patch-id', level = 'derived' WHERE proof = 'none'"
                " AND content != 'none'"
                " AND sha = ? AND edit_id = (SELECT edit_id FROM edits WHERE id = ?)",
                sorted({(d.sha, d.edit) for d in descents}),
            )
            self.db.executemany("DELETE FROM unsettled WHERE edit = ?", each)

    def settle_told(self) -> None:
        """Give the links of commits that git says were rewritten the level that follows."""
        with self.transaction():
            self.db.execute(
                "UPDATE links INDEXED BY links_sha SET proof = 'rewrite', level = 'derived'"
                " WHERE proof IN ('none', 'patch-id') AND content != 'none'"
                " AND sha IN (SELECT new FROM rewrites)"
            )
