"""Which sources touch one repository: by what was cached, by their quick scans, and for checkouts
that are gone by the names, paths and commits that were recorded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha1
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from funes_git import asking, config, redact
from funes_git.adopt import bearing, checkouts_of, gone_neighbours, recorded_roots, was_ours
from funes_git.belong import Checkouts, Roots, is_lost, is_under
from funes_git.git import Repo
from funes_git.predecessor import Predecessors
from funes_git.rootcache import Key, RootCache, Verdict, key_of
from funes_git.sessionfile import head, open_session
from funes_git_parsers.base import COMMIT, Edit, Parser, Source, Turn

_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_WHOLE = "read:"
"""Among the roots of a source in the cache: it was read whole, these are all."""


class Search:
    """Asks each source whether it touches the repository; asks the cache first."""

    def __init__(
        self, repo: Repo, every: Mapping[str, Parser], unreadable: list[tuple[Path, str]]
    ) -> None:
        self._repo = repo
        self._every = every
        self._unreadable = unreadable
        self._tops = repo.worktrees()
        self._roots = Roots.load(repo.layout)
        self._places = Checkouts(repo.common_dir, self._tops, self._roots)
        self._cache = RootCache(config.user_layout().discovery)
        self._place = _place(repo, self._tops, self._roots)
        self._verdicts = self._cache.verdicts(self._place)
        self._new_roots: list[tuple[Source, set[str]]] = []
        self._new_verdicts: list[tuple[Source, bool]] = []
        self._names = {repo.name, *(top.name for top in self._tops)}
        self._gone: dict[str, list[tuple[Source, set[str]]]] = {}
        self._namesakes: list[tuple[Source, set[str]]] = []
        self._anchored: list[tuple[Source, set[str], set[str]]] = []
        self._before = Predecessors(repo, self._tops, self.known_commits)
        self.also: dict[Key, tuple[str, ...]] = {}
        """Folders that are places of the repository for one source alone."""

    def touches(self, source: Source) -> bool:
        if self._before.is_older(source):
            roots = self._cache.roots(source) or self._read(source)
            if roots and self._before.own(roots):
                return False  # whatever was found when the other repository asked
        verdict = self._verdicts.get(key_of(source))
        if verdict:
            size, mtime, inside = verdict
            if (size, mtime) == (source.size, source.mtime_ns):
                return inside
            if inside and size <= source.size:
                return True  # files of sessions grow; what they touched they touched
        roots = self._cache.roots(source)
        if roots is None and self._starts_inside(source):
            self._new_verdicts.append((source, True))
            return True
        roots = self._read(source) if roots is None else roots
        if roots is None:
            return False
        inside = self._holds(source, roots)
        if inside or not self._may_be_lost(source, roots):
            self._new_verdicts.append((source, inside))
        return inside

    def _holds(self, source: Source, roots: set[str]) -> bool:
        if any(self._places.contains(root) for root in roots):
            return True
        if _WHOLE in roots or not any(self._is_above(root) for root in roots):
            return False
        # it ran in a folder above the repository: what it wrote may be named from there
        found = self._named(source)
        self._new_roots.append((source, roots | found | {_WHOLE}))
        return any(self._places.contains(root) for root in found)

    def _is_above(self, root: str) -> bool:
        return root.startswith("/") and any(
            is_under(str(place), root) for top in self._tops for place in (top, top.resolve())
        )

    def _named(self, source: Source) -> set[str]:
        """The folders and edited paths of a source, by reading all of it."""
        found: set[str | None] = set()
        try:
            for item in asking.read(self._every[source.harness], source):
                if isinstance(item, Edit):
                    found |= {item.path, item.old_path}
                elif isinstance(item, Turn):
                    found.add(item.workdir)
        except OSError as error:
            self._unreadable.append((source.path, error.strerror or str(error)))
        return {path for path in found if path}

    def _may_be_lost(self, source: Source, roots: set[str]) -> bool:
        """Keep for `lost` what may be of a checkout that is gone. Whether the source is of this
        repository is open then, if it recorded commits."""
        for folder in gone_neighbours(roots, self._tops) - {*self._roots.others}:
            self._gone.setdefault(folder, []).append((source, roots))
        commits = {root.removeprefix(COMMIT) for root in roots if root.startswith(COMMIT)}
        if not commits and not (roots := bearing(roots, self._names)):
            return False
        lost = {root for root in roots if is_lost(root)}
        if lost and bearing(lost, self._names):
            self._namesakes.append((source, bearing(lost, self._names)))
        if lost and commits:
            self._anchored.append((source, commits, lost))
        return bool(lost and commits)

    def _starts_inside(self, source: Source) -> bool:
        """Whether the first records of a file tell it. The whole is looked at only where they do
        not, or when another repository asks."""
        try:
            start = b"" if source.key else head(source.path)
        except OSError:
            return False
        records = start[: start.rfind(b"\n") + 1]

        def open_start(path: Path) -> BinaryIO:
            return BytesIO(records) if path == source.path else open_session(path)

        try:
            roots = asking.roots(self._every[source.harness], source, open_start) if records else ()
        except OSError:
            return False
        return any(self._places.contains(root) for root in roots)

    def _read(self, source: Source) -> set[str] | None:
        try:
            roots = asking.roots(self._every[source.harness], source)
        except OSError as error:
            self._unreadable.append((source.path, error.strerror or str(error)))
            return None
        self._new_roots.append((source, roots))
        return roots

    def lost(self) -> Iterator[Source]:
        """Sources of checkouts that are gone, and that were this repository; each once."""
        found: dict[Source, None] = {}
        if self._gone or self._namesakes or self._anchored:
            known = self._repo.known_paths()
            found.update(dict.fromkeys(self._renamed(known)))
            found.update(dict.fromkeys(self._moved(known)))
            found.update(dict.fromkeys(self._by_commit(known)))
        yield from found

    def _renamed(self, known: set[str]) -> Iterator[Source]:
        """Those of folders beside a checkout."""
        ours: list[str] = []
        for folder, touched in self._gone.items():
            recorded = set().union(*(roots for _, roots in touched))
            if was_ours(folder, recorded, known):
                ours.append(folder)
                yield from (source for source, _ in touched)
        self._roots = self._roots.adding(ours, self._gone)

    def _moved(self, known: set[str]) -> Iterator[Source]:
        """Those of folders elsewhere that bear a checkout's name: one that was moved, a worktree
        that a tool made."""
        for source, lost in self._namesakes:
            roots = recorded_roots(lost, known)
            ours = [root for root in roots if bearing([root], self._names)]
            ours = [root for root in ours if was_ours(root, lost, known, distinctly=True)]
            self._roots = self._roots.adding(ours)
            if ours:
                yield source

    def _by_commit(self, known: set[str]) -> Iterator[Source]:
        """Those that recorded a commit of this repository. The folder counts for this source alone:
        containers use one name for many repositories."""
        ours = self.known_commits(commit for _, ids, _ in self._anchored for commit in ids)
        for source, commits, lost in self._anchored:
            if commits & ours:
                self.also[key_of(source)] = checkouts_of(lost, known)
                yield source
            else:
                self._new_verdicts.append((source, False))

    def known_commits(self, ids: Iterable[str]) -> set[str]:
        """Those of the full commit ids that the repository has."""
        full = {commit for commit in ids if _FULL_ID.fullmatch(commit)}
        return {*self._repo.infos(full)} if full and self._repo.has_commits() else set()

    def places_for(self, source: Source) -> Checkouts:
        """The repository's places, those found by now included, as they count for one source."""
        return self._places.including((*self._roots.ours, *self.also.get(key_of(source), ())))

    def save(self, sources: Iterable[Source]) -> None:
        """Keep what was learnt: in the user's cache, and the places in the repository's memory."""
        there = {key_of(source) for source in sources}
        gone = [k for k in self._verdicts if k not in there and k[0] in self._every]
        if gone:
            self._cache.forget(gone)
        if self._new_roots or self._new_verdicts:
            new = [source for source, _ in (*self._new_roots, *self._new_verdicts)]
            secret = redact.secret_paths(str(source.path) for source in new)
            roots = [(s, r) for s, r in self._new_roots if str(s.path) not in secret]
            verdicts = [(s, v) for s, v in self._new_verdicts if str(s.path) not in secret]
            self._cache.save(self._place, _clean(roots), verdicts)
        places = self._roots.adding(map(str, self._tops))
        if places != Roots.load(self._repo.layout):
            with suppress(OSError):
                places.save(self._repo.layout)


def verdicts(repo: Repo) -> dict[Key, Verdict]:
    """What was found of each source when this repository's sessions were last looked for."""
    place = _place(repo, repo.worktrees(), Roots.load(repo.layout))
    return RootCache(config.user_layout().discovery).verdicts(place)


def _place(repo: Repo, tops: Iterable[Path], roots: Roots) -> str:
    known = dict.fromkeys((str(repo.common_dir), *map(str, tops), *roots.ours))
    return sha1("\0".join(known).encode("utf-8", "surrogateescape")).hexdigest()


def _clean(found: list[tuple[Source, set[str]]]) -> list[tuple[Source, set[str]]]:
    """The same without secrets: a command's words may look like a path."""
    return [(source, {redact.clean_path(path) for path in roots}) for source, roots in found]
