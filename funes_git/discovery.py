"""Find the session files that touch one repository, without reading the whole machine each time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from funes_git import asking, config
from funes_git.belong import Checkouts, Roots
from funes_git.errors import UsageError
from funes_git.git import Repo
from funes_git.rootcache import Key
from funes_git.sessionfile import head
from funes_git.touching import Search
from funes_git_parsers.base import Parser, Places, Source
from funes_git_parsers.dataclass import dataclass

_PRUNED = frozenset((".git", "node_modules", ".venv", "__pycache__"))


@dataclass(slots=True)
class Discovered:
    """The sources to consider, the oldest first, and the files that could not be read, with why.
    `looked_at` counts all sessions that were found, of whatever repository."""

    sources: list[Source] = field(default_factory=list)
    unreadable: list[tuple[Path, str]] = field(default_factory=list)
    looked_at: int = 0
    also: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    """Folders that are places of this repository for one source alone."""


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


def looking_from(repo: Repo) -> Places:
    """Where agents may keep files, the repository's own working trees among it."""
    return replace(config.places(), checkouts=tuple(repo.worktrees()))


def searched(agents: Sequence[str] = ()) -> str:
    """Where sessions were searched, for messages: the folders that are there, and how many are
    not."""
    folders = looked_in(agents)
    there = [str(folder) for folder in folders if folder.is_dir()]
    absent = len(folders) - len(there)
    if not there:
        return f"none of the {absent} folders that agents keep them in is there"
    return f"looked in {', '.join(there)} ({absent} other folders are not there)"


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
    places = looking_from(repo)
    for parser in every.values():
        try:
            sources += asking.discover(parser, places)
        except OSError as error:
            found.unreadable.append((Path(error.filename or "?"), error.strerror or "unreadable"))
    sources = [source for source in sources if _is_named(source.path, found.unreadable)]
    found.looked_at = len(sources)
    search = Search(repo, every, found.unreadable)
    for done, source in enumerate(sources):
        if progress:
            progress(done, len(sources))
        if search.touches(source):
            found.sources.append(source)
    found.sources += search.lost()
    found.also = search.also
    search.save(sources)
    found.sources.sort(key=_age)
    return found


def _age(source: Source) -> tuple[int, str, str]:
    return source.mtime_ns, str(source.path), source.key


def _is_named(path: Path, unreadable: list[tuple[Path, str]]) -> bool:
    """Whether the stores can hold the name."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        unreadable.append((path, "its name is not UTF-8"))
        return False
    return True


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
        if (found := asking.sessions(parser, path, start)) is not None:
            return found
    return []
