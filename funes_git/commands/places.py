"""Which memories a question goes to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from funes_git import enabled, output
from funes_git.commands.opened import asked_of, from_top, here
from funes_git.errors import FunesError, NotARepository
from funes_git.git import Repo
from funes_git.recall.several import Place


def from_here(path: str) -> str:
    """A path or pattern as typed, from the top of the working tree, where there is one."""
    try:
        return from_top(here(), path)
    except NotARepository:
        return path


def named(memory: str | None, tell: Callable[[str], None] = output.note) -> list[Place]:
    """The memories that `--memory` names with commas between; without it this repository's own.
    Raises NotARepository, UsageError and what fetching raises."""
    own = here()
    if memory is None:
        return [Place(own)]
    asked = {name: asked_of(own, name, tell) for name in memory.split(",")}
    return [Place(repo, memory=name if repo.memory else "") for name, repo in asked.items()]


def everywhere() -> list[Place]:
    """The memories of all enabled repositories, the current one first. Raises FunesError if there
    are none."""
    try:
        current: Path | None = here().common_dir
    except NotARepository:
        current = None
    others = [path for path in enabled.listing() if path != current]
    places = [Place(Repo.discover(path), repository=str(_folder(path))) for path in others]
    own = [Place(here())] if current else []
    if not (own or places):
        raise FunesError("funes-git is enabled in no repository", hint="git funes init")
    return own + places


def _folder(common_dir: Path) -> Path:
    return common_dir.parent if common_dir.name == ".git" else common_dir
