"""`git funes why`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import reading
from funes_git.errors import UsageError
from funes_git.git import Repo
from funes_git.model import Why
from funes_git.store.catalog import Catalog


def why(
    target: str,
    /,
    *,
    at: str | None = None,
    chain: bool = False,
    deleted: bool = False,
    n: options.AtMost = None,
    memory: str | None = None,
    format: options.Format = None,
    exit_code: bool = False,
) -> int:
    """Show the turns behind a line, function, file or commit

    Quotes the prompt, the agent's own words before the edit, and the edit, with the commit and
    the evidence for it. Where no turn is proven to be behind a line, says why. Lines that are not
    committed yet are answered from the sessions too.

    Example: git funes why src/cache.py:88

    Parameters
    ----------
    target
        FILE:LINE, FILE:FROM-TO, FILE:SYMBOL (a function, class or Class.method, as `git log -L
        :SYMBOL:FILE` or its indentation shows it), FILE or a commit.
    at
        Explain the file as it is in this revision, not in the working tree.
    chain
        Follow the asked lines back: every turn and every person that shaped them, newest first,
        through renames, squashes, reverts and format-only commits, with what was written and
        replaced before it was ever committed.
    deleted
        Take TARGET for a text, or a file, that is gone: who took it away, in which commit, and why;
        also a text that no commit ever had.
    n
        Show at most this many turns (5; 2 of a whole file, after whose its lines are), or stages of
        the chain (50); -3 is short for -n 3.
    memory
        Ask this memory instead of the repository's own: ORG/NAME[@REVISION] on the Hugging Face
        Hub, or a path.
    format
        Terminals get human, pipes get agent.
    exit_code
        Exit with 1 if no turn was found.
    """
    out = output.choose(format, memory)
    with reading(links=True, memory=memory) as (repo, catalog):
        answer = found(repo, catalog, target, at, n, chain=chain, deleted=deleted)
        if out.format == "json":
            from funes_git.render import json

            out.json(json.why(answer))
        elif out.format == "agent":
            from funes_git.render import agent

            out.recorded(repo.name, agent.why(answer))
        else:
            from funes_git.render import why as human

            out.lines(human.why(out.page, answer))
    return int(exit_code and not answer.answers)


def found(
    repo: Repo,
    catalog: Catalog,
    target: str,
    at: str | None,
    n: int | None,
    *,
    chain: bool,
    deleted: bool,
) -> Why:
    """The answer to one of the three questions. Raises UsageError, UnknownTarget."""
    if chain and deleted:
        raise UsageError("--chain and --deleted are two questions", hint="git funes why -h")
    if chain:
        from funes_git.why.chain import DEFAULT_STAGES, why_chain

        return why_chain(repo, catalog, target, at=at, n=DEFAULT_STAGES if n is None else n)
    if deleted:
        from funes_git.why.deleted import DEFAULT_DELETIONS, why_deleted

        return why_deleted(repo, catalog, target, at=at, n=DEFAULT_DELETIONS if n is None else n)
    from funes_git.why.target import why

    return why(repo, catalog, target, at=at, n=n)
