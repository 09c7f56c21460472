"""`git funes link`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import here, reading
from funes_git.errors import UsageError


def link(
    *range: str,
    all: bool = False,
    coverage: bool = False,
    explain: str | None = None,
    format: options.Format = None,
) -> int:
    """Tie turns to commits and lines, and report coverage

    Every command that needs links catches up by itself; this computes them anew. --coverage and
    --explain only report.

    Example: git funes link --coverage v1.1..v1.2

    Parameters
    ----------
    range
        Revisions or ranges; the history of HEAD if none is given.
    all
        All refs.
    coverage
        Count commits and lines by level and by reason, with what would improve them.
    explain
        Show what the links of this commit rest on.
    format
        Terminals get human, pipes get agent.
    """
    if all and range:
        raise UsageError("--all and a range exclude each other", hint="git funes link -h")
    if explain is not None and (range or all or coverage):
        raise UsageError("--explain takes one commit alone", hint="git funes link --explain COMMIT")
    out = output.choose(format)
    if explain is not None:
        return _explain(out, explain)
    if coverage:
        return _coverage(out, ("--all",) if all else range)
    return _link(out, range, all)


def _link(out: output.Output, range: tuple[str, ...], all: bool) -> int:
    from funes_git import worker
    from funes_git.commands.making import write_notes
    from funes_git.link import engine
    from funes_git.render import json, state
    from funes_git.store.stores import Stores

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
        write_notes(repo, stores)
    out.progress_done()
    if out.format == "json":
        out.json(json.document(**json.coverage(found)))
    else:
        out.lines(state.coverage(out.page, found, "" if range else state.EVERY))
    return 0


def _coverage(out: output.Output, revs: tuple[str, ...]) -> int:
    from funes_git.link.survey import survey
    from funes_git.render import linking

    with reading(links=True) as (repo, catalog):
        found = survey(repo, catalog, revs)
    if out.format == "json":
        out.json(linking.survey_json(found))
    else:
        out.lines(linking.survey(out.page, found, " ".join(revs) or "HEAD"))
    return 0


def _explain(out: output.Output, rev: str) -> int:
    from funes_git.link.explain import explain
    from funes_git.render import linking

    with reading(links=True) as (repo, catalog):
        found = explain(repo, catalog, rev)
    if out.format == "json":
        out.json(linking.explanation_json(found))
    elif out.format == "agent":
        out.recorded(repo.name, linking.explanation_for_agents(found))
    else:
        out.lines(linking.explanation(out.page, found))
    return 0
