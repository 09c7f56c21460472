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
from dataclasses import replace
from pathlib import Path

from funes_git import discovery, ingest, redact
from funes_git.editrecord import clean_or_none
from funes_git.errors import FunesError, UsageError
from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.imports import agentnote, agenttrace, entire, gitai, ours, specstory, traces
from funes_git.imports.found import Found, Transcript
from funes_git.model import Attribution, SourceState
from funes_git.origin import LABELS, label
from funes_git.progress import is_outdated
from funes_git.secretids import without
from funes_git.skips import Skip, Skips
from funes_git.store.imports import attribution_event
from funes_git.store.records import Totals
from funes_git.store.stores import Stores
from funes_git_parsers.base import Session
from funes_git_parsers.dataclass import dataclass

BATCH = 64 << 20
"""Bytes of sessions after which those on the disk are read and removed."""

Progress = Callable[[int], None]
"""Told how many sessions were looked at."""
_FINDERS = {m.SOURCE: m.find for m in (agentnote, agenttrace, entire, gitai, ours, specstory)}


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What one import found and added. Of the `found` transcripts those that were new are `read`;
    `unclaimed` are the names of those that no parser reads, `foreign` ones are of other
    repositories. `skips` are records of the tool itself, and of transcripts, that could not be
    read. `attributions` are about `commits`; `unknown` ones name commits that are not here."""

    source: str
    found: int
    read: int
    unclaimed: tuple[str, ...]
    foreign: int
    skips: tuple[Skip, ...]
    attributions: int
    commits: int
    unknown: int
    new_attributions: int
    added: Totals
    unreadable: tuple[tuple[Path, str], ...] = ()


def run(
    repo: Repo,
    stores: Stores,
    source: str,
    where: str | None = None,
    *,
    progress: Progress | None = None,
) -> ImportReport:
    """Import from the tool `source` (a name of `origin.LABELS`) into stores open for writing;
    `where` is the dataset of `traces`.

    Raises UsageError for another name or place, FunesError if there is nothing of the tool.
    """
    _check(source, where)
    with BlobReader(repo) as blobs:
        found = traces.find(repo, where) if where else _FINDERS[source](repo, blobs)
        if found.empty:
            raise FunesError(
                f"nothing of {label(source)} is here; looked for {found.looked_in}",
                hint=f"git fetch origin {found.fetch}" if found.fetch else "git funes import -h",
            )
        reading = _Reading(repo, stores, source, progress)
        reading.all(found)
    return reading.report(found)


def _check(source: str, where: str | None) -> None:
    if source not in LABELS:
        raise UsageError(
            f"cannot import from {source!r}", f"one of: {', '.join(LABELS)}; or FILE.funes"
        )
    if where is None and source == traces.SOURCE:
        raise UsageError("traces needs the name of a dataset", "git funes import traces ORG/REPO")
    if where is not None and source != traces.SOURCE:
        raise UsageError(f"{source} takes no {where}", f"git funes import {source}")


class _Reading:
    """Hands transcripts to `ingest`, some at a time."""

    def __init__(self, repo: Repo, stores: Stores, source: str, progress: Progress | None) -> None:
        self._repo = repo
        self._stores = stores
        self._source = source
        self._progress = progress
        self._folder = repo.layout.imported / source
        self._every = discovery.parsers()
        self._known = {
            str(state.source.path): state.source.mtime_ns
            for state in stores.catalog.states()
            if state.source.path.is_relative_to(self._folder) and not self._is_outdated(state)
        }
        self._found = self._read = self._foreign = 0
        self._unclaimed: list[str] = []
        self._skips = Skips()
        self._unreadable: list[tuple[Path, str]] = []
        self._before = stores.catalog.totals()

    def _is_outdated(self, state: SourceState) -> bool:
        parser = self._every.get(state.source.harness)
        return parser is not None and is_outdated(state, parser)

    def all(self, found: Found) -> None:
        """Read the transcripts that are new or changed."""
        with _emptied(self._folder):
            for batch in self._batches(found.transcripts):
                self._take([path for path in batch if self._is_wanted(path, found)])
                for path in batch:
                    path.unlink()

    def _is_wanted(self, path: Path, found: Found) -> bool:
        looked = discovery.at_paths([path], self._every)
        self._unreadable += looked.unreadable
        if not looked.sources:
            self._unclaimed += [] if looked.unreadable else [self._name(path)]
            return False
        if not found.only_ours:
            return True
        try:
            if any(found.only_ours(self._every[one.harness], one) for one in looked.sources):
                return True
        except OSError as error:
            self._unreadable.append((path, error.strerror or str(error)))
        self._foreign += 1
        return False

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
            if size >= BATCH:
                yield paths
                paths, size = [], 0
            try:
                data = transcript.read()
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                os.utime(path, ns=(transcript.mtime_ns, transcript.mtime_ns))
            except OSError as error:  # gone since, the disk is full, or the name too long for it
                self._unreadable.append((path, error.strerror or str(error)))
                continue
            paths.append(path)
            size += len(data)
        if paths:
            yield paths

    def _take(self, paths: list[Path]) -> None:
        if not paths:
            return
        report = ingest.index(self._repo, self._stores, paths=paths, adopt=True)
        self._read += len(paths)
        self._unreadable += report.unreadable
        for skip in report.skipped:
            places = (self._name(Path(place)) for place in skip.places)
            self._skips.add(skip.reason, *places, count=skip.count)

    def _name(self, path: Path) -> str:
        """What a transcript's file, or a place in it, is called within its tool."""
        return path.relative_to(self._folder).as_posix()

    def report(self, found: Found) -> ImportReport:
        """What was read, and what of the attributions is new, which are kept here."""
        infos = self._repo.infos(one.commit for one in found.attributions)
        known = _clean([one for one in found.attributions if one.commit in infos])
        times = {sha: info.commit_time for sha, info in infos.items()}
        new = self._stores.add_attributions(
            [attribution_event(one, times[one.commit]) for one in known]
        )
        return ImportReport(
            source=self._source,
            found=self._found,
            read=self._read,
            unclaimed=tuple(self._unclaimed),
            foreign=self._foreign,
            skips=(*found.skips.all(), *self._skips.all()),
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
    """A private folder that is gone afterwards; what a killed run left, the stores removed."""
    folder.mkdir(parents=True, mode=0o700)
    try:
        yield
    finally:
        shutil.rmtree(folder.parent, ignore_errors=True)
