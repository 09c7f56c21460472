"""Which commits show lines that an earlier commit, not an ancestor, showed before them: what is
left to see of a rebase, a squash or a cherry-pick that nobody told of.

Works on claims (pool.py): both commits claim the same line of the same edit. So it needs no patch
ids, holds where the patch has changed on the way, and finds the commits of a squash one by one. The
lines themselves were matched in both commits, each time anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from funes_git.link.editrows import ADDED, REMOVED
from funes_git.link.graph import Graph
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.settling import Descent
from funes_git_parsers.dataclass import dataclass

Told: TypeAlias = Mapping[str, set[str]]
"""Commit → the commits that git says were rewritten into it."""

PORTION = 500
"""Edits that are settled in one transaction."""


@dataclass(frozen=True, slots=True)
class Showing:
    """A commit that shows lines of an edit, given as (kind of claim, position in the edit)."""

    sha: str
    time: float
    lines: frozenset[tuple[str, int]]


def settle(catalog: CatalogWriter, graph: Callable[[], Graph]) -> None:
    """Find the descents of every edit whose claims have changed, and give the links of commits that
    were rewritten their level. `graph` is asked only where an edit's lines were committed twice."""
    while edits := catalog.unsettled(PORTION):
        found: list[Descent] = []
        for edit, showing in _by_edit(catalog, edits).items():
            if len(showing) > 1:
                told = catalog.told_of([s.sha for s in showing])
                found += [
                    Descent(sha, edit, old)
                    for sha, old in descents(showing, told, graph().is_ancestor)
                ]
        catalog.settle(edits, found)


def descents(
    showing: Iterable[Showing], told: Told, is_ancestor: Callable[[str, str], bool]
) -> list[tuple[str, str]]:
    """(commit, older commit) for each commit that shows a line which an older one shows that is not
    its ancestor; of several, the newest. The older of two is the one that was committed first; in
    the same second, the one that shows less, as a squash shows more than its parts."""
    ordered = sorted(showing, key=lambda s: (s.time, len(s.lines), s.sha))
    found = []
    for index, new in enumerate(ordered):
        left = set(new.lines)
        for old in _before(ordered, index, told):
            if not left & old.lines or _related(old.sha, new.sha, is_ancestor):
                continue
            left -= old.lines
            found.append((new.sha, old.sha))
    return found


def _before(ordered: Sequence[Showing], index: int, told: Told) -> list[Showing]:
    """What may be older than a commit, the likeliest first: what git told of, then by time."""
    new = ordered[index]
    firsts = told.get(new.sha, set())
    earlier = [s for s in reversed(ordered[:index]) if new.sha not in told.get(s.sha, ())]
    return [s for s in ordered if s.sha in firsts] + [s for s in earlier if s.sha not in firsts]


def _related(one: str, two: str, is_ancestor: Callable[[str, str], bool]) -> bool:
    return is_ancestor(one, two) or is_ancestor(two, one)


def _by_edit(catalog: CatalogWriter, edits: Sequence[int]) -> dict[int, list[Showing]]:
    claimed: dict[int, dict[str, set[tuple[str, int]]]] = defaultdict(lambda: defaultdict(set))
    for edit, pos, kind, sha in catalog.claims_of(edits):
        if kind in (ADDED, REMOVED):
            claimed[edit][sha].add((kind, pos))
    several = {sha for by_sha in claimed.values() if len(by_sha) > 1 for sha in by_sha}
    times = catalog.commit_times(sorted(several))
    return {
        edit: [
            Showing(sha, times[sha], frozenset(lines))
            for sha, lines in by_sha.items()
            if sha in times
        ]
        for edit, by_sha in claimed.items()
    }
