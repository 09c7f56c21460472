"""Reading edits and printed commits from the catalog. Standard library only."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from funes_git.model import EditRecord
from funes_git.store.database import Row
from funes_git.store.links import LinkReading
from funes_git.store.pack import expand, texts_to_json
from funes_git.store.records import EditRow, flat_keys, unpack_keys

EDIT = """SELECT e.id, e.edit_id, s.session_id, t.turn_uuid, s.harness, t.thread, e.ts, e.path,
  e.old_path, e.operation, e.origin, e.tool, t.retracted, e.added, e.removed
  FROM edits e JOIN turns t ON t.id = e.turn AND t.seq IS NOT NULL
  JOIN sessions s ON s.id = e.session """
RECORD = """SELECT e.turn, e.edit_id, s.session_id, t.turn_uuid, e.tool_use_id, e.n, e.ts, e.path,
  e.operation, e.tool, e.origin, e.recorded_path, e.old_path, e.body, e.added, e.removed
  FROM edits e JOIN turns t ON t.id = e.turn JOIN sessions s ON s.id = e.session """


def _row(row: Row) -> EditRow:
    values: list[Any] = [*row[:12], bool(row[12]), *row[13:]]
    return EditRow(*values)


def _by_time(row: EditRow) -> tuple[float, str]:
    return (row.ts or 0.0, row.edit_id)


def _record(row: Row) -> EditRecord:
    old, new, diff = json.loads(expand(row[13]))
    added, removed = (tuple(unpack_keys(data)) for data in row[14:16])
    values: list[Any] = [*row[1:13], old, new, diff, added, removed]
    return EditRecord(*values)


class EditReading(LinkReading):
    """What the catalog knows of edits. An edit whose turn has not been read is left out."""

    def edits_at(self, paths: Sequence[str]) -> list[EditRow]:
        """The edits that wrote any of `paths` (relative to the top of the working tree), or moved
        a file away from one, in order of time."""
        found = {r[0]: _row(r) for r in self.rows_in(EDIT + "WHERE e.path IN (?)", paths)}
        moved = EDIT + "WHERE e.old_path IN (?) AND e.old_path IS NOT NULL"
        found.update((r[0], _row(r)) for r in self.rows_in(moved, paths))
        return sorted(found.values(), key=_by_time)

    def edits_of_session_at(self, session_id: str, paths: Sequence[str]) -> list[EditRow]:
        """The edits that one session made at any of `paths`, in order of time."""
        marks = ",".join("?" * len(paths))
        sql = EDIT + f"WHERE s.session_id = ? AND e.path IN ({marks})"
        return sorted((_row(r) for r in self.rows(sql, (session_id, *paths))), key=_by_time)

    def edits_named(self, basenames: Sequence[str]) -> list[EditRow]:
        """The edits of files with any of these names, in any folder, in order of time."""
        rows = self.rows_in(EDIT + "WHERE e.basename IN (?)", basenames)
        return sorted((_row(r) for r in rows), key=_by_time)

    def paths_named(self, basename: str) -> set[str]:
        """The paths of edits that end in this name; not those that an edit moved a file from."""
        rows = self.rows("SELECT DISTINCT path FROM edits WHERE basename = ?", (basename,))
        return {r[0] for r in rows}

    def all_edit_paths(self) -> set[str]:
        """Every path that an edit wrote, moved or deleted."""
        rows = self.rows(
            "SELECT DISTINCT path FROM edits UNION"
            " SELECT old_path FROM edits WHERE old_path IS NOT NULL"
        )
        return {r[0] for r in rows}

    def renames(self) -> list[tuple[str, str, float | None]]:
        """(old path, new path, time) of every edit that moved a file, in order of time."""
        return self.rows(
            "SELECT old_path, path, ts FROM edits WHERE old_path IS NOT NULL ORDER BY ts, edit_id"
        )

    def created(self, wanted: frozenset[int] | None = None) -> dict[int, list[tuple[float, str]]]:
        """The exact hash of each line (of those `wanted`) of every edit that created a file → time
        and path of the edits that have it."""
        found: dict[int, list[tuple[float, str]]] = {}
        sql = "SELECT ts, path, added FROM edits WHERE operation = 'create' AND ts IS NOT NULL"
        for ts, path, added in self.rows(sql):
            hashes = flat_keys(added)[1::3]
            for exact in set(hashes) if wanted is None else wanted.intersection(hashes):
                found.setdefault(exact, []).append((ts, path))
        return found

    def edit(self, edit_id: str) -> EditRecord | None:
        """An edit whole, with its texts."""
        row = self.one(RECORD + "WHERE e.edit_id = ?", (edit_id,))
        return _record(row) if row else None

    def edit_rows(self, edit_ids: Sequence[str]) -> list[EditRow]:
        """What linking needs of these edits, in order of time."""
        rows = self.rows_in(EDIT + "WHERE e.edit_id IN (?)", edit_ids)
        return sorted((_row(r) for r in rows), key=_by_time)

    def edits_with(self, text: str) -> Iterator[EditRecord]:
        """The edits in whose diff one of the lines of `text` stands, newest first; those of turns
        that were taken back are left out."""
        first = next((line for line in text.split("\n") if line.strip()), text)
        wanted = texts_to_json(first)[2:-2]
        ids = self.rows(
            "SELECT e.id FROM edits e JOIN turns t ON t.id = e.turn"
            " WHERE t.retracted = 0 ORDER BY e.ts DESC, e.edit_id"
        )
        for start in range(0, len(ids), 500):
            part = [row[0] for row in ids[start : start + 500]]
            found = self.rows_in(RECORD + "WHERE e.id IN (?)", part)
            records = [_record(row) for row in found if wanted in expand(row[13])]
            yield from sorted(records, key=lambda edit: (-(edit.ts or 0.0), edit.edit_id))

    def edits_that_removed(self, sha: str) -> list[tuple[EditRow, set[int]]]:
        """The edits whose removals linking found in a commit, in order of time, each with the
        positions of the lines that it removed."""
        sql = "SELECT edit, positions FROM claims WHERE sha = ? AND kind = 'removed'"
        found: dict[int, set[int]] = {}
        for edit, positions in self.rows(sql, (sha,)):
            found.setdefault(edit, set()).update(array("q", positions))
        rows = (_row(r) for r in self.rows_in(EDIT + "WHERE e.id IN (?)", list(found)))
        return [(row, found[row.id]) for row in sorted(rows, key=_by_time)]

    def edits_of_turns(self, turns: Iterable[int]) -> dict[int, list[EditRecord]]:
        """The edits of turns by the catalog's numbers, in the order of the calls."""
        found: dict[int, list[EditRecord]] = {}
        for row in self.rows_in(RECORD + "WHERE e.turn IN (?) ORDER BY e.id", list(turns)):
            found.setdefault(row[0], []).append(_record(row))
        for edits in found.values():
            edits.sort(key=lambda e: (e.ts or 0.0, e.tool_use_id, e.n))
        return found

    def edits_of(self, session_id: str) -> Iterator[EditRecord]:
        """The edits of a session, whole, also those whose turns have not been read."""
        for row in self.rows(RECORD + "WHERE s.session_id = ? ORDER BY e.id", (session_id,)):
            yield _record(row)

    def printed(
        self, prefix: str = ""
    ) -> list[tuple[str, str, str, str | None, str, float | None]]:
        """(commit id as printed, session id, turn, thread, verb, time) of every commit id that
        begins with `prefix` and that a git command of a session printed, in order of time."""
        return self.rows(
            "SELECT p.sha, s.session_id, t.turn_uuid, t.thread, p.verb, t.ts FROM printed p"
            " JOIN turns t ON t.id = p.turn JOIN sessions s ON s.id = t.session"
            " WHERE p.sha >= ? AND p.sha < ? ORDER BY t.ts, s.session_id, t.seq, p.n",
            (prefix, prefix + "g"),
        )

    def lines_written(self, paths: Sequence[str]) -> dict[int, float]:
        """The exact hash of every line that an edit at one of `paths` added → the time of the
        earliest such edit."""
        found: dict[int, float] = {}
        sql = "SELECT ts, added FROM edits WHERE path IN (?) AND ts IS NOT NULL"
        for ts, added in sorted(self.rows_in(sql, paths), key=lambda row: -row[0]):
            found.update(dict.fromkeys(flat_keys(added)[1::3], float(ts)))
        return found

    def texts_written(self, paths: Sequence[str]) -> Iterator[tuple[float, str]]:
        """Time and added lines of every edit at one of `paths`."""
        sql = "SELECT ts, body FROM edits WHERE path IN (?) AND ts IS NOT NULL"
        for ts, body in self.rows_in(sql, paths):
            _, _, diff = json.loads(expand(body))
            yield float(ts), "\n".join(row[1:] for row in diff.split("\n") if row[:1] == "+")

    def first_edit(self, path: str) -> float | None:
        """The time of the earliest edit at `path`, if there is any."""
        row = self.one("SELECT min(ts) FROM edits WHERE path = ?", (path,))
        return row[0] if row else None

    def families(self) -> dict[str, str]:
        """Session → the session that started it or that it was forked from, where there is one."""
        return dict(
            self.rows(
                "SELECT session_id, parent_session_id FROM sessions"
                " WHERE parent_session_id IS NOT NULL"
            )
        )
