"""Linking a history: every commit against the edits made before it.

A link is a pure function of sessions, git objects and hook events. What is stored of earlier
commits (their parents and claims) is what linking them again would give, so a new commit is linked
without the rest of the history being read again. `linked_tips` in the catalog names the refs up to
which everything is linked; it is emptied before links are dropped and set again when they are back,
so a run that dies leaves work to do, never a gap.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from funes_git.git import Repo, changes
from funes_git.link.evidence import SKEW
from funes_git.link.linker import Linker
from funes_git.model import Level, Link, LinkedCommit, Reason
from funes_git.store.catalog_writer import CatalogWriter

EVERYTHING = (
    "--exclude=refs/stash",
    "--exclude=refs/notes/*",
    "--exclude=refs/heads/entire/*",
    "--exclude=refs/remotes/*/entire/*",
    "--all",
    "HEAD",
)
"""All refs that can hold history of the code: not stashes, notes, or another tool's transcripts."""

LEVELS: tuple[Level, ...] = ("exact", "lines", "derived", "imported", "ran", "weak")
"""Strongest first."""

Progress = Callable[[int], None]
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

    def count(self, commit: LinkedCommit, links: Sequence[Link]) -> None:
        """Take a commit into the figures."""
        self.commits += 1
        self.lines += commit.added
        self.explained += commit.explained
        found = {link.level for link in links}
        best = next((level for level in LEVELS if level in found), None)
        if best:
            self.linked[best] += 1
        elif commit.reason:
            self.unlinked[commit.reason] += 1
        if self.progress:
            self.progress(self.commits)


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
    started = time.monotonic()
    report = LinkReport(progress=progress)
    if everything:
        catalog.forget_links()
        _run(repo, catalog, report, options=EVERYTHING)
    else:
        catch_up(repo, catalog)
        shas = repo.rev_list(*(revs or ["HEAD"])) if revs or repo.has_commits() else []
        catalog.forget_links(shas)
        if shas:
            _run(repo, catalog, report, revs=shas, options=("--no-walk=sorted",))
    _remember(repo, catalog)
    report.seconds = time.monotonic() - started
    return report


def catch_up(
    repo: Repo,
    catalog: CatalogWriter,
    *,
    since: float | None = None,
    progress: Progress | None = None,
) -> LinkReport:
    """Link the commits that are new, and again those that new edits may explain: `since` is the
    time of the earliest new edit, in seconds since the epoch. Raises GitError."""
    started = time.monotonic()
    report = LinkReport(progress=progress)
    tips = repo.tips(*EVERYTHING)
    known = (catalog.setting("linked_tips") or "").split()
    if not known:
        catalog.forget_links()
        since = None
    from_time = None if since is None else since - SKEW
    if set(tips) != set(known):
        _run(repo, catalog, report, revs=[*tips, *(f"^{tip}" for tip in known)], before=from_time)
    if from_time is not None:
        catalog.forget_links(since=from_time)
        options = (f"--since-as-filter=@{int(from_time)}", *EVERYTHING)
        _run(repo, catalog, report, options=options)
    if from_time is not None or set(tips) != set(known):
        _remember(repo, catalog)
    report.seconds = time.monotonic() - started
    return report


def _run(
    repo: Repo,
    catalog: CatalogWriter,
    report: LinkReport,
    *,
    revs: Sequence[str] = (),
    options: Sequence[str] = (),
    before: float | None = None,
) -> None:
    if not revs and not repo.tips(*options):
        return  # nothing is committed yet
    linker = Linker(repo, catalog)
    commits = changes(repo, revs, options=options, wanted=linker.wanted)
    linker.run(commits, report.count, before=before)


def _remember(repo: Repo, catalog: CatalogWriter) -> None:
    catalog.put({"linked_tips": " ".join(repo.tips(*EVERYTHING))})
