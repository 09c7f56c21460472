"""`git funes blame`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import reading
from funes_git.errors import UnknownTarget
from funes_git.model import BlameLine
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
    from funes_git import why

    asked = parse_range(lines) if lines is not None else None
    out = output.choose(format)
    with reading(links=True) as (repo, catalog):
        rows = _within(file, why.blame(repo, catalog, file, at=at), asked)
        if out.format == "json":
            out.json(json.blame(file, rows))
        elif out.format == "agent":
            out.recorded(repo.name, agent.blame(file, rows))
        else:
            out.lines(history.blame(out.page, rows))
    return 0


def _within(
    file: str, rows: list[BlameLine], asked: tuple[int, int | None] | None
) -> list[BlameLine]:
    if asked is None:
        return rows
    first, last = asked
    if first > len(rows):
        count = f"{len(rows):,} line{'' if len(rows) == 1 else 's'}"
        raise UnknownTarget(f"{file} has only {count}", hint=f"git funes blame {file}")
    return rows[first - 1 : last]
