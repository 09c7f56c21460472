"""`why --chain`: every turn that shaped some lines, newest first.

git follows the lines through changes and renames (`git log -L`). What it cannot see is told by the
edits: what a session or a person replaced before the commit was made, and the life that lines had
before they were taken away and brought back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from funes_git.authors import Author, Authors
from funes_git.errors import UsageError
from funes_git.git import Repo
from funes_git.git.blame import looked_through
from funes_git.git.diffs import uncommitted
from funes_git.git.linelog import before, line_history
from funes_git.git.patch import CommitChange, FileChange
from funes_git.model import CommitInfo, Link, Unexplained, Why
from funes_git.store.catalog import Catalog
from funes_git.targets import parse_target
from funes_git.told import Stage
from funes_git.why.drafts import Drafts
from funes_git.why.looked import Looked, look
from funes_git.why.rows import bare
from funes_git.why.stages import Stages, added

DEFAULT_STAGES = 50


def why_chain(
    repo: Repo,
    catalog: Catalog,
    target: str,
    *,
    at: str | None = None,
    n: int = DEFAULT_STAGES,
    cwd: Path | None = None,
) -> Why:
    """The stages of the lines that `target` names, newest first, at most `n`. Raises UsageError for
    what is no lines, UnknownTarget, GitError."""
    found = parse_target(repo, target, at, cwd or Path.cwd())
    if found.path is None or (found.lines is None and found.symbol is None):
        raise UsageError(
            "--chain follows lines, so it needs FILE:LINE, FILE:FROM-TO or FILE:SYMBOL",
            hint=f"git funes why {found.path or 'FILE'}:10 --chain",
        )
    looked = look(repo, catalog, found.path, at, found.symbol or found.lines)
    lines = (looked.lines[0].number, looked.lines[-1].number)
    stages = list(_Chain(repo, catalog, at).of(found.path, looked, lines))
    shown = stages[:n]
    answers = {(a.link.commit, a.link.turn_uuid): a for s in reversed(shown) if (a := s.answer)}
    return Why(
        target=target,
        path=found.path,
        rev=at or "HEAD",
        lines=lines,
        answers=tuple(reversed(answers.values())),
        unexplained=tuple(_gap(s) for s in shown if s.answer is None and s.what != "formatted"),
        more=len(stages) - len(shown),
        chain=tuple(shown),
    )


def _gap(stage: Stage) -> Unexplained:
    kind = "unknown" if stage.kind == "agent" else stage.kind
    return Unexplained((), stage.commit, kind, stage.reason, "")


class _Chain:
    """Follows some lines back."""

    def __init__(self, repo: Repo, catalog: Catalog, at: str | None) -> None:
        self._repo = repo
        self._catalog = catalog
        self._at = at
        self._drafts: Drafts

    def of(self, path: str, looked: Looked, lines: tuple[int, int]) -> Iterator[Stage]:
        """The stages of `lines` of the file at `path`."""
        self._drafts = Drafts(self._catalog, path)
        rest: tuple[int, int] | None = lines
        if self._at is None and self._repo.worktree is not None:
            change = uncommitted(self._repo, path)
            if change is not None:
                rest = before(change.hunks, *lines)
            elif not any(line.committed for line in looked.lines):
                rest = None
            yield from self._pending(path, change, looked, lines)
            path = change.old_path or path if change else path
        if rest is not None:
            yield from self._committed(self._at or "HEAD", path, rest)

    def _stages(self, authors: Authors) -> Stages:
        return Stages(self._repo, self._catalog, self._drafts, authors)

    def _pending(
        self, path: str, change: FileChange | None, looked: Looked, lines: tuple[int, int]
    ) -> Iterator[Stage]:
        """What stands in the working tree only."""
        new = [(li.number, li.text) for li in looked.lines if not li.committed]
        gone = [
            text
            for hunk in (change.hunks if change else ())
            if any(lines[0] <= n <= lines[1] for n, _ in hunk.added)
            for _, text in hunk.removed
        ]
        if new:
            yield from self._stages(looked.authors).wrote(None, path, new, gone, 0.0)

    def _committed(self, rev: str, path: str, lines: tuple[int, int]) -> Iterator[Stage]:
        """What the history up to `rev` tells, and the life of the lines before they came back."""
        history = line_history(self._repo, rev, path, *lines)
        stages = self._stages(Authors(self._catalog, {c.info.sha: c.info for c in history}))
        yield from self._history(stages, history)
        origin = _origin(stages, history)
        edit = self._drafts.row(origin[0].edit_id) if origin else None
        if origin is None or edit is None:
            return
        link, texts = origin
        seen = {commit.info.sha for commit in history}
        claims = self._drafts.claims(edit, texts)
        earlier = {sha: kind for sha, kind in claims.items() if sha not in seen}
        if earlier:
            names = {path, edit.path, *self._catalog.former_names(path)}
            yield from self._earlier(rev, names, earlier, link, texts)

    def _earlier(
        self, rev: str, names: set[str], claims: dict[str, str], link: Link, texts: list[str]
    ) -> Iterator[Stage]:
        """The same lines before: the commits that showed them, or took them away, and what stood
        where they came first."""
        paths = [f":(top,literal){name}" for name in sorted(names)]
        listed = self._repo.commits("--full-history", rev, "--", *paths)
        past = [info for info in listed if info.sha in claims]
        stages = self._stages(Authors(self._catalog, {info.sha: info for info in past}))
        for info in past:
            own = _own(stages, info, link)
            path = (own[0].path if own else None) or link.path or ""
            if claims[info.sha] == "added":
                author = Author("agent", own[0]) if own else stages.authors.of_commit(info.sha)
                yield stages.one(info, path, author, "again", added=texts)
            else:
                yield from stages.removed(info, path, [(0, text) for text in texts], "again")
        first = next((info for info in reversed(past) if claims[info.sha] == "added"), None)
        if first is not None:
            yield from self._older(first, _own(stages, first, link), texts)

    def _older(self, first: CommitInfo, own: Sequence[Link], texts: list[str]) -> Iterator[Stage]:
        """What stood where the lines came first, in the commit that `own` links to their edit."""
        edit = self._drafts.row(own[0].edit_id) if own else None
        if edit is None or own[0].path is None:
            return
        wanted = {bare(text) for text in texts}
        places = self._drafts.places(edit, own)
        numbers = [n for n, pos in places.items() if bare(self._drafts.text(edit, pos)) in wanted]
        if numbers:
            span = (min(numbers), max(numbers))
            history = line_history(self._repo, first.sha, own[0].path, *span)
            authors = Authors(self._catalog, {c.info.sha: c.info for c in history})
            for stage in self._history(self._stages(authors), history):
                if stage.commit is None or stage.commit.sha != first.sha or stage.via != "git":
                    yield stage

    def _history(self, stages: Stages, history: Sequence[CommitChange]) -> Iterator[Stage]:
        listed = looked_through(self._repo)
        for number, commit in enumerate(history):
            info = commit.info
            older = history[number + 1].info.commit_time if number + 1 < len(history) else 0.0
            for change in commit.files:
                if info.sha not in listed:
                    yield from stages.of(info, change, older)
                    continue
                gone = tuple(text for hunk in change.hunks for _, text in hunk.removed)
                new = tuple(text for _, text in added(change))
                yield Stage(info, change.path, "formatted", "human", "git", new, gone)


def _origin(stages: Stages, history: Sequence[CommitChange]) -> tuple[Link, list[str]] | None:
    """The link of the oldest stage and its lines, if a turn wrote them where nothing stood."""
    if not history or any(hunk.removed for c in history[-1].files for hunk in c.hunks):
        return None
    oldest = history[-1]
    for change in oldest.files:
        for author, lines in stages.by_author(oldest.info.sha, change.path, added(change)):
            if author.link is not None:
                return author.link, [text for _, text in lines]
    return None


def _own(stages: Stages, info: CommitInfo, link: Link) -> list[Link]:
    """The links of a commit to the same edit."""
    links = stages.authors.links_of(info.sha)
    return [k for k in links if k.edit_id == link.edit_id and k.relation == "wrote"]
