"""`git funes push` and what it shares with `pull`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from funes_git import config, output
from funes_git.commands import options
from funes_git.commands.making import link_new
from funes_git.commands.opened import here
from funes_git.errors import FunesError, UsageError
from funes_git.git import Repo, process
from funes_git.remotes.names import Name, parse
from funes_git.render import json, sharing
from funes_git.store.stores import Stores

if TYPE_CHECKING:
    from funes_git.remotes.places import Place
    from funes_git.sync.meeting import Meeting, Report


def push(
    memory: str | None = None,
    *,
    yes: bool = False,
    no_embed: bool = False,
    format: options.Format = None,
) -> int:
    """Send what is new to a private memory elsewhere

    First takes what is new there, so that a team's machines come together; if two push at once,
    both arrive. Everything is scanned for secrets by a second engine before it leaves: what it
    finds stays here, and is named. The memory is remembered: the next time `git funes push` is
    enough, and the end of a session of an agent that was added pushes by itself
    (`git config --unset funes.memory` ends that). A dataset that does not exist yet is made,
    private; a public one is refused, since nobody has reviewed what would be sent.

    Example: git funes push acme/widget-memory

    Parameters
    ----------
    memory
        ORG/NAME on the Hugging Face Hub, or a folder: /mnt/team/widget.
    yes
        Do not ask: the memory may hold nothing but other repositories' sessions.
    no_embed
        Make no vectors that are missing.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git.remotes.places import place_of

    out = output.choose(format)
    repo = here()
    name = bound(repo, memory, "push")
    with Stores.open(repo.layout) as stores:
        stores.lance()  # MemoryMissing, NothingIndexed
    demand_outside(repo, name)
    place = place_of(name)
    created = place.create(private=True)
    place.demand_private()
    report = meet(repo, place, out, yes, lambda meeting: meeting.push())
    report.created = created
    level(repo, out, embed=not no_embed)
    bind(repo, name, memory, pushes=True)
    if out.format == "json":
        out.json(json.document(**sharing.as_json(name.text, report)))
    else:
        out.lines(sharing.pushed(name.text, report, is_private=name.kind != "store"))
    return 0


def meet(
    repo: Repo, place: Place, out: output.Output, yes: bool, bring: Callable[[Meeting], Report]
) -> Report:
    """Bring this memory and one elsewhere level. Where that one holds nothing of this repository,
    `yes` was given or a user agrees; else Foreign is raised."""
    from funes_git.sync.meeting import Foreign, Meeting

    try:
        return bring(Meeting(repo, place, out.progress, strangers=yes))
    except Foreign as foreign:
        out.progress_done()
        if not output.can_ask() or not output.ask(f"{foreign.message}. Go on?"):
            raise
        return bring(Meeting(repo, place, out.progress, strangers=True))
    finally:
        out.progress_done()


def bound(repo: Repo, memory: str | None, command: str) -> Name:
    """The memory that was named to `command`, or that this repository is bound to. Raises
    UsageError."""
    text = memory or repo.settings.get("memory")
    if not text:
        raise UsageError(
            "this repository has no memory elsewhere yet",
            hint=f"git funes {command} ORG/NAME, or git funes {command} FOLDER",
        )
    name = parse(text)
    if name.revision is not None:
        raise UsageError(f"{text} names a revision, which cannot change", name.where)
    return name


def demand_outside(repo: Repo, name: Name) -> None:
    """Raise FunesError where a path is in the work tree, and git does not ignore it: the sessions'
    text would be one `git add` away from a commit."""
    if name.kind not in ("folder", "file") or repo.worktree is None:
        return
    inside = Path(name.where)
    if not inside.is_relative_to(repo.worktree.resolve()):
        return
    path = inside.relative_to(repo.worktree.resolve()).as_posix()
    if name.kind == "folder":
        path += "/"
    asked = repo.args("check-ignore", "--quiet", "--no-index", "--", path)
    if process.attempt(asked, repo.worktree)[0] != 0:
        raise FunesError(
            f"{name.text} is in the work tree, from where sessions could be committed",
            f"name a {name.kind} outside, or echo {shlex.quote('/' + path)} >> .git/info/exclude",
        )


def bind(repo: Repo, name: Name, memory: str | None, *, pushes: bool) -> None:
    """Remember the memory, unless this repository has another one; `pushes` says whether sessions
    push to it when they end, unless the user has said so already."""
    if memory and "memory" not in repo.settings:
        kept = name.where if name.kind in ("folder", "file") else name.text
        repo.run("config", "funes.memory", kept)
        settings = {"memory": name.text, "push": "true" if pushes else "false", **repo.settings}
        if config.pushed_to(settings):
            output.note(
                f"note: from now on sessions of agents that are added here push to {name.text} "
                "when they end; `git config --unset funes.memory` stops that"
            )
            return
        repo.run("config", "funes.push", settings["push"])
        output.note(
            f"note: {name.text} is remembered, and nothing is sent there by itself; "
            "`git config funes.push true` has sessions push when they end"
        )


def level(repo: Repo, out: output.Output, *, embed: bool) -> None:
    """Link what was taken, and have missing vectors made."""
    from funes_git import worker

    with Stores.open(repo.layout, write=True, wait=60.0) as stores:
        link_new(repo, stores, out)
        totals = stores.catalog.totals()
    if embed and totals.vectors < totals.prose:
        worker.start_detached(repo)
