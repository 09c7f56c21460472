"""What `review` and `publish` share: the draft of a release, and what is decided about it."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from funes_git import output
from funes_git.commands.opened import need_commit, reading
from funes_git.git import Repo
from funes_git.output import Output
from funes_git.store.decisions import Decisions
from funes_git.store.lance import LanceMemory
from funes_git.store.lock import FileLock

WAIT = 600.0
"""Seconds that another publish of this repository to the same memory is waited for."""

if TYPE_CHECKING:
    from funes_git.publish.draft import Draft, Scope


def drafted(
    out: Output, release: str, since: str | None, scope: Scope, keep_emails: bool
) -> tuple[Repo, LanceMemory, Draft]:
    """The repository, its memory and what stands behind a release."""
    from funes_git.publish import draft, span

    with reading(links=True) as (repo, catalog):
        if release == "HEAD":
            need_commit(repo)
        found = span.resolve(repo, release, since)
        memory = LanceMemory.open(repo.layout.memory)
        made = draft.make(
            repo,
            catalog,
            memory,
            found,
            scope=scope,
            keep_emails=keep_emails,
            progress=out.progress,
        )
    out.progress_done()
    return repo, memory, made


def standing(release: str, since: str | None, about: Sequence[object]) -> tuple[Repo, str, str]:
    """The repository, the name of a release, and a digest of all that it comes from."""
    from funes_git.publish import before, select, span

    with reading(links=True) as (repo, catalog):
        if release == "HEAD":
            need_commit(repo)
        found = span.resolve(repo, release, since)
        links = select.links_behind(catalog, found.commits)
    with decisions(repo) as stored:
        reviews = stored.every_review()
    told = [found.name, found.range, list(found.commits), *about]
    return repo, found.name, before.stamp(repo, links, reviews, told)


@contextmanager
def decisions(repo: Repo) -> Iterator[Decisions]:
    """What people decided in a repository, for writing. Raises MemoryBusy."""
    with (
        FileLock.take(repo.layout.write_lock, 10.0),
        Decisions.open(repo.layout.decisions) as found,
    ):
        yield found


def decide(
    repo: Repo,
    draft: Draft,
    include: Sequence[str],
    exclude: Sequence[str],
    *,
    keep: bool = True,
) -> None:
    """Take in what was decided before, and what the command line says; that is kept for the next
    time unless `keep` is False."""
    from funes_git.publish import draft as drafts

    with decisions(repo) if keep else _copied(repo) as stored:
        drafts.recall(draft, stored)
        drafts.apply(draft, stored, include, exclude)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """While nobody else of this repository lays something out in a folder. Raises MemoryBusy."""
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with FileLock.take(folder.with_name(f"{folder.name}.lock"), WAIT):
        yield


@contextmanager
def _copied(repo: Repo) -> Iterator[Decisions]:
    """A copy of what people decided, in which nothing lasts."""
    with tempfile.TemporaryDirectory(prefix="funes-git-") as folder:
        path = Path(folder, "decisions.sqlite")
        if repo.layout.decisions.exists():
            shutil.copyfile(repo.layout.decisions, path)
        with Decisions.open(path) as found:
            yield found


def is_conversation(out: Output) -> bool:
    """Whether a person can be asked."""
    return out.format == "human" and sys.stdin.isatty() and sys.stdout.isatty()


def ask(question: str, answers: str) -> str:
    """One of the letters `answers`, as a person types it; the last one where input ends."""
    while True:
        output.note(f"{question} [{'/'.join(answers)}]")
        typed = sys.stdin.readline()
        if not typed:
            return answers[-1]
        if typed.strip()[:1].lower() in tuple(answers):
            return typed.strip()[0].lower()
