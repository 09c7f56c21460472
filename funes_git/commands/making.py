"""The steps that `init`, `index` and `reindex` share: read, link, make vectors, with progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from funes_git.git import Repo
from funes_git.link import engine
from funes_git.output import Output, note
from funes_git.render.words import took
from funes_git.store.stores import Stores

if TYPE_CHECKING:
    from funes_git.ingest import IndexReport

_TELLING = 2.0
"""Seconds of work after which the time that the rest takes can be told."""


def telling(out: Output) -> Callable[[int, int, str], None]:
    """Shows progress with the time left, by the speed since the first thing was done: what comes
    before that (a model is loaded) does not come again."""
    first: dict[str, tuple[float, int]] = {}

    def tell(done: int, total: int, what: str) -> None:
        now = time.monotonic()
        since, before = first.setdefault(what, (now, done))
        taken = now - since
        known = taken >= _TELLING and done > before
        left = f", {took((total - done) * taken / (done - before))} left" if known else ""
        out.progress(done, total, what + left)

    return tell


def read_new(
    repo: Repo,
    stores: Stores,
    out: Output,
    *,
    paths: Sequence[Path] = (),
    agents: Sequence[str] = (),
    adopt: bool = False,
) -> IndexReport:
    """Read what is new, and take in what the hooks left."""
    from funes_git import ingest, redact, worker

    if not redact.is_prepared():
        note("preparing the secret scanner (once; it takes some seconds)…")
        redact.shared()
    worker.drain(repo, stores)
    report = ingest.index(
        repo,
        stores,
        paths=paths,
        agents=agents,
        adopt=adopt,
        progress=lambda done, total, _: out.progress(done, total, "session files read"),
    )
    out.progress_done()
    return report


def link_new(repo: Repo, stores: Stores, out: Output) -> None:
    """Link the commits that are new, and those that new turns may explain."""
    engine.catch_up(
        repo,
        stores.writer,
        progress=lambda done, total: out.progress(done, total, "commits linked"),
    )
    out.progress_done()
    write_notes(repo, stores)


def write_notes(repo: Repo, stores: Stores) -> None:
    """Bring the notes level with the links, where the user asked for notes."""
    from funes_git import notes

    if notes.wanted(repo):
        notes.write(repo, stores.catalog)


def link_everything(repo: Repo, stores: Stores, out: Output) -> engine.LinkReport:
    """Link the whole history anew."""
    linked = engine.link(
        repo,
        stores.writer,
        everything=True,
        progress=lambda done, total: out.progress(done, total, "commits linked"),
    )
    out.progress_done()
    write_notes(repo, stores)
    return linked


def choose_model(repo: Repo, name: str) -> None:
    """Embed with this model from now on. Raises UnknownTarget, and NoModel where its weights are
    not on this machine; then nothing is changed."""
    from funes_git.models import Models

    found = Models(repo.settings).require(name)
    repo.run("config", "funes.model", found.model)


def change_model(repo: Repo, stores: Stores) -> None:
    """Drop the vectors if another model made them than the one that is configured; they are pending
    then. Raises UnknownTarget, and NoModel where there are no weights to make others."""
    from funes_git.models import Models
    from funes_git.store.vectors import wipe_vectors

    models = Models(repo.settings)
    if stores.lance().model in (None, models.name):
        return
    models.require()
    stores.change_model(models.name, models.entry().dim)
    wipe_vectors(repo.layout.vectors)


def make_vectors(repo: Repo, out: Output) -> int:
    """Make the vectors that are missing; how many were made. Call it without the writer lock, which
    it takes for each write. Raises NoModel where no weights are found."""
    from funes_git.models import Models
    from funes_git.vectorise import vectorise

    made = vectorise(repo.layout, Models(repo.settings), progress=telling(out))
    out.progress_done()
    return made
