"""Links, commits and hook events in the catalog: reading and writing. Standard library only."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from funes_git.model import Level, Link, LinkedCommit
from funes_git.origin import ATTRIBUTED
from funes_git.spans import merged, size
from funes_git.store.ancestry import AncestryReading, AncestryWriting, Placed
from funes_git.store.chains import REFLOG, ChainReading
from funes_git.store.database import Row
from funes_git.store.records import HookEvent

COMMIT = "SELECT sha, parents, commit_time, reason, added, explained FROM commits "
LineClaim: TypeAlias = tuple[int, int, str, str]
"""(edit number, position in the edit, kind, commit id): see link/pool.py."""


class Move(NamedTuple):
    """A commit that moved a file."""

    path: str
    old_path: str
    sha: str


SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SESSION_ID")
"""Environment variables whose value is the id of the session that runs the command."""

LINKED = ("claims", "links", "moves", "descents", "commits")
"""The tables that hold what linking found, each with a column `sha`."""

UNSETTLED = "INSERT OR IGNORE INTO unsettled VALUES (?)"

LINK = """SELECT sha, session_id, turn_uuid, harness, relation, content, proof, level, score, path,
  lines, source, edit_id FROM links """


def _commit(row: Row) -> LinkedCommit:
    return LinkedCommit(row[0], tuple(row[1].split()), *row[2:])


def _link(row: Row) -> Link:
    lines = tuple((first, last) for first, last in json.loads(row[10]))
    values: list[Any] = [*row[:10], lines, *row[11:]]
    return Link(*values)


class LinkReading(ChainReading, AncestryReading):
    """What the catalog knows of commits and links."""

    def known_commits(self) -> set[str]:
        """The full ids of all commits that linking has looked at."""
        return {r[0] for r in self.rows("SELECT sha FROM commits")}

    def linked_commits(self, shas: Sequence[str]) -> dict[str, LinkedCommit]:
        """Those of these commits that linking has looked at, by full id."""
        rows = self.rows_in(COMMIT + "WHERE sha IN (?)", shas)
        return {row[0]: _commit(row) for row in rows}

    def commit_parents(self) -> list[tuple[str, tuple[str, ...]]]:
        """Every commit that linking has looked at with its parents, parents first."""
        rows = self.rows("SELECT sha, parents FROM commits ORDER BY id")
        return [(sha, tuple(parents.split())) for sha, parents in rows]

    def commits_since(self, at: float) -> dict[str, tuple[str, ...]]:
        """The commits made at the time `at` or later that linking has looked at, each with its
        parents."""
        rows = self.rows("SELECT sha, parents FROM commits WHERE commit_time >= ?", (at,))
        return {sha: tuple(parents.split()) for sha, parents in rows}

    def levels_of(self, shas: Sequence[str]) -> dict[str, set[Level]]:
        """The levels of the links of each of these commits that has any."""
        found: dict[str, set[Level]] = {}
        for sha, level in self.rows_in("SELECT sha, level FROM links WHERE sha IN (?)", shas):
            found.setdefault(sha, set()).add(level)
        return found

    def lines_by_level(self, shas: Sequence[str]) -> dict[str, Counter[Level]]:
        """How many lines of each of these commits links explain, by their level; a line that
        several explain counts for the first."""
        sql = (
            "SELECT sha, path, level, lines FROM links WHERE relation = 'wrote'"
            " AND (content != 'none' OR level = 'imported') AND sha IN (?) ORDER BY id"
        )
        found: dict[str, Counter[Level]] = {}
        seen: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for sha, path, level, lines in self.rows_in(sql, shas):
            before = seen.get((sha, path), [])
            now = merged([*before, *map(tuple, json.loads(lines))])
            found.setdefault(sha, Counter())[level] += size(now) - size(before)
            seen[sha, path] = now
        return found

    def moves_to(self, path: str) -> list[Move]:
        """The commits that moved a file to `path`, as far as linking has looked at them."""
        sql = "SELECT path, old_path, sha FROM moves WHERE path = ? ORDER BY old_path, sha"
        return [Move(*row) for row in self.rows(sql, (path,))]

    def former_names(self, path: str) -> set[str]:
        """`path` with all paths from which commits moved files there."""
        names = {path}
        waiting = [path]
        while waiting:
            rows = self.rows("SELECT old_path FROM moves WHERE path = ?", (waiting.pop(),))
            waiting += sorted({old for (old,) in rows} - names)
            names.update(waiting)
        return names

    def links_of(self, shas: Sequence[str]) -> dict[str, list[Link]]:
        """The links of each of these commits that has any, best first."""
        found: dict[str, list[Link]] = {}
        rows = self.rows_in(LINK + "WHERE sha IN (?)", shas)
        for link in self.with_chains([_link(row) for row in rows]):
            found.setdefault(link.commit, []).append(link)
        for links in found.values():
            links.sort(key=lambda k: (-k.score, k.session_id, k.turn_uuid, k.path or "", k.lines))
        return found

    def shown_of(self, link: Link) -> list[tuple[int, int]]:
        """All lines of its commit that the edit of a link stands behind: links that are sure of
        their lines in another way share them out."""
        rows = self.rows(
            "SELECT lines FROM links WHERE sha = ? AND edit_id = ? AND path IS ? AND relation = ?",
            (link.commit, link.edit_id, link.path, link.relation),
        )
        return merged((first, last) for (lines,) in rows for first, last in json.loads(lines))

    def claims_of(self, edit_ids: Sequence[int]) -> list[LineClaim]:
        """What commits showed of the lines of these edits."""
        sql = "SELECT edit, positions, kind, sha FROM claims WHERE edit IN (?)"
        return [
            (edit, pos, kind, sha)
            for edit, positions, kind, sha in self.rows_in(sql, edit_ids)
            for pos in array("q", positions)
        ]

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

    def commits_of_files(self, paths: Iterable[Path]) -> list[str]:
        """The commits that turns of the sessions in these files are behind (`weak` ones do not
        count), the newest first."""
        sessions = self.rows_in(
            "SELECT DISTINCT s.session_id FROM turns t JOIN files f ON f.id = t.file"
            " JOIN sessions s ON s.id = t.session WHERE f.path IN (?)",
            [str(path) for path in paths],
        )
        found = self.rows_in(
            "SELECT DISTINCT c.commit_time, c.sha FROM links l JOIN commits c ON c.sha = l.sha"
            " WHERE l.level <> 'weak' AND l.session_id IN (?)",
            [session for (session,) in sessions],
        )
        return [sha for _, sha in sorted(set(found), reverse=True)]

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
            " WHERE hook != ? ORDER BY at, id",
            (ATTRIBUTED,),
        )
        return [event_from(r) for r in rows]

    def heard_events(self, after: int) -> list[tuple[int, HookEvent]]:
        """(number, event) of what git's reflogs told, numbered after `after`."""
        sql = (
            "SELECT n, id, hook, at, sha, worktree, branch, rewrites, detail FROM events"
            " WHERE n > ? AND hook = ? ORDER BY n"
        )
        return [(row[0], event_from(row[1:])) for row in self.rows(sql, (after, REFLOG))]

    def hook_sessions(self, sha: str) -> list[str]:
        """The sessions inside which a git hook saw the commit being made, by the variables that
        agents set for the programs they run."""
        sql = "SELECT detail FROM events WHERE sha = ? AND hook = 'post-commit' ORDER BY at, id"
        found: list[str] = []
        for (detail,) in self.rows(sql, (sha,)):
            seen = json.loads(detail).get("env") or {} if detail.startswith("{") else {}
            found += [seen[name] for name in SESSION_VARIABLES if seen.get(name)]
        return found

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


