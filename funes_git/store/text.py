"""The word index: BM25 over every chunk, with the fields that never change.

Derived from the catalog's chunk log and rebuilt from it whenever the format differs or the files
are broken. Knows nothing of git, links or vectors: what depends on those arrives as a `Scope`.

A writer records in `state.json` how far in the log it will be, commits, and records that it is
there. After a crash in between, the chunks that may be indexed already are indexed again: each then
replaces its own document by id, as does a chunk that was stored before. Others need not look for a
document to replace, which takes a tenth of the time.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import log1p
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from funes_git.errors import FunesError, MemoryBusy
from funes_git.store.fields import analyzer, created, opened
from funes_git.store.files import read_json, write_json
from funes_git.store.records import ChunkRow
from funes_git.store.scope import Scope, Value, chunk_id, chunk_key, turn_key
from funes_git.store.words import Analyze, Terms, identifiers, is_stop_word, runs, split, unescaped

if TYPE_CHECKING:
    import tantivy

FORMAT = 1
"""Of the fields and of the way that text is split; another number means a rebuild."""

_HEAP = 24_000_000  # bytes of postings before tantivy writes a segment
_MOST_TERMS = 64  # of a query; a pasted log has thousands, and the rarest say enough
_IDENTIFIER_BOOST = 2.0  # RETRIEVAL.md §5


class TextWriter:
    """The one writer of the index in a folder. Use as a context manager; leaving it by an
    exception drops what was not committed."""

    def __init__(self, folder: Path, index: tantivy.Index, upto: int, through: int = 0) -> None:
        self.upto = upto
        """The last row of the chunk log that the index holds for certain."""
        self._through = through  # the last row that it may hold
        self._folder = folder
        self._schema = index.schema
        self._writer = _writer(index)
        self._terms = Terms(analyzer().analyze)

    @classmethod
    def open(cls, folder: Path, generation: str = "") -> TextWriter:
        """Open or create the index; `generation` names the catalog whose rows are counted.

        Starts empty if the format or the generation differs, or if the files are broken. Raises
        MemoryBusy if another process is writing.
        """
        stamp = {"format": FORMAT, "generation": generation}
        state = read_json(folder / "state.json")
        index = opened(folder) if stamp.items() <= state.items() else None
        if index is not None:
            return cls(folder, index, int(state.get("upto", 0)), int(state.get("through", 0)))
        _wipe(folder)
        write_json(folder / "state.json", {**stamp, "upto": 0})
        return cls(folder, created(folder), 0)

    @staticmethod
    def is_level(folder: Path, generation: str, newest: int) -> bool:
        """Whether the index already holds everything up to row `newest`."""
        state = read_json(folder / "state.json")
        held = (state.get("format"), state.get("generation"), state.get("upto"))
        return held == (FORMAT, generation, newest) and opened(folder) is not None

    def add(self, rows: Iterable[ChunkRow]) -> None:
        """Index chunks, each in place of the document with its id; of those that are gone only
        the document is deleted."""
        with _told():
            for row in rows:
                if not row.new or row.rowid <= self._through:
                    self._writer.delete_documents_by_term("id", chunk_key(row.id))
                if not row.gone:
                    self._writer.add_document(self._document(row))

    def commit(self, upto: int) -> None:
        """Make everything so far visible to readers, and record row `upto` as consumed."""
        state = read_json(self._folder / "state.json")
        self._through = max(self._through, upto)
        write_json(self._folder / "state.json", {**state, "through": self._through})
        with _told():
            self._writer.commit()
        write_json(self._folder / "state.json", {**state, "upto": upto, "through": upto})
        self.upto = upto

    def close(self) -> None:
        """Wait for merges and let go of the lock."""
        self._writer.wait_merging_threads()

    def drop(self) -> None:
        """Close without what was not committed."""
        with suppress(ValueError):  # the disk is full: what is left is not read
            self._writer.rollback()
            self.close()

    def __enter__(self) -> TextWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.drop()

    def _document(self, row: ChunkRow) -> tantivy.Document:
        import tantivy

        text = unescaped(row.text) if row.block_type == "tool_use" else row.text
        body, ident = self._terms.of(text)
        fields: dict[str, int | str | list[str]] = {
            "id": chunk_key(row.id),
            "turn": turn_key(row.session_id, row.turn_uuid),
            "exchange": turn_key(row.session_id, row.exchange or row.thread or ""),
            "body": body,
            "ident": ident,
            "session": row.session_id,
            "kind": row.block_type,
            "role": row.role,
            "harness": row.harness,
            "files": list(row.files),
        }
        if row.branch is not None:
            fields["branch"] = row.branch
        if row.ts is not None:
            fields["ts"] = int(row.ts)
        return tantivy.Document.from_dict(fields, self._schema)


class TextIndex:
    """The index for reading, as of its last commit when it was opened. Safe to share by threads."""

    def __init__(self, index: tantivy.Index) -> None:
        import tantivy

        self._make = tantivy.Query
        self._schema = index.schema
        self._searcher = index.searcher()
        self._analyze: Analyze = analyzer().analyze

    @classmethod
    def open(cls, folder: Path) -> TextIndex | None:
        """The index in `folder`; None if there is none that this version can read."""
        if read_json(folder / "state.json").get("format") != FORMAT:
            return None
        index = opened(folder)
        return cls(index) if index is not None else None

    @property
    def documents(self) -> int:
        """How many chunks are indexed."""
        return int(self._searcher.num_docs)

    def search(
        self, question: str, scope: Scope, limit: int, phrases: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """The best chunks for the words of `question`: ids and BM25 scores, best first. Only those
        with every word of each of `phrases`; the index does not know in which order."""
        query = self._query(question)
        if query is None:
            return []
        for stem in dict.fromkeys(stem for phrase in phrases for stem in self._stems(phrase)):
            query = query.and_must_match(self._make.term_query(self._schema, "body", stem, "freq"))
        hits = self._searcher.search(self._within(query, scope), limit, count=False).hits
        ids = self._searcher.fast_field_values("id", [address for _, address in hits])
        return [(chunk_id(int(key or 0)), hit[0]) for key, hit in zip(ids, hits, strict=True)]

    def telling(self, question: str) -> dict[str, float]:
        """The stems of the question's words, each with how much it tells: the logarithm of how rare
        it is (the inverse document frequency of BM25)."""
        count = self.documents
        found = {stem: self._searcher.doc_freq("body", stem) for stem in self._stems(question)}
        return {stem: log1p((count - n + 0.5) / (n + 0.5)) for stem, n in found.items()}

    def ids(self, scope: Scope) -> list[int]:
        """Every chunk in `scope`, as `chunk_key`s, in no order."""
        return self._numbers("id", scope)

    def values(self, field: str) -> list[str]:
        """Every value that some chunk has in `field`, one of the fields of text."""
        return [value for value, _ in self._searcher.terms_with_prefix(field, "")]

    def exchanges(self, turns: Iterable[int]) -> list[int]:
        """The exchanges of these turns, as keys."""
        scope = Scope().narrowed(("turn", turns))
        return sorted(set(self._numbers("exchange", scope)))

    def _numbers(self, field: str, scope: Scope) -> list[int]:
        query = self._within(self._make.all_query(), scope)
        hits = self._searcher.search(query, max(1, self.documents), count=False).hits
        values = self._searcher.fast_field_values(field, [address for _, address in hits])
        return [int(value) for value in values if value is not None]

    def _query(self, question: str) -> tantivy.Query | None:
        make, schema = self._make, self._schema
        parts = [make.term_query(schema, "body", stem, "freq") for stem in self._stems(question)]
        for name in self._rarest("ident", identifiers(question)):
            found = make.term_query(schema, "ident", name, "freq")
            parts.append(make.boost_query(found, _IDENTIFIER_BOOST))
        return make.empty_query().or_should_match(*parts) if parts else None

    def _stems(self, question: str) -> list[str]:
        words = runs(question)
        telling = [word for word in words if not is_stop_word(word)] or words
        stems = dict.fromkeys(stem for word in telling for stem in self._analyze(split(word)))
        return self._rarest("body", list(stems))

    def _rarest(self, field: str, terms: list[str]) -> list[str]:
        """At most `_MOST_TERMS` terms, by rarity, without those that no document has."""
        if len(terms) <= _MOST_TERMS:
            return terms
        counted = [(self._searcher.doc_freq(field, term), term) for term in terms]
        return [term for count, term in sorted(counted) if count][:_MOST_TERMS]

    def _within(self, query: tantivy.Query, scope: Scope) -> tantivy.Query:
        filters = [self._any_of(group) for group in scope.groups]
        if scope.since is not None or scope.until is not None:
            filters.append(self._between(scope.since, scope.until))
        silent = [self._make.const_score_query(each, 0.0) for each in filters]
        return query.and_must_match(*silent) if silent else query

    def _any_of(self, group: Sequence[tuple[str, tuple[Value, ...]]]) -> tantivy.Query:
        make = self._make
        sets = [make.term_set_query(self._schema, name, values) for name, values in group if values]
        return make.empty_query().or_should_match(*sets) if sets else make.empty_query()

    def _between(self, since: float | None, until: float | None) -> tantivy.Query:
        import tantivy

        low = None if since is None else int(since)
        high = None if until is None else int(until)
        return self._make.range_query(self._schema, "ts", tantivy.FieldType.Integer, low, high)


def _wipe(folder: Path) -> None:
    shutil.rmtree(folder / "index", ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def _told() -> Iterator[None]:
    """tantivy raises ValueError for whatever goes wrong while it writes."""
    try:
        yield
    except ValueError as error:
        raise FunesError(f"cannot write the word index: {error}", "git funes doctor") from error


def _writer(index: tantivy.Index) -> tantivy.IndexWriter:
    try:
        return index.writer(heap_size=_HEAP, num_threads=1)
    except ValueError as error:
        if "LockBusy" not in str(error):
            raise
        raise MemoryBusy(
            "another process is writing the word index", "try again when it is done"
        ) from error
