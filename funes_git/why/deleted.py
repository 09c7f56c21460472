"""`why --deleted`: which turn took a text or a file away, in which commit, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from funes_git.answers import AnswerMaker
from funes_git.authors import Author, Authors
from funes_git.errors import UnknownTarget, UsageError
from funes_git.git import NOT_COMMITTED, BlamedLine, Repo
from funes_git.git.diffs import changes
from funes_git.git.patch import FileChange
from funes_git.git.pickaxe import changed_count, deleted_in, standing, touched
from funes_git.git.quote import storable
from funes_git.link.level import EVERYTHING
from funes_git.model import CommitInfo, EditRecord, Link, Unexplained, Why
from funes_git.spans import ranges
from funes_git.store.catalog import Catalog
from funes_git.targets import find_path
from funes_git.told import Stage
from funes_git.why.removal import Removed, removers
from funes_git.why.rows import rows
from funes_git.why.together import together

DEFAULT_DELETIONS = 5


def why_deleted(
    repo: Repo,
    catalog: Catalog,
    target: str,
    *,
    at: str | None = None,
    n: int = DEFAULT_DELETIONS,
    cwd: Path | None = None,
) -> Why:
    """Who took away what `target` names, newest first, at most `n`: a file that is gone, lines of a
    file that is there, or any text, also one that no commit ever had. Raises UsageError,
    UnknownTarget, GitError."""
    if not target.strip() or "\0" in target:
        raise UsageError(
            "--deleted needs a text or a file", hint='git funes why --deleted "def old_name"'
        )
    search = _Search(repo, catalog, at)
    path, found = search.file(target, cwd or Path.cwd())
    stages = together(found if path else search.text(target.strip("\r\n")))
    shown = stages[:n]
    return Why(
        target=target,
        path=path,
        rev=at or "HEAD",
        lines=None,
        answers=tuple(stage.answer for stage in shown if stage.answer),
        unexplained=tuple(
            Unexplained((), s.commit, "unknown" if s.kind == "agent" else s.kind, s.reason, "")
            for s in shown
            if s.answer is None
        ),
        more=len(stages) - len(shown),
        deletions=tuple(shown),
    )


class _Search:
    """Looks for deletions in the history up to a revision, then in that of all other refs, then in
    what no commit has."""

    def __init__(self, repo: Repo, catalog: Catalog, at: str | None) -> None:
        self._repo = repo
        self._catalog = catalog
        self._at = at
        self._rev = at or "HEAD"
        self._answers = AnswerMaker(repo, catalog)
        self._commits = at is not None or repo.has_commits()

    def file(self, target: str, cwd: Path) -> tuple[str | None, Iterable[Stage]]:
        """The path that `target` names, if it is one of a file that is or was there, with what was
        deleted of it."""
        if "\n" in target or not self._commits:
            return None, ()
        path = find_path(self._repo, target, self._at, cwd)
        if path is not None:
            return path, self._from_file(path)
        try:
            path = self._repo.relative(target, cwd)
        except UnknownTarget:
            return None, ()
        sha = deleted_in(self._repo, self._rev, path)
        return (path, self._whole_file(path, sha)) if sha else (None, ())

    def _from_file(self, path: str) -> Iterator[Stage]:
        """What turns took out of a file that is still there."""
        names = self._catalog.former_names(storable(path)) | {path}
        shas = touched(self._repo, self._rev, names)
        for commit in changes(self._repo, shas, wanted=lambda change: change.path in names):
            for change in commit.files:
                gone = [line for hunk in change.hunks for line in hunk.removed if line[1].strip()]
                if change.path in names and gone:
                    stages = self._removed(commit.info, change, gone)
                    yield from (stage for stage in stages if stage.answer)

    def _whole_file(self, path: str, sha: str) -> Iterator[Stage]:
        name = storable(path)
        (commit,) = changes(self._repo, [sha], wanted=lambda change: change.path == name)
        moved = next((c for c in commit.files if c.old_path == name), None)
        if moved is not None:
            raise UnknownTarget(
                f"{path} was not deleted: {commit.info.short} moved it to {moved.path}",
                hint=f"git funes why {moved.path}",
            )
        for change in commit.files:
            if change.path == name:
                gone = [line for hunk in change.hunks for line in hunk.removed]
                yield from self._removed(commit.info, change, gone)

    def text(self, text: str) -> Iterator[Stage]:
        """The deletions of a text, committed or not."""
        edits = list(self._catalog.edits_with(text))
        removing = [edit for edit in edits if _balance(edit, text) < 0]
        shas: list[str] = []
        if self._commits:
            paths = {name for e in edits for name in self._catalog.former_names(e.path)}
            shas = changed_count(self._repo, text, self._rev, paths=paths) if paths else []
            stages = list(self._in_commits(shas, text))
            if not stages:
                shas = changed_count(self._repo, text, self._rev)
                stages = list(self._in_commits(shas, text))
            if stages:
                yield from stages
                return
        self._is_gone(text)
        if not shas:
            shas = self._elsewhere(text)
            stages = [] if self._at else list(self._in_commits(shas, text))
            if stages:
                yield from stages
                return
            if shas and (self._at or not removing):
                raise UnknownTarget(
                    f"the history of {self._rev} never had this; {shas[0][:7]}, outside it, has",
                    hint=f"git funes why {shas[0][:7]}",
                )
        written = [edit for edit in edits if _balance(edit, text) > 0] if not shas else []
        for edit in removing or written:
            yield self._uncommitted(edit, "-" if removing else "+", known=bool(shas))
        if not (removing or written):
            yield self._by_hand(text)

    def _elsewhere(self, text: str) -> list[str]:
        """The commits that have or had the text, of those that the revision does not contain."""
        known = ["--not", self._rev] if self._commits else []
        return changed_count(self._repo, text, "--ignore-missing", *EVERYTHING, *known)

    def _in_commits(self, shas: list[str], text: str) -> Iterator[Stage]:
        for commit in changes(self._repo, shas):
            hunks = [(change, hunk) for change in commit.files for hunk in change.hunks]
            went = sum(_joined(hunk.removed).count(text) for _, hunk in hunks)
            if went <= sum(_joined(hunk.added).count(text) for _, hunk in hunks):
                continue
            for change in commit.files:
                holding = [h.removed for h in change.hunks if text in _joined(h.removed)]
                stages = self._removed(commit.info, change, [*chain.from_iterable(holding)])
                yield from (stage for stage in stages if _shows(stage, text))

    def _removed(self, info: CommitInfo, change: FileChange, lines: Removed) -> Iterator[Stage]:
        authors = Authors(self._catalog, {info.sha: info})
        found = removers(self._catalog, authors, info.sha, change.path, lines)
        for author, gone in found.items():
            yield self._stage(info, change.path, author, gone, "git")

    def _uncommitted(self, edit: EditRecord, sign: str, *, known: bool) -> Stage:
        """What an edit took away (`-`) without a commit that shows it, or wrote (`+`) and is gone;
        `known` if a commit has it."""
        session = self._catalog.session(edit.session_id)
        gone = [(row.pos, row.text) for row in rows(edit.diff) if row.sign == sign]
        link = Link(
            commit=NOT_COMMITTED,
            session_id=edit.session_id,
            turn_uuid=edit.turn_uuid,
            harness=session.session.harness if session else "",
            relation="removed" if sign == "-" else "wrote",
            content="span",
            proof="none",
            level="lines",
            score=0.0,
            path=edit.path,
            lines=ranges([pos for pos, _ in gone]),
            edit_id=edit.edit_id,
        )
        return self._stage(None, edit.path, Author("agent", link), gone, "git" if known else "edit")

    def _is_gone(self, text: str) -> None:
        """Raises UnknownTarget if the text still stands somewhere."""
        rev = self._at or (None if self._repo.worktree else "HEAD")
        there = standing(self._repo, text, rev)
        if there is not None:
            path, number = there
            raise UnknownTarget(
                f"nobody deleted this: it stands in {path}, line {number}",
                hint=f"git funes why {path}:{number}",
            )

    def _by_hand(self, text: str) -> Stage:
        """A text that HEAD has and the working tree has not. Raises UnknownTarget where it was
        never there."""
        before = standing(self._repo, text, "HEAD") if self._commits and not self._at else None
        if before is None:
            raise UnknownTarget(
                f"no commit up to {self._rev} and no indexed session deleted such a text or file",
                hint="git funes recall QUERY   (what sessions said about it)",
            )
        return Stage(None, before[0], "removed", "uncommitted", "git", removed=(text,))

    def _stage(
        self, info: CommitInfo | None, path: str, author: Author, gone: Removed, via: str
    ) -> Stage:
        sha = info.sha if info else NOT_COMMITTED
        asked = [BlamedLine(number, text, sha, number, path) for number, text in gone]
        answer = self._answers.answer(info, author.link, asked) if author.link else None
        if answer is not None and info is None:
            answer = replace(answer, asked=())  # the numbers are the edit's own
        return Stage(
            commit=info,
            path=path,
            what="removed",
            kind=author.kind,
            via="git" if via == "git" else "edit",
            removed=tuple(text for _, text in gone),
            answer=answer,
            reason=author.reason,
        )


def _shows(stage: Stage, text: str) -> bool:
    """Whether a deletion, which may be of one side of a change only, took a line of `text` away."""
    wanted = [line for line in text.split("\n") if line.strip()]
    return any(line in removed for removed in stage.removed for line in wanted)


def _joined(lines: Removed) -> str:
    return "\n".join(text for _, text in lines)


def _balance(edit: EditRecord, text: str) -> int:
    """By how many times an edit made `text` more frequent; less than 0 where it took it away."""
    sides = {"+": [""], "-": [""]}
    for row in rows(edit.diff):
        sides[row.sign].append(row.text)
    return "\n".join(sides["+"]).count(text) - "\n".join(sides["-"]).count(text)
