"""One run of linking over commits that come parents first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.git.diffs import CommitChange, FileChange
from funes_git.linehash import exact_hash
from funes_git.link.evidence import FileEvidence, Findings
from funes_git.link.graph import Graph
from funes_git.link.pool import Claim, Claims, Pool
from funes_git.link.proofs import Witnesses
from funes_git.link.reasons import reason_of
from funes_git.model import Link, LinkedCommit
from funes_git.store.catalog_writer import CatalogWriter

FLUSH = 500
"""Commits written to the catalog at once."""

Seen = Callable[[LinkedCommit, list[Link]], None]
"""Called with each commit that was linked and its links."""


class Linker:
    """What linking knows of the sessions and of the commits linked before."""

    def __init__(self, repo: Repo, catalog: CatalogWriter) -> None:
        self._repo = repo
        self._catalog = catalog
        self._graph = Graph()
        for sha, parents in catalog.commit_parents():
            self._graph.add(sha, parents)
        self._witnesses = Witnesses(catalog)
        self._shallow = repo.shallow()
        self._paths = catalog.all_edit_paths()
        self._namesakes: dict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            self._namesakes[_name(path)].append(path)
        self._earlier = _earlier_names((old, new) for old, new, _ in catalog.renames())
        self._claims: Claims = {}
        self._loaded: set[int] = set()
        """The edits whose earlier claims have been read."""
        self._pools: dict[tuple[str, ...], Pool] = {}

    def wanted(self, change: FileChange) -> bool:
        """Whether any edit could explain lines of this file: one at its path, at its former path,
        or, for a new file, one at a path that the same commit may have deleted."""
        return change.status == "added" or any(
            _name(path) in self._namesakes or path in self._earlier
            for path in (change.path, change.old_path)
            if path
        )

    def run(self, commits: Iterator[CommitChange], seen: Seen) -> None:
        """Link `commits`, which come parents first, and store what is found."""
        waiting: list[tuple[LinkedCommit, Findings]] = []
        with BlobReader(self._repo) as blobs:
            for commit in commits:
                self._graph.add(commit.info.sha, commit.info.parents)
                row, found = self._commit(commit, blobs)
                seen(row, found.links)
                waiting.append((row, found))
                if len(waiting) >= FLUSH:
                    self._store(waiting)
        self._store(waiting)

    def _store(self, waiting: list[tuple[LinkedCommit, Findings]]) -> None:
        self._catalog.replace_links(
            [row for row, _ in waiting],
            [link for _, found in waiting for link in found.links],
            [(c.edit, c.pos, c.kind, c.commit) for _, found in waiting for c in found.claims],
        )
        waiting.clear()

    def _commit(self, commit: CommitChange, blobs: BlobReader) -> tuple[LinkedCommit, Findings]:
        info = commit.info
        found = Findings(self._witnesses.of(info.sha))
        found.added = sum(change.added for change in commit.files)
        shallow = info.sha in self._shallow
        if shallow:
            commit = CommitChange(info, [], unreadable=True)
        for change in commit.files:
            self._release(info.sha, change, found)
        gone = [change.path for change in commit.files if change.status == "deleted"]
        for change in commit.files:
            self._file(commit, change, gone, found, blobs)
        found.links += self._witnesses.committed(info.sha, found.links)
        reason = None if found.links else reason_of(commit, found, self._witnesses, shallow)
        row = LinkedCommit(
            info.sha, info.parents, info.commit_time, reason, found.added, found.explained
        )
        return row, found

    def _release(self, sha: str, change: FileChange, found: Findings) -> None:
        """Open the lines that the commit removes, so that it or a later one can bring them back."""
        removed = [exact_hash(text) for hunk in change.hunks for _, text in hunk.removed]
        if removed:
            self._claim(self._pool(self._names(change)).released_by(removed, sha), found)

    def _file(
        self,
        commit: CommitChange,
        change: FileChange,
        gone: list[str],
        found: Findings,
        blobs: BlobReader,
    ) -> None:
        names = self._names(change)
        here = self._pool(names)
        others = [*self._namesakes.get(_name(change.path), ())]
        others += gone if change.status == "added" else []
        elsewhere = self._pool(path for path in others if path not in names)
        if not here and not elsewhere:
            return
        texts = {text.rstrip() for hunk in change.hunks for _, text in hunk.added}
        before = blobs.count_lines(change.old_blob, texts) if texts else Counter[str]()
        evidence = FileEvidence(commit, change, found)
        evidence.match(here, elsewhere, before)
        self._claim(evidence.claims, found)

    def _claim(self, claims: list[Claim], found: Findings) -> None:
        found.claims += claims
        for claim in claims:
            self._claims.setdefault((claim.edit, claim.pos), []).append(claim)

    def _names(self, change: FileChange) -> set[str]:
        """What the file is or was called when edits of it may have been made."""
        names: set[str] = set()
        waiting = [change.path, *([change.old_path] if change.old_path else [])]
        while waiting:
            name = waiting.pop()
            if name not in names:
                names.add(name)
                waiting.extend(self._earlier.get(name, ()))
        return names

    def _pool(self, paths: Iterable[str]) -> Pool:
        key = tuple(sorted(path for path in paths if path in self._paths))
        if key not in self._pools:
            edits = self._catalog.edits_at(key) if key else []
            unseen = [edit.id for edit in edits if edit.id not in self._loaded]
            self._loaded.update(unseen)
            for edit, pos, kind, sha in self._catalog.claims_of(unseen):
                self._claims.setdefault((edit, pos), []).append(Claim(edit, pos, kind, sha))
            self._pools[key] = Pool(edits, self._claims, self._graph)
        return self._pools[key]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _earlier_names(renames: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """New path → the paths that a session moved there."""
    earlier: dict[str, set[str]] = defaultdict(set)
    for old, new in renames:
        earlier[new].add(old)
    return earlier
