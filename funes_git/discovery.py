"""Find the session files that touch one repository, without reading the whole machine each time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha1
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from funes_git import config, redact
from funes_git.adopt import gone_neighbours, was_ours
from funes_git.belong import Checkouts, Roots
from funes_git.errors import UsageError
from funes_git.git import Repo
from funes_git.rootcache import RootCache, key_of
from funes_git.sessionfile import head, open_session
from funes_git_parsers.base import Parser, Source

_PRUNED = frozenset((".git", "node_modules", ".venv", "__pycache__"))


@dataclass(slots=True)
class Discovered:
    """The sources to consider, the oldest first, and the files that could not be read, with why.
    `looked_at` counts all sessions that were found, of whatever repository."""

    sources: list[Source] = field(default_factory=list)
    unreadable: list[tuple[Path, str]] = field(default_factory=list)
    looked_at: int = 0


def parsers(agents: Sequence[str] = ()) -> dict[str, Parser]:
    """The parsers of the named agents (`claude` is enough for `claude_code`); all for none.

    Raises UsageError for a name that is none.
    """
    from funes_git_parsers import load

    every = load()
    if not agents:
        return dict(every)
    chosen = {}
    for agent in agents:
        wanted = agent.lower().replace("-", "_").replace(" ", "_")
        names = [name for name in every if name == wanted] or [
            name for name in every if name.startswith(wanted)
        ]
        if len(names) != 1:
            raise UsageError(f"no agent is called {agent!r}", f"one of: {', '.join(every)}")
        chosen[names[0]] = every[names[0]]
    return chosen


def looked_in(agents: Sequence[str] = ()) -> list[Path]:
    """The folders that sessions are searched in, for messages."""
    places = config.places()
    return [folder for parser in parsers(agents).values() for folder in parser.folders(places)]


def places_of(repo: Repo) -> Checkouts:
    """The repository's working trees, past and present."""
    return Checkouts(repo.common_dir, repo.worktrees(), Roots.load(repo.layout))


def overview(repo: Repo) -> list[tuple[str, int]]:
    """How many sessions of each agent (its label) touch the repository."""
    every = parsers()
    counts = dict.fromkeys(every, 0)
    for source in of_repository(repo, every).sources:
        counts[source.harness] += 1
    return [(every[name].LABEL, count) for name, count in counts.items() if count]


def of_repository(
    repo: Repo,
    every: Mapping[str, Parser],
    progress: Callable[[int, int], None] | None = None,
) -> Discovered:
    """The sessions of the agents `every` that ran in the repository or edited it. `progress` is
    told how many sessions were looked at, and of how many."""
    found = Discovered()
    sources: list[Source] = []
    places = config.places()
    for parser in every.values():
        try:
            sources += parser.discover(places)
        except OSError as error:
            found.unreadable.append((Path(error.filename or "?"), error.strerror or "unreadable"))
    sources = [source for source in sources if _is_named(source.path, found.unreadable)]
    found.looked_at = len(sources)
    search = _Search(repo, every, found.unreadable)
    for done, source in enumerate(sources):
        if progress:
            progress(done, len(sources))
        if search.touches(source):
            found.sources.append(source)
    found.sources += search.renamed()
    search.save(sources)
    found.sources.sort(key=_age)
    return found


def _age(source: Source) -> tuple[int, str, str]:
    return source.mtime_ns, str(source.path), source.key


class _Search:
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
        known = dict.fromkeys((str(repo.common_dir), *map(str, self._tops), *self._roots.ours))
        self._place = sha1("\0".join(known).encode("utf-8", "surrogateescape")).hexdigest()
        self._verdicts = self._cache.verdicts(self._place)
        self._new_roots: list[tuple[Source, set[str]]] = []
        self._new_verdicts: list[tuple[Source, bool]] = []
        self._gone: dict[str, list[tuple[Source, set[str]]]] = {}

    def touches(self, source: Source) -> bool:
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
        inside = any(self._places.contains(root) for root in roots)
        self._new_verdicts.append((source, inside))
        if not inside:
            for folder in gone_neighbours(roots, self._tops) - {*self._roots.others}:
                self._gone.setdefault(folder, []).append((source, roots))
        return inside

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

        roots = self._every[source.harness].roots(source, open_start) if records else ()
        return any(self._places.contains(root) for root in roots)

    def _read(self, source: Source) -> set[str] | None:
        try:
            roots = self._every[source.harness].roots(source, open_session)
        except OSError as error:
            self._unreadable.append((source.path, error.strerror or str(error)))
            return None
        self._new_roots.append((source, roots))
        return roots

    def renamed(self) -> Iterator[Source]:
        """Sources of folders beside a checkout that are gone, and that were this repository."""
        if not self._gone:
            return
        known = self._repo.known_paths()
        ours: list[str] = []
        for folder, touched in self._gone.items():
            recorded = set().union(*(roots for _, roots in touched))
            if was_ours(folder, recorded, known):
                ours.append(folder)
                yield from dict.fromkeys(source for source, _ in touched)
        self._roots = self._roots.adding(ours, self._gone)

    def save(self, sources: Iterable[Source]) -> None:
        """Keep what was learnt: in the user's cache, and the places in the repository's memory."""
        there = {key_of(source) for source in sources}
        gone = [k for k in self._verdicts if k not in there and k[0] in self._every]
        if gone:
            self._cache.forget(gone)
        if self._new_roots or self._new_verdicts:
            self._cache.save(self._place, _clean(self._new_roots), self._new_verdicts)
        roots = self._roots.adding(map(str, self._tops))
        if roots != Roots.load(self._repo.layout):
            with suppress(OSError):
                roots.save(self._repo.layout)


def _is_named(path: Path, unreadable: list[tuple[Path, str]]) -> bool:
    """Whether the stores can hold the name."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        unreadable.append((path, "its name is not UTF-8"))
        return False
    return True


def _clean(found: list[tuple[Source, set[str]]]) -> list[tuple[Source, set[str]]]:
    """The same without secrets: a command's words may look like a path."""
    return [(source, {redact.clean_path(path) for path in roots}) for source, roots in found]


def at_paths(paths: Sequence[Path], every: Mapping[str, Parser]) -> Discovered:
    """The sessions among the files at `paths` (folders with all that is below them)."""
    found = Discovered()
    seen: set[Path] = set()
    for top in paths:
        for path in _files(top, found.unreadable):
            if path in seen:
                continue
            seen.add(path)
            try:
                claimed = _claimed(path, every)
            except OSError as error:
                found.unreadable.append((path, error.strerror or str(error)))
                continue
            if claimed and _is_named(path, found.unreadable):
                found.sources += claimed
    found.looked_at = len(found.sources)
    found.sources.sort(key=_age)
    return found


def _files(top: Path, unreadable: list[tuple[Path, str]]) -> Iterator[Path]:
    top = Path(os.path.abspath(top))  # noqa: PTH100 - a link keeps its name
    if not top.is_dir():
        yield top
        return

    def note(error: OSError) -> None:
        unreadable.append((Path(error.filename or top), error.strerror or "unreadable"))

    for folder, names, files in os.walk(top, onerror=note):
        names[:] = sorted(name for name in names if name not in _PRUNED)
        yield from (Path(folder, name) for name in sorted(files))


def _claimed(path: Path, every: Mapping[str, Parser]) -> list[Source]:
    if not path.is_file() or not path.stat().st_size:
        return []
    start = head(path)
    for parser in every.values():
        if parser.claim(path, start):
            return parser.sessions(path)
    return []
