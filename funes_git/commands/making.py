"""The steps that `init`, `index` and `reindex` share: read, link, make vectors, with progress."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from funes_git.git import Repo
from funes_git.link import engine
from funes_git.output import Output
from funes_git.render.state import Coverage, Holdings, Indexed
from funes_git.store.records import Stats
from funes_git.store.stores import Stores


def index_and_link(
    repo: Repo,
    stores: Stores,
    out: Output,
    *,
    paths: Sequence[Path] = (),
    agents: Sequence[str] = (),
    adopt: bool = False,
) -> tuple[Indexed, Coverage]:
    """Read what is new, and link what is new or newly explained."""
    from funes_git import ingest, worker

    report = ingest.index(
        repo, stores, paths=paths, agents=agents, adopt=adopt, progress=out.progress
    )
    worker.drain(repo, stores)
    linked = engine.catch_up(
        repo,
        stores.catalog,
        since=report.earliest_edit,
        progress=lambda done: out.progress(done, 0, "commits linked"),
    )
    out.progress_done()
    added = Indexed(
        sessions=report.sessions,
        turns=report.turns,
        edits=report.edits,
        chunks=report.chunks,
        skipped_records=report.skipped_records,
        redactions=report.redactions,
        seconds=report.seconds,
    )
    return added, coverage(linked)


def link_everything(repo: Repo, stores: Stores, out: Output) -> Coverage:
    """Link the whole history anew."""
    linked = engine.link(
        repo,
        stores.catalog,
        everything=True,
        progress=lambda done: out.progress(done, 0, "commits linked"),
    )
    out.progress_done()
    return coverage(linked)


def make_vectors(repo: Repo, out: Output) -> int:
    """Make the vectors that are missing; how many were made. Call it without the writer lock, which
    it takes for each write. Raises NoModel where no weights are found."""
    from funes_git.models import Models
    from funes_git.vectorise import vectorise

    made = vectorise(repo.layout, Models(repo.settings), progress=out.progress)
    out.progress_done()
    return made


def coverage(report: engine.LinkReport) -> Coverage:
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