class LinkWriting(AncestryWriting):
    """Storing what linking found. The caller holds the writer lock."""

    def replace_links(
        self,
        commits: Sequence[LinkedCommit],
        links: Iterable[Link],
        claims: Iterable[LineClaim],
        moves: Iterable[Move] = (),
        placed: Placed | None = None,
    ) -> None:
        """Store these commits, links, claims and moves in place of all that was known of the
        commits, in one transaction, and where commits were `placed`. New commits must come parents
        first."""
        with self.transaction():
            self._forget([c.sha for c in commits])
            self.db.executemany(
                "INSERT INTO commits (sha, parents, commit_time, reason, added, explained)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (_commit_values(c) for c in commits),
            )
            self.db.executemany(
                "INSERT INTO links (sha, session_id, turn_uuid, harness, relation, content, proof,"
                f" level, score, path, lines, source, edit_id) VALUES ({','.join('?' * 13)})",
                (_link_values(link) for link in links),
            )
            packed = list(_packed(claims))
            self.db.executemany("INSERT INTO claims VALUES (?, ?, ?, ?)", packed)
            self.db.executemany(UNSETTLED, ((row[0],) for row in packed))
            self.db.executemany("INSERT OR IGNORE INTO moves VALUES (?, ?, ?)", moves)
            if placed:
                self._keep(placed)

    def forget_links(self, shas: Sequence[str]) -> None:
        """Drop these commits with their links and claims; and in the same transaction the note up
        to where everything is linked (`linked_tips`), so that they are surely linked again."""
        with self.transaction():
            self._forget(shas)
            self.db.execute("DELETE FROM meta WHERE key = 'linked_tips'")

    def _forget(self, shas: Sequence[str]) -> None:
        each = [(sha,) for sha in shas]
        self.db.executemany(
            "INSERT OR IGNORE INTO unsettled SELECT edit FROM claims WHERE sha = ?", each
        )
        for table in LINKED:
            self.db.executemany(f"DELETE FROM {table} WHERE sha = ?", each)


def _link_values(link: Link) -> tuple[object, ...]:
    evidence = (link.relation, link.content, link.proof, link.level, link.score)
    where = (link.path, json.dumps(link.lines), link.source, link.edit_id)
    return (link.commit, link.session_id, link.turn_uuid, link.harness, *evidence, *where)


def _commit_values(commit: LinkedCommit) -> tuple[object, ...]:
    figures = (commit.reason, commit.added, commit.explained)
    return (commit.sha, " ".join(commit.parents), commit.commit_time, *figures)


def _packed(claims: Iterable[LineClaim]) -> Iterator[tuple[int, str, str, bytes]]:
    by_key: dict[tuple[int, str, str], array[int]] = {}
    for edit, pos, kind, sha in claims:
        by_key.setdefault((edit, sha, kind), array("q")).append(pos)
    for (edit, sha, kind), positions in by_key.items():
        yield edit, sha, kind, positions.tobytes()
