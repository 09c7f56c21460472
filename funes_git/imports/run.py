"""One import: sessions through the usual pipeline, attributions beside the hooks' events.

A session that was read before, and did not change since, is not read again, and what is said twice
is kept once. The files in which sessions are handed to the parsers are removed once they are read:
the memory keeps them redacted, under the names of these files, which tell the tool.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from funes_git import ingest, redact
from funes_git.editrecord import clean_or_none
from funes_git.errors import FunesError, NoSessions, UsageError
from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.imports import agentnote, entire, gitai, ours, specstory
from funes_git.imports.found import Found, Transcript, events
from funes_git.model import Attribution
from funes_git.origin import LABELS, label
from funes_git.secretids import without
from funes_git.store.records import Totals
from funes_git.store.stores import Stores
from funes_git_parsers.base import Session

BATCH = 64 << 20
"""Bytes of sessions that lie on the disk at once, unless one is longer."""

Progress = Callable[[int], None]
"""Told how many sessions were looked at."""
_FINDERS = {module.SOURCE: module.find for module in (agentnote, entire, gitai, ours, specstory)}


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What one import found and added. Of the `found` transcripts those that were new are `read`;
    `unclaimed` ones are of agents without a parser, `skipped` ones the tool itself cannot name.
    `attributions` are about `commits`; `unknown` ones name commits that are not here."""

    source: str
    found: int
    read: int
    unclaimed: int
    skipped: int
    attributions: int
    commits: int
    unknown: int
    new_attributions: int
    added: Totals
    unreadable: tuple[tuple[Path, str], ...] = ()


def run(
    repo: Repo, stores: Stores, source: str, *, progress: Progress | None = None
) -> ImportReport:
    """Import from the tool `source` (a name of `origin.LABELS`) into stores open for writing.

    Raises UsageError for another name, FunesError if the repository has nothing of the tool.
    """
    if source not in _FINDERS:
        raise UsageError(f"cannot import from {source!r}", f"one of: {', '.join(LABELS)}")
    with BlobReader(repo) as blobs:
        found = _FINDERS[source](repo, blobs)
        if found.empty:
            raise FunesError(
                f"nothing of {label(source)} is in this repository; looked for {found.looked_in}",
                hint="git fetch origin '+refs/*:refs/remotes/origin/*'   (if it was not fetched)",
            )
        reading = _Reading(repo, stores, source, progress)
        reading.all(found.transcripts)
    return reading.report(found)


class _Reading:
    """Hands transcripts to `ingest`, some at a time."""

    def __init__(self, repo: Repo, stores: Stores, source: str, progress: Progress | None) -> None:
        self._repo = repo
        self._stores = stores
        self._source = source
        self._progress = progress
        self._folder = repo.layout.imported / source
        self._known = {
            str(state.source.path): state.source.mtime_ns
            for state in stores.catalog.states()
            if state.source.path.is_relative_to(self._folder)
        }
        self._found = self._read = self._unclaimed = 0
        self._unreadable: list[tuple[Path, str]] = []
        self._before = stores.catalog.totals()

    def all(self, transcripts: Iterable[Transcript]) -> None:
        """Read those that are new or changed."""
        with _emptied(self._folder):
            for batch in self._batches(transcripts):
                self._take(batch)

    def _batches(self, transcripts: Iterable[Transcript]) -> Iterator[list[Path]]:
        paths: list[Path] = []
        size = 0
        for transcript in transcripts:
            self._found += 1
            if self._progress:
                self._progress(self._found)
            path = self._folder / transcript.name
            if self._known.get(str(path)) == transcript.mtime_ns:
                continue
            data = transcript.read()
            if paths and size + len(data) > BATCH:
                yield paths
                paths, size = [], 0
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            os.utime(path, ns=(transcript.mtime_ns, transcript.mtime_ns))
            paths.append(path)
            size += len(data)
        if paths:
            yield paths

    def _take(self, paths: list[Path]) -> None:
        try:
            report = ingest.index(self._repo, self._stores, paths=paths, adopt=True)
            self._unreadable += report.unreadable
            claimed = report.sources_found
        except NoSessions:
            claimed = 0
        self._read += claimed
        self._unclaimed += len(paths) - claimed
        for path in paths:
            path.unlink()

    def report(self, found: Found) -> ImportReport:
        """What was read, and what of the attributions is new, which are kept here."""
        infos = self._repo.infos(one.commit for one in found.attributions)
        known = _clean([one for one in found.attributions if one.commit in infos])
        times = {sha: info.commit_time for sha, info in infos.items()}
        new = self._stores.add_attributions(list(events(known, times)))
        return ImportReport(
            source=self._source,
            found=self._found,
            read=self._read,
            unclaimed=self._unclaimed,
            skipped=found.skipped,
            attributions=len(known),
            commits=len(infos),
            unknown=len(found.attributions) - len(known),
            new_attributions=new,
            added=self._stores.catalog.totals().since(self._before),
            unreadable=tuple(self._unreadable),
        )


def _clean(attributions: list[Attribution]) -> list[Attribution]:
    """The same without secrets, ids as the sessions themselves get them. Raises ScannerBroken."""
    texts = {
        text for one in attributions for text in (one.session_id, one.path, one.turn_uuid) if text
    }
    secret = redact.shared().find(sorted(texts)) if texts else {}
    return [
        replace(
            one,
            session_id=without(Session(one.session_id, one.harness), secret).session_id,
            path=clean_or_none(one.path, secret),
            turn_uuid="" if secret.get(one.turn_uuid) else one.turn_uuid,
        )
        for one in attributions
    ]


@contextmanager
def _emptied(folder: Path) -> Iterator[None]:
    """A private folder that is gone afterwards; what a killed run left is gone before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    try:
        yield
    finally:
        shutil.rmtree(folder.parent, ignore_errors=True)
