"""Whether linking is up to date: what `why` asks first, so it imports only what `why` does."""

from __future__ import annotations

from funes_git.git import Repo
from funes_git.store.catalog import Catalog

EVERYTHING = (
    "--exclude=refs/stash",
    "--exclude=refs/notes/*",
    "--exclude=refs/heads/entire/*",
    "--exclude=refs/remotes/*/entire/*",
    "--all",
    "HEAD",
)
"""All refs that can hold history of the code: not stashes, notes, or another tool's transcripts."""


def is_level(repo: Repo, catalog: Catalog) -> bool:
    """Whether every commit is linked with every turn that has been read."""
    known = (catalog.setting("linked_tips") or "").split()
    if known != repo.tips(*EVERYTHING) or catalog.setting("unlinked_since") is not None:
        return False
    return (catalog.setting("linked_cut") or "") == cut(repo)


def cut(repo: Repo) -> str:
    """Where a shallow clone's history ends: when it is fetched, commits of old can be linked."""
    return " ".join(sorted(repo.shallow()))
