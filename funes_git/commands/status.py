"""`git funes status`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import reading
from funes_git.hosts import githooks
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
        models = Models(repo.settings)
        weights = models.find()
        found = human.State(
            repository=repo.name,
            stats=catalog.stats(),
            hooks=githooks.state(repo),
            worker=worker.state(repo.layout),
            model=models.name,
            model_from=weights.origin if weights else None,
            sizes=sizes(repo.layout),
        )
    if out.format == "json":
        from funes_git.render import jsonstate

        out.json(jsonstate.status(found))
    else:
        out.lines(human.status(out.page, found))
    return 0
