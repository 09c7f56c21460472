"""Take from a session's records those that belong to one repository, as they stream by.

A turn belongs if it ran in the repository or edited it; the prompt that it follows from and the
turns between belong with it. Others are held for a while, in case a later one needs them. Knows
nothing of stores and of secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from funes_git.belong import Places
from funes_git_parsers.base import Edit, Item, Retraction, Session, Spawn, Turn

MAX_HELD = 8 << 20
"""Code points of turns that are held."""
MAX_PROMPTS = 5000


class NeedsEarlierTurns(Exception):
    """What belongs follows from turns before the cursor that were not stored; to find them, the
    source is read from the start."""


class Sifter:
    """Sifts one read of one source."""

    def __init__(self, places: Places, is_stored: Callable[[str, str], bool] | None) -> None:
        """`is_stored(session_id, turn_uuid)` for a read that goes on from a cursor; None for one
        from the start."""
        self._places = places
        self._is_stored = is_stored
        self._sessions: dict[str, Session | None] = {}  # None: told already
        self._workdirs: dict[str | None, str] = {}
        self._kept: set[str] = set()
        self._exchanges: set[str] = set()  # with a turn that was kept
        self._held: dict[str, Turn] = {}
        self._prompts: dict[str, Turn] = {}
        self._size = 0
        self._spawns: dict[str, list[Spawn]] = {}
        self._retracted: dict[str, Retraction] = {}

    def feed(self, item: Item) -> Iterator[Item]:
        """What belongs now that `item` is known, edits with the path that was recorded. Skipped
        records and cursors pass. Raises NeedsEarlierTurns."""
        match item:
            case Session():
                yield from self._session(item)
            case Turn():
                yield from self._turn(item)
            case Edit():
                if self._is_inside(item):
                    yield from self._pull(item.session_id, item.turn_uuid)
                    yield item
            case Spawn():
                if item.turn_uuid in self._kept or self._stored(item.session_id, item.turn_uuid):
                    yield item
                else:
                    self._spawns.setdefault(item.turn_uuid, []).append(item)
            case Retraction():
                if item.turn_uuid in self._kept or self._stored(item.session_id, item.turn_uuid):
                    yield item
                else:
                    self._retracted[item.turn_uuid] = item
            case _:
                yield item

    def _is_inside(self, edit: Edit) -> bool:
        paths = (edit.path, edit.old_path)
        return any(path and self._places.relative(path) is not None for path in paths)

    def _stored(self, session_id: str, turn_uuid: str) -> bool:
        return self._is_stored is not None and self._is_stored(session_id, turn_uuid)

    def _session(self, session: Session) -> Iterator[Item]:
        known = self._sessions.get(session.session_id, session)
        if known is None:
            yield session
            return
        told = {name: getattr(session, name) for name in Session.__dataclass_fields__}
        more = {name: value for name, value in told.items() if value is not None}
        self._sessions[session.session_id] = replace(known, **more)

    def _turn(self, turn: Turn) -> Iterator[Item]:
        if turn.workdir:
            self._workdirs[turn.thread] = turn.workdir
        workdir = turn.workdir or self._workdirs.get(turn.thread)
        if self._places.contains(workdir or ""):
            yield from self._before(turn)
            yield from self._keep(turn)
        elif self._follows(turn):
            yield from self._keep(turn)
        else:
            self._hold(turn)

    def _follows(self, turn: Turn) -> bool:
        """Whether a turn elsewhere is the outcome of what was kept: a result, a commit."""
        if turn.exchange not in self._exchanges:
            return False
        return any(b.commits for b in turn.blocks) or (
            turn.parent_uuid in self._kept and any(b.type == "tool_result" for b in turn.blocks)
        )

    def _pull(self, session_id: str, turn_uuid: str) -> Iterator[Item]:
        """Keep a turn that was held, what led to it and the results that followed."""
        if turn_uuid in self._kept:
            return
        turn = self._take(turn_uuid)
        if turn is None:
            if self._is_stored is not None and not self._is_stored(session_id, turn_uuid):
                raise NeedsEarlierTurns
            return
        yield from self._before(turn)
        yield from self._keep(turn)
        for later in [t for t in self._held.values() if self._follows(t)]:
            self._take(later.turn_uuid)
            yield from self._keep(later)

    def _before(self, turn: Turn) -> Iterator[Item]:
        """Keep the prompt of a turn's exchange and the turns between."""
        if turn.exchange is None or turn.exchange == turn.turn_uuid:
            return
        if turn.exchange in self._exchanges and turn.parent_uuid in self._kept:
            return
        chain: list[Turn] = []
        parent = turn.parent_uuid
        while parent and (found := self._take(parent)):
            chain.append(found)
            parent = found.parent_uuid if parent != turn.exchange else None
        if prompt := self._take(turn.exchange):
            chain.append(prompt)
        known = turn.exchange in self._kept or any(t.turn_uuid == turn.exchange for t in chain)
        if not known and self._is_stored and not self._is_stored(turn.session_id, turn.exchange):
            raise NeedsEarlierTurns
        for earlier in reversed(chain):
            yield from self._keep(earlier)

    def _keep(self, turn: Turn) -> Iterator[Item]:
        if session := self._sessions.get(turn.session_id):
            yield session
        self._sessions[turn.session_id] = None
        self._kept.add(turn.turn_uuid)
        if turn.exchange:
            self._exchanges.add(turn.exchange)
        yield turn
        yield from self._spawns.pop(turn.turn_uuid, ())
        if retraction := self._retracted.pop(turn.turn_uuid, None):
            yield retraction

    def _hold(self, turn: Turn) -> None:
        if turn.is_prompt:
            self._prompts[turn.turn_uuid] = turn
            if len(self._prompts) > MAX_PROMPTS:
                del self._prompts[next(iter(self._prompts))]
            return
        self._held[turn.turn_uuid] = turn
        self._size += _size(turn)
        while self._size > MAX_HELD and len(self._held) > 1:
            self._take(next(iter(self._held)))

    def _take(self, turn_uuid: str) -> Turn | None:
        if prompt := self._prompts.pop(turn_uuid, None):
            return prompt
        if turn := self._held.pop(turn_uuid, None):
            self._size -= _size(turn)
        return turn


def _size(turn: Turn) -> int:
    return 500 + sum(len(block.text) for block in turn.blocks)
