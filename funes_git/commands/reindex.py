"""`git funes reindex`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.making import (
    change_model,
    choose_model,
    link_everything,
    make_vectors,
    telling,
)
from funes_git.commands.opened import here
from funes_git.render import json, state
from funes_git.store.stores import Stores


def reindex(
    *,
    model: str | None = None,
    no_embed: bool = False,
    wait: bool = False,
    format: options.Format = None,
) -> int:
    """Rebuild everything that is derived from the memory

    Needs neither the agents' files nor the catalog: only the memory and git. Run it for another
    model, or when `git funes doctor` says so. What was interrupted goes on with the next `git funes
    index --wait`, or in the background.

    Example: git funes reindex --model BAAI/bge-small-en-v1.5 --wait

    Parameters
    ----------
    model
        Embed with this model of `git funes models` from now on; sets `funes.model`.
    no_embed
        Make no vectors that are missing.
    wait
        Stay until the vectors are made.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git import worker

    out = output.choose(format)
    if model is not None:
        choose_model(here(), model)
    repo = here()
    with Stores.open(repo.layout, write=True, repair=True) as stores:
        stores.known_as(*repo.identity())
        lost, restored = stores.reindex(telling(out))
        out.progress_done()
        if lost:
            output.note(f"note: {state.tables_lost(lost, restored)}")
        change_model(repo, stores)
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
