"""What git's reflogs tell of rewrites, kept as events like a hook's before git forgets it; and the
commits that only they still name."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence

from funes_git.git import GitError, Repo
from funes_git.git.reflog import Entry, entries
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.chains import REFLOG
from funes_git.store.records import HookEvent


class Heard:
    """The reflogs of a repository, read once."""

    def __init__(self, repo: Repo, catalog: CatalogWriter) -> None:
        self._repo = repo
        self._catalog = catalog
        self._made: dict[str, Entry] = {}
        """Commit → the entry that says how it was made."""
        self._ids: dict[str, None] = {}
        for entry in entries(repo):
            self._ids |= dict.fromkeys(sha for sha in (entry.old, entry.new) if sha.strip("0"))
            if entry.how:
                self._made.setdefault(entry.new, entry)

    def lost(self, tips: Sequence[str]) -> list[str]:
        """The commits that no ref leads to, parents first, of those that the reflogs name and that
        hooks said were rewritten; none where git has lost some of them in part."""
        named = dict.fromkeys([*self._ids, *(old for old, _, _ in self._catalog.rewrites())])
        ids = [sha for sha in named if sha not in tips]
        try:
            return self._repo.rev_list(ids=[*ids, *(f"^{tip}" for tip in tips)])
        except GitError:
            return []

    def tell(self) -> None:
        """Keep what the reflogs say, but where hooks told it: which commit was amended; and that a
        commit was rebased or picked, of which one its lines tell."""
        told = self._catalog.told_of(list(self._made))
        self._catalog.add_events(self._events(told.keys()))

    def _events(self, told: Container[str]) -> Iterator[HookEvent]:
        for new, entry in self._made.items():
            if new not in told:
                amends = entry.how == "amend"
                yield HookEvent(
                    id=f"{REFLOG} {entry.old} {new}" if amends else f"{REFLOG} {new}",
                    hook=REFLOG,
                    at=entry.at,
                    sha=new,
                    rewrites=((entry.old, new),) if amends else (),
                    detail=json.dumps({"args": [entry.how]}),
                )
