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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field

from funes_git.git import Repo
from funes_git.git.diffs import changes
from funes_git.link.coverage import SKEW
from funes_git.link.descent import settle
from funes_git.link.graph import Graph
from funes_git.link.heard import Heard
from funes_git.link.level import EVERYTHING, cut
from funes_git.link.linker import Linker
from funes_git.model import Level, Link, LinkedCommit, Reason
from funes_git.store.catalog_writer import CatalogWriter
from funes_git_parsers.dataclass import dataclass

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
        """Take a commit into the figures, but for its level: that is known when all are linked."""
        self.commits += 1
        self.lines += commit.added
        self.explained += commit.explained
        if not links and commit.reason:
            self.unlinked[commit.reason] += 1
        if self.progress:
            self.progress(self.commits, self.total)

    def rate(self, levels: Iterable[Collection[Level]]) -> None:
        """Take the levels of each linked commit into the figures."""
        for found in levels:
            self.linked[min(found, key=LEVELS.index)] += 1


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
            _relink(repo, catalog, report)
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
        if not known or (catalog.setting("linked_cut") or "") != cut(repo):
            _relink(repo, catalog, report)
        elif since is not None or tips != known:
            _new(repo, catalog, report, tips, known)
        else:
            settle(catalog, lambda: Graph(catalog))
    return report


def _relink(repo: Repo, catalog: CatalogWriter, report: LinkReport) -> None:
    """Link every commit anew. What is known of commits that git has no more stays known."""
    heard = Heard(repo, catalog)
    shas, lost = _reachable(repo, EVERYTHING), heard.lost(repo.tips(*EVERYTHING))
    catalog.forget_links([*shas, *lost])
    catalog.forget_places()
    gone = Graph.of(catalog.commit_parents(), catalog)
    _run(repo, catalog, report, shas, lost, heard, gone)
    _remember(repo, catalog)


def _new(
    repo: Repo, catalog: CatalogWriter, report: LinkReport, tips: list[str], known: list[str]
) -> None:
    """Link the commits from `known` to `tips`, and again those that new turns may explain."""
    heard = Heard(repo, catalog)
    late: dict[str, tuple[str, ...]] = {}
    if (since := catalog.setting("unlinked_since")) is not None:
        late = catalog.commits_since(float(since) - SKEW)
    shas, lost = _between(repo, catalog, tips, known, late), heard.lost(tips)
    if late.keys() - {*shas, *lost}:  # a clock went wrong, or git has lost some
        shas = _reachable(repo, EVERYTHING)
    linked = set(catalog.linked_commits([*shas, *lost]))
    shas, lost = ([s for s in each if s in late or s not in linked] for each in (shas, lost))
    catalog.forget_links([sha for sha in (*shas, *lost) if sha in linked])
    _run(repo, catalog, report, shas, lost, heard)
    _remember(repo, catalog)


def _between(
    repo: Repo,
    catalog: CatalogWriter,
    tips: Sequence[str],
    known: Sequence[str],
    late: Mapping[str, Sequence[str]],
) -> list[str]:
    """The commits that lead to `tips` from those linked up to `known`, and the `late` ones (commit
    → parents) among these, parents first. Git walks no further than that: not where a commit was
    made later than one that came after it."""
    before = {parent for parents in late.values() for parent in parents}
    before.update(catalog.linked_commits(known))
    return repo.rev_list(ids=[*tips, *(f"^{sha}" for sha in sorted(before - late.keys()))])


def _reachable(repo: Repo, revs: Sequence[str]) -> list[str]:
    """The commits reachable from `revs`; none where nothing is committed yet."""
    return repo.rev_list("--ignore-missing", *revs) if repo.tips(*revs) else []


def _run(
    repo: Repo,
    catalog: CatalogWriter,
    report: LinkReport,
    shas: Sequence[str],
    lost: Sequence[str] = (),
    heard: Heard | None = None,
    graph: Graph | None = None,
) -> None:
    """Link `shas`, which the report is about, then `lost`: commits that no ref leads to, and whose
    parents are among the others."""
    report.total = len(shas)
    linker = Linker(repo, catalog, graph or Graph(catalog))
    linker.run(changes(repo, shas, wanted=linker.wanted), catalog, report.count)
    linker.run(changes(repo, lost, wanted=linker.wanted), catalog, lambda commit, links: None)
    if heard:
        heard.tell()
    settle(catalog, lambda: linker.graph)
    report.rate(catalog.levels_of(shas).values())


def _remember(repo: Repo, catalog: CatalogWriter) -> None:
    tips = " ".join(repo.tips(*EVERYTHING))
    catalog.put(
        {"linked_tips": tips or None, "linked_cut": cut(repo) or None, "unlinked_since": None}
    )
