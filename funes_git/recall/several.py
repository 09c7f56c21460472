"""One question to several memories: their hits are one list, since a score means the same in each.
The models are loaded once, and the time for a close reading is shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from funes_git.errors import FunesError
from funes_git.filters import Filters
from funes_git.git import Repo
from funes_git.model import Found, Hit
from funes_git.models import Models
from funes_git.recall.confidence import likely
from funes_git.recall.engine import Recall
from funes_git.recall.stages import ALL, Stages
from funes_git.store.catalog import Catalog


class Place(NamedTuple):
    """A memory to ask, by its repository; `memory` and `repository` name it in a hit, unless it is
    the current repository's own."""

    repo: Repo
    memory: str = ""
    repository: str = ""


Opener: TypeAlias = Callable[[Place, Recall | None], AbstractContextManager[Recall]]
"""Opens the engine of a place, with the models of another that is open."""


@contextmanager
def once(place: Place, like: Recall | None) -> Iterator[Recall]:
    """An engine for one question."""
    with Catalog.open(place.repo.layout.catalog) as catalog:
        yield Recall(place.repo, catalog, Models(place.repo.settings), like=like)


@contextmanager
def kept() -> Iterator[Opener]:
    """Engines that stay open for more than one question, until the end."""
    with ExitStack() as held:
        engines: dict[Path, Recall] = {}

        @contextmanager
        def opened(place: Place, like: Recall | None) -> Iterator[Recall]:
            root = place.repo.layout.root
            if root not in engines:
                engines[root] = held.enter_context(once(place, like))
                held.callback(engines[root].close)
            yield engines[root]

        yield opened


def search(
    places: Sequence[Place],
    question: str,
    filters: Filters,
    k: int,
    *,
    neighbours: int = 0,
    stages: Stages = ALL,
    opened: Opener = once,
) -> Found:
    """The `k` best exchanges of all `places`, as `Recall.search` finds them in each. With several,
    one that cannot be asked is told of in a note. Raises what `Recall.search` does, if none can."""
    stages = replace(stages, reading=stages.reading / max(len(places), 1))
    hits: list[Hit] = []
    notes: dict[str, None] = {}
    relevant = False
    failed: list[FunesError] = []
    first: Recall | None = None
    for place in places:
        repo, memory, repository = place
        try:
            with opened(place, first) as recall:
                first = first or recall
                found = recall.search(question, filters, k, neighbours=neighbours, stages=stages)
        except FunesError as error:
            failed.append(error)
            notes[f"{memory or repository or repo.name}: {error.message}"] = None
            continue
        hits += (replace(hit, memory=memory, repository=repository) for hit in found.hits)
        notes.update(dict.fromkeys(found.notes))
        relevant |= found.relevant and bool(found.hits)
    if failed and len(failed) == len(places):
        raise failed[0]
    if stages.cut:
        hits = list(likely(hits))
    hits.sort(key=lambda hit: (hit.stale, -hit.score))
    return Found(tuple(hits[:k]), tuple(notes), relevant or not hits)
