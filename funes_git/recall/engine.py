"""The engine: a question goes through words, meaning, fusion and a close reading to exchanges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from funes_git import alone
from funes_git.embed import ModelBroken
from funes_git.errors import ModelMismatch
from funes_git.filters import Filters, resolve
from funes_git.fusion import Ranked, fuse
from funes_git.git import Repo
from funes_git.model import Found, Hit
from funes_git.models import DEFAULT, OFFLINE, PULL, Models
from funes_git.once import Once, T
from funes_git.recall.alike import folded
from funes_git.recall.confidence import Evidence, Scales, likely, probability, relevant
from funes_git.recall.exchanges import Exchanges
from funes_git.recall.opened import Opened
from funes_git.recall.stages import ALL, Stages
from funes_git.standing import marked
from funes_git.store.catalog import Catalog
from funes_git.store.records import ChunkRow
from funes_git.store.scope import Scope
from funes_git.store.text import TextIndex
from funes_git.store.words import identifiers, phrases, proper_names, runs, unescaped

_CANDIDATES = 100  # of each kind (RETRIEVAL.md §7)
_READ = 20  # candidates that are read closely, if time allows; more find no better ones
_QUOTED = 500  # with all words of a quoted phrase; whether they stand together is looked up


class Recall:
    """The search engine of one repository's memory: opened once, asked often, by any thread. What
    it reads is opened again when the memory has grown."""

    def __init__(
        self, repo: Repo, catalog: Catalog, models: Models, *, like: Recall | None = None
    ) -> None:
        """`catalog` stays the caller's; other threads than this one open their own. Models that
        the engine `like` uses too are loaded once for both."""
        self._repo = repo
        self._opened = Opened(repo.layout, catalog, models)
        if like is not None:
            self._opened.share(like._opened)

    def close(self) -> None:
        """Let go of models and files; no thread may be asking. The next question opens them."""
        self._opened.close()

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
        `neighbours` turns before and after that; fewer, where others are far less likely.

        Words alone decide where there is no model or nothing is embedded yet; a note says so.
        Raises MemoryMissing if nothing is indexed, ModelMismatch if the vectors are another
        model's, and what `filters.resolve` raises.
        """
        if not runs(question):
            return Found((), ("the question holds no words",))
        notes: list[str] = []
        catalog = self._opened.catalog()
        filters = filters or Filters()
        found = self._weighed(question, filters, stages, notes)
        exchanges = Exchanges(catalog)
        many = len(found.rows) if filters.standings else k
        groups = exchanges.grouped(found.ranked(), found.rows, many, stages)
        answers = relevant([each for _, each in found.candidates])
        hits = marked(self._repo, catalog, exchanges.hits(groups, neighbours))
        if filters.standings:
            hits = tuple(hit for hit in hits if _stands(hit, filters.standings))[:k]
        return Found(likely(hits) if stages.cut else hits, tuple(notes), answers)

    def weighed(self, question: str, stages: Stages = ALL) -> list[tuple[ChunkRow, Evidence]]:
        """The candidates, best first, with what speaks for each: to measure and to fit by."""
        found = self._weighed(question, Filters(), stages, [])
        return [(found.rows[chunk], evidence) for chunk, evidence in found.candidates]

    def _weighed(
        self, question: str, filters: Filters, stages: Stages, notes: list[str]
    ) -> _Weighed:
        index, catalog = self._opened.words(), self._opened.catalog()
        scope = resolve(filters, self._repo, catalog, index, notes)
        self._prepare(stages)  # not for a filter that is wrong
        quoted = phrases(question) if stages.phrases else []
        words = index.search(question, scope, _QUOTED if quoted else _CANDIDATES, quoted)
        meaning = self._nearest(question, scope, index, notes) if stages.meaning else []
        ids = list(dict.fromkeys(chunk for chunk, _ in (*words, *meaning)))
        rows = _with(quoted, catalog.chunks_by_id(ids))
        passages = {chunk: (row.block_type, row.text) for chunk, row in rows.items()}
        names = identifiers(question) if stages.names else []
        fused = fuse(words, meaning, passages, names, kinds=stages.kinds)
        reading = meaning and stages.reading
        close = self._read_closely(question, fused, rows, stages, notes) if reading else {}
        weigh = Scales(index.telling(question), proper_names(question), dict(meaning), close, fused)
        candidates = [(c, weigh.evidence(rows[c], score)) for c, score in fused]
        if not stages.kinds:
            candidates = [(c, each._replace(kind="text")) for c, each in candidates]
        return _Weighed(candidates, rows)

    def _prepare(self, stages: Stages) -> None:
        """Begin to load the models that will be asked, while the words are looked up."""
        vectors = self._opened.vectors() if stages.meaning else None
        if vectors is not None and vectors.model == self._opened.models.name:
            self._opened.embedder.start()
            if stages.reading:
                self._opened.reranker.start()

    def _nearest(
        self, question: str, scope: Scope, index: TextIndex, notes: list[str]
    ) -> list[tuple[str, float]]:
        vectors, name = self._opened.vectors(), self._opened.models.name
        if vectors is None or vectors.count == 0:
            notes.append(f"words alone: {self._no_vectors()}")
            return []
        if vectors.model != name:
            raise ModelMismatch(
                f"the memory's vectors were made with {vectors.model}, not {name}",
                hint=f"git funes reindex --model {name}",
            )
        embedder = _loaded(self._opened.embedder, notes, "words alone", self._no_weights())
        if embedder is None:
            return []
        allowed = None if scope.everything else index.ids(scope)
        return vectors.search(embedder.query(question), _CANDIDATES, allowed)

    def _read_closely(
        self,
        question: str,
        fused: Ranked,
        rows: Mapping[str, ChunkRow],
        stages: Stages,
        notes: list[str],
    ) -> dict[str, float]:
        """How well the best candidates' words answer, of as many as time allows. A machine without
        the reranker's weights goes without; `git funes models` tells of them."""
        reranker = _loaded(self._opened.reranker, notes, "not read closely", None)
        if reranker is None:
            return {}
        best = [(chunk, rows[chunk].text) for chunk, _ in fused[:_READ]]
        return reranker.scores(question, best, stages.reading)

    def _no_vectors(self) -> str:
        if self._opened.models.find() is None:
            return self._no_weights()
        if self._repo.memory is not None:
            return "this memory has no vectors; whoever pulls it makes them"
        if alone.running(self._repo.layout) is not None:
            return "vectors are being made in the background"
        return "nothing is embedded yet (`git funes index --wait` does it)"

    def _no_weights(self) -> str:
        name = self._opened.models.name
        shipped = f", or `{OFFLINE}`" if name == DEFAULT else ""
        return f"{name} is not on this machine (`{PULL}`{shipped})"


