"""Links, commits and hook events in the catalog: reading and writing. Standard library only."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from funes_git.model import Link
from funes_git.store.database import Database, Row
from funes_git.store.records import Claim, CommitRow, HookEvent

COMMIT = """SELECT sha, commit_time, author_time, author, email, subject, parents, reason, added,
  removed, generation FROM commits """
LINK = """SELECT sha, session_id, turn_uuid, harness, relation, content, proof, level, score, path,
  lines, source, edit_id FROM links """


def _commit(row: Row) -> CommitRow:
    values: list[Any] = [*row[:6], tuple(row[6].split()), *row[7:]]
    return CommitRow(*values)


def _link(row: Row) -> Link:
    lines = tuple((first, last) for first, last in json.loads(row[10]))
    values: list[Any] = [*row[:10], lines, *row[11:]]
    return Link(*values)


class LinkReading(Database):
    """What the catalog knows of commits and links."""

    def known_commits(self) -> set[str]:
        """The full ids of all commits that linking has looked at."""
        return {r[0] for r in self.rows("SELECT sha FROM commits")}

    def commit_row(self, sha: str) -> CommitRow | None:
        """A commit that linking has looked at, by its full id."""
        row = self.one(COMMIT + "WHERE sha = ?", (sha,))
        return _commit(row) if row else None

    def commit_rows(self, shas: Sequence[str] | None = None) -> list[CommitRow]:
        """All of them, or those of `shas`, in order of commit time."""
        rows: Iterable[Row] = (
            self.rows(COMMIT) if shas is None else self.rows_in(COMMIT + "WHERE sha IN (?)", shas)
        )
        return sorted((_commit(r) for r in rows), key=lambda c: (c.commit_time, c.sha))

    def links_of(self, shas: Sequence[str]) -> dict[str, list[Link]]:
        """The links of each of these commits that has any, best first."""
        found: dict[str, list[Link]] = {}
        for row in self.rows_in(LINK + "WHERE sha IN (?)", shas):
            found.setdefault(row[0], []).append(_link(row))
        for links in found.values():
            links.sort(key=lambda k: (-k.score, k.session_id, k.turn_uuid, k.path or "", k.lines))
        return found

    def claims_of(self, edit_ids: Sequence[int]) -> dict[int, list[tuple[int, str, str]]]:
        """Where lines of edits were found: edit number → (position in the edit, commit id,
        relation of the link)."""
        found: dict[int, list[tuple[int, str, str]]] = {}
        sql = (
            "SELECT c.edit, c.lines, l.sha, l.relation FROM claims c JOIN links l ON l.id = c.link"
            " WHERE c.edit IN (?)"
        )
        for edit, lines, sha, relation in self.rows_in(sql, edit_ids):
            positions = array("q", lines)[::2]
            found.setdefault(edit, []).extend((pos, sha, relation) for pos in positions)
        return {edit: sorted(claims) for edit, claims in found.items()}

    def commits_of_turns(self, keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
        """The commits that turns, given as (session id, turn), are linked to; weak links are left
        out."""
        wanted = set(keys)
        found: dict[tuple[str, str], list[str]] = {}
        sql = (
            "SELECT DISTINCT session_id, turn_uuid, sha FROM links"
            " WHERE turn_uuid IN (?) AND level != 'weak' ORDER BY sha"
        )
        for session_id, turn_uuid, sha in self.rows_in(sql, sorted({k[1] for k in wanted})):
            if (session_id, turn_uuid) in wanted:
                found.setdefault((session_id, turn_uuid), []).append(sha)
        return found

    def turns_of_commits(self, shas: Sequence[str]) -> list[tuple[str, str, str]]:
        """(session id, turn, commit id) of every link of these commits; weak links left out."""
        sql = (
            "SELECT DISTINCT session_id, turn_uuid, sha FROM links"
            " WHERE sha IN (?) AND level != 'weak'"
        )
        return sorted(self.rows_in(sql, shas))

    def hook_events(self) -> list[HookEvent]:
        """Everything that git hooks reported, in order of time."""
        rows = self.rows(
            "SELECT id, hook, at, sha, worktree, branch, rewrites, detail FROM events"
            " ORDER BY at, id"
        )
        return [event_from(r) for r in rows]

    def rewrites(self) -> list[tuple[str, str, float]]:
        """(old commit id, new commit id, time) of every rewrite that a hook reported."""
        return self.rows(
            "SELECT old, new, min(at) FROM rewrites GROUP BY old, new ORDER BY min(at), old, new"
        )

    def generation(self) -> int:
        """Grows whenever sessions or edits change: what linking compares to know whether there is
        anything new."""
        row = self.one("SELECT value FROM meta WHERE key = 'generation'")
        return int(row[0]) if row else 0


def event_from(row: Row) -> HookEvent:
    """The event of a row (id, hook, at, sha, worktree, branch, rewrites, detail)."""
    pairs = tuple((old, new) for old, new in json.loads(row[6]))
    values: list[Any] = [*row[:6], pairs, row[7]]
    return HookEvent(*values)


def event_values(event: HookEvent) -> tuple[object, ...]:
    """The row of `event_from`."""
    where = (event.sha, event.worktree, event.branch)
    return (event.id, event.hook, event.at, *where, json.dumps(event.rewrites), event.detail)


class LinkWriting(Database):
    """Storing what linking found. The caller holds the writer lock."""

    def replace_links(
        self,
        commits: Sequence[CommitRow],
        links: Iterable[tuple[Link, Sequence[Claim | tuple[int, int, int]]]],
    ) -> None:
        """Store these commits and links in place of all that was known of the commits, in one
        transaction. Every link belongs to one of `commits`; its claims are
        (edit number, position in the edit, line number in the commit)."""
        with self.transaction():
            self._forget_links([c.sha for c in commits])
            self.db.executemany(
                f"INSERT OR REPLACE INTO commits VALUES ({','.join('?' * 11)})",
                (_commit_values(c) for c in commits),
            )
            for link, claims in links:
                self._add_link(link, claims)

    def forget_commits(self, shas: Sequence[str]) -> None:
        """Drop commits and their links, so that linking looks at them anew."""
        with self.transaction():
            self._forget_links(shas)
            self.db.executemany("DELETE FROM commits WHERE sha = ?", ((s,) for s in shas))

    def _forget_links(self, shas: Sequence[str]) -> None:
        each = [(sha,) for sha in shas]
        self.db.executemany(
            "DELETE FROM claims WHERE link IN (SELECT id FROM links WHERE sha = ?)", each
        )
        self.db.executemany("DELETE FROM links WHERE sha = ?", each)

    def _add_link(self, link: Link, claims: Sequence[Claim | tuple[int, int, int]]) -> None:
        number = self.db.execute(
            "INSERT INTO links (sha, session_id, turn_uuid, harness, relation, content, proof,"
            f" level, score, path, lines, source, edit_id) VALUES ({','.join('?' * 13)})",
            _link_values(link),
        ).lastrowid
        self.db.executemany(
            "INSERT INTO claims (edit, link, lines) VALUES (?, ?, ?)",
            ((edit, number, lines) for edit, lines in _packed(claims)),
        )


def _link_values(link: Link) -> tuple[object, ...]:
    evidence = (link.relation, link.content, link.proof, link.level, link.score)
    where = (link.path, json.dumps(link.lines), link.source, link.edit_id)
    return (link.commit, link.session_id, link.turn_uuid, link.harness, *evidence, *where)


def _commit_values(commit: CommitRow) -> tuple[object, ...]:
    who = (commit.author, commit.email, commit.subject, " ".join(commit.parents))
    what = (commit.reason, commit.added, commit.removed, commit.generation)
    return (commit.sha, commit.commit_time, commit.author_time, *who, *what)


def _packed(claims: Sequence[Claim | tuple[int, int, int]]) -> Iterator[tuple[int, bytes]]:
    plain = sorted(
        (c.edit, c.pos, c.lineno) if isinstance(c, Claim) else (c[0], c[1], c[2]) for c in claims
    )
    for edit, group in groupby(plain, key=lambda c: c[0]):
        flat = array("q")
        for _, pos, lineno in group:
            flat.extend((pos, lineno))
        yield edit, flat.tobytes()
