"""What there is of each agent, on the machine and in a repository's memory: `status --agents`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from funes_git import asking, discovery
from funes_git.git import Repo
from funes_git.rootcache import key_of
from funes_git.store.catalog import Catalog
from funes_git.store.decisions import forgotten_in
from funes_git.store.records import AgentTotals
from funes_git.touching import verdicts
from funes_git_parsers.base import Parser, Places, Source
from funes_git_parsers.dataclass import dataclass

Fate: TypeAlias = Literal["read", "waiting", "forgotten", "elsewhere", "before", "unseen"]
"""What became of a session that was found: its turns are here; it is of this repository, and it or
what is new of it has not been read; it was forgotten; none of it belongs here; it is older than
the first commit; nobody has looked at it as it is now."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent. `folders` are where its sessions are looked for, with whether they exist, None
    where nothing of this machine was asked for; `found` counts the sessions in them, of whatever
    repository; `stored` is what the memory holds, the versions from the oldest. `error` says why
    the folders cannot be searched."""

    name: str
    folders: tuple[tuple[Path, bool], ...] | None
    found: Counter[Fate]
    stored: AgentTotals
    error: str | None = None


def survey(repo: Repo, catalog: Catalog) -> list[Agent]:
    """Every agent that there is a parser for, and those whose sessions came by other ways; of
    another memory than the repository's own, only those that it holds sessions of. Opens no
    session."""
    stored = catalog.by_agent()
    agents, folders = [], None
    if repo.memory is None:
        places, folders = discovery.looking_from(repo), ()
        fates = _Fates(repo, catalog)
        agents = [
            _agent(parser, places, stored.pop(name, None), fates)
            for name, parser in discovery.parsers().items()
        ]
    agents += [Agent(name, folders, Counter(), _in_order(t)) for name, t in stored.items()]
    return sorted(agents, key=lambda a: (-a.stored.turns, -a.found.total(), a.name))


def _agent(parser: Parser, places: Places, totals: AgentTotals | None, fates: _Fates) -> Agent:
    folders = tuple((folder, folder.exists()) for folder in parser.folders(places))
    found: Counter[Fate] = Counter()
    error = None
    try:
        found.update(fates.of(source) for source in asking.discover(parser, places))
    except OSError as failed:
        error = failed.strerror or str(failed)
    return Agent(parser.NAME, folders, found, _in_order(totals or AgentTotals()), error)


class _Fates:
    """Tells what became of a session, by what was written down when it was looked for and read."""

    def __init__(self, repo: Repo, catalog: Catalog) -> None:
        self._repo = repo
        self._read = catalog.sizes_read()
        self._verdicts = verdicts(repo)
        self._forgotten = forgotten_in(repo.layout.decisions).sessions

    def of(self, source: Source) -> Fate:
        now = (source.size, source.mtime_ns)
        *read, turns = self._read.get(key_of(source), (0, 0, 0))
        if turns:
            return "read" if tuple(read) == now else "waiting"
        if self._is_forgotten(source):
            return "forgotten"
        if any(read) and tuple(read) == now:
            return "elsewhere"
        *seen, inside = self._verdicts.get(key_of(source), (0, 0, False))
        if inside:
            return "waiting"
        if tuple(seen) == now:
            return "elsewhere"
        return "before" if not source.key and source.mtime_ns < self._first * 1e9 else "unseen"

    def _is_forgotten(self, source: Source) -> bool:
        """Whether its name is that of a session that was forgotten, or ends with it."""
        names = (source.key, source.path.stem, source.path.stem[-36:], source.path.parent.name)
        return not self._forgotten.isdisjoint(names)

    @cached_property
    def _first(self) -> float:
        """When the first commit was made, in seconds since the epoch; 0 if there is none."""
        return min(self._repo.root_times(), default=0.0)


def _in_order(totals: AgentTotals) -> AgentTotals:
    return replace(totals, versions=tuple(sorted(totals.versions, key=_numbers)))


def _numbers(version: str) -> tuple[list[int], str]:
    return [int(number[:9]) for number in re.findall(r"\d+", version)], version
