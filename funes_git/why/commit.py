"""`why COMMIT`: the turns behind a commit."""

from __future__ import annotations

from typing import Literal

from funes_git.answers import AnswerMaker
from funes_git.git import Repo
from funes_git.model import CommitInfo, Link, Unexplained, Why
from funes_git.store.catalog import Catalog

BY_HAND = ("no-edit", "not-matched")
"""Reasons of commits that a person made."""


def why_commit(repo: Repo, catalog: Catalog, target: str, sha: str, n: int) -> Why:
    """The turns behind the commit `sha`, at most `n`. Raises GitError."""
    info = repo.infos([sha])[sha]
    links = catalog.links_of([sha]).get(sha, [])
    turns: dict[tuple[str, str], Link] = {}
    for link in sorted(links, key=lambda link: -link.score):
        turns.setdefault((link.session_id, link.turn_uuid), link)
    maker = AnswerMaker(catalog)
    answers = [maker.answer(info, link, []) for link in list(turns.values())[:n]]
    unexplained: tuple[Unexplained, ...] = ()
    if not turns:
        unexplained = (_nobody(catalog, info),)
    return Why(target, None, sha, None, tuple(answers), unexplained, max(0, len(turns) - n))


def _nobody(catalog: Catalog, info: CommitInfo) -> Unexplained:
    """A commit without a turn: a person's, where its reason says that sessions of its time were
    indexed and have no part in it."""
    row = catalog.linked_commits([info.sha]).get(info.sha)
    reason = row.reason if row else None
    if info.commit_time > float(catalog.setting("read_until") or 0):
        reason = "not-read-yet"
    kind: Literal["human", "unknown"] = "human" if reason in BY_HAND else "unknown"
    return Unexplained((), info, kind, reason, "")
