"""`why TARGET`: the turns behind lines, a function, a file or a commit."""

from __future__ import annotations

from pathlib import Path

from funes_git.answers import AnswerMaker
from funes_git.authors import Author
from funes_git.errors import UnknownTarget
from funes_git.git import BlamedLine, Repo
from funes_git.model import CommitInfo, Link, Unexplained, Why
from funes_git.origin import label
from funes_git.spans import ranges
from funes_git.store.catalog import Catalog
from funes_git.targets import parse_target
from funes_git.why.context import readers
from funes_git.why.looked import Looked, look

FEW, DEFAULT_ANSWERS = 2, 5
"""Turns that are told of a file, whose overview comes first, and of anything else, if it is not
said how many."""


def why(
    repo: Repo,
    catalog: Catalog,
    target: str,
    *,
    at: str | None = None,
    n: int | None = None,
    cwd: Path | None = None,
) -> Why:
    """The turns behind `target`: for lines or a function, those that wrote them; for a file, those
    that wrote most of what stands there; for a commit, those behind it. At most `n`; if that is
    None, FEW of a file and DEFAULT_ANSWERS of anything else.

    Without `at` a file is looked at as it is in the working tree. Raises UnknownTarget, GitError.
    """
    most = DEFAULT_ANSWERS if n is None else n
    try:
        found = parse_target(repo, target, at, cwd or Path.cwd())
    except UnknownTarget:
        from funes_git.why.commit import why_rewritten

        rewritten = why_rewritten(repo, catalog, target, most)
        if rewritten is None:
            raise
        return rewritten
    if found.commit is not None:
        from funes_git.why.commit import why_commit

        return why_commit(repo, catalog, target, found.commit, most)
    assert found.path is not None
    looked = look(repo, catalog, found.path, at, found.symbol or found.lines)
    whole = found.lines is None and found.symbol is None
    groups = _by_turn(looked)
    if whole:
        most = FEW if n is None else n
        groups.sort(key=lambda group: -len(group[1]))
    maker = AnswerMaker(repo, catalog)
    answers = [maker.answer(looked.infos.get(k.commit), k, asked) for k, asked in groups[:most]]
    lines = found.lines
    if found.symbol is not None:
        lines = looked.lines[0].number, looked.lines[-1].number
    told = bool(groups) and whole
    gaps = [] if told else _gaps(catalog, looked, blank=found.lines is not None)
    shares = None
    if told:
        from funes_git.why.overview import overview  # only of a file

        shares = overview(catalog, looked)
    return Why(
        target=target,
        path=found.path,
        rev=at or "HEAD",
        lines=lines,
        answers=tuple(answers),
        unexplained=tuple(gaps),
        more=max(0, len(groups) - most),
        overview=shares,
    )


def _by_turn(looked: Looked) -> list[tuple[Link, list[BlamedLine]]]:
    """One group a turn and commit, in the order of the lines."""
    groups: dict[tuple[str, str, str], tuple[Link, list[BlamedLine]]] = {}
    for author, lines in looked.by_author.items():
        if (link := author.link) is not None:
            key = (link.commit, link.session_id, link.turn_uuid)
            groups.setdefault(key, (link, []))[1].extend(lines)
    return list(groups.values())


def _gaps(catalog: Catalog, looked: Looked, *, blank: bool) -> list[Unexplained]:
    """The lines that no turn wrote; blank ones only if they were asked for by number."""
    gaps = []
    for author, lines in looked.by_author.items():
        rows = [line for line in lines if blank or line.text.strip()]
        if author.link is None and rows:
            gaps.append(_unexplained(catalog, author, rows, looked.infos))
    return gaps


def _unexplained(
    catalog: Catalog, author: Author, lines: list[BlamedLine], infos: dict[str, CommitInfo]
) -> Unexplained:
    kind = "unknown" if author.kind == "agent" else author.kind
    shas = {line.sha for line in lines}
    info = infos.get(lines[0].sha) if len(shas) == 1 else None
    numbers = ranges(sorted(line.number for line in lines))
    read = readers(catalog, lines[0].original_path, info.commit_time) if info else ()
    reason = author.reason
    if info and read and reason == "no-session":  # sessions that ended hours before the commit
        first = catalog.first_edit(lines[0].original_path)
        wrote = first is not None and first <= info.commit_time
        reason = "not-matched" if wrote else "no-edit"
    return Unexplained(numbers, info, kind, reason, _told(author), read)


def _told(author: Author) -> str:
    """What another tool says of lines that no session's own lines explain."""
    if author.told is None:
        return ""
    said = author.told
    who = f"session {said.session_id} of {said.harness}"
    return f"{label(said.source)} says that {who} wrote this; no indexed session's lines show it"
