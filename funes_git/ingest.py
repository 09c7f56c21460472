"""Read new turns of a repository into its memory: `git funes index`.

Finds the sources, has each read into batches and writes them, one after another, with how far the
source was read: interrupted anywhere, the next run completes it.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from funes_git import discovery, logs, redact
from funes_git.discovery import Discovered
from funes_git.errors import FunesError, MemoryMissing, NoSessions
from funes_git.git import Repo
from funes_git.origin import origin
from funes_git.pool import Pool, Said
from funes_git.progress import is_adopted, is_outdated
from funes_git.reading import SkippedRecord, SourceReader, Task
from funes_git.rootcache import key_of
from funes_git.skips import Skip, Skips, total
from funes_git.store.changes import Changes, Key
from funes_git_parsers.base import Parser, Source
from funes_git_parsers.dataclass import dataclass

if TYPE_CHECKING:
    from funes_git.store.stores import Stores

MANY_BYTES = 24 << 20
"""From here on other processes read, which take a second to start."""

Progress: TypeAlias = Callable[[int, int, int], None]
"""Told (sources done, sources in all, bytes read)."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run added. `seconds` of wall time; `sources_found` counts the sessions that were
    looked at, `sources_read` those that had something new, `named` are the files of those that were
    asked for by their paths, and `unreadable` names files with the reason."""

    sessions: int
    turns: int
    edits: int
    chunks: int
    skipped: tuple[Skip, ...]
    redactions: int
    seconds: float
    sources_found: int = 0
    sources_read: int = 0
    named: tuple[Path, ...] = ()
    unreadable: tuple[tuple[Path, str], ...] = ()

    @property
    def skipped_records(self) -> int:
        """How many records could not be read."""
        return total(self.skipped)


def index(
    repo: Repo,
    stores: Stores,
    *,
    paths: Sequence[Path] = (),
    agents: Sequence[str] = (),
    adopt: bool = False,
    progress: Progress | None = None,
) -> IndexReport:
    """Read what is new of the agents' sessions (or of the sessions at `paths`) into `stores`, open
    for writing. `adopt`: the sessions at `paths` belong whatever folder they ran in.

    Raises NoSessions if there is no session at `paths`, UsageError for an unknown agent,
    ScannerBroken if secrets cannot be found. An interruption leaves what was written.
    """
    start, now = time.monotonic(), time.time()
    every = discovery.parsers(agents)
    found = discovery.at_paths(paths, every) if paths else discovery.of_repository(repo, every)
    if paths and not found.sources:
        raise NoSessions(
            f"no agent's session at {', '.join(map(str, paths))}", "git funes index --help"
        )
    with _logged(repo) as log:
        run = _Run(repo, stores, every, log, found)
        for source in found.sources:
            if task := _task(stores, source, every[source.harness], adopt):
                run.tasks.append(replace(task, also=found.also.get(key_of(source), ())))
        if run.tasks:
            stores.known_as(*repo.identity())
        run.all(progress)
        if not agents:
            stores.note_read(_known_until(stores) if paths else now)
    named = tuple(dict.fromkeys(source.path for source in found.sources)) if paths else ()
    return replace(run.report(), named=named, seconds=time.monotonic() - start)


def _known_until(stores: Stores) -> float:
    """Sessions that were named tell of their own time, and nothing of what came later."""
    known = float(stores.catalog.setting("read_until") or 0)
    return max(known, stores.catalog.newest_turn() or 0.0)


def _task(stores: Stores, source: Source, parser: Parser, adopt: bool) -> Task | None:
    """What is to be read of a source; None if it has not changed."""
    before = stores.catalog.state_of(source)
    if before and (not before.cursor or (adopt and not is_adopted(before))):
        before = None  # a first read that was interrupted, or that left out what was elsewhere
    if before and before.source == source and not (adopt or is_outdated(before, parser)):
        return None  # an adopted one is looked at: what was committed since shows its files
    return Task(source, before, adopt or is_adopted(before))


@contextmanager
def _logged(repo: Repo) -> Iterator[logging.Logger]:
    """The log, which a background worker has opened already."""
    logger = logging.getLogger("funes_git")
    if any(isinstance(h, logging.FileHandler | logging.NullHandler) for h in logger.handlers):
        yield logger
        return
    logger = logs.start(repo.layout.log)
    try:
        yield logger
    finally:
        logs.stop(logger)


def reader_for(
    repo: Repo,
    every: dict[str, Parser] | None = None,
    is_stored: Callable[[str, str], bool] | None = None,
) -> SourceReader:
    """A reader of sources; by default for all agents and asking the catalog as it lies."""
    return SourceReader(
        repo,
        every or discovery.parsers(),
        discovery.places_of(repo),
        redact.shared,
        is_stored or _stored(repo),
    )


def _stored(repo: Repo) -> Callable[[str, str], bool]:
    from funes_git.store.catalog import Catalog

    def is_stored(session_id: str, turn_uuid: str) -> bool:
        try:
            with closing(Catalog.open(repo.layout.catalog)) as catalog:
                return catalog.turn(session_id, turn_uuid) is not None
        except MemoryMissing:
            return False

    return is_stored


def processors() -> int:
    """How many processes can run at once."""
    return os.cpu_count() or 1


class _Run:
    """One run over the sources."""

    def __init__(
        self,
        repo: Repo,
        stores: Stores,
        every: dict[str, Parser],
        log: logging.Logger,
        found: Discovered,
    ) -> None:
        self.tasks: list[Task] = []
        self._repo = repo
        self._stores = stores
        self._every = every
        self._log = log
        self._found = found
        self._skips = Skips()
        self._read = 0
        self._seen: dict[Path, set[Key]] = {}
        """The turns that came again of each source that is read from the start again."""
        self._totals = stores.catalog.totals()
        for path, reason in found.unreadable:
            self._note(f"{path}: {reason}")

    def all(self, progress: Progress | None) -> None:
        """Read and write every task."""
        done_bytes = 0
        current = -1
        for index, said in self._said():
            if index != current:
                if progress:
                    progress(index, len(self.tasks), done_bytes)
                current = index
                done_bytes += self._new_bytes(self.tasks[index])
            self._take(self.tasks[index].source, said)
        self._stores.flush()
        if progress:
            progress(len(self.tasks), len(self.tasks), done_bytes)

    def _new_bytes(self, task: Task) -> int:
        before = task.before.source.size if task.before else 0
        return task.source.size - before if 0 < before < task.source.size else task.source.size

    def _said(self) -> Iterator[tuple[int, Said]]:
        amount = sum(map(self._new_bytes, self.tasks))
        size = min(processors() // 2, 2)  # writing takes more than reading
        if amount < MANY_BYTES or not size:
            reader = reader_for(self._repo, self._every, self._is_stored) if self.tasks else None
            for index, task in enumerate(self.tasks):
                if reader:
                    yield from ((index, said) for said in _until_error(reader, task))
            return
        with Pool(self._repo, self.tasks, size) as pool:
            self._stores.lance()  # to import it takes as long as a process takes to start
            yield from pool.said()

    def _is_stored(self, session_id: str, turn_uuid: str) -> bool:
        return self._stores.catalog.turn(session_id, turn_uuid) is not None

    def _take(self, source: Source, said: Said) -> None:
        match said:
            case Changes():
                self._write(source, said)
            case SkippedRecord():
                place = redact.clean_path(f"{source.path}:{said.line}")
                self._skips.add(said.reason, place)
                self._note(f"{place}: {said.reason}")
            case OSError():
                reason = said.strerror or str(said)
                path = redact.clean_path(str(source.path))
                self._found.unreadable.append((Path(path), reason))
                self._note(f"{path}: {reason}")
            case FunesError():
                raise said

    def _note(self, words: str) -> None:
        self._log.warning("%s", redact.clean_path(words))

    def _write(self, source: Source, changes: Changes) -> None:
        is_end = any(state.source.size >= 0 for state in changes.states.values())
        if changes.again:
            self._retract_missing(source, changes, is_end=is_end)
        if self._every[source.harness].GLOBAL_UUIDS:
            changes.drop(self._copies(source.harness, changes.keys()))
        if origin(str(source.path)):
            changes.drop(self._known_better(source, changes))
        self._read += bool(changes.turns and is_end)
        self._stores.take(changes)

    def _retract_missing(self, source: Source, changes: Changes, *, is_end: bool) -> None:
        """Take back the turns that stood in a source when it was read before, and do no more."""
        seen = self._seen.setdefault(source.path, set())
        seen |= changes.turns.keys()
        if is_end and seen:  # nobody takes a whole session back by emptying its file
            stored = self._stores.catalog.turns_from(source.path)
            own = {session_id for session_id, _ in seen}
            if source.key:  # the others of its database are sources of their own
                stored = {key for key in stored if key[0] in own}
            changes.retractions |= stored - seen

    def _copies(self, harness: str, keys: set[Key]) -> set[Key]:
        """The turns that another session has already: it was resumed or forked into this one."""
        owners = self._stores.holders(harness, sorted(uuid for _, uuid in keys))
        return {key for key in keys if owners.get(key[1], key[0]) != key[0]}

    def _known_better(self, source: Source, changes: Changes) -> set[Key]:
        """Of an imported session, the turns that the agent's own file gave. A form that names its
        turns otherwise than the agent does gives nothing of such a session."""
        own = self._stores.catalog.own_turns(changes.touched())
        sessions = {session_id for session_id, _ in own}
        agents = {stored.turn.session_id: stored.turn.harness for stored in changes.turns.values()}
        foreign = {s for s in sessions if agents.get(s, source.harness) != source.harness}
        return {key for key in sorted(changes.keys()) if key in own or key[0] in foreign}

    def report(self) -> IndexReport:
        """What was written, after the stores were flushed."""
        new = self._stores.catalog.totals().since(self._totals)
        return IndexReport(
            sessions=new.sessions,
            turns=new.turns,
            edits=new.edits,
            chunks=new.chunks,
            skipped=self._skips.all(),
            redactions=new.redactions,
            seconds=0.0,
            sources_found=self._found.looked_at,
            sources_read=self._read,
            unreadable=tuple(self._found.unreadable),
        )


def _until_error(reader: SourceReader, task: Task) -> Iterator[Said]:
    try:
        yield from reader.read(task)
    except OSError as error:
        yield error
