"""`git funes models`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import settings
from funes_git.render import jsonstate, state


def models(action: options.Action = "list", /, *, format: options.Format = None) -> int:
    """Show which model weights are used, or pull them

    Weights are never downloaded without `pull`; without any, words still answer.

    Example: git funes models pull

    Parameters
    ----------
    action
        list shows the weights and where they are; pull downloads those of the configured model.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git.models import Models

    out = output.choose(format)
    known = Models(settings())
    if action == "pull":
        output.note(f"looking for {known.name}, then downloading it from the Hugging Face Hub")
        known.pull()
    rows = known.listing()
    if out.format == "json":
        out.json(jsonstate.models(rows))
    else:
        out.lines(state.models(out.page, rows))
    return 0
