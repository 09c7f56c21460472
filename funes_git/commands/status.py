"""`git funes status`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.figures import holdings
from funes_git.commands.opened import reading
from funes_git.hosts import githooks
from funes_git.render import json
from funes_git.render import state as human
from funes_git.store.stats import sizes


def status(*, format: options.Format = None) -> int:
    """Show what is indexed, linked and pending

    Example: git funes status

    Parameters
    ----------
    format
        Terminals get human, pipes get agent.
    """
    from funes_git import worker
    from funes_git.models import Models

    out = output.choose(format)
    with reading() as (repo, catalog):
        stats = catalog.stats()
        hooks = githooks.state(repo)
        models = Models(repo.settings)
        weights = models.find()
        background = worker.state(repo.layout)
        failed_at, failure = stats.last_error or (None, None)
        found = human.State(
            repository=repo.name,
            held=holdings(stats),
            coverage=human.Coverage(
                stats.commits, stats.links, stats.unlinked, found=stats.linked_commits
            ),
            hooks=hooks.state,
            hooks_detail=hooks.detail,
            worker=human.Worker(
                background.pid, background.pending, background.set_aside, failure, failed_at
            ),
            model=models.name,
            model_from=weights.origin if weights else None,
            sizes=sizes(repo.layout),
        )
    if out.format == "json":
        out.json(json.status(found))
    else:
        out.lines(human.status(out.page, found))
    return 0
