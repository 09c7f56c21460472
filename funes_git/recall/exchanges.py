"""From ranked passages to answers: one an exchange, what says the same only once, with the prompt
that opened it and the agent's closing words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field, replace

from funes_git.model import Hit, Passage, Turn
from funes_git.prompts import words_of
from funes_git.recall.alike import Runs, alike, folded, runs
from funes_git.recall.stages import ALL, Stages
from funes_git.store.catalog import Catalog
from funes_git.store.records import ChunkRow
from funes_git_parsers.dataclass import dataclass

_STRETCH = 4
"""Turns within which passages of one exchange are one answer."""
_ALSO = 2
"""Passages of an exchange beside the best."""
_AHEAD = 24
"""Passages of which it is asked at once in which exchanges they stand."""
_LAST_TURNS = 12
"""Turns at the end of an exchange in which the agent's closing words are looked for."""

_FIRST = re.compile(r"\S+")

Ranked = Sequence[tuple[str, float]]
"""Chunk ids with scores, best first."""
Key = tuple[str, str]
"""An exchange: its session and the turn that opened it."""


@dataclass(slots=True)
class Group:
    """An exchange, or a stretch of a long one, by its best passage. `also` are further passages of
    it, of other turns; `twins` say the same elsewhere. A `copy` is not shown."""

    row: ChunkRow
    score: float
    copy: bool = False
    also: list[ChunkRow] = field(default_factory=list)
    twins: list[ChunkRow] = field(default_factory=list)


