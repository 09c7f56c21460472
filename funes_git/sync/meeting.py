"""One meeting of this repository's memory with one elsewhere: take what is new there, then give
what is new here, by one commit on top of the version that was looked at. If somebody else was
quicker, all of it again on top of theirs: nothing is ever overwritten unseen.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field

from funes_git.errors import FunesError
from funes_git.git import Repo
from funes_git.publish.part import Withheld
from funes_git.remotes import tables
from funes_git.remotes.cached import is_same
from funes_git.remotes.huberrors import Conflict
from funes_git.remotes.places import Place
from funes_git.store import differences
from funes_git.store.catalog import Catalog
from funes_git.store.changes import Key
from funes_git.store.database import private_folder
from funes_git.store.lance import LanceMemory
from funes_git.store.lock import FileLock
from funes_git.store.records import Totals
from funes_git.store.shared import SharedMemory
from funes_git.store.stores import Stores
from funes_git.sync import tombstones
from funes_git.sync.give import give
from funes_git.sync.state import Met, State
from funes_git.sync.take import take
from funes_git_parsers.dataclass import dataclass

TRIES = 12
WAIT = 60.0
"""Seconds to wait for another process of this machine that is at the same."""
FEW = 24
"""Data files of a table above which they are merged before they are sent."""
Progress = Callable[[int, int, str], None]


class Foreign(FunesError):
    """The memory holds sessions, and none of this repository."""


@dataclass(slots=True)
class Report:
    """What a meeting did: `taken` by this repository, `given` turns, and what was withheld of them;
    how many turns were taken `out` of the memory, being forgotten here, and how many were
    `forgotten` here, having been elsewhere. `version` is the memory's newest; `created` says
    whether it is new."""

    version: str = ""
    created: bool = False
    taken: Totals = field(default_factory=Totals)
    given: int = 0
    out: int = 0
    forgotten: int = 0
    withheld: list[Withheld] = field(default_factory=list)
    other_model: str | None = None
    """The model of the memory's vectors, where it is another."""


