"""Figures of the layers below as the renderings take them. Imports none of these layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funes_git.render.state import Coverage, Holdings, Indexed

if TYPE_CHECKING:
    from funes_git.ingest import IndexReport
    from funes_git.link.engine import LinkReport
    from funes_git.store.records import Stats


def coverage(report: LinkReport) -> Coverage:
    """A linking report as the renderings take it."""
    return Coverage(
        commits=report.commits,
        linked={str(level): n for level, n in report.linked.items()},
        unlinked={str(reason): n for reason, n in report.unlinked.items()},
        seconds=report.seconds,
    )


def holdings(stats: Stats) -> Holdings:
    """What the memory holds as the renderings take it."""
    totals = stats.totals
    return Holdings(
        sessions=totals.sessions,
        turns=totals.turns,
        edits=totals.edits,
        chunks=totals.chunks,
        prose=totals.prose,
        vectors=totals.vectors,
        redactions=totals.redactions,
        skipped=totals.skipped,
        agents=stats.agents,
        sources=stats.sources,
        first_ts=stats.first_ts,
        last_ts=stats.last_ts,
        indexed_at=stats.indexed_at,
    )


def indexed(report: IndexReport) -> Indexed:
    """An indexing report as the renderings take it."""
    return Indexed(
        sessions=report.sessions,
        turns=report.turns,
        edits=report.edits,
        chunks=report.chunks,
        skipped_records=report.skipped_records,
        redactions=report.redactions,
        seconds=report.seconds,
    )
