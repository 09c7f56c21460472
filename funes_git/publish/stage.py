"""Lay out a release in a folder as it will stand on the Hub: tables, passages, traces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from funes_git.publish import rows, traces
from funes_git.publish.part import Part
from funes_git.publish.rows import Tables
from funes_git.store.columns import SHARED, Values, session_from, turn_from
from funes_git.store.lance import LanceMemory
from funes_git.store.recovery import groups
from funes_git.store.shared import AT_ONCE, SharedMemory

CHARACTERS = 8 << 20
"""About the characters of a table that are held at once."""
PASSAGES = "data/passages.parquet"


class Stage:
    """A memory that is being made in a folder."""

    def __init__(self, folder: Path, source: LanceMemory | None = None) -> None:
        """`source` is the memory that gives the vectors; without one, nothing can be added."""
        self.folder = folder
        self._is_new = not (folder / "blocks.lance").is_dir()
        self.memory = SharedMemory.make(folder, source) if source else SharedMemory.open(folder)
        self._source = source
        self._clear: set[str] = set()
        self._waiting: dict[str, list[Values]] = {name: [] for name in SHARED}
        self._size = dict.fromkeys(SHARED, 0)

    def add(self, part: Part, tables: Tables) -> None:
        """Take in the rows of a session. What stands there of the same turns and is not among them
        is taken away."""
        if not self._is_new:
            self._forget_old(part, tables)
        self._clear |= rows.unchanged(part)
        for name, new in tables.items():
            self._waiting[name] += new
            self._size[name] += sum(len(v) for row in new for v in row if isinstance(v, str))
            if len(self._waiting[name]) >= AT_ONCE or self._size[name] >= CHARACTERS:
                self._write(name)

    def finish(self, sessions: Iterable[str]) -> None:
        """Write what is waiting, and what is made of the tables; the traces of these sessions."""
        for name in SHARED:
            self._write(name)
        self.memory.finish()
        self.memory.export(self.folder / PASSAGES)
        sizes = self.memory.session_sizes()
        for some in groups({each: sizes.get(each, 0) for each in sessions}):
            for path, data in self.traces_of(some).items():
                target = self.folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)

    def _write(self, name: str) -> None:
        waiting, self._waiting[name] = self._waiting[name], []
        self._size[name] = 0
        self.memory.put(name, waiting, self._vectors if name == "chunks" else None)

    def _vectors(self, ids: Sequence[str]) -> Any:
        """The vectors of those chunks whose very text leaves."""
        assert self._source is not None
        return self._source.vectors_of([each for each in ids if each in self._clear])

    def _forget_old(self, part: Part, tables: Tables) -> None:
        kept = {stored.turn.turn_uuid for stored in part.turns}
        commits = {link.commit for link in part.links}
        for name in ("edits", "chunks", "blocks", "spawns", "links"):
            now = {row[0] for row in tables[name]}
            old = (
                row["id"]
                for row in self.memory.rows(name, "session_id", [part.id])
                if row["turn_uuid"] in kept and row.get("sha", "") in commits | {""}
            )
            self.memory.drop(name, (each for each in old if each not in now))

    def traces_of(self, sessions: Sequence[str]) -> dict[str, bytes]:
        """The files of some sessions, of all that the memory holds of them."""
        turns: dict[str, dict[str, list[dict[str, object]]]] = {}
        for row in self.memory.rows("blocks", "session_id", sessions):
            turns.setdefault(row["session_id"], {}).setdefault(row["turn_uuid"], []).append(row)
        found: dict[str, bytes] = {}
        for row in self.memory.rows("sessions", "id", sessions):
            every = sorted(
                (turn_from(list(group)).turn for group in turns.get(row["id"], {}).values()),
                key=lambda turn: (turn.seq, turn.ts or 0.0, turn.turn_uuid),
            )
            found |= traces.files(session_from(row), every)
        return found

    def agents(self) -> list[str]:
        """The agents whose sessions it holds."""
        return sorted(name for (name,) in self.memory.distinct("sessions", ["harness"]))

    def models(self) -> list[str]:
        """The models that spoke in them."""
        return sorted(name for (name,) in self.memory.distinct("blocks", ["model"]) if name)

    def files(self) -> Iterator[Path]:
        """Every file that belongs to the dataset."""
        return (path for path in sorted(self.folder.rglob("*")) if path.is_file())


def size_of(paths: Iterable[Path]) -> int:
    """Bytes of some files."""
    return sum(path.stat().st_size for path in paths)
