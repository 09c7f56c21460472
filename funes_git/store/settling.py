"""Storing what came of what: descents of commits by the lines they show, and the levels of links in
commits that were rewritten. Standard library only. The caller holds the writer lock.

Whatever changes the claims on an edit (links.py), or tells of a commit that has claims on it, notes
it as unsettled in the same transaction, so that a run that dies leaves work to do, never a wrong
level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from funes_git.store.chains import REFLOG
from funes_git.store.database import Database
from funes_git.store.records import HookEvent

PICKED = f"SELECT id FROM events WHERE hook = '{REFLOG}' AND rewrites = '[]'"
"""The reflogs' word that a commit was rebased or picked: not of which, that its lines tell."""

BY_HOOK = f"SELECT new FROM rewrites JOIN events ON id = event WHERE hook != '{REFLOG}'"


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
        """Each of these commits that git says was rewritten → the commits it was made of; but for
        those that only the lines tell."""
        found: dict[str, set[str]] = {}
        sql = f"SELECT new, old FROM rewrites WHERE new IN (?) AND event NOT IN ({PICKED})"
        for new, old in self.rows_in(sql, shas):
            found.setdefault(new, set()).add(old)
        return found

    def commit_times(self, shas: Sequence[str]) -> dict[str, float]:
        """When these commits were made, as far as linking has looked at them."""
        return dict(self.rows_in("SELECT sha, commit_time FROM commits WHERE sha IN (?)", shas))

    def settle(self, edits: Sequence[int], descents: Sequence[Descent]) -> None:
        """Store the descents of these edits in place of those that were known, with the levels that
        follow from them and from what git told, in one transaction."""
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
            self._settle_told()
            self.db.executemany("DELETE FROM unsettled WHERE edit = ?", each)

    def _settle_told(self) -> None:
        """Tie the commits that the reflogs say were rebased or picked, and of which no hook told,
        to those whose lines they show; and give the links of all commits that git says were
        rewritten the level that follows."""
        tied = f"SELECT DISTINCT new FROM rewrites WHERE event IN ({PICKED})"
        before = set(self.rows(tied))
        self.db.execute(f"DELETE FROM rewrites WHERE event IN ({PICKED})")
        self.db.execute(
            "INSERT OR IGNORE INTO rewrites SELECT d.old, d.sha, e.at, e.id"
            " FROM events e JOIN descents d ON d.sha = e.sha"
            f" WHERE e.id IN ({PICKED}) AND d.sha NOT IN ({BY_HOOK})"
        )
        self.db.executemany(
            "UPDATE links SET proof = 'none', level = 'lines'"
            " WHERE proof = 'rewrite' AND sha = ?1 AND ?1 NOT IN (SELECT new FROM rewrites)",
            sorted(before - set(self.rows(tied))),
        )
        self.db.execute(
            "UPDATE links INDEXED BY links_sha SET proof = 'rewrite', level = 'derived'"
            " WHERE proof IN ('none', 'patch-id') AND content != 'none'"
            " AND sha IN (SELECT new FROM rewrites)"
        )

    def _hear(self, event: HookEvent) -> None:
        """Take in what an event says of rewrites; a hook's word counts before the reflogs'. What
        came of what is to be settled anew for the lines of these commits."""
        self.db.executemany(
            "INSERT OR IGNORE INTO rewrites VALUES (?, ?, ?, ?)",
            ((old, new, event.at, event.id) for old, new in event.rewrites),
        )
        news = [(new,) for new in sorted({new for _, new in event.rewrites})]
        if event.hook == REFLOG:
            news = [(event.sha or "",)]
        else:
            self.db.executemany(
                "DELETE FROM rewrites WHERE new = ?"
                f" AND event IN (SELECT id FROM events WHERE hook = '{REFLOG}')",
                news,
            )
        self.db.executemany(
            "INSERT OR IGNORE INTO unsettled SELECT edit FROM claims WHERE sha = ?", news
        )
