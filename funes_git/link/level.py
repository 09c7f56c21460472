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
    return known == repo.tips(*EVERYTHING) and catalog.setting("unlinked_since") is None
