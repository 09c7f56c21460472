"""`git funes blame`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import reading
from funes_git.render import agent, history, json
from funes_git.targets import parse_range


def blame(
    file: str,
    /,
    *,
    lines: options.Lines = None,
    at: str | None = None,
    format: options.Format = None,
) -> int:
    """Show for each line which agent or person wrote it

    As `git blame`, with the agent's session and how well it is proven in place of the author.

    Example: git funes blame -L 30,50 src/cache.py --at v1.2

    Parameters
    ----------
    file
        A file of the repository.
    lines
        Only these lines of the file, as `git blame` takes them: 30,50 or 30,+20 or 30.
    at
        The file as it is in this revision, not in the working tree.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git.why.blame import blame as blamed

    asked = parse_range(lines) if lines is not None else None
    out = output.choose(format)
    with reading(links=True) as (repo, catalog):
        rows = blamed(repo, catalog, file, at=at, lines=asked)
        if out.format == "json":
            out.json(json.blame(file, rows))
        elif out.format == "agent":
            out.recorded(repo.name, agent.blame(file, rows))
        else:
            out.lines(history.blame(out.page, rows))
    return 0
