"""`git funes status`."""

from __future__ import annotations

from funes_git import config, output
from funes_git.commands import options
from funes_git.commands.opened import reading
from funes_git.git import Repo
from funes_git.hosts import githooks, wiring
from funes_git.render import state as human
from funes_git.store.catalog import Catalog
from funes_git.store.stats import sizes


def status(
    *, agents: bool = False, memory: str | None = None, format: options.Format = None
) -> int:
    """Show what is indexed, linked and pending

    Example: git funes status

    Parameters
    ----------
    agents
        For each agent: where its sessions are looked for, what became of those that are there,
        what is indexed, and which versions wrote them; with --memory, what that one holds of it.
    memory
        Ask this memory instead of the repository's own: ORG/NAME[@REVISION] on the Hugging Face
        Hub, or a path.
    format
        Terminals get human, pipes get agent.
    """
    out = output.choose(format)
    if agents:
        return _agents(out, memory)
    with reading(memory=memory) as (repo, catalog):
        state = found(repo, catalog, memory)
    if out.format == "json":
        from funes_git.render import jsonstate

        out.json(jsonstate.status(state))
    else:
        out.lines(human.status(out.page, state))
    return 0


def found(repo: Repo, catalog: Catalog, memory: str | None = None) -> human.State:
    """Everything that is shown; of another memory than the repository's own, asked for as
    `memory`, nothing of what runs in this repository."""
    from funes_git import worker
    from funes_git.models import Models

    models = Models(repo.settings)
    weights = models.find()
    own = repo.memory is None
    return human.State(
        repository=repo.name,
        stats=catalog.stats(),
        hooks=githooks.state(repo) if own else None,
        worker=worker.state(repo.layout) if own else None,
        model=models.name,
        model_from=weights.origin if weights else None,
        sizes=sizes(repo.layout),
        wired=list(wiring.everywhere(repo)) if own else [],
        memory=None if own else memory,
        pushed_to=config.pushed_to(repo.settings) if own else None,
    )


def _agents(out: output.Output, memory: str | None) -> int:
    from funes_git.agents import survey
    from funes_git.render import agentlist

    with reading(memory=memory) as (repo, catalog):
        found = survey(repo, catalog)
    if out.format == "json":
        out.json(agentlist.document(repo.name, found))
    else:
        out.lines(agentlist.lines(out.page, found))
    return 0
