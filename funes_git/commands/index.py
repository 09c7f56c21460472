"""`git funes index`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from funes_git import output
from funes_git.commands import options
from funes_git.commands.making import link_new, make_vectors, read_new
from funes_git.commands.opened import here, no_sessions
from funes_git.errors import FunesError, NoSessions, UsageError
from funes_git.git import Repo
from funes_git.render import json, state
from funes_git.render.words import plural
from funes_git.store.stores import Stores

if TYPE_CHECKING:
    from funes_git.ingest import IndexReport


def index(
    *path: str,
    agent: tuple[str, ...] = (),
    adopt: bool = False,
    no_embed: bool = False,
    wait: bool = False,
    yes: bool = False,
    explain: str | None = None,
    format: options.Format = None,
) -> int:
    """Read new turns of the agents' sessions

    Looks in the agents' own folders for sessions that touched this repository. Words can be
    searched at once; vectors are made in the background.

    Example: git funes index --adopt ~/from-laptop/sessions

    Parameters
    ----------
    path
        Read only sessions in these files and folders.
    agent
        Read only sessions of this agent: claude_code, codex, ….
    adopt
        The sessions at PATH belong to this repository, whatever folder they ran in.
    no_embed
        Make no vectors.
    wait
        Stay until the vectors are made.
    yes
        Adopt without a question also where the sessions are those of several projects.
    explain
        Index nothing: say which turns of a session (its file, or how its id begins) belong to
        this repository, folder by folder, and why.
    format
        Terminals get human, pipes get agent.
    """
    if adopt and not path:
        raise UsageError("--adopt needs a path", hint="git funes index --adopt PATH")
    if explain is not None and (path or adopt or wait):
        raise UsageError("--explain indexes nothing", hint="git funes index --explain SESSION")
    if wait and no_embed:
        raise UsageError("--wait and --no-embed exclude each other", hint="git funes index -h")
    out = output.choose(format)
    repo = here()
    if explain is not None:
        return _explain(repo, out, explain, agent)
    paths, started = _existing(path), time.monotonic()
    if adopt and not yes and _agree(repo, paths, agent):
        started = time.monotonic()  # a person thinks longer than a machine reads
    with Stores.open(repo.layout, write=True) as stores:
        report = read_new(repo, stores, out, paths=paths, agents=agent, adopt=adopt)
        ours = any(map(stores.catalog.turns_from, report.named))
        if stores.catalog.stats().totals.sessions == 0:
            raise _strangers(repo, report, path, agent) if path else no_sessions(repo)
        link_new(repo, stores, out)
        tied = stores.catalog.commits_of_files(report.named)
    if path and not ours:
        said = _strangers(repo, report, path, agent)
        output.note(f"note: {said.message}\nhint: {said.hint}")
    made = make_vectors(repo, out) if wait else 0
    report = replace(report, seconds=time.monotonic() - started)
    if not (no_embed or wait):
        from funes_git import worker

        worker.start_detached(repo)
    if out.format == "json":
        out.json(json.document(**json.indexed(report), commits=tied if path else None))
    else:
        out.lines(state.indexed(report))
        out.lines(state.tied(tied) if ours else ())
        out.lines([f"made {plural(made, 'vector')}"] if wait else [])
    return 0


def _existing(path: Sequence[str]) -> tuple[Path, ...]:
    """Raises FunesError where something is not there."""
    for item in path:
        if not Path(item).exists():
            raise FunesError(f"there is no file or folder {item}", hint="check the name")
    return tuple(map(Path, path))


def _strangers(
    repo: Repo, report: IndexReport, path: Sequence[str], agents: tuple[str, ...]
) -> NoSessions:
    """What is said where no session at these paths belongs: how many there are, and where they
    ran."""
    from funes_git import foreign

    ran = foreign.folders(repo, tuple(map(Path, path)), agents)
    named = " ".join(path)
    return NoSessions(
        state.strangers(repo.name, named, report.sources_found, ran),
        hint=f"git funes index --adopt {named}   (takes them in; git funes index --explain "
        f"{path[0]} says why not)",
    )


def _agree(repo: Repo, paths: Sequence[Path], agents: tuple[str, ...]) -> bool:
    """Where sessions of several projects would be adopted, say of which, and ask; whether a person
    was asked. Raises UsageError where there is nobody to ask, FunesError for a no."""
    from funes_git import foreign

    ran = foreign.folders(repo, paths, agents)
    if len(foreign.projects(ran)) < 2:
        return False
    named = " ".join(map(str, paths))
    output.note(f"{named} holds {plural(ran.total(), 'session')} that ran elsewhere:")
    for line in state.foreign(ran):
        output.note(line)
    if not output.can_ask():
        raise UsageError(
            "nothing was adopted: these sessions are of several projects",
            hint=f"git funes index --adopt {named} --yes   (or name the folder of one project)",
        )
    if not output.ask(f"Take them all into the memory of {repo.name}?"):
        raise FunesError(
            "nothing was adopted", hint="git funes index --adopt FOLDER-OF-ONE-PROJECT"
        )
    return True


def _explain(repo: Repo, out: output.Output, session: str, agents: tuple[str, ...]) -> int:
    from funes_git.explain import explain as explained
    from funes_git.render import explained as render

    found = explained(repo, session, agents)
    if out.format == "json":
        out.json(render.document(found))
    else:
        out.lines(render.lines(found))
    return 0