def _stands(hit: Hit, states: Sequence[str]) -> bool:
    return hit.standing is not None and hit.standing.state in states


class _Weighed(NamedTuple):
    """The candidates by their fused score, and their rows."""

    candidates: list[tuple[str, Evidence]]
    rows: Mapping[str, ChunkRow]

    def ranked(self) -> Ranked:
        """The candidates by how likely each is to answer."""
        scores = [(chunk, probability(each)) for chunk, each in self.candidates]
        return sorted(scores, key=lambda each: -each[1])


def _with(quoted: Sequence[str], rows: dict[str, ChunkRow]) -> dict[str, ChunkRow]:
    """The passages that hold every quoted phrase, white space and case aside."""
    if not quoted:
        return rows
    wanted = [folded(phrase) for phrase in quoted]
    texts = {chunk: folded(f"{row.text} {unescaped(row.text)}") for chunk, row in rows.items()}
    return {c: row for c, row in rows.items() if all(each in texts[c] for each in wanted)}


def _loaded(model: Once[T | None], notes: list[str], without: str, missing: str | None) -> T | None:
    """The model, or None; then a note says what is done without it and why, if anyone need know
    that its weights are missing."""
    try:
        found = model.get()
    except ModelBroken as error:
        notes.append(f"{without}: {error.message}")
        return None
    if found is None and missing:
        notes.append(f"{without}: {missing}")
    return found
