"""Taking out of a memory what nobody shall find there again: `git funes forget` and `scrub`."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from funes_git import editrecord
from funes_git.chunk import chunks
from funes_git.editrecord import Found
from funes_git.errors import UnknownTarget
from funes_git.git import Repo
from funes_git.prepare import clean_cursor, clean_session, clean_turn, texts
from funes_git.redact import Redactor, clean_path
from funes_git.remotes import cached
from funes_git.store.catalog import Catalog
from funes_git.store.changes import Changes, Key, StoredEdit, StoredTurn
from funes_git.store.forgotten import Forgotten, Kind
from funes_git.store.restore import catalog_changes
from funes_git.store.stores import Stores
from funes_git_parsers.dataclass import dataclass

Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Held:
    """How much of a session a memory holds of what is to be forgotten."""

    session_id: str
    turns: int
    whole: bool


def session(catalog: Catalog, forgotten: Forgotten, start: str) -> str:
    """The one session whose id begins so, of those that are held, or else of those that were
    forgotten. Raises UnknownTarget."""
    known = [str(row[0]) for row in catalog.rows("SELECT session_id FROM sessions")]
    found = _beginning(known, start) or _beginning(forgotten.sessions, start)
    if start in found:
        return start
    if len(found) != 1:
        told = "could be several sessions" if found else "is no session of this repository"
        raise UnknownTarget(f"{start!r} {told}", "git funes log, which names them")
    return found[0]


def _beginning(known: Iterable[str], start: str) -> list[str]:
    return [each for each in known if each.startswith(start)] if start else []


def held(catalog: Catalog, what: Forgotten) -> list[Held]:
    """What a memory holds of it, by session."""
    found = []
    for changes in catalog_changes(catalog):
        gone = what.turns(changes)
        named = {key[0] for key in gone}
        for session_id in sorted(named):
            left = any(key[0] == session_id for key in changes.keys() - gone)
            found.append(Held(session_id, len(gone), not left))
    return found


def forget(
    repo: Repo,
    stores: Stores,
    what: Iterable[tuple[Kind, str]],
    progress: Progress | None = None,
) -> None:
    """Keep in mind that this is to be forgotten, and take it out of everything stored, also of what
    is kept of memories elsewhere. Links are gone afterwards."""
    rows = list(what)
    stores.decisions.forget(rows, time.time())
    forgotten = Forgotten.of(rows)
    sources: set[str] = set()
    taken: set[tuple[Kind, str]] = set()

    def change(changes: Changes) -> None:
        gone = forgotten.turns(changes)
        sources.update(t.source_path for key, t in changes.turns.items() if key in gone)
        taken.update(_spans(changes, gone))
        # by name, since what they were about is known no more when a memory elsewhere is met
        taken.update(map(forgotten.row, gone))
        forgotten.clear(changes)
        # how far a source was read is kept with what was still to be told of it
        changes.states = {key: s for key, s in changes.states.items() if key[1] not in sources}

    stores.known_as(*repo.identity())
    stores.rewrite(change, progress, lambda: stores.decisions.forget(taken, time.time()))
    cached.drop()


def _spans(changes: Changes, gone: Iterable[Key]) -> Iterator[tuple[Kind, str]]:
    """When what is to go happened, by session: nobody knows any more what an agent did then."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    for key in gone:
        stored = changes.turns.get(key)
        if stored is not None and stored.turn.ts is not None:
            times[key[0]].append(stored.turn.ts)
    for found in times.values():
        yield "span", f"{min(found)!r} {max(found)!r}"


@dataclass(slots=True)
class Scrubbed:
    """How many secrets were taken out, and of how many turns and edits."""

    secrets: int = 0
    turns: int = 0
    edits: int = 0


def scrub(
    repo: Repo, stores: Stores, redactor: Redactor, progress: Progress | None = None
) -> Scrubbed:
    """Take out of everything stored what the scanner takes for a secret today. Links are gone
    afterwards. Raises ScannerBroken."""
    scrubber = _Scrubber(redactor)
    stores.known_as(*repo.identity())
    stores.rewrite(scrubber.change, progress)
    cached.drop()
    return scrubber.done


class _Scrubber:
    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self.done = Scrubbed()

    def change(self, changes: Changes) -> None:
        """Take the secrets out of `changes`."""
        edits = {name: stored.whole() for name, stored in changes.edits.items()}
        every = [text for each in changes.sessions.values() for text in texts(each)]
        every += [text for each in changes.turns.values() for text in texts(each.turn)]
        every += [text for each in edits.values() for text in editrecord.texts(each)]
        found = self._redactor.find(every)
        self.done.secrets += sum(each.count for each in found.values())
        for name, known in changes.sessions.items():
            changes.sessions[name] = clean_session(known, found)
        for key, stored in changes.turns.items():
            if not found.keys().isdisjoint(texts(stored.turn)):
                changes.turns[key] = _turn(stored, found)
                self.done.turns += 1
        for name, edit in edits.items():
            if not found.keys().isdisjoint(editrecord.texts(edit)):
                changes.edits[name] = StoredEdit(editrecord.redacted(edit, found))
                self.done.edits += 1
        for at, state in changes.states.items():
            cursor = clean_cursor(self._redactor, state.cursor) if state.cursor else state.cursor
            changes.states[at] = replace(state, cursor=cursor)


def _turn(stored: StoredTurn, found: Found) -> StoredTurn:
    """The turn without its secrets, cut anew: it has no vectors."""
    new = StoredTurn(
        clean_turn(stored.turn, found), clean_path(stored.source_path), retracted=stored.retracted
    )
    files = {each.block_idx: each.files for each in stored.chunks}
    new.chunks = [replace(each, files=files.get(each.block_idx, ())) for each in chunks(new.turn)]
    return new