class _Known:
    """The texts of the groups so far, to tell what says the same."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._starts: set[str] = set()
        self._runs: list[Runs] = []
        self._last: tuple[str, Runs] = ("", frozenset())

    def add(self, text: str) -> None:
        """The text of the next group."""
        self._texts.setdefault(folded(text), len(self._runs))
        self._starts.add(_start(text))
        self._runs.append(self._runs_of(text))

    def twin_of(self, text: str, *, closely: bool) -> int | None:
        """The group that says the same; unless `closely`, only with the same words."""
        # most texts differ in their first word, which is quick to see
        same = self._texts.get(folded(text)) if _start(text) in self._starts else None
        return alike(self._runs_of(text), self._runs) if same is None and closely else same

    def _runs_of(self, text: str) -> Runs:
        if self._last[0] is not text:  # what has no twin is added next
            self._last = text, runs(text)
        return self._last[1]


def _start(text: str) -> str:
    found = _FIRST.search(text)
    return found[0].lower() if found else ""


class Exchanges:
    """What the catalog knows of the exchanges that one question finds."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._prompts: dict[tuple[str, str | None, str | None], Turn | None] = {}
        self._opened: set[Key] = set()
        """The exchanges that a prompt of their own session opened, as far as was asked."""

    def grouped(
        self, ranked: Ranked, rows: Mapping[str, ChunkRow], limit: int, stages: Stages = ALL
    ) -> list[Group]:
        """The best passage of each of the first `limit` exchanges, best first."""
        groups: list[Group] = []
        seen: dict[Key, list[Group]] = {}
        known = _Known() if stages.collapse else None
        for place, (chunk, score) in enumerate(ranked):
            row = rows[chunk]
            full = len(groups) >= limit
            if place % _AHEAD == 0 and not full:
                self._look_up(rows[each] for each, _ in ranked[place : place + _AHEAD])
            twin = known.twin_of(row.text, closely=not full) if known else None
            if twin is not None:
                groups[twin].twins.append(row)
            if full or (twin is not None and not row.prose):
                continue  # of the twins one may be tied to a commit, no more
            key = self._exchange(row) if stages.exchanges else _turn(row)
            near = _near(row, seen.get(key, ()))
            if near is not None:
                _also(near, row, twin)
            elif twin is None:
                groups.append(Group(row, score))
                seen.setdefault(key, []).append(groups[-1])
                if known:
                    known.add(row.text)
            elif key not in seen:
                # a copy of that exchange; of repeated output one cannot say so
                seen[key] = [Group(row, score, copy=True)]
        return groups

    def hits(self, groups: Sequence[Group], neighbours: int = 0) -> tuple[Hit, ...]:
        """The answers as they are shown, with up to `neighbours` turns on each side. Of passages
        that say the same, one that is tied to a commit stands for all."""
        every = [row for group in groups for row in (group.row, *group.twins)]
        commits = self._commits(every)
        found = [self._hit(group, commits) for group in groups]
        return tuple(self._among(hit, neighbours) if neighbours else hit for hit in found)

    def _look_up(self, rows: Iterable[ChunkRow]) -> None:
        """Ask which of the passages' exchanges a prompt of their own session opened."""
        keys = ((row.session_id, row.exchange) for row in rows if row.exchange)
        self._opened |= self._catalog.prompts_among(keys)

    def _exchange(self, row: ChunkRow) -> Key:
        own = (row.session_id, row.exchange or row.thread or row.turn_uuid)
        if own in self._opened:
            return own
        prompt = self._prompt(row)
        return (prompt.session_id, prompt.turn_uuid) if prompt else own

    def _prompt(self, row: ChunkRow) -> Turn | None:
        place = (row.session_id, row.exchange, row.thread)
        if place not in self._prompts:
            self._prompts[place] = self._catalog.prompt_of(row.session_id, row.turn_uuid)
        return self._prompts[place]

    def _commits(self, rows: Sequence[ChunkRow]) -> dict[str, list[str]]:
        """The commits behind each chunk: those of its turn, else of its exchange, since words are
        seldom in the very turn that made the edit."""
        own = self._catalog.commits_of_turns((r.session_id, r.turn_uuid) for r in rows)
        around = self._catalog.commits_of_exchanges(
            (r.session_id, r.exchange) for r in rows if r.exchange
        )
        return {
            row.id: own.get((row.session_id, row.turn_uuid))
            or around.get((row.session_id, row.exchange or ""), [])
            for row in rows
        }

    def _hit(self, group: Group, commits: Mapping[str, Sequence[str]]) -> Hit:
        row = _linked((group.row, *group.twins), commits)
        prompt, also = self._prompt(row), group.also if row is group.row else []
        if prompt is not None:
            also = [each for each in also if each.turn_uuid != prompt.turn_uuid]
        return Hit(
            session_id=row.session_id,
            turn_uuid=row.turn_uuid,
            seq=row.seq,
            ts=row.ts,
            harness=row.harness,
            branch=row.branch,
            role=row.role,
            block_type=row.block_type,
            tool=row.tool,
            score=round(group.score, 4),
            text=row.text,
            prompt=words_of(prompt),
            commits=tuple(commits[row.id]),
            exchange=prompt.turn_uuid if prompt else None,
            also=tuple(_passage(each) for each in also),
            closing=self._closing(prompt, {row.turn_uuid, *(each.turn_uuid for each in also)}),
            twins=len({(twin.session_id, twin.turn_uuid) for twin in group.twins}),
            cut=row.split_idx > 0,
            task=row.role == "user" and self._catalog.is_task(row.session_id, row.turn_uuid),
        )

    def _among(self, hit: Hit, neighbours: int) -> Hit:
        views = self._catalog.window(hit.session_id, hit.turn_uuid, neighbours)
        place = [view.turn.turn_uuid for view in views].index(hit.turn_uuid)
        return replace(hit, before=tuple(views[:place]), after=tuple(views[place + 1 :]))

    def _closing(self, prompt: Turn | None, shown: Set[str]) -> str | None:
        """What the agent said last, unless that turn is shown anyway."""
        if prompt is None or not prompt.is_prompt:
            return None
        for turn in self._catalog.last_words(prompt, _LAST_TURNS):
            if said := words_of(turn):
                return said if turn.turn_uuid not in shown else None
        return None


def _near(row: ChunkRow, groups: Sequence[Group]) -> Group | None:
    """The group of the same exchange that a passage belongs to: an agent that works for long on one
    prompt says several things, so one that stands far from the others is an answer of its own."""
    for group in groups:
        if group.copy or abs(group.row.seq - row.seq) <= _STRETCH:
            return group
    return None


def _also(group: Group, row: ChunkRow, twin: int | None) -> None:
    """One more passage of an exchange that was found before."""
    if group.copy or twin is not None or len(group.also) >= _ALSO:
        return
    if row.turn_uuid not in {each.turn_uuid for each in (group.row, *group.also)}:
        group.also.append(row)


def _turn(row: ChunkRow) -> Key:
    return row.session_id, row.turn_uuid


def _linked(rows: Iterable[ChunkRow], commits: Mapping[str, Sequence[str]]) -> ChunkRow:
    first, *others = rows
    if commits[first.id]:
        return first
    return next((row for row in others if commits[row.id]), first)


def _passage(row: ChunkRow) -> Passage:
    return Passage(row.turn_uuid, row.block_type, row.text, row.split_idx > 0)
