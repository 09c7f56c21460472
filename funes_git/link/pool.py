"""The edits that may explain a commit's lines, and which of their lines are still to be committed.

Each line that an edit added is one instance. A commit that shows it claims it, for itself and for
all commits that come after it; a commit that removes it again releases it. A later edit that
removed the line, and whose removal is not committed yet, takes it away. So a line typed again later
by a person is not given to the edit that once wrote the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import field

from funes_git.linehash import loose_hash
from funes_git.link.editrows import ADDED, RELEASED, REMOVED, WHOLE, Claims, EditRow
from funes_git.link.graph import Graph
from funes_git.link.match import Candidate, Candidates
from funes_git_parsers.dataclass import dataclass

MUTE = frozenset(
    loose_hash(text)
    for text in ("", *"{}()[]", "};", "},", "})", "});", ");", "),", "];", "],", "]);", "end", "*/")
)
"""Lines that say nothing, by their loose hashes: as many as need be told without their text."""


@dataclass(slots=True)
class _Lines:
    """The edits of one path, oldest first, and where each line hash stands in them."""

    edits: list[EditRow]
    times: list[float]
    exact: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    loose: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    removed: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    """hash → (index of the edit, position)"""
    hashes: dict[tuple[int, int], int] = field(default_factory=dict)
    """(edit, position) → exact hash of the added line"""
    sizes: list[tuple[int, int]] = field(default_factory=list)
    """How many lines each edit added and removed."""


class Pool:
    """The edits of one file's name and former names, as one commit may see them."""

    def __init__(self, edits: Iterable[EditRow], claims: Claims, graph: Graph) -> None:
        timed = sorted((e for e in edits if e.ts is not None), key=lambda e: (e.ts or 0.0, e.id))
        self._lines = _Lines(timed, [e.ts or 0.0 for e in timed])
        self._by_id = {edit.id: edit for edit in timed}
        self._claims = claims
        self._graph = graph
        self._kept: tuple[tuple[str, float], dict[int, set[tuple[int, int]]]] = (("", 0.0), {})
        """For the commit asked about last: line hash → instances that were not taken back."""
        for index, edit in enumerate(timed):
            added, removed = edit.added, edit.removed
            self._lines.sizes.append((len(added), len(removed)))
            for key in added:
                self._lines.exact[key.exact].append((index, key.pos))
                self._lines.loose[key.loose].append((index, key.pos))
                self._lines.hashes[edit.id, key.pos] = key.exact
            for key in removed:
                self._lines.removed[key.exact].append((index, key.pos))

    def __bool__(self) -> bool:
        return bool(self._lines.edits)

    def edit(self, edit_id: int) -> EditRow:
        """One of the edits, by its row id."""
        return self._by_id[edit_id]

    def before(self, bound: float) -> list[EditRow]:
        """The edits made up to `bound`, oldest first."""
        return self._lines.edits[: bisect_right(self._lines.times, bound)]

    def after(self, edit_id: int, bound: float, most: int) -> list[int]:
        """The row ids of the `most` edits that were made next after one, up to `bound`."""
        edits = self.before(bound)
        at = next((n for n, edit in enumerate(edits) if edit.id == edit_id), len(edits))
        return [edit.id for edit in edits[at + 1 : at + 1 + most]]

    def added(
        self,
        hashes: Iterable[int],
        commit: str,
        bound: float,
        *,
        loose: bool = False,
        back: bool = False,
        only: Collection[int] | None = None,
        gone: Callable[[EditRow, int], bool] = lambda edit, key: False,
    ) -> Candidates:
        """For each line hash the instances that `commit` may show; with `back`, those that a later
        edit took back; with `only`, those of these edits. `gone` says of an edit and a line hash
        whether the line, whatever showed it once, stands there no more."""
        index = self._lines.loose if loose else self._lines.exact

        def is_open(edit: EditRow, pos: int, key: int) -> bool:
            if only is not None and edit.id not in only:
                return False
            if back:
                return self._is_back(edit, pos, commit, bound)
            if gone(edit, key) and self._claimed(edit.id, pos, ADDED, commit):
                return True
            return self._is_open(edit, pos, commit, bound)

        return self._candidates(index, hashes, bound, is_open)

    def removed(self, hashes: Iterable[int], commit: str, bound: float) -> Candidates:
        """For each line hash the removals that `commit` may show: not of a line that an edit wrote
        again after the removal, and that was committed."""

        def is_open(edit: EditRow, pos: int, key: int) -> bool:
            if self._claimed(edit.id, pos, REMOVED, commit):
                return False
            written = self._lines.exact.get(key, ())
            again = any((edit.ts or 0.0) < self._lines.times[at] <= bound for at, _ in written)
            return not again or not any(
                self._claimed(self._lines.edits[at].id, line, ADDED, commit) for at, line in written
            )

        return self._candidates(self._lines.removed, hashes, bound, is_open)

    def _candidates(
        self,
        index: dict[int, list[tuple[int, int]]],
        hashes: Iterable[int],
        bound: float,
        is_open: Callable[[EditRow, int, int], bool],
    ) -> Candidates:
        last = bisect_right(self._lines.times, bound)
        removing = index is self._lines.removed
        found: dict[int, list[Candidate]] = {}
        for key in set(hashes):
            rows = []
            for at, pos in index.get(key, ()):
                edit = self._lines.edits[at]
                if at < last and is_open(edit, pos, key):
                    size = self._lines.sizes[at][removing]
                    rows.append(Candidate(edit.id, at, pos, size))
            if rows:
                found[key] = rows
        return found

    def _claimed(self, edit: int, pos: int, kind: str, commit: str) -> Sequence[str]:
        """The commits up to `commit` with such a claim on the line."""
        claims = self._claims.get((edit, pos))
        if not claims:
            return ()
        return [
            claim.commit
            for claim in claims
            if claim.kind == kind and self._graph.is_ancestor(claim.commit, commit)
        ]

    def _is_open(self, edit: EditRow, pos: int, commit: str, bound: float) -> bool:
        if self._claimed(edit.id, pos, ADDED, commit):
            return not self._stands(edit.id, pos, commit)
        return not self._taken_back(edit, pos, commit, bound)

    def _is_back(self, edit: EditRow, pos: int, commit: str, bound: float) -> bool:
        claimed = self._claimed(edit.id, pos, ADDED, commit)
        return not claimed and self._taken_back(edit, pos, commit, bound)

    def _stands(self, edit: int, pos: int, commit: str) -> bool:
        """Whether some commit up to `commit` showed the line, and none after that removed it."""
        shows = self._claimed(edit, pos, ADDED, commit)
        removals = self._claimed(edit, pos, RELEASED, commit) if shows else ()
        return any(
            not any(r != shown and self._graph.is_ancestor(shown, r) for r in removals)
            for shown in shows
        )

    def shared(self, edit_id: int, key: int, bound: float, *, loose: bool = False) -> bool:
        """Whether the line of an edit may as well be somebody else's, whatever became of that one:
        another session wrote it here too, or it was removed before any wrote it."""
        session = self._by_id[edit_id].session_id
        last = bisect_right(self._lines.times, bound)
        index = self._lines.loose if loose else self._lines.exact
        written = [at for at, _ in index.get(key, ()) if at < last]
        if any(self._lines.edits[at].session_id != session for at in written):
            return True
        removed = self._lines.removed.get(key, ())
        return any(at <= written[0] for at, _ in removed)

    def open_lines(self, edit_id: int, commit: str, bound: float) -> int:
        """How many lines that say something an edit still has to show."""
        edit = self._by_id[edit_id]
        return sum(
            self._is_open(edit, key.pos, commit, bound)
            for key in edit.added
            if key.loose not in MUTE
        )

    def _taken_back(self, edit: EditRow, pos: int, commit: str, bound: float) -> bool:
        """Whether a later edit, not committed before `commit`, removed this line again."""
        exact = self._lines.hashes[edit.id, pos]
        if exact not in self._lines.removed:
            return False
        if self._kept[0] != (commit, bound):
            self._kept = ((commit, bound), {})
        if exact not in self._kept[1]:
            self._kept[1][exact] = self._uncommitted(exact, commit, bound)
        return (edit.id, pos) not in self._kept[1][exact]

    def _uncommitted(self, exact: int, commit: str, bound: float) -> set[tuple[int, int]]:
        """The instances of a line that no later edit removed, but for removals that were committed
        before `commit`.

        Removals take the newest line first: which of several equal lines went cannot be told."""
        kept: list[tuple[int, int]] = []
        # an edit that moves a line removes it before it adds it
        events = [(at, 0, p) for at, p in self._lines.removed[exact]]
        events += [(at, 1, p) for at, p in self._lines.exact[exact]]
        last = bisect_right(self._lines.times, bound)
        for at, adds, p in sorted(events):
            row = self._lines.edits[at]
            if at >= last:
                break
            if adds:
                kept.append((row.id, p))
            elif kept and not self._claimed(row.id, p, REMOVED, commit):
                kept.pop()
        return set(kept)

    def standing(self, exact: int, loose: int, commit: str) -> list[tuple[int, int]]:
        """The instances (edit, position) of a line that a commit before `commit` showed and none
        removed; where no edit wrote it so, those that are equal but for white space."""
        equal = self._lines.exact.get(exact) or self._lines.loose.get(loose) or []
        instances = [(self._lines.edits[at].id, pos) for at, pos in equal]
        return [(edit, pos) for edit, pos in instances if self._stands(edit, pos, commit)]

    def unproven(self, commit: str, bound: float) -> list[EditRow]:
        """Edits without text that no commit before `commit` has shown yet, newest first."""
        return [
            edit
            for edit, sizes in reversed(
                list(zip(self.before(bound), self._lines.sizes, strict=False))
            )
            if sizes == (0, 0) and not self._claimed(edit.id, WHOLE, ADDED, commit)
        ]
