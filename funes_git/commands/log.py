"""`git funes log`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import from_top, need_commit, reading
from funes_git.git import Repo
from funes_git.model import LogEntry
from funes_git.render import agent, history, json
from funes_git.store.catalog import Catalog


def log(
    *revision: str,
    all: bool = False,
    n: options.Count = options.MOST,
    path: tuple[str, ...] = (),
    since: str | None = None,
    until: str | None = None,
    author: str | None = None,
    no_merges: bool = False,
    first_parent: bool = False,
    memory: str | None = None,
    format: options.Format = None,
    exit_code: bool = False,
) -> int:
    """Show commits with the turns behind them

    Takes revisions, ranges and paths as `git log` does.

    Example: git funes log -5 v1.1..v1.2 -- src

    Parameters
    ----------
    revision
        Revisions or ranges; HEAD if none is given.
    all
        All refs.
    n
        Show at most this many commits; -5 is short for -n 5.
    path
        Only commits that touch it; -- PATH is the same.
    since
        Only commits after this date.
    until
        Only commits before this date.
    author
        Only commits by this author.
    no_merges
        Leave out merges.
    first_parent
        Follow only the first parent of merges.
    memory
        Ask this memory instead of the repository's own: ORG/NAME[@REVISION] on the Hugging Face
        Hub, or a path.
    format
        Terminals get human, pipes get agent; json prints one object a line.
    exit_code
        Exit with 1 if no turn is behind any of the commits.
    """
    asked = list(_asked(all, n, since, until, author, no_merges, first_parent))
    out = output.choose(format)
    with reading(links=True, memory=memory) as (repo, catalog):
        args = [*asked, *revision]
        entries = _Seen(found(repo, catalog, args, path, prompts=out.format == "human"))
        if out.format == "json":
            for entry in entries:
                out.json(json.log(entry))
        elif out.format == "agent":
            out.recorded(repo.name, (row for entry in entries for row in agent.log(entry)))
        else:
            out.lines(row for entry in entries for row in history.log(out.page, entry))
    return int(exit_code and not entries.linked)


def found(
    repo: Repo, catalog: Catalog, args: Sequence[str], path: Sequence[str], *, prompts: bool
) -> Iterator[LogEntry]:
    """The commits that `git log ARGS -- PATH` shows, with their links, and with `prompts` the
    prompts behind these. Raises UnknownTarget."""
    from funes_git.why.log import log as logged

    named = any(not arg.startswith("-") or arg == "--all" for arg in args)
    if not named:
        need_commit(repo)
    paths = [from_top(repo, item) for item in path]
    return logged(repo, catalog, [*args, *(["--", *paths] if paths else [])], prompts=prompts)


def _asked(
    everything: bool,
    n: int,
    since: str | None,
    until: str | None,
    author: str | None,
    no_merges: bool,
    first_parent: bool,
) -> Iterator[str]:
    """The options in git's own words."""
    flags = {"--all": everything, "--no-merges": no_merges, "--first-parent": first_parent}
    yield from (flag for flag, given in flags.items() if given)
    values = {"--max-count": str(n), "--since": since, "--until": until}
    values["--author"] = author
    yield from (f"{name}={value}" for name, value in values.items() if value is not None)


class _Seen:
    """Passes entries on and remembers whether any had a link."""

    def __init__(self, entries: Iterable[LogEntry]) -> None:
        self._entries, self.linked = entries, False

    def __iter__(self) -> Iterator[LogEntry]:
        for entry in self._entries:
            self.linked = self.linked or bool(entry.links)
            yield entry
