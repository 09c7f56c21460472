"""Which shell commands agents ran: with their exit status, and the commit that they ran at.

What a command changed outside the repository no edit shows; this is the trail of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import Literal, TypeAlias

from funes_git.errors import UnknownTarget
from funes_git.git import Repo
from funes_git.git.reflog import Entry, checkouts
from funes_git.model import CommitInfo, TurnView
from funes_git.prompts import words_of
from funes_git.ran import fits, line_of, literals, place
from funes_git.store.catalog import Catalog
from funes_git_parsers.base import Block, Turn
from funes_git_parsers.dataclass import dataclass

Known: TypeAlias = Literal["printed", "reflog", "session", "recorded", "history"]
"""How the commit is known: the command printed that it made it; git's reflog of the working tree;
the session had printed it before, or recorded it at its start; or only as the newest of the branch
at that time, which a rebase falsifies."""


@dataclass(frozen=True, slots=True)
class Run:
    """A command line that an agent's shell ran (or was told to run: a refused one `failed`).

    `exit_code` is that of the whole line, None where the format does not keep it; `failed` is None
    where nothing is known of its end. `commit` is the id of the commit that was checked out,
    `known` how that is known, and `info` that commit where the repository still has it. `commits`
    are those that the run's exchange is linked to. `prompt` is what a person had asked for; in
    the command, what was looked for is in the row that begins `at` this place.
    """

    turn: Turn
    call: str | None
    command: str
    exit_code: int | None
    failed: bool | None
    retracted: bool
    commits: tuple[str, ...] = ()
    commit: str | None = None
    known: Known | None = None
    info: CommitInfo | None = None
    prompt: str | None = None
    at: int = 0


def runs(
    repo: Repo,
    catalog: Catalog,
    globs: Sequence[str],
    *,
    since: float | None = None,
    until: float | None = None,
) -> list[Run]:
    """The runs of commands that fit one of `globs` (see ran.py), newest first, those of unknown
    time last. What a resumed or forked session repeats counts once. Times in seconds since the
    epoch."""
    found: dict[tuple[str, float | None, str], Run] = {}
    heads = _Heads(repo)
    for session_id, turns in _matching(catalog, globs).items():
        views = [catalog.turn(session_id, turn) for turn in turns]
        calls = [
            (view, block)
            for view in views
            if view and _within(view.turn.ts, since, until)
            for block in view.turn.blocks
            if fits(block, globs)
        ]
        for run in _of_session(catalog, heads, session_id, calls) if calls else ():
            key = (run.call or run.turn.turn_uuid, run.turn.ts, run.command)
            found.setdefault(key, replace(run, at=place(run.command, globs)))
    return _told(repo, sorted(found.values(), key=lambda run: -(run.turn.ts or 0.0)))


def at_commits(catalog: Catalog, found: Sequence[Run], shas: Set[str]) -> Iterator[Run]:
    """The runs at one of these commits, or in an exchange that one is linked to. A commit that was
    amended or rebased since is what it has become, too."""
    for run in found:
        at = {run.commit, *run.commits}
        if run.commit and at.isdisjoint(shas):
            at |= {step.new for step in catalog.rewritten(run.commit)}
        if not at.isdisjoint(shas):
            yield run


def _matching(catalog: Catalog, globs: Sequence[str]) -> dict[str, list[str]]:
    """The turns that may have run such a command, by session."""
    found: dict[str, list[str]] = {}
    for session_id, turn_uuid, _ in catalog.calls(literals(globs), retracted=True):
        found.setdefault(session_id, []).append(turn_uuid)
    return found


def _of_session(
    catalog: Catalog, heads: _Heads, session_id: str, calls: Sequence[tuple[TurnView, Block]]
) -> Iterator[Run]:
    ids = [block.tool_use_id or "" for _, block in calls]
    results = list(catalog.results(session_id, [call for call in ids if call]))
    ended = {block.tool_use_id: block for _, block in results if block.tool_use_id}
    exchanges = [(session_id, view.turn.exchange or view.turn.turn_uuid) for view, _ in calls]
    commits = catalog.commits_of_exchanges(exchanges)
    for (view, block), exchange in zip(calls, exchanges, strict=True):
        turn, result = view.turn, ended.get(block.tool_use_id or "")
        commit, known = heads.at(turn, result, results)
        yield Run(
            turn=turn,
            call=block.tool_use_id,
            command=line_of(block) or "",
            exit_code=result.exit_code if result else None,
            failed=_failed(result),
            retracted=view.retracted,
            commits=tuple(commits.get(exchange, ())),
            commit=commit,
            known=known,
            prompt=words_of(catalog.prompt_of(session_id, turn.turn_uuid)),
        )


def _within(ts: float | None, since: float | None, until: float | None) -> bool:
    if ts is None:
        return since is None and until is None
    return (since is None or ts >= since) and (until is None or ts <= until)


def _failed(result: Block | None) -> bool | None:
    if result is None:
        return None
    return result.is_error if result.exit_code is None else result.exit_code != 0


def _told(repo: Repo, found: Sequence[Run]) -> list[Run]:
    infos = repo.infos(run.commit for run in found if run.commit)
    return [replace(run, info=infos.get(run.commit or "")) for run in found]


class _Heads:
    """Which commit was checked out where an agent worked."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._logs: dict[str, list[Entry]] | None = None
        self._branches: dict[str, list[tuple[str, float]]] = {}
        self._full: dict[str, str] = {}

    def at(
        self, turn: Turn, result: Block | None, printed: Sequence[tuple[Turn, Block]]
    ) -> tuple[str, Known] | tuple[None, None]:
        """The commit when the turn's command ended with `result`, and how it is known; else
        nothing. `printed` are the results of the session in which commits stand, in order."""
        if result and (sha := self._made(result)):
            return sha, "printed"
        if sha := self._by_reflog(turn):
            return sha, "reflog"
        if sha := self._by_session(turn, printed):
            return sha, "session"
        if sha := self._by_history(turn):
            return sha, "history"
        return (turn.head, "recorded") if turn.head else (None, None)

    def _made(self, result: Block) -> str | None:
        """The commit that a command made, by its full id where git still has it."""
        made = [commit.sha for commit in result.commits]
        if made and made[-1] not in self._full:
            try:
                self._full[made[-1]] = self._repo.resolve(made[-1])
            except UnknownTarget:
                self._full[made[-1]] = made[-1]
        return self._full[made[-1]] if made else None

    def _by_session(self, turn: Turn, printed: Sequence[tuple[Turn, Block]]) -> str | None:
        before = [
            sha
            for other, block in printed
            if other.seq < turn.seq and (other.branch, other.thread) == (turn.branch, turn.thread)
            if (sha := self._made(block))
        ]
        return before[-1] if before else None

    def _by_reflog(self, turn: Turn) -> str | None:
        """The reflogs are those of this machine, and so tell nothing of another memory's turns."""
        if turn.ts is None or not turn.workdir or self._repo.memory is not None:
            return None
        if self._logs is None:
            self._logs = {top.as_posix(): log for top, log in checkouts(self._repo)}
        inside = [top for top in self._logs if f"{turn.workdir}/".startswith(f"{top}/")]
        if not inside:
            return None
        before = [each for each in self._logs[max(inside, key=len)] if each.at <= turn.ts]
        return before[-1].new if before and before[-1].new.strip("0") else None

    def _by_history(self, turn: Turn) -> str | None:
        if turn.ts is None or not turn.branch:
            return None
        if turn.branch not in self._branches:
            self._branches[turn.branch] = self._line(turn.branch)
        line = self._branches[turn.branch]
        return next((sha for sha, at in line if at <= turn.ts), None)

    def _line(self, branch: str) -> list[tuple[str, float]]:
        """The commits that a branch has been at, newest first, each with its time."""
        try:
            found = list(self._repo.commits("--first-parent", f"refs/heads/{branch}", "--"))
        except UnknownTarget:
            return []
        return [(info.sha, info.commit_time) for info in found]
