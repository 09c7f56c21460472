"""What `recall` and `ask` share: a question to one memory or to several."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from funes_git import output
from funes_git.commands.opened import reading
from funes_git.model import Found, Hit

if TYPE_CHECKING:
    from funes_git.filters import Filters
    from funes_git.recall.stages import Stages


def gather(
    words: str,
    filters: Filters,
    n: int,
    *,
    memory: str | None = None,
    neighbours: int = 0,
    stages: Stages | None = None,
) -> Found:
    """The `n` best hits, best first, of the repository's memory, or of those that `memory` names
    with commas between. Its notes have been told. Raises what `Recall.search` does."""
    from funes_git.models import Models
    from funes_git.recall import Recall
    from funes_git.recall.stages import ALL

    hits: list[Hit] = []
    relevant = False
    for name in memory.split(",") if memory else (None,):
        with reading(memory=name) as (repo, catalog):
            found = Recall(repo, catalog, Models(repo.settings)).search(
                words, filters, n, neighbours=neighbours, stages=stages or ALL
            )
        elsewhere = "" if repo.memory is None else str(name)
        hits += [replace(hit, memory=elsewhere) for hit in found.hits]
        relevant |= found.relevant
        for said in found.notes:
            output.note(f"note: {said}")
    best = sorted(hits, key=lambda hit: -hit.score)[:n]
    return Found(tuple(best), relevant=relevant)
