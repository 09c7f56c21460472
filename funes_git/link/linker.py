"""One run of linking over commits that come parents first."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.git.patch import CommitChange, FileChange
from funes_git.linehash import exact_hash, loose_hash
from funes_git.link.difflines import added_lines, removed_lines
from funes_git.link.editrows import RELEASED, Claim, Claims, EditRow, Elsewhere
from funes_git.link.edittext import EditText, bare
from funes_git.link.evidence import FileEvidence
from funes_git.link.findings import Findings
from funes_git.link.graph import Graph
from funes_git.link.names import Names
from funes_git.link.place import Places
from funes_git.link.pool import Pool
from funes_git.link.proofs import Witnesses
from funes_git.link.reasons import reason_of
from funes_git.link.release import released
from funes_git.model import Link, LinkedCommit
from funes_git.store.catalog import Catalog
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.links import Move

FLUSH = 500
"""Commits written to the catalog at once."""

LATER = 20
"""Edits after one of which it is asked where they show its lines."""

RETURNS = 10
"""Commits that removed a line of which it is asked where it stood."""

REMEMBERED = 2000
"""Texts of edits that are kept."""

MANY = 20
"""Files of a commit up to which lines are looked for that were moved from one to another."""

Seen = Callable[[LinkedCommit, list[Link]], None]
"""Called with each commit that was linked and its links."""


class Linker:
    """What linking knows of the sessions and of the commits linked before."""

    def __init__(self, repo: Repo, catalog: Catalog, graph: Graph) -> None:
        """`graph` knows the commits that are linked, and takes in those that will be."""
        self._repo = repo
        self._catalog = catalog
        self.graph = graph
        self._witnesses = Witnesses(catalog)
        self._shallow = repo.shallow()
        self._names = Names(catalog, self.graph)
        self._edits: dict[int, EditRow] = {}
        self._texts: dict[int, EditText] = {}
        self._claims: Claims = {}
        self._loaded: set[int] = set()
        """The edits whose earlier claims have been read."""
        self._pools: dict[tuple[str, ...], Pool] = {}

    def wanted(self, change: FileChange) -> bool:
        """Whether the lines of this file are to be read."""
        return self._names.wanted(change)

    def run(self, commits: Iterator[CommitChange], writer: CatalogWriter, seen: Seen) -> None:
        """Link `commits`, which come parents first, and store what is found."""
        waiting: list[tuple[LinkedCommit, Findings]] = []
        with BlobReader(self._repo) as blobs:
            for commit in commits:
                self.graph.add(commit.info.sha, commit.info.parents)
                row, found = self._commit(commit, blobs)
                seen(row, found.links)
                waiting.append((row, found))
                if len(waiting) >= FLUSH:
                    self._store(writer, waiting)
        self._store(writer, waiting)

    def one(self, commit: CommitChange, content: bytes) -> list[Link]:
        """The links of what will be a commit of one file with this content; nothing is stored."""
        with BlobReader(self._repo) as blobs:
            for change in commit.files:
                blobs.remember(change.new_blob, content)
            self.graph.add(commit.info.sha, commit.info.parents)
            return self._commit(commit, blobs)[1].links

    def _commit(self, commit: CommitChange, blobs: BlobReader) -> tuple[LinkedCommit, Findings]:
        info = commit.info
        found = Findings(self._witnesses.of(info.sha))
        found.added = sum(change.added for change in commit.files)
        shallow = info.sha in self._shallow
        if shallow:
            commit = CommitChange(info, [], unreadable=True)
        found.moves = [Move(new, old, info.sha) for new, old in _moves(commit)]
        self._names.move(found.moves)
        evidence = [
            FileEvidence(commit, change, found, self._elsewhere(info.sha, change, blobs))
            for change in commit.files
        ]
        for each in evidence:
            self._release(each, found, blobs)
        for each in evidence:
            self._file(commit, each, found, blobs)
        found.links += self._witnesses.committed(info.sha, found.links)
        found.links = [self._witnesses.sourced(link) for link in found.links]
        found.links += self._witnesses.attributed(info.sha, info.commit_time, found.links)
        reason = None
        lost = commit.unreadable and not commit.files
        if lost or not found.links:  # who committed it says nothing of its lines
            reason = reason_of(commit, found, self._witnesses, shallow)
        row = LinkedCommit(
            info.sha, info.parents, info.commit_time, reason, found.added, found.explained
        )
        return row, found

    def _release(self, evidence: FileEvidence, found: Findings, blobs: BlobReader) -> None:
        """Open the lines that the commit removes, so that it or a later one can bring them back."""
        sha, change = evidence.sha, evidence.change
        removed = removed_lines(change)
        pool = self._pool(self._names.of(sha, change))
        if not (removed and pool):
            return
        read = functools.cache(lambda: blobs.lines(change.old_blob))
        claims = released(pool, removed, sha, read, Places(read, self._text), evidence.elsewhere)
        self._claim(claims, found)
        evidence.removed.update((claim.edit, claim.pos) for claim in claims)

    def _file(
        self, commit: CommitChange, evidence: FileEvidence, found: Findings, blobs: BlobReader
    ) -> None:
        change = evidence.change
        if change.status == "added":
            self._move_by_content(evidence, found)
        names = self._names.of(evidence.sha, change)
        here = self._pool(names)
        others = self._others(commit, change, names)
        namesakes = self._pool(set(self._names.namesakes(change.path)) - names)
        if not (here or others or namesakes):
            return
        texts = {text.rstrip() for hunk in change.hunks for _, text in hunk.added}
        texts |= {"".join(text.split()) for text in texts}
        before = blobs.count_lines(change.old_blob, texts) if texts else Counter[str]()
        old = functools.cache(lambda blob: [bare(line) for line in blobs.lines(blob)])
        places = Places(
            lambda: blobs.lines(change.new_blob),
            self._text,
            lambda edit: here.after(edit, evidence.bound, LATER),
            lambda edit, pos: map(old, self._stood(edit, pos, evidence.sha, names)),
        )
        evidence.match(here, others, namesakes, before, places)
        self._claim(evidence.proven.claims, found)

    def _elsewhere(self, sha: str, change: FileChange, blobs: BlobReader) -> Elsewhere:
        """Of an edit and the hash of a line: whether the commit has such a line at the path where
        the edit was made, if that is another file than the one it changes here."""

        @functools.cache
        def standing(path: str) -> Collection[int]:
            if path in (change.path, change.old_path):
                return ()
            lines = blobs.lines(f"{sha}:{path}")
            return {hashed(text) for text in lines for hashed in (exact_hash, loose_hash)}

        return lambda edit, key: key in standing(edit.path)

    def _stood(self, edit: int, pos: int, sha: str, names: Iterable[str]) -> Iterator[str]:
        """Where the file is as it was before a commit that came before `sha` removed a line of an
        edit."""
        claims = self._claims.get((edit, pos), ())
        commits = {claim.commit for claim in claims if claim.kind == RELEASED} - {sha}
        older = [commit for commit in sorted(commits) if self.graph.is_ancestor(commit, sha)]
        for commit in older[:RETURNS]:
            yield from (f"{commit}^:{name}" for name in sorted(names))

    def _others(self, commit: CommitChange, change: FileChange, names: set[str]) -> list[Pool]:
        """The edits of each other file of a commit that is small enough to ask them all: what
        stands here may have been moved from there."""
        if len(commit.files) > MANY:
            return []
        found = (self._names.of(commit.info.sha, other) - names for other in commit.files)
        return [pool for paths in found if (pool := self._pool(paths))]

    def _move_by_content(self, evidence: FileEvidence, found: Findings) -> None:
        """Note where a new file was written, if a session wrote much of it at another path."""
        lines = added_lines(evidence.change, Counter())
        old = self._names.alike(lines, evidence.bound)
        if old is not None and old != evidence.change.path:
            move = Move(evidence.change.path, old, evidence.sha)
            found.moves.append(move)
            self._names.move([move])

    def _claim(self, claims: list[Claim], found: Findings) -> None:
        found.claims += claims
        for claim in claims:
            self._claims.setdefault((claim.edit, claim.pos), []).append(claim)

    def _text(self, edit: int) -> EditText:
        """What stands in and around an edit, by its row id."""
        if edit not in self._texts:
            row = self._edits[edit]
            record = self._catalog.edit(row.edit_id)
            text = EditText.of_diff(record.diff if record else "", whole=row.operation == "create")
            if len(self._texts) >= REMEMBERED:
                self._texts.clear()
            self._texts[edit] = text
        return self._texts[edit]

    def _pool(self, paths: Iterable[str]) -> Pool:
        key = tuple(sorted(path for path in paths if path in self._names.namesakes(path)))
        if key not in self._pools:
            edits = self._catalog.edits_at(key) if key else []
            self._edits.update((edit.id, edit) for edit in edits)
            unseen = [edit.id for edit in edits if edit.id not in self._loaded]
            self._loaded.update(unseen)
            for edit, pos, kind, sha in self._catalog.claims_of(unseen):
                self._claims.setdefault((edit, pos), []).append(Claim(edit, pos, kind, sha))
            self._pools[key] = Pool(edits, self._claims, self.graph)
        return self._pools[key]

    def _store(self, writer: CatalogWriter, waiting: list[tuple[LinkedCommit, Findings]]) -> None:
        writer.replace_links(
            [row for row, _ in waiting],
            [link for _, found in waiting for link in found.links],
            [(c.edit, c.pos, c.kind, c.commit) for _, found in waiting for c in found.claims],
            [move for _, found in waiting for move in found.moves],
            self.graph.taken(),
        )
        waiting.clear()


def _moves(commit: CommitChange) -> Iterator[tuple[str, str]]:
    """(new, old) path of the files that the commit moved: those that git tells, and new ones that
    are what another file was, where that one is something else now."""
    was = {change.old_blob: change.path for change in commit.files if change.status == "modified"}
    for change in commit.files:
        old = was.get(change.new_blob) if change.status == "added" else change.old_path
        if old:
            yield change.path, old
