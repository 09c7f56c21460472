"""What the edits of the sessions explain of one file in one commit.

Believed blocks of lines become links of relation `wrote` (or `removed`, where an edit only
removed); edits whose text is not known, of relation `ran`. Everything that a link rests on is
claimed, so that it is not believed again further on.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from funes_git.git.patch import CommitChange, FileChange
from funes_git.linehash import loose_hash
from funes_git.link.belief import SURE, Heavy, Placed, Whole
from funes_git.link.complete import Complete
from funes_git.link.coverage import SKEW
from funes_git.link.difflines import DiffLine, added_lines, removed_lines
from funes_git.link.editrows import REMOVED, EditRow, Elsewhere
from funes_git.link.equal import Equal
from funes_git.link.findings import Findings
from funes_git.link.match import Block, Matching, Pair, match
from funes_git.link.place import Places
from funes_git.link.pool import Pool
from funes_git.link.proven import Proven
from funes_git.link.weight import LIGHT
from funes_git.model import Content

ELSEWHERE = 3.0
"""The weight that a block must reach where only the file's name is the same, not its folder; and
that all must reach together that came from another file of the commit."""

WITHIN = 0.999
"""A commit's time is in whole seconds: it may have been made so many seconds later."""


class FileEvidence:
    """Matches one file of one commit against the edits made there."""

    def __init__(
        self,
        commit: CommitChange,
        change: FileChange,
        found: Findings,
        elsewhere: Elsewhere,
    ) -> None:
        self.sha = commit.info.sha
        self.bound = commit.info.commit_time + WITHIN
        self.late = commit.info.commit_time + SKEW
        self.change = change
        self.found = found
        self.gone = {line.exact: line.weight for line in removed_lines(change)}
        """The lines that the commit removes from this file, and what they weigh."""
        self.removed: set[tuple[int, int]] = set()
        """The lines of edits, (row id, position), that the commit removes from this file."""
        self.elsewhere = elsewhere
        self.shown: Counter[int] = Counter()
        self.weights: dict[int, float] = defaultdict(float)
        """How many lines of each edit were found, and what they weigh."""
        self.pairs: dict[int, list[Pair]] = defaultdict(list)
        """The lines of each edit that are believed."""
        self.present: set[int] = set()
        """The lines of the commit that the file had before, by their loose hashes."""
        self.proven = Proven(self.sha, change.path, found)

    def match(
        self,
        here: Pool,
        others: Sequence[Pool],
        namesakes: Pool,
        before: Counter[str],
        places: Places,
    ) -> None:
        """Add what the edits at this path explain (`here`), at other paths of the commit (`others`)
        and at other paths of the same name (`namesakes`).

        `before` counts the lines of the file in the commit's parent, as they are and without white
        space."""
        self.present = {loose_hash(text) for text, n in before.items() if n}
        lines = added_lines(self.change, before)
        self.found.edited |= bool(here.before(self.bound))
        lines = self._added(here, lines, places, strict=True)
        lines = self._rest(here, lines, places)
        for pool in others:
            lines = self._moved(pool, lines, places)
        lines = self._heavy(namesakes, lines)
        lines = self._late(here, lines)
        self._removed(here)
        self._ran(here, unexplained=any(line.weight > 0 for line in lines))

    def _added(
        self,
        pool: Pool,
        lines: list[DiffLine],
        places: Places,
        *,
        loose: bool = False,
        back: bool = False,
        strict: bool = False,
        home: bool = True,
    ) -> list[DiffLine]:
        """Link what `pool` explains of `lines`; the lines that are left. `home` if it holds the
        edits of this file."""
        if not pool or not lines:
            return lines

        new = self.change.status == "added"
        equal = Equal(pool, lines, places, self.bound, loose=loose)
        absent = {equal.key(line) for line in lines if home and line.loose not in self.present}

        def gone(edit: EditRow, key: int) -> bool:
            fresh = key in absent and not (new and edit.path != self.change.path)
            return fresh and not self.elsewhere(edit, key)

        ask = functools.partial(
            pool.added,
            commit=self.sha,
            bound=self.bound,
            loose=loose,
            back=back,
            gone=gone,
        )
        equal.candidates |= self.proven.unused(ask(map(equal.key, equal.weighty)))
        if not equal.candidates:
            return lines
        # blank lines and braces only go with others
        equal.candidates |= self.proven.unused(ask(equal.mute, only=equal.edits))

        @functools.cache
        def due(edit: int) -> int:
            return pool.open_lines(edit, self.sha, self.bound)

        complete = Complete(self.shown, self.weights, due, SURE)
        for line in equal.weighty:
            complete.add(line, equal.of(line))
        believe = Placed(
            places,
            equal.rivals,
            lambda edit, pos: (edit, pos) in self.removed,
            due,
            complete,
            lambda edit: home and self._replaced(pool, edit),
            self.shown,
            strict or back,
        )
        matching = match(
            lines,
            equal.candidates,
            believe,
            loose=loose,
            known=self.pairs,
            astray=equal.astray(),
            unplaced=equal.unplaced(),
        )
        return self._believe(pool, lines, matching, "reformatted" if loose else "lines")

    def _replaced(self, pool: Pool, edit: int) -> bool:
        """Whether the commit takes away from the file all that an edit took away, and that says
        something; or brings the file that the edit created."""
        row = pool.edit(edit)
        if row.operation == "create" and self.change.status == "added":
            return row.path == self.change.path
        removed = row.removed
        gone = sum(self.gone[key] for key in {each.exact for each in removed} if key in self.gone)
        due = pool.removed((key.exact for key in removed), self.sha, self.bound)
        return gone >= LIGHT and all(
            key.exact in self.gone and any(c.edit == edit for c in due.get(key.exact, ()))
            for key in removed
        )

    def _moved(self, pool: Pool, lines: list[DiffLine], places: Places) -> list[DiffLine]:
        """Link what was moved here from another file of the commit, if it is much; where it is most
        of what is new, the file itself was moved, and everything is asked."""
        found = pool.added([line.exact for line in lines], self.sha, self.bound)
        moved = sum(line.weight for line in lines if line.exact in found)
        if moved < ELSEWHERE:
            return lines
        everything = 2 * moved >= sum(line.weight for line in lines)
        lines = self._added(pool, lines, places, strict=True, home=False)
        return self._rest(pool, lines, places, home=False) if everything else lines

    def _rest(
        self, pool: Pool, lines: list[DiffLine], places: Places, *, home: bool = True
    ) -> list[DiffLine]:
        """Link what is not so sure; the lines that are left."""
        lines = self._added(pool, lines, places, home=home)
        lines = self._added(pool, lines, places, loose=True, home=home)
        return self._added(pool, lines, places, back=True, home=home)

    def _heavy(self, pool: Pool, lines: list[DiffLine]) -> list[DiffLine]:
        """Link what was written at other paths of the same name; the lines that are left."""
        if not pool or not lines:
            return lines
        candidates = pool.added([line.exact for line in lines], self.sha, self.bound)
        matching = match(lines, candidates, Heavy(ELSEWHERE))
        return self._believe(pool, lines, matching, "lines")

    def _late(self, pool: Pool, lines: list[DiffLine]) -> list[DiffLine]:
        """Link what an edit explains that seems to be younger than the commit, as where the clocks
        of two machines differ: only an edit that the commit shows in full, and much of it. It is
        most likely to have been made after the commit indeed."""
        late = {e.id for e in pool.before(self.late)[len(pool.before(self.bound)) :]}
        if not late or not lines:
            return lines
        found = pool.added([line.exact for line in lines], self.sha, self.late)
        shown = Counter(c.edit for candidates in found.values() for c in candidates)
        full = {
            key: [c for c in candidates if c.edit in late and shown[c.edit] == c.size]
            for key, candidates in found.items()
        }
        matching = match(lines, full, Heavy(ELSEWHERE))
        return self._believe(pool, lines, matching, "lines")

    def _believe(
        self, pool: Pool, lines: list[DiffLine], matching: Matching, content: Content
    ) -> list[DiffLine]:
        """Link what was matched; the lines that are left."""
        for edit_id, blocks in _grouped(matching.blocks):
            self.proven.link(pool.edit(edit_id), blocks, "wrote", content)
            self.weights[edit_id] += sum(block.score for block in blocks)
            self.pairs[edit_id] += [pair for block in blocks for pair in block.pairs]
        taken = {line.number for block in matching.blocks for line, _ in block.pairs}
        self.found.explained += len(taken)
        self.found.doubtful += len(matching.doubtful)
        return [line for line in lines if line.number not in taken]

    def _removed(self, pool: Pool) -> None:
        lines = removed_lines(self.change)
        if not pool or not lines:
            return
        candidates = pool.removed([line.exact for line in lines], self.sha, self.bound)
        if not candidates:
            return
        matching = match(lines, candidates, Whole(lines, candidates), known={})
        for edit_id, blocks in _grouped(matching.blocks):
            if edit_id in self.weights:  # its new lines already say so
                self.proven.claim(edit_id, blocks, REMOVED)
            else:
                self.proven.link(pool.edit(edit_id), blocks, "removed", "span")

    def _ran(self, pool: Pool, *, unexplained: bool) -> None:
        """The newest command that wrote this path without its text being known, if the commit
        shows something that no text explains."""
        change = self.change
        if not (unexplained or change.binary or change.status in ("deleted", "renamed")):
            return
        for edit in pool.unproven(self.sha, self.bound):
            if edit.operation in ("delete", "rename") and change.status not in (
                "deleted",
                "renamed",
            ):
                continue
            if edit.operation == "rename" and edit.path != change.path:
                continue
            self.proven.ran(edit)
            return


def _grouped(blocks: Iterable[Block]) -> list[tuple[int, list[Block]]]:
    by_edit: dict[int, list[Block]] = {}
    for block in blocks:
        by_edit.setdefault(block.edit, []).append(block)
    return list(by_edit.items())
