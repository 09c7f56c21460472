"""What there is of each agent, on the machine and in a repository's memory: `status --agents`."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from funes_git import asking, discovery
from funes_git.git import Repo
from funes_git.store.catalog import Catalog
from funes_git.store.records import AgentTotals
from funes_git_parsers.base import Parser, Places
from funes_git_parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent. `folders` are where its sessions are looked for, with whether they exist, None
    where nothing of this machine was asked for; `found` counts the sessions in them, of whatever
    repository; `stored` is what the memory holds, the versions from the oldest. `error` says why
    the folders cannot be searched."""

    name: str
    folders: tuple[tuple[Path, bool], ...] | None
    found: int
    stored: AgentTotals
    error: str | None = None


def survey(repo: Repo, catalog: Catalog) -> list[Agent]:
    """Every agent that there is a parser for, and those whose sessions came by other ways; of
    another memory than the repository's own, only those that it holds sessions of."""
    stored = catalog.by_agent()
    agents, folders = [], None
    if repo.memory is None:
        places, folders = discovery.looking_from(repo), ()
        agents = [
            _agent(parser, places, stored.pop(name, None))
            for name, parser in discovery.parsers().items()
        ]
    agents += [Agent(name, folders, 0, _in_order(totals)) for name, totals in stored.items()]
    return sorted(agents, key=lambda a: (-a.stored.turns, -a.found, a.name))


def _agent(parser: Parser, places: Places, totals: AgentTotals | None) -> Agent:
    folders = tuple((folder, folder.exists()) for folder in parser.folders(places))
    found, error = 0, None
    try:
        for _ in asking.discover(parser, places):
            found += 1
    except OSError as failed:
        error = failed.strerror or str(failed)
    return Agent(parser.NAME, folders, found, _in_order(totals or AgentTotals()), error)


def _in_order(totals: AgentTotals) -> AgentTotals:
    return replace(totals, versions=tuple(sorted(totals.versions, key=_numbers)))


def _numbers(version: str) -> tuple[list[int], str]:
    return [int(number[:9]) for number in re.findall(r"\d+", version)], version
