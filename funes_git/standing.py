"""What became, up to HEAD, of the lines that a hit's turns wrote: looked up for the few hits that
are shown, since it changes with every commit."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from funes_git.containing import Containing
from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.link.weight import LIGHT, weight
from funes_git.model import Hit, Standing
from funes_git.store.catalog import Catalog
from funes_git.store.narrowing import Shown


def marked(repo: Repo, catalog: Catalog, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits, each that is tied to commits with its standing; what is stale comes last."""
    written = [
        catalog.lines_shown(hit.session_id, hit.turn_uuid) if hit.commits else [] for hit in hits
    ]
    shas = {each.sha for rows in written for each in rows}
    head = repo.tips("HEAD") if shas else []
    if not head:
        return tuple(hits)
    containing = Containing(repo, catalog, head[0])
    with BlobReader(repo) as blobs:
        at = _AtHead(catalog, blobs, containing, shas)
        found = [at.standing(rows) for rows in written]
    reverted = containing.reverted(sha for each in found if each.lost for sha in each.shas)
    told = [
        replace(hit, standing=each.told(reverted)) for hit, each in zip(hits, found, strict=True)
    ]
    return tuple(sorted(told, key=lambda hit: hit.stale))


class _Known(NamedTuple):
    """What became of the lines that commits showed, whether any of them was reverted aside."""

    standing: Standing | None
    shas: frozenset[str] = frozenset()

    @property
    def lost(self) -> bool:
        """Whether most of the lines went, once they were there."""
        found = self.standing
        return (
            found is not None
            and found.state in ("changed", "gone")
            and 2 * found.kept < found.lines
        )

    def told(self, reverted: Set[str]) -> Standing | None:
        """The standing, where these commits were taken back."""
        if self.standing and self.lost and self.shas & reverted:
            return replace(self.standing, state="reverted")
        return self.standing


class _AtHead:
    def __init__(
        self, catalog: Catalog, blobs: BlobReader, containing: Containing, shas: set[str]
    ) -> None:
        self._catalog = catalog
        self._blobs = blobs
        self._containing = containing
        self._outside = containing.outside(shas)
        self._here: dict[str, set[str]] = {}

    def standing(self, rows: Sequence[Shown]) -> _Known:
        """Of the lines that commits showed; none where git has these commits no more."""
        rows = [each for each in rows if self._blobs.read(f"{each.sha}^{{commit}}")]
        merged = [each for each in rows if each.sha not in self._outside]
        rows = merged or rows
        lines = self._telling(rows)
        if not lines:
            return _Known(None)
        kept = sum(
            any(text in self._lines_at_head(path) for path in paths)
            for text, paths in lines.items()
        )
        shas = frozenset(each.sha for each in rows)
        if kept == len(lines):
            return _Known(Standing("current", kept, len(lines)))
        if not merged:
            branch = self._containing.branch(min(shas))
            return _Known(Standing("unmerged", kept, len(lines), branch))
        return _Known(Standing("changed" if kept else "gone", kept, len(lines)), shas)

    def _telling(self, rows: Sequence[Shown]) -> dict[str, set[str]]:
        """Each line, without white space, with the paths at which commits showed it. Lines that
        everyone writes only if there are no others, since these stand in every file."""
        weights: dict[str, float] = {}
        paths: dict[str, set[str]] = {}
        for each in rows:
            lines = self._blobs.lines(f"{each.sha}:{each.path}")
            for first, last in each.lines:
                for text in lines[first - 1 : last]:
                    weights[_squeezed(text)] = weight(text)
                    paths.setdefault(_squeezed(text), set()).add(each.path)
        least = LIGHT if any(much > LIGHT for much in weights.values()) else 0.0
        return {text: paths[text] for text, much in weights.items() if much > least}

    def _lines_at_head(self, path: str) -> set[str]:
        """The lines of the file, and of those that it was moved to."""
        if path not in self._here:
            names = self._catalog.later_names(path)
            lines = (text for name in names for text in self._blobs.lines(f"HEAD:{name}"))
            self._here[path] = {_squeezed(text) for text in lines}
        return self._here[path]


def _squeezed(line: str) -> str:
    return "".join(line.split())
