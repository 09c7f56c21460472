"""`git funes blame`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import reading
from funes_git.render import agent, history, json


def blame(file: str, /, *, at: str | None = None, format: options.Format = None) -> int:
    """Show for each line which agent or person wrote it

    As `git blame`, with the agent's session and how well it is proven in place of the author.

    Example: git funes blame src/cache.py --at v1.2

    Parameters
    ----------
    file
        A file of the repository.
    at
        The file as it is in this revision, not in the working tree.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git import why

    out = output.choose(format)
    with reading(links=True) as (repo, catalog):
        lines = why.blame(repo, catalog, file, at=at)
        if out.format == "json":
            out.json(json.blame(file, lines))
        elif out.format == "agent":
            out.recorded(repo.name, agent.blame(file, lines))
        else:
            out.lines(history.blame(out.page, lines))
    return 0
