"""`why COMMIT`: the turns behind a commit, and who wrote what share of each file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from funes_git.answers import AnswerMaker
from funes_git.authors import Authors, read_until
from funes_git.errors import UnknownTarget
from funes_git.git import BlamedLine, Repo
from funes_git.git.commits import is_bot
from funes_git.git.diffs import changes
from funes_git.git.patch import FileChange
from funes_git.model import CommitInfo, Link, Reason, Step, Unexplained, Why
from funes_git.store.catalog import Catalog
from funes_git.told import FileShare, Part, Shares

BY_HAND = ("no-edit", "not-matched")
"""Reasons of commits that a person made."""

MANY = 2000
"""Lines of a file that no session had a part in, above which they are not asked one by one."""


def why_commit(repo: Repo, catalog: Catalog, target: str, sha: str, n: int) -> Why:
    """The turns behind the commit `sha`, at most `n`; where it was rewritten and nothing is known
    of it any more, those behind what it has become. Raises GitError."""
    became = catalog.rewritten(sha)
    if became and not catalog.links_of([sha]):
        sha = _living(became)
    (commit,) = changes(repo, [sha])
    links = catalog.links_of([sha]).get(sha, [])
    turns: dict[tuple[str, str], Link] = {}
    for link in sorted(links, key=lambda link: -link.score):
        turns.setdefault((link.session_id, link.turn_uuid), link)
    maker = AnswerMaker(repo, catalog)
    answers = [maker.answer(commit.info, link, []) for link in list(turns.values())[:n]]
    authors = Authors(catalog, {sha: commit.info})
    return Why(
        target=target,
        path=None,
        rev=sha,
        lines=None,
        answers=tuple(answers),
        unexplained=() if turns else (_nobody(catalog, commit.info),),
        more=max(0, len(turns) - n),
        shares=Shares(
            commit=commit.info,
            files=tuple(_share(authors, sha, change) for change in commit.files),
            made=next((k for k in links if k.proof in ("printed", "hook")), None),
            became=tuple(became),
        ),
    )


def why_rewritten(repo: Repo, catalog: Catalog, target: str, n: int) -> Why | None:
    """The same for the id of a commit that git has no more; None if nothing is known of it."""
    became = catalog.rewritten(target)
    if not became:
        return None
    try:
        found = why_commit(repo, catalog, target, repo.resolve(_living(became)), n)
    except UnknownTarget:
        return None
    assert found.shares is not None
    return replace(found, shares=replace(found.shares, became=tuple(became)))


def _living(steps: Sequence[Step]) -> str:
    """What the steps of a rewritten commit have led to."""
    olds = {step.old for step in steps}
    return next(step.new for step in reversed(steps) if step.new not in olds)


def _share(authors: Authors, sha: str, change: FileChange) -> FileShare:
    links = [link for link in authors.links_of(sha) if link.path == change.path]
    ran = next((link for link in links if link.relation == "ran"), None)
    counts: dict[Part, int] = {}
    added = _telling(line for hunk in change.hunks for line in hunk.added)
    whole = authors.of_commit(sha) if len(added) > MANY and not links else None
    for number, text in added:
        author = whole or authors.of(BlamedLine(number, text, sha, number, change.path))
        kind = author.kind if author.kind in ("human", "bot") else "unknown"
        part = Part(0, kind, reason=author.reason)
        if author.link is not None:
            part = Part(0, "agent", _turn_of(author.link, counts))
        counts[part] = counts.get(part, 0) + 1
    if ran is not None and not counts:  # a binary file, a deleted one, a moved one
        counts[Part(0, "agent", ran)] = 0
    parts = [replace(part, lines=n) for part, n in counts.items()]
    removed = _telling(line for hunk in change.hunks for line in hunk.removed)
    return FileShare(
        path=change.path,
        status=change.status,
        added=sum(counts.values()),
        removed=len(removed),
        parts=tuple(sorted(parts, key=lambda part: -part.lines)),
    )


def _turn_of(link: Link, counts: dict[Part, int]) -> Link:
    """The first link that was counted of the same turn: a turn has one for each of its edits."""
    for part in counts:
        if part.link and (part.link.session_id, part.link.turn_uuid) == (
            link.session_id,
            link.turn_uuid,
        ):
            return part.link
    return link


def _telling(lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    return [line for line in lines if line[1].strip()]


def _nobody(catalog: Catalog, info: CommitInfo) -> Unexplained:
    """A commit without a turn: a person's, where its reason says that sessions of its time were
    indexed and have no part in it."""
    row = catalog.linked_commits([info.sha]).get(info.sha)
    reason: Reason | None = row.reason if row else "bot" if is_bot(info) else None
    known, unread = read_until(catalog)
    if info.commit_time > known and reason != "bot":
        reason = unread
    by_hand: Literal["human", "unknown"] = "human" if reason in BY_HAND else "unknown"
    return Unexplained((), info, "bot" if reason == "bot" else by_hand, reason, "")
