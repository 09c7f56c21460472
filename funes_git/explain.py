"""Say why a session belongs to a repository or does not: `git funes index --explain`.

Does what indexing does, with the same code, and stores nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import field
from pathlib import Path

from funes_git import asking, discovery
from funes_git.belong import Places, Standing
from funes_git.errors import MemoryMissing, NoSessions
from funes_git.git import Repo
from funes_git.progress import is_adopted
from funes_git.reading import adopted_places
from funes_git.sift import Sifter
from funes_git.store.catalog import Catalog
from funes_git.store.decisions import forgotten_in
from funes_git.touching import Search
from funes_git_parsers.base import COMMIT, Edit, Item, Parser, Session, Source, Turn
from funes_git_parsers.dataclass import dataclass


@dataclass(slots=True)
class Folder:
    """The turns of a session that ran in one folder (empty: none was recorded), and how many of
    them and of their edits belong to the repository."""

    folder: str
    standing: Standing
    turns: int = 0
    belonging: int = 0
    edits: int = 0
    edits_belonging: int = 0


@dataclass(slots=True)
class Explanation:
    """Whether a session belongs. `found` is whether indexing looks at it without being told to;
    `commits` are those that it recorded and the repository has. `forgotten` ones are left out for
    good. `error` says why it could not be read."""

    source: Source
    sessions: list[str] = field(default_factory=list)
    folders: list[Folder] = field(default_factory=list)
    found: bool = False
    adopted: bool = False
    forgotten: bool = False
    commits: list[str] = field(default_factory=list)
    error: str | None = None

    @property
    def turns(self) -> int:
        """All turns."""
        return sum(folder.turns for folder in self.folders)

    @property
    def belonging(self) -> int:
        """The turns that belong."""
        return sum(folder.belonging for folder in self.folders)


def explain(repo: Repo, wanted: str, agents: Sequence[str] = ()) -> list[Explanation]:
    """Why the sessions that `wanted` names (a file, or the beginning of an id) belong or not.

    Raises NoSessions if there is none, UsageError for an unknown agent.
    """
    every = discovery.parsers(agents)
    unreadable: list[tuple[Path, str]] = []
    sources = list(_named(wanted, repo, every))
    if not sources:
        if "/" in wanted and not Path(wanted).exists():
            raise NoSessions(f"there is no file or folder {wanted}", "check the name")
        raise NoSessions(
            f"no session's file or id begins with {wanted!r}; {discovery.searched(agents)}",
            "git funes index --explain PATH   (for a file elsewhere)",
        )
    search = Search(repo, every, unreadable)
    touching = {source for source in sources if search.touches(source)} | {*search.lost()}
    told = []
    forgotten = forgotten_in(repo.layout.decisions).sessions
    for source in sources:
        one = Explanation(source, found=source in touching, adopted=_is_adopted(repo, source))
        try:
            _fill(one, repo, search, every[source.harness])
        except OSError as error:
            one.error = error.strerror or str(error)
        one.forgotten = bool(one.sessions) and forgotten.issuperset(one.sessions)
        told.append(one)
    return told


def _named(wanted: str, repo: Repo, every: dict[str, Parser]) -> Iterator[Source]:
    if Path(wanted).exists():
        yield from discovery.at_paths([Path(wanted)], every).sources
        return
    found = set()
    for parser in every.values():
        for source in asking.discover(parser, discovery.looking_from(repo)):
            names = (source.key, *source.path.parts[-3:])
            if any(part.startswith(wanted) or f"-{wanted}" in part for part in names if part):
                found.add((source.harness, source.path, source.key))
                yield source
    for source in _indexed(repo, wanted):
        if source.harness in every and (source.harness, source.path, source.key) not in found:
            yield source


def _indexed(repo: Repo, wanted: str) -> list[Source]:
    """What the memory read such a session from, wherever that is."""
    try:
        with closing(Catalog.open(repo.layout.catalog)) as catalog:
            return catalog.sources_of(wanted)
    except MemoryMissing:
        return []


def _is_adopted(repo: Repo, source: Source) -> bool:
    try:
        with closing(Catalog.open(repo.layout.catalog)) as catalog:
            return is_adopted(catalog.state_of(source))
    except MemoryMissing:
        return False


def _fill(one: Explanation, repo: Repo, search: Search, parser: Parser) -> None:
    places = search.places_for(one.source)
    count = _Count(places if not one.adopted else adopted_places(repo, one.source, parser))
    for item in asking.read(parser, one.source):
        count.add(item)
    one.sessions = list(count.sessions)
    for name, folder in sorted(count.folders.items()):
        folder.standing = places.standing(name)
        one.folders.append(folder)
    roots = asking.roots(parser, one.source)
    recorded = [root.removeprefix(COMMIT) for root in roots if root.startswith(COMMIT)]
    one.commits = sorted(search.known_commits(recorded))


class _Count:
    """Counts by folder what a session holds, and what the sifter lets through."""

    def __init__(self, places: Places) -> None:
        self.sessions: dict[str, None] = {}
        self.folders: dict[str, Folder] = {}
        self._sifter = Sifter(places, None)
        self._places = places
        self._of_turn: dict[str, Folder] = {}
        self._newest: dict[str | None, str] = {}
        self._kept: set[str] = set()

    def add(self, item: Item) -> None:
        """Count one item."""
        match item:
            case Session():
                self.sessions[item.session_id] = None
            case Turn():
                self._turn(item)
            case Edit():
                folder = self._of_turn.get(item.turn_uuid)
                if folder:
                    paths = (item.path, item.old_path)
                    folder.edits += 1
                    folder.edits_belonging += any(p and self._places.relative(p) for p in paths)
        for kept in self._sifter.feed(item):
            if isinstance(kept, Turn) and kept.turn_uuid not in self._kept:
                self._kept.add(kept.turn_uuid)
                self._of_turn[kept.turn_uuid].belonging += 1

    def _turn(self, turn: Turn) -> None:
        if turn.workdir:
            self._newest[turn.thread] = turn.workdir
        name = turn.workdir or self._newest.get(turn.thread, "")
        folder = self.folders.setdefault(name, Folder(name, "unknown"))
        folder.turns += turn.turn_uuid not in self._of_turn
        self._of_turn[turn.turn_uuid] = folder
