"""Read one source into batches for the stores: parse, sift, prepare. Writes nothing.

Runs in the process that indexes and, for large amounts, in others beside it (pool.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from errno import EPERM

from funes_git import asking
from funes_git.adopt import Adopted
from funes_git.belong import Checkouts, Places
from funes_git.git import Repo
from funes_git.model import SourceState
from funes_git.prepare import Preparer
from funes_git.progress import Progress, is_outdated, revision_of
from funes_git.redact import Redactor
from funes_git.sift import NeedsEarlierTurns, Sifter
from funes_git.store.changes import Changes
from funes_git_parsers.base import Cursor, Edit, Item, Parser, Restart, Skipped, Source, Turn
from funes_git_parsers.dataclass import dataclass

PART = 3 << 20
"""Code points of blocks and edits after which a batch is made."""


@dataclass(frozen=True, slots=True)
class Task:
    """A source to be read, and how far it has been read before."""

    source: Source
    before: SourceState | None
    adopt: bool = False
    also: tuple[str, ...] = ()
    """Folders that are gone, and places of the repository for this source."""


@dataclass(frozen=True, slots=True)
class SkippedRecord:
    """A record of `source` that could not be read; its line counts from 1."""

    source: Source
    line: int
    reason: str


class SourceReader:
    """Reads tasks for one repository."""

    def __init__(
        self,
        repo: Repo,
        every: dict[str, Parser],
        places: Checkouts,
        redactor: Callable[[], Redactor],
        is_stored: Callable[[str, str], bool],
    ) -> None:
        """`redactor` is called when the first text needs it; `is_stored(session_id, turn_uuid)`
        asks what earlier runs stored."""
        self._repo = repo
        self._every = every
        self._places = places
        self._redactor = redactor
        self._is_stored = is_stored
        self._known: set[str] | None = None

    def read(self, task: Task) -> Iterator[Changes | SkippedRecord]:
        """What belongs to the repository, in parts, and the records that were skipped. The last
        part holds the source's new state; those before it a state that says: not read yet.

        Raises OSError if the source cannot be read or its path holds a secret, ScannerBroken.
        """
        path = str(task.source.path)
        if self._redactor().redact([path])[0].count:  # the path is stored, to find the file again
            raise OSError(EPERM, "its path holds a secret: rename it")
        try:
            yield from self._read(task, task.before)
        except NeedsEarlierTurns:
            yield from self._read(task, None)

    def _read(self, task: Task, before: SourceState | None) -> Iterator[Changes | SkippedRecord]:
        parser = self._every[task.source.harness]
        places = self._places_of(task, parser)
        anew = before is not None and _is_read_anew(before, parser, places)
        if before and before.source == task.source and not anew:
            return
        before = None if anew else before
        cursor = Progress.load(before.cursor).cursor if before else None
        sifter = Sifter(places, self._is_stored if cursor else None)
        part = _Part(task, before, Preparer(self._redactor(), places))
        part.done = Progress("", revision_of(parser), task.adopt, _checkouts(places))
        part.again = anew
        for item in asking.read(parser, task.source, cursor or None):
            if isinstance(item, Skipped):
                part.skipped += 1
                yield SkippedRecord(task.source, item.line, item.reason)
            elif isinstance(item, Cursor):
                part.done = replace(part.done, cursor=item.text)
            elif isinstance(item, Restart):
                sifter = Sifter(places, None)
                part.again = True
            else:
                for kept in sifter.feed(item):
                    part.add(kept)
                if part.size >= PART:
                    yield part.take(done=False)
        yield part.take(done=True)

    def _places_of(self, task: Task, parser: Parser) -> Places:
        if task.adopt:
            if self._known is None:
                self._known = self._repo.known_paths()
            return adopted_places(self._repo, task.source, parser, self._known)
        return self._places.including(task.also) if task.also else self._places


def _is_read_anew(before: SourceState, parser: Parser, places: Places) -> bool:
    """Whether what was read went by a parser that is better now, by other folders or by a guess."""
    if is_outdated(before, parser):
        return True
    known = Progress.load(before.cursor)
    return known.adopted and known.checkouts != (_checkouts(places) or None)


def _checkouts(places: Places) -> tuple[str, ...]:
    return tuple(places.found) if isinstance(places, Adopted) else ()


def adopted_places(
    repo: Repo, source: Source, parser: Parser, known: set[str] | None = None
) -> Adopted:
    """Where an adopted session's checkout was, by its quick scan, else by the edits themselves;
    `known` are the paths of the repository's history, if they have been asked for. Raises
    OSError."""
    known = repo.known_paths() if known is None else known
    adopted = Adopted(asking.roots(parser, source), known)
    if not adopted.roots:
        items = asking.read(parser, source)
        adopted = Adopted({item.path for item in items if isinstance(item, Edit)}, known)
    return adopted


class _Part:
    """Gathers what belongs until it makes a batch."""

    def __init__(self, task: Task, before: SourceState | None, preparer: Preparer) -> None:
        self.done = Progress("")
        """What is known once the source has been read to its end."""
        self.again = False
        """From the start, though it was read before."""
        self.skipped = before.skipped if before else 0
        self.size = 0
        self._turns = before.turns if before else 0
        self._task = task
        self._preparer = preparer
        self._items: list[Item] = []
        self._began = before.cursor if before else ""

    def add(self, item: Item) -> None:
        self._items.append(item)
        self.size += _size(item)
        self._turns += isinstance(item, Turn)

    def take(self, *, done: bool) -> Changes:
        batch = self._preparer.batch(self._items)
        self._items, self.size = [], 0
        source, cursor = self._task.source, self._began
        if done:
            folders = json.loads(self._preparer.cursor(json.dumps(self.done.checkouts)))
            own = self._preparer.cursor(self.done.cursor)
            cursor = replace(self.done, cursor=own, checkouts=tuple(folders)).dump()
        else:
            # until the end has been read, the source counts as changed
            source = replace(source, size=-1, mtime_ns=-1)
        batch.state = SourceState(source, cursor, self.skipped, self._turns)
        changes = Changes.of(batch)
        changes.again = self.again
        return changes


def _size(item: Item) -> int:
    match item:
        case Turn():
            return 200 + sum(len(block.text) for block in item.blocks)
        case Edit():
            # an edit's text comes up to three times: old, new and the diff
            hunks = sum(len(line) for hunk in item.hunks for line in hunk.lines)
            return 200 + hunks + 2 * (len(item.old or "") + len(item.new or ""))
    return 100
