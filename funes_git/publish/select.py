"""Which exchanges stand behind commits, and what of their sessions goes with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from funes_git.model import EditRecord, Level, Link, Spawn
from funes_git.publish.part import Part
from funes_git.store.catalog import Catalog
from funes_git.store.changes import Changes, StoredEdit, StoredTurn
from funes_git.store.lance import LanceMemory
from funes_git.store.records import unpack_keys
from funes_git.store.recovery import changes_of, groups

LEVELS: frozenset[Level] = frozenset(("exact", "lines", "derived", "imported"))
"""The levels of links that a release rests on: those that are sure of their lines, and the word of
another tool. A link says its own level in the release too."""

WHOLE = "*"
"""Among the exchanges of a session: all of it."""


def links_behind(catalog: Catalog, commits: Sequence[str]) -> list[Link]:
    """The links of these commits that a release rests on."""
    found = catalog.links_of(commits)
    return [link for sha in commits for link in found.get(sha, ()) if link.level in LEVELS]


def exchanges_behind(catalog: Catalog, links: Iterable[Link]) -> dict[str, set[str]]:
    """Session → the exchanges that links lead to: that of the turn itself, and where a sub-agent
    made it or a fork went on in the middle, that of the person's prompt too. The empty exchange is
    what comes before the first prompt."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for session_id, turn_uuid in dict.fromkeys((k.session_id, k.turn_uuid) for k in links):
        view = catalog.turn(session_id, turn_uuid) if turn_uuid else None
        if view is None:
            continue  # another tool's word for a session of which it named no turn
        found[session_id].add(view.turn.exchange or "")
        prompt = catalog.prompt_of(session_id, turn_uuid)
        if prompt is not None:
            found[prompt.session_id].add(prompt.exchange or prompt.turn_uuid)
    return dict(found)


def parts(
    memory: LanceMemory, wanted: dict[str, set[str]], links: Iterable[Link]
) -> Iterator[Part]:
    """What the memory holds of the wanted exchanges, session by session, with the turns of the
    sub-agents that they started; a session of WHOLE is taken whole."""
    behind: defaultdict[str, list[Link]] = defaultdict(list)
    for link in links:
        behind[link.session_id].append(link)
    sizes = memory.session_sizes()
    waiting = sorted(wanted)
    taken: set[str] = set()
    while waiting:
        some = next(groups({each: sizes.get(each, 0) for each in waiting}))
        taken.update(some)
        waiting = [each for each in waiting if each not in taken]
        for session_id, changes in changes_of(memory, some).by_session().items():
            part = _part(session_id, changes, wanted[session_id], behind[session_id])
            if part is None:
                continue
            for spawn in part.spawns:  # a sub-agent with a session of its own
                if spawn.thread not in taken and spawn.thread not in waiting:
                    wanted[spawn.thread] = {WHOLE}
                    waiting.append(spawn.thread)
            yield part


def whole(changes: Changes, links: Iterable[Link]) -> Iterator[Part]:
    """Each session of some changes with all that is there of it."""
    behind: defaultdict[str, list[Link]] = defaultdict(list)
    for link in links:
        behind[link.session_id].append(link)
    for session_id, own in changes.by_session().items():
        part = _part(session_id, own, {WHOLE}, behind[session_id])
        if part is not None:
            yield part


def _part(session_id: str, changes: Changes, exchanges: set[str], links: list[Link]) -> Part | None:
    turns = list(changes.turns.values())
    session = changes.sessions.get(session_id)
    if session is None or not turns:
        return None
    spawns = sorted(changes.spawns, key=lambda spawn: (spawn.turn_uuid, spawn.thread))
    if WHOLE not in exchanges:
        turns = _reached(turns, exchanges, spawns)
    kept = {stored.turn.turn_uuid for stored in turns}
    edits = sorted(
        (_whole(stored) for stored in changes.edits.values() if stored.edit.turn_uuid in kept),
        key=lambda edit: (edit.ts or 0.0, edit.edit_id),
    )
    files = {(c.turn_uuid, c.block_idx): c.files for s in turns for c in s.chunks}
    return Part(
        session,
        turns,
        edits,
        [spawn for spawn in spawns if spawn.turn_uuid in kept],
        [link for link in links if not link.turn_uuid or link.turn_uuid in kept],
        files,
    )


def _whole(stored: StoredEdit) -> EditRecord:
    """The edit with the hashes of its lines, which are kept packed beside it."""
    added, removed = (tuple(unpack_keys(data)) for data in (stored.added, stored.removed))
    return replace(stored.edit, added=added, removed=removed)


def _reached(
    turns: list[StoredTurn], exchanges: set[str], spawns: Iterable[Spawn]
) -> list[StoredTurn]:
    """The turns of the exchanges, and those of the threads that any of them started."""
    kept: set[str] = set()
    started: set[str] = set()
    while True:
        found = {
            s.turn.turn_uuid
            for s in turns
            if (s.turn.exchange or "") in exchanges or s.turn.thread in started
        }
        if found == kept:
            return [stored for stored in turns if stored.turn.turn_uuid in kept]
        kept = found
        started = {spawn.thread for spawn in spawns if spawn.turn_uuid in kept}
