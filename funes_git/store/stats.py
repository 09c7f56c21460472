"""Counting what is stored: over sessions and indices, never over turns.

Standard library only.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from funes_git.layout import Layout
from funes_git.store.database import Database
from funes_git.store.records import AgentTotals, Stats, Totals


class Counting(Database):
    """What `status` asks of the catalog."""

    def totals(self) -> Totals:
        """Counts over everything stored."""
        row = self.one(
            "SELECT coalesce(sum(turns > 0), 0), coalesce(sum(turns), 0), coalesce(sum(edits), 0),"
            " coalesce(sum(chunks), 0), coalesce(sum(prose), 0), coalesce(sum(vectors), 0),"
            " coalesce(sum(redactions), 0),"
            " (SELECT coalesce(sum(skipped), 0) FROM sources) FROM sessions"
        )
        return Totals(*row) if row else Totals()

    def by_agent(self) -> dict[str, AgentTotals]:
        """Counts of each harness that something is stored or was skipped of."""
        found = {
            harness: AgentTotals(sessions, turns, newest)
            for harness, sessions, turns, newest in self.rows(
                "SELECT harness, count(*), sum(turns), max(last_ts) FROM sessions WHERE turns > 0"
                " GROUP BY harness"
            )
        }
        skipped = self.rows(
            "SELECT harness, sum(skipped) FROM sources GROUP BY harness HAVING sum(skipped) > 0"
        )
        for harness, count in skipped:
            found[harness] = replace(found.get(harness, AgentTotals()), skipped=count)
        versions = self.rows(
            "SELECT DISTINCT harness, version FROM sessions WHERE version <> '' AND turns > 0"
        )
        for harness, version in versions:
            known = found.get(harness, AgentTotals())
            found[harness] = replace(known, versions=(*known.versions, version))
        return found

    def stats(self) -> Stats:
        """Everything that `status` shows of the catalog."""
        agents = self.rows(
            "SELECT harness, count(*), sum(turns) FROM sessions WHERE turns > 0"
            " GROUP BY harness ORDER BY harness"
        )
        span = self.one("SELECT min(first_ts), max(last_ts) FROM sessions") or (None, None)
        reasons: dict[str | None, int] = dict(
            self.rows("SELECT reason, count(*) FROM commits GROUP BY reason")
        )
        linked = reasons.pop(None, 0)
        sources = self.one("SELECT count(*) FROM sources")
        failed = self.setting("last_error")
        at = self.setting("indexed_at")
        return Stats(
            totals=self.totals(),
            agents={harness: (sessions, turns) for harness, sessions, turns in agents},
            sources=sources[0] if sources else 0,
            first_ts=span[0],
            last_ts=span[1],
            links=dict(self.rows("SELECT level, count(*) FROM links GROUP BY level")),
            commits=linked + sum(reasons.values()),
            linked_commits=linked,
            unlinked={str(reason): n for reason, n in reasons.items()},
            indexed_at=float(at) if at else None,
            last_error=tuple(json.loads(failed)) if failed else None,
        )

    def setting(self, name: str) -> str | None:
        """A value that the catalog keeps about itself, or None."""
        row = self.one("SELECT value FROM meta WHERE key = ?", (name,))
        return None if row is None or row[0] is None else str(row[0])


def sizes(layout: Layout) -> dict[str, int]:
    """Bytes on disk of each part of the memory that exists: `memory`, `catalog`, `decisions`,
    `text`, `vectors`."""
    parts = {
        "memory": [layout.memory],
        "catalog": [layout.catalog, layout.catalog.with_name(layout.catalog.name + "-wal")],
        "decisions": [layout.decisions],
        "text": [layout.text],
        "vectors": [layout.vectors],
    }
    found = {name: sum(_size(path) for path in paths) for name, paths in parts.items()}
    return {name: size for name, size in found.items() if size}


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(_file_size(p) for p in path.rglob("*") if not p.is_dir())
    return _file_size(path)


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # a writer removed it in the meantime
        return 0
