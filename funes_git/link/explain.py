"""What the links of one commit rest on: the lines that matched and how rare they are, the edit that
came next, and the thresholds. Reads what linking stored and git objects; decides nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.git.diffs import changes
from funes_git.git.patch import FileChange
from funes_git.link.belief import SURE
from funes_git.link.coverage import SKEW
from funes_git.link.difflines import DiffLine, added_lines, removed_lines
from funes_git.link.evidence import ELSEWHERE
from funes_git.link.graph import Graph
from funes_git.link.names import Names
from funes_git.link.place import EVIDENT
from funes_git.link.weight import COMMON, ENOUGH, LIGHT
from funes_git.model import CommitInfo, Link, Reason
from funes_git.store.catalog import Catalog
from funes_git.store.records import EditRow
from funes_git_parsers.dataclass import dataclass

THRESHOLDS: Final = {
    "enough": ENOUGH,
    "sure": SURE,
    "elsewhere": ELSEWHERE,
    "place": EVIDENT,
    "import": LIGHT,
    "boilerplate": COMMON,
}
"""What docs/concepts/linking.md explains, by name."""

Lost: TypeAlias = Literal["later", "retracted", "older", "elsewhere", "less", "not-enough"]
"""Why an edit that has some of the lines is not their author: it was made after the commit, its
turn was taken back, a newer edit has them too, it is newer and put them at another place, it has
fewer of them, or they weigh too little."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line of the commit that counts, and what it weighs (0 to 1) after repetition."""

    number: int
    weight: float


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The edit that has the most of the same lines besides the one that was chosen."""

    session_id: str
    turn_uuid: str
    harness: str
    ts: float | None
    lines: int
    weight: float
    lost: Lost


@dataclass(frozen=True, slots=True)
class Explained:
    """One link with the lines that it rests on, or, without a link, the lines of a file that no
    edit explains; the heaviest first."""

    path: str
    link: Link | None
    lines: tuple[Evidence, ...]
    runner_up: RunnerUp | None

    @property
    def weight(self) -> float:
        """What the lines weigh together."""
        return sum(line.weight for line in self.lines)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that is known of why a commit is linked as it is."""

    commit: CommitInfo
    reason: Reason | None
    parts: tuple[Explained, ...]
    other: tuple[Link, ...]
    """Links that rest on no lines: who ran the commit, a command that wrote a file."""


def explain(repo: Repo, catalog: Catalog, rev: str) -> Explanation:
    """What the links of commit `rev` rest on. Raises UnknownTarget, GitError."""
    sha = repo.resolve(rev)
    links = catalog.links_of([sha]).get(sha, [])
    row = catalog.linked_commits([sha]).get(sha)
    names = Names(catalog, Graph(catalog))
    (commit,) = changes(repo, [sha])
    parts: list[Explained] = []
    with BlobReader(repo) as blobs:
        for change in commit.files:
            edits = catalog.edits_at(sorted(names.of(sha, change)))
            file = _File(change, edits, commit.info.commit_time, blobs)
            parts += file.explained([link for link in links if link.path == change.path])
    told = {part.link for part in parts}
    other = tuple(link for link in links if link not in told)
    return Explanation(commit.info, row.reason if row else None, tuple(parts), other)


class _File:
    """One file of the commit, and the edits that were made at its path."""

    def __init__(
        self, change: FileChange, edits: Sequence[EditRow], time: float, blobs: BlobReader
    ) -> None:
        texts = {text.rstrip() for hunk in change.hunks for _, text in hunk.added}
        before = blobs.count_lines(change.old_blob, texts) if texts else Counter[str]()
        self._path = change.path
        self._added = added_lines(change, before)
        self._removed = removed_lines(change)
        self._edits = edits
        self._late = time + SKEW

    def explained(self, links: Iterable[Link]) -> list[Explained]:
        """The file's links, and what is left of its added lines that could prove something."""
        parts = [self._of_link(link) for link in links if link.content != "none"]
        taken = {
            n for p in parts if p.link and p.link.relation == "wrote" for n in _numbers(p.link)
        }
        rest = [line for line in self._added if line.number not in taken and line.weight > 0]
        if rest:
            best = self._runner_up(rest, None, removed=False)
            parts.append(Explained(self._path, None, _evidence(rest), best))
        return parts

    def _of_link(self, link: Link) -> Explained:
        removed = link.relation == "removed"
        numbers = _numbers(link)
        lines = [n for n in (self._removed if removed else self._added) if n.number in numbers]
        runner_up = self._runner_up(lines, link, removed=removed)
        return Explained(self._path, link, _evidence(lines), runner_up)

    def _runner_up(
        self, lines: Sequence[DiffLine], link: Link | None, *, removed: bool
    ) -> RunnerUp | None:
        chosen = next((e for e in self._edits if link and e.edit_id == link.edit_id), None)
        best: tuple[float, int, EditRow] | None = None
        for edit in self._edits:
            if edit is not chosen:
                keys = edit.removed if removed else edit.added
                exact, loose = {key.exact for key in keys}, {key.loose for key in keys}
                same = [n for n in lines if n.exact in exact or n.loose in loose]
                weight = sum(line.weight for line in same)
                if weight > 0 and (best is None or weight >= best[0]):
                    best = (weight, len(same), edit)
        if best is None:
            return None
        weight, count, edit = best
        lost = self._lost(edit, chosen, weight, sum(line.weight for line in lines))
        where = (edit.session_id, edit.turn_uuid, edit.harness, edit.ts)
        return RunnerUp(*where, count, round(weight, 3), lost)

    def _lost(self, edit: EditRow, chosen: EditRow | None, weight: float, most: float) -> Lost:
        if edit.ts is None or edit.ts > self._late:
            return "later"
        if edit.retracted:
            return "retracted"
        if chosen is None:
            return "not-enough"
        if weight < most:
            return "less"
        return "elsewhere" if edit.ts > (chosen.ts or 0.0) else "older"


def _numbers(link: Link) -> set[int]:
    return {n for first, last in link.lines for n in range(first, last + 1)}


def _evidence(lines: Iterable[DiffLine]) -> tuple[Evidence, ...]:
    found = [Evidence(line.number, round(line.weight, 3)) for line in lines]
    return tuple(sorted(found, key=lambda e: (-e.weight, e.number)))