class Meeting:
    """This repository's memory and one elsewhere. `strangers` says whether the memory may hold
    nothing but other repositories' sessions."""

    def __init__(
        self, repo: Repo, place: Place, progress: Progress, *, strangers: bool = False
    ) -> None:
        self._repo = repo
        self._place = place
        self._progress = progress
        self._strangers = strangers
        self._folder = repo.layout.remotes / place.name.slug
        self._identity = repo.identity()

    def pull(self) -> Report:
        """Take what is new there. This repository need not have a memory yet. Raises FunesError."""
        report = Report()
        with Stores.open(self._repo.layout, write=True, wait=60.0) as stores:
            stores.lance()  # makes it
        with self._state() as state:
            report.version = version = self._place.head()
            if version != state.version:
                with self._copy(version) as (copy, _):
                    theirs = differences.of_memory(copy)
                    self._take(state, version, copy, theirs, report)
        return report

    def push(self) -> Report:
        """Take what is new there, then give what is new here. Raises FunesError; Foreign where the
        memory shares nothing with this repository."""
        report = Report()
        with self._state() as state:
            for number in range(TRIES):
                try:
                    self._push(state, report)
                    return report
                except Conflict:
                    time.sleep(random.uniform(0, 0.2 * 2 ** min(number, 5)))
            self._push(state, report)
        return report

    @contextmanager
    def _state(self) -> Iterator[State]:
        """What both had when they last met. One process meets a memory at a time. Raises
        MemoryBusy."""
        private_folder(self._folder)
        lock = FileLock.take(self._folder / "lock", wait=WAIT)
        with lock, State.open(self._folder / "met.sqlite") as state:
            yield state

    def _push(self, state: State, report: Report) -> None:
        report.version = version = self._place.head()
        ours, met = self._ours(), state.met()
        if version == state.version and not (_news(ours, met) or self._forgotten(ours, met)):
            return
        with self._copy(version) as (copy, paths):
            theirs = differences.of_memory(copy)
            if version != state.version:
                self._take(state, version, copy, theirs, report)
            ours, met = self._ours(), state.met()
            gone, what = tombstones.forgotten(self._repo, theirs.keys() - ours.keys())
            sent = _news(ours, met) - _taken_out(ours, met, theirs).keys()
            if sent or gone:
                differences.drop_turns(copy, gone, theirs.keys())
                tombstones.write(copy.folder, gone, what)
                self._give(copy, sent, theirs, report)
                if gone:
                    copy.finish()
                report.version = self._place.commit(
                    tables.difference(copy.folder, paths), version, _message(sent, gone)
                )
                report.given += len(sent)
                report.out += len(gone)
                now = differences.of_memory(copy)
                state.save(report.version, ours, now | _taken_out(ours, met, now))

    def _take(
        self,
        state: State,
        version: str,
        copy: SharedMemory,
        theirs: dict[Key, int],
        report: Report,
    ) -> None:
        """Take what is new there, unless it is other here too since both last met: that is given
        then. A turn that both have of old, from before they ever met, is left alone."""
        self._meet_strangers(copy, theirs)
        report.forgotten += tombstones.follow(self._repo, copy.folder, self._ours())
        ours = self._ours()
        met = state.met() if theirs else {}  # else the memory was made anew
        others = differences.sessions_of_others(copy, lambda one: is_same(one, self._identity))
        news = {
            key
            for key, mark in theirs.items()
            if key[0] not in others and (key not in met or met[key].theirs != mark)
        }
        out = _taken_out(ours, met, theirs)
        kept = {key for key in _news(ours, met) if key in met or key not in theirs}
        wanted = {key for key in news - kept if key not in ours or key in met}
        with Stores.open(self._repo.layout, write=True, wait=60.0) as stores:
            stores.known_as(*self._identity)
            if copy.model != stores.lance().model:
                report.other_model = copy.model
            before = stores.catalog.totals()
            take(stores, copy, wanted, self._progress)
            report.taken = _sum(report.taken, stores.catalog.totals().since(before))
        now = {key: digest for key, digest in self._ours().items() if key not in kept}
        there = theirs | out
        old = {k: met[k].ours for k in met if k in kept or (k not in ours and k in there)}
        state.save(version, {**now, **old}, there)

    def _give(
        self, copy: SharedMemory, sent: set[Key], theirs: Mapping[Key, int], report: Report
    ) -> None:
        local = LanceMemory.open(self._repo.layout.memory)
        with Catalog.open(self._repo.layout.catalog) as catalog:
            report.withheld = give(
                local, catalog, copy, sent, theirs.keys(), self._identity, self._progress
            )
        if tables.data_files(copy.folder) > FEW:
            copy.finish()
        tables.keep_newest(copy.folder)

    def _forgotten(self, ours: Mapping[Key, int], met: Mapping[Key, Met]) -> set[Key]:
        """The turns that both had when they last met, and that people had forgotten since."""
        lost = {k for k, was in met.items() if None not in was and k not in ours}
        return tombstones.forgotten(self._repo, lost)[0]

    def _meet_strangers(self, copy: SharedMemory, theirs: dict[Key, int]) -> None:
        if not theirs or self._strangers:
            return
        if any(is_same(self._identity, each) for each in differences.repositories(copy)):
            return
        raise Foreign(
            f"{self._place.name.text} holds sessions, and none of this repository",
            "check the name, or add --yes",
        )

    def _ours(self) -> dict[Key, int]:
        with Catalog.open(self._repo.layout.catalog) as catalog:
            return differences.of_catalog(catalog)

    @contextmanager
    def _copy(self, version: str) -> Iterator[tuple[SharedMemory, list[str]]]:
        """The memory's tables at a version, to be written; with the paths that it had."""
        folder = self._folder / "copy"
        shutil.rmtree(folder, ignore_errors=True)  # of a meeting that was killed
        paths = self._place.paths(version)
        tables.linked_copy(self._place.fetch(version, paths), paths, folder)
        try:
            yield SharedMemory.make(folder, LanceMemory.open(self._repo.layout.memory)), paths
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _news(ours: Mapping[Key, int], met: Mapping[Key, Met]) -> set[Key]:
    """The turns that are new here, or other than when both last met."""
    return {key for key, digest in ours.items() if key not in met or met[key].ours != digest}


def _taken_out(
    ours: Mapping[Key, int], met: Mapping[Key, Met], theirs: Mapping[Key, int]
) -> dict[Key, int]:
    """The turns that both had when they last met, and that were taken out there since, with what
    they had been there: they are not given again, whatever becomes of them here."""
    lost = {key: met[key].theirs for key in ours if key in met and key not in theirs}
    return {key: mark for key, mark in lost.items() if mark is not None}


def _message(sent: set[Key], gone: set[Key]) -> str:
    out = f", take out {len(gone)}" if gone else ""
    return f"push {len(sent)} turn{'s' if len(sent) != 1 else ''}{out}"


def _sum(one: Totals, other: Totals) -> Totals:
    zero = Totals()
    return one.since(zero.since(other))
