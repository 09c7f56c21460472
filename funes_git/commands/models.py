"""`git funes models`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import held_vectors, settings
from funes_git.render import jsonstate, state


def models(action: options.Action = "list", /, *, format: options.Format = None) -> int:
    """Show which model weights are used, or pull them

    Weights are never downloaded without `pull`; without any, words still answer. Another model of
    fastembed's catalogue is used after `git config funes.model NAME` and `git funes reindex`.

    Example: git funes models pull

    Parameters
    ----------
    action
        list shows the weights and where they are; pull downloads those of the configured model,
        and of the one that reads the best candidates of recall closely.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git.models import RERANKER, Models

    out = output.choose(format)
    known = Models(settings())
    if action == "pull":
        output.note(f"looking for {known.name}, then downloading it from the Hugging Face Hub")
        known.pull()
        known.pull(RERANKER)
    rows = known.listing(held_vectors())
    if out.format == "json":
        out.json(jsonstate.models(rows))
    else:
        out.lines(state.models(out.page, rows))
    return 0
