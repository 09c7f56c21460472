"""Every passage of a memory, for benchmarks: baselines to rank them, and what a result is worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import tantivy
from questions import Question

from funes_git.store.catalog import Catalog
from funes_git.store.records import ChunkRow

Turn = tuple[str, str]
"""(session id, turn)."""


class Passages:
    """The passages of one memory, by id and by turn."""

    def __init__(self, catalog: Catalog) -> None:
        self.rows = {row.id: row for row in catalog.chunk_rows(0, 10**9) if not row.gone}
        self.turns: defaultdict[Turn, list[ChunkRow]] = defaultdict(list)
        for row in self.rows.values():
            self.turns[row.session_id, row.turn_uuid].append(row)


def plain(text: str) -> str:
    """Text without its line breaks, to compare by."""
    return " ".join(text.split())


class Judged:
    """What results are worth to one question. A result counts where its turn is judged relevant or
    its passage is word for word one of a relevant turn (a session resumed); turns of one exchange
    are one answer, which counts once."""

    def __init__(self, question: Question, passages: Passages) -> None:
        self._worth: dict[Turn | str, tuple[int, Turn]] = {}
        units: dict[Turn, int] = {}
        ranked = sorted(question.grades().items(), key=lambda each: -each[1])
        for turn, grade in ranked:
            rows = passages.turns.get(turn, [])
            unit = next(((row.session_id, row.exchange) for row in rows if row.exchange), turn)
            units[unit] = max(grade, units.get(unit, 0))
            for key in (turn, *(plain(row.text) for row in rows)):
                self._worth.setdefault(key, (grade, unit))
        self.ideal = list(units.values())

    def grades(self, results: Iterable[tuple[Turn, str]]) -> list[int]:
        """The grade of each result, given as its turn and its passage; of an answer that was there
        already, 0."""
        seen: set[Turn] = set()
        found = []
        for turn, text in results:
            grade, unit = self._worth.get(turn) or self._worth.get(plain(text)) or (0, turn)
            found.append(0 if unit in seen else grade)
            seen.add(unit)
        return found


class PlainWords:
    """BM25 over the passages' words as an English text engine cuts them, and nothing else."""

    def __init__(self, passages: Passages) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", stored=False, tokenizer_name="en_stem")
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        self._index = tantivy.Index(builder.build())
        writer = self._index.writer(num_threads=1)
        for row in passages.rows.values():
            writer.add_document(tantivy.Document(body=row.text, id=row.id))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def search(self, question: str, count: int) -> list[tuple[str, float]]:
        """Passages by score, best first."""
        words = "".join(c if c.isalnum() else " " for c in question)
        query, _ = self._index.parse_query_lenient(words.lower(), ["body"])
        searcher = self._index.searcher()
        found = searcher.search(query, count).hits
        return [(str(searcher.doc(at)["id"][0]), score) for score, at in found]


def by_ranks(*lists: Sequence[tuple[str, float]], k: int = 60) -> list[tuple[str, float]]:
    """Reciprocal rank fusion."""
    total: defaultdict[str, float] = defaultdict(float)
    for ranked in lists:
        for place, (passage, _) in enumerate(ranked, 1):
            total[passage] += 1 / (k + place)
    return sorted(total.items(), key=lambda each: -each[1])
