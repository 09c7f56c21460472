"""The engine: a question goes through words, meaning and fusion to exchanges. Opened once, asked
often."""

from __future__ import annotations

from functools import cached_property

from funes_git import alone
from funes_git.embed import Embedder, ModelBroken, open_embedder
from funes_git.errors import MemoryMissing, ModelMismatch
from funes_git.filters import Filters, resolve
from funes_git.fusion import fuse
from funes_git.git import Repo
from funes_git.model import Found
from funes_git.models import DEFAULT, OFFLINE, PULL, Models
from funes_git.recall.exchanges import Exchanges
from funes_git.recall.stages import ALL, Stages
from funes_git.store.catalog import Catalog
from funes_git.store.scope import Scope
from funes_git.store.text import TextIndex
from funes_git.store.vectors import VectorIndex
from funes_git.store.words import identifiers, runs

_CANDIDATES = 100  # of each kind (RETRIEVAL.md §7)


class Recall:
    """The search engine of one repository's memory."""

    def __init__(self, repo: Repo, catalog: Catalog, models: Models) -> None:
        self._repo = repo
        self._catalog = catalog
        self._models = models

    def search(
        self,
        question: str,
        filters: Filters | None = None,
        k: int = 8,
        *,
        neighbours: int = 0,
        stages: Stages = ALL,
    ) -> Found:
        """The `k` exchanges that answer `question` best, each by its best passage, with up to
        `neighbours` turns before and after that.

        Words alone decide where there is no model or nothing is embedded yet; a note says so.
        Raises MemoryMissing if nothing is indexed, ModelMismatch if the vectors are another
        model's, and what `filters.resolve` raises.
        """
        if not runs(question):
            return Found((), ("the question holds no words",))
        notes: list[str] = []
        scope = resolve(filters or Filters(), self._repo, self._catalog, self._words, notes)
        words = self._words.search(question, scope, _CANDIDATES)
        meaning = self._nearest(question, scope, notes) if stages.meaning else []
        ids = list(dict.fromkeys(chunk for chunk, _ in (*words, *meaning)))
        rows = self._catalog.chunks_by_id(ids)
        passages = {chunk: (row.block_type, row.text) for chunk, row in rows.items()}
        names = identifiers(question) if stages.names else []
        ranked = fuse(words, meaning, passages, names, kinds=stages.kinds)
        exchanges = Exchanges(self._catalog)
        groups = exchanges.grouped(ranked, rows, k, stages)
        return Found(exchanges.hits(groups, neighbours), tuple(notes))

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
