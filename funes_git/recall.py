"""Answering a question from the memory: words and meaning, narrowed by git, grouped by turn.

Reads derived files only: the word index, the mapped vectors and the catalog. Opened once, asked
often. Never imports lancedb, pyarrow or (with the default model) fastembed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from funes_git import alone
from funes_git.embed import Embedder, ModelBroken, open_embedder
from funes_git.errors import MemoryMissing, ModelMismatch
from funes_git.filters import Filters, resolve
from funes_git.fusion import fuse
from funes_git.git import Repo
from funes_git.model import Hit
from funes_git.models import DEFAULT, OFFLINE, PULL, Models
from funes_git.prompts import words_of
from funes_git.store.catalog import Catalog
from funes_git.store.records import ChunkRow
from funes_git.store.scope import Scope
from funes_git.store.text import TextIndex
from funes_git.store.vectors import VectorIndex
from funes_git.store.words import identifiers, runs
from funes_git_parsers.dataclass import dataclass

_CANDIDATES = 100  # of each kind (RETRIEVAL.md §7)


@dataclass(frozen=True, slots=True)
class Found:
    """What a question found, best first, and what its asker should know besides: each note is a
    sentence for standard error."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()


class Recall:
    """The search engine of one repository's memory."""

    def __init__(self, repo: Repo, catalog: Catalog, models: Models) -> None:
        self._repo = repo
        self._catalog = catalog
        self._models = models

    def search(self, question: str, filters: Filters | None = None, k: int = 8) -> Found:
        """The `k` passages that answer `question` best, at most one of each turn.

        Words alone decide where there is no model or nothing is embedded yet; a note says so.
        Raises MemoryMissing if nothing is indexed, ModelMismatch if the vectors are another
        model's, and what `filters.resolve` raises.
        """
        if not runs(question):
            return Found((), ("the question holds no words",))
        notes: list[str] = []
        scope = resolve(filters or Filters(), self._repo, self._catalog, self._words, notes)
        words = self._words.search(question, scope, _CANDIDATES)
        meaning = self._nearest(question, scope, notes)
        ids = list(dict.fromkeys(chunk for chunk, _ in (*words, *meaning)))
        rows = self._catalog.chunks_by_id(ids)
        passages = {chunk: (row.block_type, row.text) for chunk, row in rows.items()}
        ranked = fuse(words, meaning, passages, identifiers(question))
        ranked = self._linked_first(ranked, rows)
        best = [each for each, _ in zip(_one_a_turn(ranked, rows), range(k), strict=False)]
        return Found(self._hits(best), tuple(notes))

    @cached_property
    def _words(self) -> TextIndex:
        found = TextIndex.open(self._repo.layout.text)
        if found is not None and found.documents:
            return found
        if self._catalog.totals().chunks:
            raise MemoryMissing(
                "the word index is missing or of another version", hint="git funes reindex"
            )
        raise MemoryMissing("nothing of this repository is indexed yet", hint="git funes index")

    @cached_property
    def _vectors(self) -> VectorIndex | None:
        return VectorIndex.open(self._repo.layout.vectors)

    @cached_property
    def _embedder(self) -> Embedder | None:
        weights = self._models.find()
        return open_embedder(weights) if weights else None

    def _nearest(self, question: str, scope: Scope, notes: list[str]) -> list[tuple[str, float]]:
        vectors = self._vectors
        if vectors is None or vectors.count == 0:
            notes.append(f"words alone: {self._no_vectors()}")
            return []
        if vectors.model != self._models.name:
            raise ModelMismatch(
                f"the memory's vectors were made with {vectors.model}, not {self._models.name}",
                hint=f"git funes reindex --model {self._models.name}",
            )
        embedder = self._loaded(notes)
        if embedder is None:
            return []
        allowed = None if scope.everything else self._words.ids(scope)
        return vectors.search(embedder.query(question), _CANDIDATES, allowed)

    def _loaded(self, notes: list[str]) -> Embedder | None:
        try:
            found = self._embedder
        except ModelBroken as error:
            notes.append(f"words alone: {error.message}")
            return None
        if found is None:
            notes.append(f"words alone: {self._no_weights()}")
        return found

    def _no_vectors(self) -> str:
        if self._models.find() is None:
            return self._no_weights()
        if alone.running(self._repo.layout) is not None:
            return "vectors are being made in the background"
        return "nothing is embedded yet (`git funes index --wait` does it)"

    def _no_weights(self) -> str:
        shipped = f", or `{OFFLINE}`" if self._models.name == DEFAULT else ""
        return f"{self._models.name} is not on this machine (`{PULL}`{shipped})"

    def _linked_first(
        self, ranked: list[tuple[str, float]], rows: Mapping[str, ChunkRow]
    ) -> list[tuple[str, float]]:
        """The same ranks, where of passages with one text the first is tied to a commit, if any
        is: only the first of them will be shown."""
        same: defaultdict[str, list[str]] = defaultdict(list)
        for chunk, _ in ranked:
            same[_text(rows[chunk])].append(chunk)
        doubled = [chunks for chunks in same.values() if len(chunks) > 1]
        commits = self._commits([rows[chunk] for chunks in doubled for chunk in chunks])
        swapped: dict[str, str] = {}
        for first, *others in doubled:
            linked = next((chunk for chunk in others if commits[chunk]), None)
            if linked and not commits[first]:
                swapped |= {first: linked, linked: first}
        return [(swapped.get(chunk, chunk), score) for chunk, score in ranked]

    def _hits(self, best: Sequence[tuple[ChunkRow, float]]) -> tuple[Hit, ...]:
        commits = self._commits([row for row, _ in best])
        return tuple(self._hit(row, score, commits[row.id]) for row, score in best)

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

    def _hit(self, row: ChunkRow, score: float, commits: Sequence[str]) -> Hit:
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
            score=round(score, 4),
            text=row.text,
            prompt=words_of(self._catalog.prompt_of(row.session_id, row.turn_uuid)),
            commits=tuple(commits),
        )


def _text(row: ChunkRow) -> str:
    return " ".join(row.text.split())


def _one_a_turn(
    ranked: list[tuple[str, float]], rows: Mapping[str, ChunkRow]
) -> Iterator[tuple[ChunkRow, float]]:
    """The best passage of each turn, without those whose text was there already: resumed sessions
    and repeated tool output say the same thing many times."""
    turns: set[tuple[str, str]] = set()
    texts: set[str] = set()
    for chunk, score in ranked:
        row = rows[chunk]
        turn, text = (row.session_id, row.turn_uuid), _text(row)
        if turn not in turns and text not in texts:
            yield row, score
        turns.add(turn)
        texts.add(text)
