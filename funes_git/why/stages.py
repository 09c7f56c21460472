"""The stages of `why --chain` that one commit, or the working tree, shows or hides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from funes_git.answers import AnswerMaker
from funes_git.authors import Author, Authors
from funes_git.git import NOT_COMMITTED, BlamedLine, Repo
from funes_git.git.patch import FileChange
from funes_git.link.coverage import SKEW
from funes_git.model import CommitInfo, Link
from funes_git.store.catalog import Catalog
from funes_git.told import Stage
from funes_git.why.drafts import Draft, Drafts
from funes_git.why.removal import removers
from funes_git.why.rows import bare

Lines = Sequence[tuple[int, str]]
"""(number, text) of lines."""


class Stages:
    """Makes the stages of some commits, which `authors` knows."""

    def __init__(self, repo: Repo, catalog: Catalog, drafts: Drafts, authors: Authors) -> None:
        self._catalog = catalog
        self._drafts = drafts
        self._answers = AnswerMaker(repo, catalog)
        self.authors = authors

    def of(self, info: CommitInfo, change: FileChange, older: float) -> Iterator[Stage]:
        """What a commit did to the lines that `change` holds of it. `older` is the time of the
        stage before."""
        gone = [line for hunk in change.hunks for line in hunk.removed]
        new = added(change)
        if new:
            yield from self.wrote(info, change.path, new, [text for _, text in gone], older)
        elif gone:
            yield from self.removed(info, change.path, gone)

    def removed(
        self, info: CommitInfo, path: str, lines: Lines, via: Any = "git"
    ) -> Iterator[Stage]:
        """Who took lines away."""
        for author, rows in removers(self._catalog, self.authors, info.sha, path, lines).items():
            texts = [text for _, text in rows]
            yield self.one(info, path, author, via, what="removed", removed=texts)

    def by_author(
        self, sha: str, path: str, lines: Sequence[tuple[int, str]]
    ) -> Iterator[tuple[Author, list[tuple[int, str]]]]:
        found: dict[Author, list[tuple[int, str]]] = {}
        told = [line for line in lines if line[1].strip()] or lines
        for number, text in told:
            author = self.authors.of(BlamedLine(number, text, sha, number, path))
            found.setdefault(author, []).append((number, text))
        yield from found.items()

    def wrote(
        self,
        info: CommitInfo | None,
        path: str,
        lines: Sequence[tuple[int, str]],
        gone: Sequence[str],
        older: float,
    ) -> Iterator[Stage]:
        """Who wrote `lines` in a commit in place of `gone`, and what stood there before it was
        made. `older` is the time of the stage before."""
        sha = info.sha if info else NOT_COMMITTED
        committed = {bare(text) for text in gone}
        for author, rows in self.by_author(sha, path, lines):
            texts = [text for _, text in rows]
            yield self.one(info, path, author, "git", added=texts, removed=gone, lines=rows)
            gone = ()
            edit = self._drafts.row(author.link.edit_id) if author.link else None
            drafts = self._drafts.behind(edit, texts, committed) if edit else []
            if author.link is None:
                until = info.commit_time + SKEW if info else float("inf")
                links = self.authors.links_of(sha)
                under = self._drafts.under(rows, links, older, until)
                if under is not None:
                    drafts = [under, *self._drafts.behind(under.edit, under.texts, committed)]
            yield from (self._draft(info, path, draft) for draft in drafts)

    def _draft(self, info: CommitInfo | None, path: str, draft: Draft) -> Stage:
        edit = draft.edit
        sure = draft.via != "likeness"
        link = Link(
            commit=info.sha if info else NOT_COMMITTED,
            session_id=edit.session_id,
            turn_uuid=edit.turn_uuid,
            harness=edit.harness,
            relation="wrote",
            content="span" if sure else "none",
            proof="none",
            level="lines" if sure else "weak",
            score=0.0,
            path=path,
            edit_id=edit.edit_id,
        )
        return self.one(info, path, Author("agent", link), draft.via, added=draft.texts)

    def one(
        self,
        info: CommitInfo | None,
        path: str,
        author: Author,
        via: Any,
        *,
        what: Any = "wrote",
        added: Sequence[str] = (),
        removed: Sequence[str] = (),
        lines: Sequence[tuple[int, str]] = (),
    ) -> Stage:
        sha = info.sha if info else NOT_COMMITTED
        asked = [BlamedLine(number, text, sha, number, path) for number, text in lines]
        answer = self._answers.answer(info, author.link, asked) if author.link else None
        return Stage(
            commit=info,
            path=path,
            what=what,
            kind=author.kind,
            via=via,
            added=tuple(added),
            removed=tuple(removed),
            answer=answer,
            reason=author.reason,
        )


def added(change: FileChange) -> list[tuple[int, str]]:
    """The lines that a change added."""
    return [line for hunk in change.hunks for line in hunk.added]
