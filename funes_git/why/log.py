"""`log`: commits with the turns behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from funes_git.git import Repo
from funes_git.model import Link, LogEntry
from funes_git.prompts import words_of
from funes_git.store.catalog import Catalog


def log(
    repo: Repo, catalog: Catalog, args: Sequence[str], *, prompts: bool = False
) -> Iterator[LogEntry]:
    """The commits that `git log ARGS` lists, each with its links, and the prompts behind them if
    wanted. Raises UnknownTarget, GitError."""
    commits = list(repo.commits(*args))
    links = catalog.links_of([info.sha for info in commits])
    rows = catalog.linked_commits([info.sha for info in commits])
    for info in commits:
        row = rows.get(info.sha)
        found = tuple(links.get(info.sha, ()))
        asked = _prompts(catalog, found) if prompts else {}
        yield LogEntry(info, found, row.reason if row else None, asked)


def _prompts(catalog: Catalog, links: Sequence[Link]) -> dict[tuple[str, str], str]:
    turns = dict.fromkeys((link.session_id, link.turn_uuid) for link in links)
    words = {turn: words_of(catalog.prompt_of(*turn)) for turn in turns}
    return {turn: text for turn, text in words.items() if text}
