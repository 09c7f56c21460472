"""Linking a history: every commit against the edits made before it.

A link is a pure function of sessions, git objects and hook events. What is stored of earlier
commits (their parents and claims) is what linking them again would give, so a new commit is linked
without the rest of the history being read again. Two notes in the catalog say what is to be done:
`linked_tips`, the commits up to which everything is linked, dropped with any link and set when they
are back; and `unlinked_since`, the time of the earliest turn that was read since. So a run that
dies leaves work to do, never a gap.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from funes_git.git import Repo
from funes_git.git.diffs import changes
from funes_git.link.coverage import BEFORE
from funes_git.link.level import EVERYTHING, cut
from funes_git.link.linker import Linker
from funes_git.model import Level, Link, LinkedCommit, Reason
from funes_git.store.catalog_writer import CatalogWriter

LEVELS: tuple[Level, ...] = ("exact", "lines", "derived", "imported", "ran", "weak")
"""Strongest first."""

Progress = Callable[[int, int], None]
"""Called with the number of commits done."""


@dataclass(slots=True)
class LinkReport:
    """What linking found: commits by their strongest level, unlinked ones by reason; of the added
    lines that could prove something (`lines`), those that an edit explains."""

    commits: int = 0
    linked: dict[Level, int] = field(default_factory=lambda: dict.fromkeys(LEVELS, 0))
    unlinked: Counter[Reason] = field(default_factory=Counter)
    lines: int = 0
    explained: int = 0
    seconds: float = 0.0
    progress: Progress | None = None
    total: int = 0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add the time that the block takes to `seconds`."""
        started = time.monotonic()
        yield
        self.seconds += time.monotonic() - started

    def count(self, commit: LinkedCommit, links: Sequence[Link]) -> None:
        """Take a commit into the figures."""
        self.commits += 1
        self.lines += commit.added
        self.explained += commit.explained
        found = {link.level for link in links}
        best: Level | None = next((level for level in LEVELS if level in found), None)
        if best:
            self.linked[best] += 1
        elif commit.reason:
            self.unlinked[commit.reason] += 1
        if self.progress:
            self.progress(self.commits, self.total)


def link(
    repo: Repo,
    catalog: CatalogWriter,
    revs: Sequence[str] = (),
    *,
    everything: bool = False,
    progress: Progress | None = None,
) -> LinkReport:
    """Link anew all commits that `revs` names (HEAD's history if none), or all of them.

    Raises UnknownTarget for a revision that does not exist, GitError."""
    report = LinkReport(progress=progress)
    with report.timed():
        if everything:
            shas = _reachable(repo, EVERYTHING)
            catalog.forget_links()
        else:
            catch_up(repo, catalog)
            shas = repo.rev_list(*revs) if revs else _reachable(repo, ("HEAD",))
            catalog.forget_links(shas)
        _run(repo, catalog, report, shas)
        _remember(repo, catalog)
    return report


def catch_up(repo: Repo, catalog: CatalogWriter, *, progress: Progress | None = None) -> LinkReport:
    """Link the commits that are new, and again those that turns read since the last time may
    explain. Raises GitError."""
    report = LinkReport(progress=progress)
    with report.timed():
        tips = repo.tips(*EVERYTHING)
        known = (catalog.setting("linked_tips") or "").split()
        since = catalog.setting("unlinked_since")
        moved = (catalog.setting("linked_cut") or "") != cut(repo)
        if not known or moved:
            shas = _reachable(repo, EVERYTHING)
            catalog.forget_links()
        else:
            shas = repo.rev_list("--ignore-missing", *tips, "--not", *known)
            if since is not None:
                shas = _again(repo, catalog, float(since) - BEFORE, shas)
        _run(repo, catalog, report, shas)
        if since is not None or tips != known or moved:
            _remember(repo, catalog)
    return report


def _again(repo: Repo, catalog: CatalogWriter, start: float, new: list[str]) -> list[str]:
    """The commits since `start` (seconds since the epoch) with `new`, parents first; the links of
    the former are dropped."""
    wanted = {*new, *repo.rev_list(f"--since-as-filter=@{int(start)}", *EVERYTHING)}
    shas = [sha for sha in _reachable(repo, EVERYTHING) if sha in wanted]
    catalog.forget_links(since=start)
    return shas


def _reachable(repo: Repo, revs: Sequence[str]) -> list[str]:
    """The commits reachable from `revs`; none where nothing is committed yet."""
    return repo.rev_list("--ignore-missing", *revs) if repo.tips(*revs) else []


def _run(repo: Repo, catalog: CatalogWriter, report: LinkReport, shas: Sequence[str]) -> None:
    if shas:
        report.total = len(shas)
        linker = Linker(repo, catalog)
        linker.run(changes(repo, shas, wanted=linker.wanted), catalog, report.count)


def _remember(repo: Repo, catalog: CatalogWriter) -> None:
    tips = " ".join(repo.tips(*EVERYTHING))
    catalog.put(
        {"linked_tips": tips or None, "linked_cut": cut(repo) or None, "unlinked_since": None}
    )
