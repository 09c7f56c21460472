"""What `recall` and `ask` share: a question to one memory or to several."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from funes_git import output
from funes_git.commands.places import everywhere, named
from funes_git.model import Found

if TYPE_CHECKING:
    from funes_git.filters import Filters
    from funes_git.recall.stages import Stages


def gather(
    words: str,
    filters: Filters,
    n: int,
    *,
    memory: str | None = None,
    all_repos: bool = False,
    neighbours: int = 0,
    stages: Stages | None = None,
    early: Callable[[Found], AbstractContextManager[None]] | None = None,
) -> Found:
    """The `n` best hits, best first, of the repository's memory, of those that `memory` names with
    commas between, or of all enabled repositories. Its notes have been told. Inside `early` of what
    words alone find the rest is looked for. Raises what `Recall.search` does."""
    from funes_git.recall.several import kept, search
    from funes_git.recall.stages import ALL

    stages = stages or ALL
    places = everywhere() if all_repos else named(memory)
    with kept() as opened, ExitStack() as shown:
        if early:
            lexical = replace(stages, meaning=False)
            by_words = search(places, words, filters, n, stages=lexical, opened=opened)
            shown.enter_context(early(by_words))
        found = search(
            *(places, words, filters, n),
            neighbours=neighbours,
            stages=stages,
            opened=opened,
        )
    for said in found.notes:
        output.note(f"note: {said}")
    return found
