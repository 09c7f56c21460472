"""`git funes link`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import here
from funes_git.errors import UsageError
from funes_git.link import engine
from funes_git.render import json, state
from funes_git.store.stores import Stores


def link(*range: str, all: bool = False, format: options.Format = None) -> int:
    """Tie turns to commits and lines, and report coverage

    Every command that needs links catches up by itself; this computes them anew.

    Example: git funes link v1.1..v1.2

    Parameters
    ----------
    range
        Revisions or ranges; the history of HEAD if none is given.
    all
        All refs.
    format
        Terminals get human, pipes get agent.
    """
    if all and range:
        raise UsageError("--all and a range exclude each other", hint="git funes link -h")
    from funes_git import worker

    out = output.choose(format)
    repo = here()
    with Stores.open(repo.layout, write=True) as stores:
        worker.drain(repo, stores)
        found = engine.link(
            repo,
            stores.writer,
            range,
            everything=all,
            progress=lambda done, total: out.progress(done, total, "commits linked"),
        )
    out.progress_done()
    if out.format == "json":
        out.json(json.document(**json.coverage(found)))
    else:
        out.lines(state.coverage(out.page, found))
    return 0
