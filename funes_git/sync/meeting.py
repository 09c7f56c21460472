"""One meeting of this repository's memory with one elsewhere: take what is new there, then give
what is new here, by one commit on top of the version that was looked at. If somebody else was
quicker, all of it again on top of theirs: nothing is ever overwritten unseen.
"""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import field

from funes_git.errors import FunesError
from funes_git.git import Repo
from funes_git.layout import COPY
from funes_git.publish.part import LeftOut, Withheld
from funes_git.remotes import cached, tables
from funes_git.remotes.huberrors import Conflict, Unreachable
from funes_git.remotes.places import Place, demand_memory
from funes_git.store import differences
from funes_git.store.catalog import Catalog
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.changes import Key
from funes_git.store.database import private_folder
from funes_git.store.lance import LanceMemory
from funes_git.store.lock import FileLock
from funes_git.store.manifest import keep_newest
from funes_git.store.records import Totals
from funes_git.store.shared import SharedMemory
from funes_git.store.stores import Stores
from funes_git.sync import tombstones
from funes_git.sync.give import Given, give
from funes_git.sync.state import State
from funes_git.sync.take import take
from funes_git_parsers.dataclass import dataclass

TRIES = 12
MET = "met.sqlite"
WAIT = 60.0
"""Seconds to wait for another process of this machine that is at the same."""
AT_ONCE = 5_000
"""Sessions that are asked about at once."""
Progress = Callable[[int, int, str], None]


class Foreign(FunesError):
    """The memory holds sessions, and none of this repository."""


