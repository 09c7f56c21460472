"""`git funes why`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import reading


def why(
    target: str,
    /,
    *,
    at: str | None = None,
    n: options.Count = 5,
    format: options.Format = None,
    exit_code: bool = False,
) -> int:
    """Show the turns behind a line, a function, a file or a commit

    Quotes the prompt, the agent's own words before the edit, and the edit, with the commit and
    the evidence for it. Where no turn is proven to be behind a line, says why. Lines that are not
    committed yet are answered from the sessions too.

    Example: git funes why src/cache.py:88

    Parameters
    ----------
    target
        FILE:LINE, FILE:FROM-TO, FILE:SYMBOL (a function or a class, as `git log -L :SYMBOL:FILE`
        finds it), FILE or a commit.
    at
        Explain the file as it is in this revision, not in the working tree.
    n
        Show at most this many turns (5); -3 is short for -n 3.
    format
        Terminals get human, pipes get agent.
    exit_code
        Exit with 1 if no turn was found.
    """
    from funes_git.why import target as answers

    out = output.choose(format)
    with reading(links=True) as (repo, catalog):
        found = answers.why(repo, catalog, target, at=at, n=n)
        if out.format == "json":
            from funes_git.render import json

            out.json(json.why(found))
        elif out.format == "agent":
            from funes_git.render import agent

            out.recorded(repo.name, agent.why(found))
        else:
            from funes_git.render import why as human

            out.lines(human.why(out.page, found))
    return int(exit_code and not found.answers)
