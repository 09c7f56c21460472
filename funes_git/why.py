"""The answers of `why`, `blame` and `log`: from lines and commits to the turns behind them.

Reads git and the catalog only; imports nothing heavy, for it is what people wait for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from funes_git.answers import AnswerMaker
from funes_git.authors import Author, Authors
from funes_git.errors import UnknownTarget
from funes_git.git import BlamedLine, GitError, Repo
from funes_git.model import BlameLine, CommitInfo, Link, LogEntry, Unexplained, Why
from funes_git.prompts import words_of
from funes_git.spans import ranges
from funes_git.store.catalog import Catalog
from funes_git.targets import find_path, missing_path, parse_target

DEFAULT_ANSWERS = 5

BY_HAND = ("no-edit", "not-matched")
"""Reasons of commits that a person made."""


def why(
    repo: Repo,
    catalog: Catalog,
    target: str,
    *,
    at: str | None = None,
    n: int = DEFAULT_ANSWERS,
    cwd: Path | None = None,
) -> Why:
    """The turns behind `target`: for lines, those that wrote them; for a file, those that wrote
    most of what stands there; for a commit, those behind it. At most `n`.

    Without `at` a file is looked at as it is in the working tree. Raises UnknownTarget, GitError.
    """
    found = parse_target(repo, target, at, cwd or Path.cwd())
    rev = at or "HEAD"
    maker = AnswerMaker(catalog)
    if found.commit is not None:
        return _why_commit(repo, catalog, target, found.commit, maker, n)
    assert found.path is not None
    lines = _blame(repo, found.path, at, found.lines)
    infos = repo.infos(line.sha for line in lines if line.committed)
    authors = Authors(catalog, infos, infos)
    by_link: dict[Link, list[BlamedLine]] = {}
    others: dict[Author, list[BlamedLine]] = {}
    for line in lines:
        author = authors.of(line)
        if author.link is not None:
            by_link.setdefault(author.link, []).append(line)
        elif found.lines or line.text.strip():
            others.setdefault(author, []).append(line)
    groups = _by_turn(by_link)
    if found.lines is None:
        groups.sort(key=lambda group: -len(group[1]))
        others = {}
    answers = [maker.answer(infos[link.commit], link, asked) for link, asked in groups[:n]]
    unexplained = [_unexplained(author, rows, infos) for author, rows in others.items()]
    if not groups and found.lines is None:
        unexplained = [_unexplained(a, rows, infos) for a, rows in _authors(lines, authors)]
    return Why(
        target=target,
        path=found.path,
        rev=rev,
        lines=found.lines,
        answers=tuple(answers),
        unexplained=tuple(unexplained),
        more=max(0, len(groups) - n),
    )


def blame(
    repo: Repo,
    catalog: Catalog,
    path: str,
    *,
    at: str | None = None,
    lines: tuple[int, int | None] | None = None,
    cwd: Path | None = None,
) -> list[BlameLine]:
    """Each line of the file that `path` names (or of `lines`, both ends inclusive, None for the
    last), with its author. Raises UnknownTarget, GitError."""
    found = find_path(repo, path, at, cwd or Path.cwd())
    if found is None:
        raise missing_path(path, at)
    blamed = _blame(repo, found, at, lines)
    infos = repo.infos(line.sha for line in blamed if line.committed)
    authors = Authors(catalog, infos, infos)
    return [_blame_line(line, authors.of(line), infos) for line in blamed]


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


def _blame(
    repo: Repo, path: str, at: str | None, lines: tuple[int, int | None] | None
) -> list[BlamedLine]:
    rev = at if at or repo.worktree else "HEAD"
    try:
        return repo.blame(path, rev, lines)
    except GitError as error:
        if "has only" in error.message:
            count = error.message.rpartition("has only ")[2]
            raise UnknownTarget(f"{path} has only {count}", f"git funes blame {path}") from None
        if "no such path" in error.message or "no such ref: HEAD" in error.message:
            raise UnknownTarget(
                f"{path} is not committed yet, and why answers from commits",
                hint=f"git funes recall --file {path} QUERY",
            ) from None
        raise


def _by_turn(by_link: dict[Link, list[BlamedLine]]) -> list[tuple[Link, list[BlamedLine]]]:
    """One group a turn and commit, in the order of the lines."""
    groups: dict[tuple[str, str, str], tuple[Link, list[BlamedLine]]] = {}
    for link, lines in by_link.items():
        key = (link.commit, link.session_id, link.turn_uuid)
        groups.setdefault(key, (link, []))[1].extend(lines)
    return list(groups.values())


def _authors(lines: list[BlamedLine], authors: Authors) -> list[tuple[Author, list[BlamedLine]]]:
    found: dict[Author, list[BlamedLine]] = {}
    for line in lines:
        found.setdefault(authors.of(line), []).append(line)
    return list(found.items())


def _why_commit(
    repo: Repo, catalog: Catalog, target: str, sha: str, maker: AnswerMaker, n: int
) -> Why:
    info = repo.infos([sha])[sha]
    links = catalog.links_of([sha]).get(sha, [])
    turns: dict[tuple[str, str], Link] = {}
    for link in sorted(links, key=lambda link: -link.score):
        turns.setdefault((link.session_id, link.turn_uuid), link)
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


def _unexplained(
    author: Author, lines: list[BlamedLine], infos: dict[str, CommitInfo]
) -> Unexplained:
    kind = "unknown" if author.kind == "agent" else author.kind
    shas = {line.sha for line in lines}
    info = infos.get(lines[0].sha) if len(shas) == 1 else None
    numbers = ranges(sorted(line.number for line in lines))
    return Unexplained(numbers, info, kind, author.reason, "")


def _blame_line(line: BlamedLine, author: Author, infos: dict[str, CommitInfo]) -> BlameLine:
    link = author.link
    return BlameLine(
        number=line.number,
        text=line.text,
        commit=infos.get(line.sha),
        kind="unknown" if author.kind == "uncommitted" else author.kind,
        harness=link.harness if link else None,
        session_id=link.session_id if link else None,
        turn_uuid=link.turn_uuid if link else None,
        level=link.level if link else None,
    )
