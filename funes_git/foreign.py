"""Where sessions ran that `git funes index --adopt PATH` would take into a repository's memory.

A folder of sessions from another machine holds those of one project. A home folder holds those of
every project, and to take these is hardly ever meant.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

from funes_git import asking, config, discovery
from funes_git.adopt import main_checkout
from funes_git.belong import is_under, slashed
from funes_git.errors import MemoryMissing
from funes_git.git import Repo
from funes_git.progress import is_adopted
from funes_git.store.catalog import Catalog
from funes_git_parsers.base import Parser, Source, Turn

_SHARED = re.compile(r"/?|/root|/tmp|/(home|Users)(/[^/]+)?|[A-Za-z]:/?(Users(/[^/]+)?)?")
"""Folders that hold those of many projects."""


def folders(repo: Repo, paths: Sequence[Path], agents: Sequence[str] = ()) -> Counter[str]:
    """Folder → how many sessions at `paths` ran there first, "" where none is recorded. Those of
    the repository's own folders are left out, and those that were adopted before.

    Raises UsageError for an unknown agent.
    """
    every = discovery.parsers(agents)
    places = discovery.places_of(repo)
    sources = _unknown(repo, discovery.at_paths(paths, every).sources)
    ran = [_folder(every[source.harness], source) for source in sources]
    counts = Counter(folder for folder in ran if not places.contains(folder))
    return Counter(
        {top: sum(counts[each] for each in below) for top, below in _nested(counts).items()}
    )


def projects(ran: Collection[str]) -> set[str]:
    """The names of the projects that these folders are checkouts of: one project has the same
    name on two machines."""
    return {folder.rpartition("/")[2] or folder for folder in ran if folder}


def _unknown(repo: Repo, sources: list[Source]) -> list[Source]:
    """Those that have not been adopted yet."""
    try:
        with closing(Catalog.open(repo.layout.catalog)) as catalog:
            return [each for each in sources if not is_adopted(catalog.state_of(each))]
    except MemoryMissing:
        return sources


def _folder(parser: Parser, source: Source) -> str:
    """The checkout or other folder that a session started in; "" if it does not say."""
    try:
        items = asking.read(parser, source)
        first = next(
            (each.workdir for each in items if isinstance(each, Turn) and each.workdir), ""
        )
    except OSError:
        return ""  # whoever reads it all will say so
    return main_checkout(os.path.normpath(slashed(first))) if first else ""


def _nested(counts: Collection[str]) -> dict[str, list[str]]:
    """The folders by the highest that they are in, leaving out those of many projects."""
    found: dict[str, list[str]] = {}
    home = slashed(str(config.places().home))
    for folder in sorted(counts, key=len):
        tops = (top for top in found if top != home and not _SHARED.fullmatch(top))
        top = next((top for top in tops if is_under(folder, top)), folder)
        found.setdefault(top, []).append(folder)
    return found