@dataclass(slots=True)
class Report:
    """What a meeting did: `taken` by this repository, `given` turns, what was withheld of them, and
    the sessions that were left out whole; how many turns were taken `out` of the memory, being
    forgotten here, and how many were `forgotten` here, having been elsewhere. `version` is the
    memory's newest; `created` says whether it is new."""

    version: str = ""
    created: bool = False
    taken: Totals = field(default_factory=Totals)
    given: int = 0
    out: int = 0
    forgotten: int = 0
    withheld: list[Withheld] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
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
        self._identity, self._known_by = repo.identity(), repo.known_by()
        self._takes_strangers = False

    def pull(self, *, take_strangers: bool = False) -> Report:
        """Take what is new there; where none of it is of this repository, all of it if
        `take_strangers`, else nothing. This repository need not have a memory yet, and has none
        where this fails before anything came. Raises FunesError."""
        self._takes_strangers = take_strangers
        report = Report()
        if not (self._folder / MET).exists():  # else they have met
            demand_memory(self._place.name, self._place.paths(self._place.head()))
        layout = self._repo.layout
        is_new = not any(p.exists() for p in (layout.memory, layout.catalog, layout.decisions))
        try:
            self._pull_all(report)
        except BaseException:
            if is_new:
                self._unmake()
            raise
        return report

    def _pull_all(self, report: Report) -> None:
        with Stores.open(self._repo.layout, write=True, wait=60.0) as stores:
            stores.lance()  # makes it
        with self._state() as state:
            _patiently(lambda: self._pull(state, report))
        _drop_forgotten(report)

    def _unmake(self) -> None:
        """Take away the memory that a pull made, unless something came."""
        layout = self._repo.layout
        with Stores.open(layout, write=True, wait=WAIT) as stores:
            if stores.catalog.totals().sessions:
                return
        for folder in (layout.memory, layout.text, layout.vectors, self._folder):
            shutil.rmtree(folder, ignore_errors=True)
        for store in (layout.catalog, layout.decisions):
            CatalogWriter.remove(store)
        layout.write_lock.unlink(missing_ok=True)
        for folder in (layout.remotes, layout.root):
            with suppress(OSError):
                folder.rmdir()  # where nothing else is in it

    def push(self) -> Report:
        """Take what is new there, then give what is new here. Raises FunesError; Foreign where the
        memory shares nothing with this repository."""
        report = Report()
        with self._state() as state:
            _patiently(lambda: self._push(state, report))
        _drop_forgotten(report)
        return report

    @contextmanager
    def _state(self) -> Iterator[State]:
        """What both had when they last met. One process meets a memory at a time. Raises
        MemoryBusy."""
        private_folder(self._folder)
        lock = FileLock.take(self._folder / "lock", wait=WAIT)
        with lock, State.open(self._folder / MET) as state:
            yield state

    def _pull(self, state: State, report: Report) -> None:
        report.version = version = self._place.head()
        if version != state.version:
            with self._copy(version) as (copy, paths):
                demand_memory(self._place.name, paths)
                self._take(state, version, copy, report)

    def _push(self, state: State, report: Report) -> None:
        report.version = version = self._place.head()
        if state.version is None:
            self._place.demand_room()
        self._see(state)
        is_old = version == state.version
        if is_old and not (state.has_news() or tombstones.forgotten(self._repo, state.lost())[0]):
            return
        with self._copy(version) as (copy, paths):
            if is_old:
                state.see("theirs", differences.of_memory(copy))
            else:
                self._take(state, version, copy, report)
            gone, what = tombstones.forgotten(self._repo, state.only_there())
            state.send(gone)
            if not (state.count("sent") or gone):
                return
            differences.drop_turns(copy, gone, state.emptied())
            tombstones.write(copy.folder, gone, what)
            given = self._give(copy, state)
            report.withheld, report.left_out = given.withheld, given.left_out
            if given.left_out and not (given.turns or gone):
                return
            if gone:
                copy.finish()
            self._progress(0, 0, "files sent")
            report.version = self._place.commit(
                tables.difference(copy.folder, paths), version, _message(given.turns, len(gone))
            )
            report.given += given.turns
            report.out += len(gone)
            self._see_given(state, copy)
            left_out = [each.session_id for each in given.left_out]
            state.settle(report.version, given=True, left_out=left_out)

    def _take(self, state: State, version: str, copy: SharedMemory, report: Report) -> None:
        """Take what is new there, unless it is other here too since both last met: that is given
        then."""
        state.see("theirs", differences.of_memory(copy))
        self._meet_strangers(state, copy)
        report.forgotten += tombstones.follow(self._repo, copy.folder, self._turns)
        self._see(state)
        state.want(self._others(copy))
        with Stores.open(self._repo.layout, write=True, wait=60.0) as stores:
            stores.known_as(*self._identity)
            if copy.model != stores.lance().model:
                report.other_model = copy.model
            before = stores.catalog.totals()
            take(stores, copy, state, self._progress)
            report.taken = _sum(report.taken, stores.catalog.totals().since(before))
        self._see(state)
        state.settle(version)

    def _give(self, copy: SharedMemory, state: State) -> Given:
        given = self._given(copy, state)
        if tables.is_scattered(copy.folder):
            self._progress(0, 0, "tables written anew")
            copy.finish()
        keep_newest(copy.folder)
        return given

    def _given(self, copy: SharedMemory, state: State) -> Given:
        local = LanceMemory.open(self._repo.layout.memory)
        with Catalog.open(self._repo.layout.catalog) as catalog:
            return give(local, catalog, copy, state, self._identity, self._progress)

    def _see_given(self, state: State, copy: SharedMemory) -> None:
        """Look at what was given as it is there now."""
        sessions = state.sessions("sent")
        for start in range(0, len(sessions), AT_ONCE):
            some = sessions[start : start + AT_ONCE]
            state.see("theirs", differences.of_memory(copy, some), some)

    def _see(self, state: State) -> None:
        with Catalog.open(self._repo.layout.catalog) as catalog:
            state.see("ours", differences.of_catalog(catalog))

    def _turns(self) -> Iterator[Key]:
        with Catalog.open(self._repo.layout.catalog) as catalog:
            yield from (mark[:2] for mark in differences.of_catalog(catalog))

    def _meet_strangers(self, state: State, copy: SharedMemory) -> None:
        if self._strangers or not state.count("theirs"):
            return
        if self._has_ours(copy):
            return
        raise Foreign(
            f"{self._place.name.text} holds sessions, and none of this repository",
            "check the name, or add --yes",
        )

    def _others(self, copy: SharedMemory) -> set[str]:
        """The sessions that are not to be taken, being of other repositories."""
        if self._takes_strangers and not self._has_ours(copy):
            return set()
        return differences.sessions_of_others(copy, self._is_ours)

    def _has_ours(self, copy: SharedMemory) -> bool:
        return any(map(self._is_ours, differences.repositories(copy)))

    def _is_ours(self, repository: cached.Identity) -> bool:
        return cached.is_same(self._known_by, repository)

    @contextmanager
    def _copy(self, version: str) -> Iterator[tuple[SharedMemory, list[str]]]:
        """The memory's tables at a version, to be written; with the paths that it had. Raises
        Conflict where a push from elsewhere took files away that were still to be read."""
        folder = self._folder / COPY
        shutil.rmtree(folder, ignore_errors=True)  # of a meeting that was killed
        try:
            paths = self._place.paths(version)
            self._progress(0, 0, "files fetched")
            tables.linked_copy(self._place.fetch(version, paths), paths, folder)
            yield SharedMemory.make(folder, LanceMemory.open(self._repo.layout.memory)), paths
        except (Conflict, Unreachable):
            raise  # what was cut off while it was sent may be there all the same
        except (FunesError, OSError, RuntimeError, ValueError) as error:
            if self._place.head() == version:
                raise
            name = self._place.name.text
            raise Conflict(f"{name} was changed meanwhile", "try again") from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _drop_forgotten(report: Report) -> None:
    """What was asked of an older version still has what is gone now."""
    if report.out or report.forgotten:
        cached.drop()


def _patiently(meet: Callable[[], None]) -> None:
    """Do it, and again where somebody else was quicker."""
    for number in range(TRIES):
        try:
            return meet()
        except Conflict:
            time.sleep(random.uniform(0, 0.2 * 2 ** min(number, 5)))
    return meet()


def _message(sent: int, gone: int) -> str:
    out = f", take out {gone}" if gone else ""
    return f"push {sent} turn{'s' if sent != 1 else ''}{out}"


def _sum(one: Totals, other: Totals) -> Totals:
    zero = Totals()
    return one.since(zero.since(other))
