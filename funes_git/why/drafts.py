"""What no commit shows, and yet shaped a line: edits that were replaced before the commit was made,
by their session or by a person."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from funes_git.linehash import exact_hash
from funes_git.model import EditRecord, Link
from funes_git.store.catalog import Catalog
from funes_git.store.records import EditRow
from funes_git.why.rows import ALIKE, Row, bare, likeness, replaced, rows

MOST = 50
"""Drafts of one line that are followed."""

COMPARED = 10_000
"""Pairs of lines that are compared at most to find what reads alike, the newest edits first."""


class Draft(NamedTuple):
    """Lines of an edit that no commit shows as they were: what `via` says took their place."""

    edit: EditRow
    texts: tuple[str, ...]
    via: str


class Drafts:
    """The edits of one file, by all its names."""

    def __init__(self, catalog: Catalog, path: str) -> None:
        self._catalog = catalog
        self._edits = [
            edit
            for edit in catalog.edits_at(sorted(catalog.former_names(path)))
            if edit.ts is not None and not edit.retracted
        ]
        shown = catalog.claims_of([edit.id for edit in self._edits])
        self._claims = [claim for claim in shown if claim[2] == "added"]
        self._shown = {(edit, pos) for edit, pos, _, _ in self._claims}
        self._by_id = {edit.edit_id: edit for edit in self._edits}

    def row(self, edit_id: str | None) -> EditRow | None:
        """The edit of a link."""
        return self._by_id.get(edit_id or "")

    def behind(self, edit: EditRow, texts: Sequence[str], committed: Set[str]) -> list[Draft]:
        """What was replaced, edit by edit, on the way to `texts`, newest first; `committed` are the
        lines, without white space, that the commit before had: they are not followed."""
        found: list[Draft] = []
        seen = {edit.edit_id}
        waiting = [(edit, tuple(texts))]
        while waiting and len(found) < MOST:
            later, wanted = waiting.pop(0)
            record = self._catalog.edit(later.edit_id)
            gone = {exact_hash(t): t for t in replaced(record.diff if record else "", wanted)}
            gone = {key: text for key, text in gone.items() if bare(text) not in committed}
            for earlier in reversed(self._before(later)):
                hits = [key.exact for key in earlier.added if key.exact in gone]
                if hits and earlier.edit_id not in seen:
                    seen.add(earlier.edit_id)
                    found.append(Draft(earlier, tuple(gone.pop(k) for k in set(hits)), "edit"))
                    waiting.append((earlier, found[-1].texts))
        return sorted(found, key=lambda draft: -(draft.edit.ts or 0.0))

    def _before(self, edit: EditRow) -> list[EditRow]:
        key = (edit.ts or 0.0, edit.edit_id)
        return [other for other in self._edits if (other.ts or 0.0, other.edit_id) < key]

    def under(
        self, lines: Sequence[tuple[int, str]], links: Sequence[Link], since: float, until: float
    ) -> Draft | None:
        """What a person changed to these lines of a commit, before it was made: what stood there
        in an edit that the commit shows around them, else what reads most like them of the edits
        made after `since` and up to `until` (seconds since the epoch)."""
        for edit in reversed(self._edits):
            if texts := self._there(edit, lines, links):
                return Draft(edit, texts, "place")
        made = [edit for edit in self._edits if since < (edit.ts or 0.0) <= until]
        left = COMPARED // max(len(lines), 1)
        best: tuple[float, float, Draft] | None = None
        for edit in reversed(made):
            fresh = self._open(edit)[:left]
            left -= len(fresh)
            for row in fresh:
                score = max(likeness(row.text, text) for _, text in lines)
                if score >= ALIKE and (best is None or (score, edit.ts or 0.0) >= best[:2]):
                    best = (score, edit.ts or 0.0, Draft(edit, (row.text,), "likeness"))
        return best[2] if best else None

    def _open(self, edit: EditRow) -> list[Row]:
        """The lines of an edit that no commit shows."""
        record: EditRecord | None = self._catalog.edit(edit.edit_id)
        return [
            row
            for row in rows(record.diff if record else "")
            if row.sign == "+" and row.text.strip() and (edit.id, row.pos) not in self._shown
        ]

    def _there(
        self, edit: EditRow, lines: Sequence[tuple[int, str]], links: Sequence[Link]
    ) -> tuple[str, ...]:
        """The lines of `edit` that stood between those of it that stand around `lines`."""
        own = [link for link in links if link.edit_id == edit.edit_id and link.relation == "wrote"]
        if not own:
            return ()
        places = self.places(edit, own)
        first, last = lines[0][0], lines[-1][0]
        above = max((n for n in places if n < first), default=None)
        below = min((n for n in places if n > last), default=None)
        if above is None or below is None:
            return ()
        between = [r for r in self._open(edit) if places[above] < r.pos < places[below]]
        fits = below - above - 1 <= 3 * len(between) + 2
        return tuple(row.text for row in between) if fits else ()

    def places(self, edit: EditRow, links: Sequence[Link]) -> dict[int, int]:
        """Line of the commit → position in the edit, for the links of one edit to one commit; empty
        where it cannot be told."""
        numbers = sorted({n for k in links for a, b in k.lines for n in range(a, b + 1)})
        sha = links[0].commit
        shown = sorted({pos for e, pos, _, at in self._claims if (e, at) == (edit.id, sha)})
        return dict(zip(numbers, shown, strict=True)) if len(numbers) == len(shown) else {}

    def text(self, edit: EditRow, pos: int) -> str:
        """The line that an edit added at a position; empty if it is not known."""
        record = self._catalog.edit(edit.edit_id)
        changed = rows(record.diff if record else "")
        return next((row.text for row in changed if (row.sign, row.pos) == ("+", pos)), "")

    def claims(self, edit: EditRow, texts: Sequence[str]) -> dict[str, str]:
        """Commit → `added` or `released`: the commits that showed such lines of the edit, and those
        that took them away."""
        wanted = {exact_hash(text) for text in texts}
        positions = {key.pos for key in edit.added if key.exact in wanted}
        found = self._catalog.claims_of([edit.id])
        return {
            sha: kind
            for _, pos, kind, sha in found
            if pos in positions and kind in ("added", "released")
        }
