"""What most commands start with: the repository, its memory, and where to print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from funes_git import output
from funes_git.errors import FunesError, MemoryBusy, NoSessions, NotARepository, UnknownTarget
from funes_git.git import Repo, process
from funes_git.render.clean import line
from funes_git.render.words import agent
from funes_git.store.catalog import Catalog


def here() -> Repo:
    """The repository of the current folder. Raises NotARepository."""
    return Repo.discover(Path.cwd())


def from_top(repo: Repo, path: str) -> str:
    """A path or pattern as typed in the current folder, from the top of the working tree."""
    if path.startswith(":"):
        return path  # git's own pathspec magic names its root itself
    return repo.relative(path, Path.cwd())


def need_commit(repo: Repo) -> None:
    """Raises UnknownTarget where nothing has been committed on HEAD."""
    if not repo.has_commits():
        raise UnknownTarget("this branch has no commit yet", hint="git commit")


def settings() -> Mapping[str, str]:
    """The settings of the current folder's repository; outside of any, the user's own."""
    try:
        return here().settings
    except NotARepository:
        asked = ("config", "--null", "--get-regexp", r"^funes\.")
        out = process.attempt(asked, Path.cwd())[1].decode("utf-8", "replace")
        pairs = (item.partition("\n") for item in out.split("\0") if item)
        return {key.removeprefix("funes."): value for key, _, value in pairs}


def held_vectors() -> tuple[str | None, int]:
    """The model that made the vectors of this repository's memory, and how many there are."""
    from funes_git.store.vectors import vectors_state

    try:
        return vectors_state(here().layout.vectors)
    except NotARepository:
        return None, 0


@contextmanager
def reading(
    *, links: bool = False, memory: str | None = None, note: Callable[[str], None] | None = None
) -> Iterator[tuple[Repo, Catalog]]:
    """The repository and its catalog, for reading; with `links`, the commits that are new since
    the last linking are linked before. `memory` names another one than the repository's own, as
    remotes/names.py reads it. What the asker should know besides is told to `note`, or else on
    standard error. Raises NotARepository, MemoryMissing, UsageError."""
    tell = note or output.note
    repo = here() if memory is None else asked_of(here(), memory, tell)
    if links:
        _catch_up(repo, tell)
    with Catalog.open(repo.layout.catalog) as catalog:
        if links:
            _note_unread(catalog, tell)
        yield repo, catalog


def asked_of(repo: Repo, memory: str, tell: Callable[[str], None]) -> Repo:
    """The repository with the memory of this name in place of its own. Raises FunesError."""
    from dataclasses import replace

    from funes_git.remotes.names import parse

    name = parse(memory)
    if name.kind == "local":
        return repo
    from funes_git.remotes.cached import elsewhere

    out = output.choose(None)
    found = elsewhere(name, repo.known_by, out.progress)
    out.progress_done()
    for said in found.notes:
        tell(f"note: {said}")
    return replace(repo, memory=found.layout.root)


def _catch_up(repo: Repo, tell: Callable[[str], None]) -> None:
    """Link the commits that are new since the last linking. A question waits for no writer: who
    holds the memory now will link them."""
    from funes_git.link.level import is_level

    with Catalog.open(repo.layout.catalog) as catalog:
        if is_level(repo, catalog):
            return
    from funes_git.link import engine
    from funes_git.store.stores import Stores

    try:
        with Stores.open(repo.layout, write=True, wait=0.0) as stores:
            engine.catch_up(repo, stores.writer)
    except MemoryBusy as busy:
        tell(f"note: new commits are not linked yet ({busy.message})")
    except FunesError as error:
        tell(f"note: new commits cannot be linked ({error.message})")


def _note_unread(catalog: Catalog, tell: Callable[[str], None]) -> None:
    """Say which sessions have gone on since they were read: their turns are in no answer yet."""
    unread = catalog.unread()
    if not unread:
        return
    names = ", ".join(f"{agent(harness)} {line(path.stem)}" for harness, path in unread[:2])
    more = f" and {len(unread) - 2} more" if len(unread) > 2 else ""
    tell(f"note: not read to the end yet: {names}{more}; `git funes index` reads them")


def no_sessions(repo: Repo) -> NoSessions:
    """The error for a repository that no session belongs to: says where was looked."""
    from funes_git import discovery

    return NoSessions(
        f"no agent's session belongs to {repo.name}; {discovery.searched()}",
        hint="git funes index --adopt PATH   (for sessions from another machine or folder)",
    )
