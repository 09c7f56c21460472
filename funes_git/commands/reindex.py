"""`git funes reindex`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.making import link_everything, make_vectors
from funes_git.commands.opened import here
from funes_git.render import json, state
from funes_git.store.stores import Stores


def reindex(*, no_embed: bool = False, wait: bool = False, format: options.Format = None) -> int:
    """Rebuild everything that is derived from the memory

    Needs neither the agents' files nor the catalog: only the memory and git. Run it after another
    model was chosen, or when `git funes doctor` says so.

    Example: git funes reindex --wait

    Parameters
    ----------
    no_embed
        Make no vectors that are missing.
    wait
        Stay until the vectors are made.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git import worker

    out = output.choose(format)
    repo = here()
    with Stores.open(repo.layout, write=True, repair=True) as stores:
        stores.known_as(*repo.identity())
        lost, restored = stores.reindex()
        if lost:
            output.note(f"note: {state.tables_lost(lost, restored)}")
        linked = link_everything(repo, stores, out)
        stats = stores.catalog.stats()
    if wait:
        make_vectors(repo, out)
    if not (no_embed or wait):
        worker.start_detached(repo)
    if out.format == "json":
        held = stats.totals
        counted = {"sessions": held.sessions, "turns": held.turns, "chunks": held.chunks}
        out.json(json.document(**counted, **json.coverage(linked)))
    else:
        out.lines([f"rebuilt from the memory: {state.sessions(stats)}"])
        out.lines(state.coverage(out.page, linked))
    return 0
