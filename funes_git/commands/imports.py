"""`git funes import`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.making import link_new, make_vectors
from funes_git.commands.opened import here
from funes_git.errors import UsageError
from funes_git.git import Repo
from funes_git.render import imported, json
from funes_git.store.stores import Stores


def import_(
    source: options.Tool,
    dataset: str | None = None,
    *,
    no_embed: bool = False,
    wait: bool = False,
    yes: bool = False,
    format: options.Format = None,
) -> int:
    """Take in what another tool recorded, or a memory in a file

    Sessions are read as if their agents' own files lay here, and tied to commits by what they
    wrote. What the tool itself says of a commit is kept as its word (level `imported`), where no
    session's content says more. Doing it again adds only what is new. A FILE.funes is a memory
    that `git funes export` wrote; what this one does not have of it is taken.

    Example: git funes import entire

    Parameters
    ----------
    source
        The tool that recorded them: agent-trace, agentnote, entire, git-ai, notes, specstory,
        traces; or FILE.funes.
    dataset
        For `traces`: the dataset on the Hugging Face Hub, as ORG/REPO.
    no_embed
        Make no vectors.
    wait
        Stay until the vectors are made.
    yes
        Take FILE.funes even if it holds nothing but other repositories' sessions.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git import worker
    from funes_git.imports.run import run

    if wait and no_embed:
        raise UsageError("--wait and --no-embed exclude each other", hint="git funes import -h")
    out = output.choose(format)
    repo = here()
    if source.endswith(".funes"):
        if dataset:
            raise UsageError("a file is imported alone", hint="git funes import FILE.funes")
        return _file(repo, out, source, embed=not no_embed, strangers=yes)
    with Stores.open(repo.layout, write=True) as stores:
        worker.drain(repo, stores)
        stores.known_as(*repo.identity())
        report = run(
            repo,
            stores,
            source,
            dataset,
            progress=lambda done: out.progress(done, 0, "sessions looked at"),
        )
        out.progress_done()
        link_new(repo, stores, out)
    made = make_vectors(repo, out) if wait else 0
    if not (no_embed or wait):
        worker.start_detached(repo)
    if out.format == "json":
        out.json(json.document(**imported.as_json(report)))
    else:
        out.lines(imported.told(report, made))
    return 0


def _file(repo: Repo, out: output.Output, file: str, *, embed: bool, strangers: bool) -> int:
    from funes_git.commands.push import level, meet
    from funes_git.remotes.names import parse
    from funes_git.remotes.places import place_of
    from funes_git.render import sharing

    place = place_of(parse(file if "/" in file else f"./{file}"))
    report = meet(repo, place, out, strangers, lambda meeting: meeting.pull(take_strangers=True))
    level(repo, out, embed=embed)
    if out.format == "json":
        out.json(json.document(**sharing.as_json(file, report)))
    else:
        out.lines(sharing.pulled(file, report))
    return 0
