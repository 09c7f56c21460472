"""`git funes log`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import from_top, need_commit, reading
from funes_git.git import Repo
from funes_git.model import LogEntry
from funes_git.render import agent, history, json
from funes_git.store.catalog import Catalog

if TYPE_CHECKING:
    from funes_git.runs import Run


def log(
    *revision: str,
    all: bool = False,
    n: options.Count = options.MOST,
    path: tuple[str, ...] = (),
    ran: tuple[str, ...] = (),
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

    Takes revisions, ranges and paths as `git log` does. With --ran it lists what agents ran, not
    commits: each command with its exit status and the commit that was checked out.

    Example: git funes log --ran 'terraform apply*' --since '2 weeks ago'

    Parameters
    ----------
    revision
        Revisions or ranges; HEAD if none is given.
    all
        All refs.
    n
        Show at most this many commits (or commands); -5 is short for -n 5.
    path
        Only commits that touch it; -- PATH is the same.
    ran
        List the shell commands that fit this pattern, newest first: 'terraform apply*',
        '*migrate*'. Of several commands on a line each counts; the exit status is the line's. With
        revisions or paths only those at such a commit, or of an exchange that made one.
    since
        Only commits (or commands) after this date; a day alone means its midnight.
    until
        Only commits (or commands) before this date.
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
    out = output.choose(format, memory)
    if ran:
        wanted = list(_asked(all, None, None, None, author, no_merges, first_parent))
        with reading(links=True, memory=memory) as (repo, catalog):
            trail = listed(repo, catalog, ran, [*wanted, *revision], path, since, until)[:n]
            _print_runs(out, repo, trail)
        return int(exit_code and not trail)
    asked = list(_asked(all, n, since, until, author, no_merges, first_parent))
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
    return logged(repo, catalog, [*args, *_limits(repo, path)], prompts=prompts)


def listed(
    repo: Repo,
    catalog: Catalog,
    ran: Sequence[str],
    args: Sequence[str] = (),
    path: Sequence[str] = (),
    since: str | None = None,
    until: str | None = None,
) -> list[Run]:
    """The runs of commands that fit one of the patterns `ran`, newest first; with `args` or `path`
    only those at a commit that `git log ARGS -- PATH` shows. Raises UnknownTarget, UsageError."""
    from funes_git.dates import date
    from funes_git.filters import bounded
    from funes_git.runs import at_commits, runs

    bounded(*ran)
    after = None if since is None else date(repo, since, "git funes log … --since")
    before = None if until is None else date(repo, until, "git funes log … --until")
    trail = runs(repo, catalog, ran, since=after, until=before)
    if args or path:
        shas = {info.sha for info in repo.commits(*args, *_limits(repo, path))}
        trail = list(at_commits(catalog, trail, shas))
    return trail


def _print_runs(out: output.Output, repo: Repo, trail: Sequence[Run]) -> None:
    from funes_git.render import runs as render

    if not trail:
        output.note("note: no turn ran such a command")
    if out.format == "json":
        for run in trail:
            out.json(render.document(run))
    elif out.format == "agent":
        out.recorded(repo.name, (row for run in trail for row in render.agent(run)))
    else:
        out.lines(row for run in trail for row in render.human(out.page, run))


def _limits(repo: Repo, path: Sequence[str]) -> list[str]:
    return ["--", *(from_top(repo, item) for item in path)] if path else []


def _asked(
    everything: bool,
    n: int | None,
    since: str | None,
    until: str | None,
    author: str | None,
    no_merges: bool,
    first_parent: bool,
) -> Iterator[str]:
    """The options in git's own words."""
    flags = {"--all": everything, "--no-merges": no_merges, "--first-parent": first_parent}
    yield from (flag for flag, given in flags.items() if given)
    values = {"--max-count": None if n is None else str(n), "--author": author}
    if since is not None or until is not None:
        from funes_git.dates import whole  # as few modules as a log without dates needs

        values |= {"--since": since and whole(since), "--until": until and whole(until)}
    yield from (f"{name}={value}" for name, value in values.items() if value is not None)


class _Seen:
    """Passes entries on and remembers whether any had a link."""

    def __init__(self, entries: Iterable[LogEntry]) -> None:
        self._entries, self.linked = entries, False

    def __iter__(self) -> Iterator[LogEntry]:
        for entry in self._entries:
            self.linked = self.linked or bool(entry.links)
            yield entry
