"""JSON of what is kept: `init`, `status` and `models`. The rest is in json.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from funes_git.render import json, wired

if TYPE_CHECKING:
    from funes_git.hosts.githooks import HookState
    from funes_git.models import ModelInfo
    from funes_git.render.setup import Setup
    from funes_git.render.state import State
    from funes_git.store.records import Stats
    from funes_git.worker import WorkerState


def setup(done: Setup) -> json.Object:
    """`init`: what is there now, what was added, and the coverage."""
    return json.document(
        repository=done.repository,
        hooks=_hooks(done.hooks),
        agents=_agents(done.stats),
        indexed=json.indexed(done.report),
        links=json.coverage(done.linked),
        recorded=list(done.recorded),
    )


def _hooks(found: HookState) -> json.Object:
    return {"state": found.state, "detail": found.detail}


def _agents(stats: Stats) -> json.Object:
    return {name: {"sessions": n, "turns": turns} for name, (n, turns) in stats.agents.items()}


def status(found: State) -> json.Object:
    """`status`: times in seconds since the epoch, sizes in bytes."""
    stats, totals = found.stats, found.stats.totals
    return json.document(
        repository=found.repository,
        memory=found.memory,
        pushed_to=found.pushed_to,
        sessions=totals.sessions,
        turns=totals.turns,
        edits=totals.edits,
        chunks=totals.chunks,
        vectors={"made": totals.vectors, "wanted": totals.prose},
        agents=_agents(stats),
        sources=stats.sources,
        first_ts=stats.first_ts,
        last_ts=stats.last_ts,
        indexed_at=stats.indexed_at,
        skipped_records=totals.skipped,
        redactions=totals.redactions,
        links=stats.links,
        commits={"seen": stats.commits, "linked": stats.linked_commits},
        unlinked=stats.unlinked,
        hooks=_hooks(found.hooks) if found.hooks else None,
        added=[wired.document_of(each) for each in found.wired],
        worker=_worker(found.worker, stats) if found.worker else None,
        model={"name": found.model, "from": found.model_from},
        sizes=dict(found.sizes),
    )


def _worker(found: WorkerState, stats: Stats) -> json.Object:
    failed_at, failure = stats.last_error or (None, None)
    return {
        "pid": found.pid,
        "pending": found.pending,
        "set_aside": found.set_aside,
        "error": failure,
        "error_ts": failed_at,
    }


def models(rows: Sequence[ModelInfo]) -> json.Object:
    """`models`: the known models; `from` is null where the weights are not on this machine."""
    return json.document(models=[_model(row) for row in rows])


def _model(row: ModelInfo) -> json.Object:
    return {
        "name": row.name,
        "dim": row.dim,
        "used": row.configured,
        "from": row.weights.origin if row.weights else None,
        "folder": str(row.weights.folder) if row.weights else None,
        "reads": row.reads,
        "vectors": row.vectors,
    }
