"""What a file was called when edits of it were made: moved by sessions, moved by commits, or moved
before it was first committed, which only its content tells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from funes_git.git.patch import FileChange
from funes_git.link.difflines import DiffLine
from funes_git.link.graph import Graph
from funes_git.store.catalog import Catalog
from funes_git.store.links import Move

ALIKE = 2.0
"""The weight of common lines from which a new file may be one that a session wrote elsewhere, if it
is a third of the file's."""

RARE = 8
"""Paths up to which a line that stands in all of them tells which file it is."""

OFTEN = 20
"""New files in one run from which all that sessions created is laid out."""


class Names:
    """The paths of edits, and how files came from one path to another."""

    def __init__(self, catalog: Catalog, graph: Graph) -> None:
        self._catalog = catalog
        self._graph = graph
        self._namesakes: dict[str, list[str]] = {}
        """File name → the paths of edits that end in it, as far as was asked."""
        self._earlier: dict[str, set[str]] = defaultdict(set)
        """New path → the paths that sessions moved there."""
        self._left: dict[str, set[str]] = defaultdict(set)
        """File name → the paths that sessions moved such a file from."""
        for old, new, _ in catalog.renames():
            self._earlier[new].add(old)
            self._left[last_part(old)].add(old)
        self._moves: dict[str, list[Move]] = {}
        """New path → the moves there that commits show, as far as was asked."""
        self._moving: dict[str, set[str]] = defaultdict(set)
        """New path → old paths of moves that were announced, but not looked at yet."""
        self._created: dict[int, list[tuple[float, str]]] | None = None
        self._asked = 0

    def wanted(self, change: FileChange) -> bool:
        """Whether any edit could explain lines of this file: one at its path, at its former path,
        or, for a new file, one at any path. Asked of every file of a commit before the commit is
        looked at."""
        if change.old_path:
            self._moving[change.path].add(change.old_path)
        return change.status == "added" or any(
            self.namesakes(path) for path in self._closure(change, None)
        )

    def of(self, sha: str, change: FileChange) -> set[str]:
        """What the file that commit `sha` changes is or was called."""
        return self._closure(change, sha)

    def _closure(self, change: FileChange, sha: str | None) -> set[str]:
        """Each move is followed to those that came before it: what was moved to the old name since
        is another file."""
        names: set[str] = set()
        seen: set[tuple[str, str | None, bool]] = set()
        waiting = [(change.path, sha, True)]
        waiting += [(change.old_path, sha, False)] if change.old_path else []
        while waiting:
            name, until, itself = step = waiting.pop()
            if step in seen:
                continue
            seen.add(step)
            names.add(name)
            waiting += [(old, until, itself) for old in self._earlier.get(name, ())]
            if sha is None:
                waiting += [(old, None, False) for old in self._moving.get(name, ())]
            waiting += [
                (move.old_path, until and move.sha, False)
                for move in self._moves_to(name)
                if until is None or self._came(move.sha, until, itself)
            ]
        return names

    def _came(self, sha: str, until: str, itself: bool) -> bool:
        """Whether one commit came before another, or is that one, if `itself` counts."""
        return (itself or sha != until) and self._graph.is_ancestor(sha, until)

    def namesakes(self, path: str) -> Sequence[str]:
        """The paths of edits that end in the same name."""
        name = last_part(path)
        if name not in self._namesakes:
            found = self._catalog.paths_named(name) | self._left.get(name, set())
            self._namesakes[name] = sorted(found)
        return self._namesakes[name]

    def move(self, moves: Iterable[Move]) -> None:
        """Take in what a commit moved."""
        for move in moves:
            self._moves_to(move.path).append(move)

    def _moves_to(self, path: str) -> list[Move]:
        if path not in self._moves:
            self._moves[path] = self._catalog.moves_to(path)
        return self._moves[path]

    def alike(self, lines: Sequence[DiffLine], before: float) -> str | None:
        """The path at which a session created, up to the time `before`, the file that these lines
        of a new file are most like; None if they are like none."""
        created = self._created_with(frozenset(line.exact for line in lines))
        weights: dict[str, float] = defaultdict(float)
        for line in lines:
            found = {path for ts, path in created.get(line.exact, ()) if ts <= before}
            if len(found) <= RARE:
                for path in found:
                    weights[path] += line.weight
        best = max(sorted(weights), key=lambda path: weights[path], default=None)
        least = max(ALIKE, sum(line.weight for line in lines) / 3)
        return best if best is not None and weights[best] >= least else None

    def _created_with(self, hashes: frozenset[int]) -> Mapping[int, list[tuple[float, str]]]:
        """Where sessions created files with these lines. Of all files at once if it is asked often:
        to lay that out takes as long as many a look at what is stored."""
        self._asked += 1
        if self._created is None and self._asked > OFTEN:
            self._created = self._catalog.created()
        return self._catalog.created(hashes) if self._created is None else self._created


def last_part(path: str) -> str:
    """The name of the file, without its folder."""
    return path.rpartition("/")[2]
