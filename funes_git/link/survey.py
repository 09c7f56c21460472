"""How much of a history is tied to turns: commits and lines by level, the rest by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from funes_git.git import Repo
from funes_git.link.engine import LEVELS
from funes_git.model import Level, LinkedCommit, Reason
from funes_git.store.catalog import Catalog
from funes_git_parsers.dataclass import dataclass


@dataclass(slots=True)
class Survey:
    """Commits by their strongest level, and the lines that they added by the level of the link that
    explains them; what no link explains, by reason. Lines of a linked commit that no edit explains
    count as `not-matched`, without a commit."""

    commits: int = 0
    lines: int = 0
    linked: Counter[Level] = field(default_factory=Counter)
    linked_lines: Counter[Level] = field(default_factory=Counter)
    unlinked: Counter[Reason] = field(default_factory=Counter)
    unlinked_lines: Counter[Reason] = field(default_factory=Counter)


def survey(repo: Repo, catalog: Catalog, revs: Sequence[str] = ()) -> Survey:
    """The survey of the commits that `revs` names (HEAD's history if none). Raises UnknownTarget,
    GitError."""
    shas = repo.rev_list(*(revs or ("HEAD",)))
    levels = catalog.levels_of(shas)
    explained = catalog.lines_by_level(shas)
    read_until = float(catalog.setting("read_until") or 0)
    found = Survey()
    for commit in catalog.linked_commits(shas).values():
        lines = explained.get(commit.sha, Counter())
        found.commits += 1
        found.lines += commit.added
        found.linked_lines.update(lines)
        rest = max(0, commit.added - lines.total())
        if commit.sha in levels:
            found.linked[min(levels[commit.sha], key=LEVELS.index)] += 1
            found.unlinked_lines["not-matched"] += rest
        elif (reason := _reason(commit, read_until)) is not None:
            found.unlinked[reason] += 1
            found.unlinked_lines[reason] += rest
    return found


def _reason(commit: LinkedCommit, read_until: float) -> Reason | None:
    return "not-read-yet" if commit.commit_time > read_until else commit.reason
