"""How much the questions of questions.jsonl share with the passages that answer them.

    python tests/bench/overlap.py SESSIONS [--corpus NAME=FOLDER]... [--keep FOLDER] [--each]

Of each question's words, weighted by how rare they are among the passages, the share that the
passage with the gold quote holds too. Fails where the mean is above 0.35: a question that repeats
its answer's rare words tests nothing but the finding of words.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import tantivy
from corpora import folders_of, memory_of
from measures import mean
from passages import Passages, plain
from questions import Question, load

from funes_git.store.catalog import Catalog

MOST = 0.35


class Rarity:
    """How rare words are among the passages of one memory: ln(1 + N / n)."""

    def __init__(self, passages: Passages) -> None:
        english = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        english = english.filter(tantivy.Filter.lowercase())
        self._analyze = english.filter(tantivy.Filter.stemmer("english")).build().analyze
        self._count = len(passages.rows)
        self._seen = Counter(w for row in passages.rows.values() for w in self.words(row.text))

    def words(self, text: str) -> set[str]:
        """The stems of a text."""
        return set(self._analyze(text))

    def weight(self, word: str) -> float:
        """The weight of a stem; one that no passage holds weighs as much as one in a single one."""
        return math.log(1 + self._count / max(1, self._seen[word]))


def overlap(question: Question, passages: Passages, rarity: Rarity) -> float:
    """The share of the question's weight that its answer holds: the most of the gold passages
    with the quote."""
    words = rarity.words(question.question)
    whole = sum(map(rarity.weight, words))
    rows = (row for turn in question.grades() for row in passages.turns.get(turn, []))
    texts = [row.text for row in rows if plain(question.quote) in plain(row.text)]
    shared = (sum(map(rarity.weight, words & rarity.words(text))) for text in texts)
    return max(shared, default=0.0) / whole if whole else 0.0


def main() -> None:
    asked = argparse.ArgumentParser(
        description="How much the questions share with the passages that answer them."
    )
    asked.add_argument("sessions", type=Path)
    asked.add_argument("--corpus", action="append", default=[], metavar="NAME=FOLDER")
    asked.add_argument("--keep", type=Path, metavar="FOLDER")
    asked.add_argument("--each", action="store_true", help="the value of each question too")
    options = asked.parse_args()
    values: defaultdict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="funes-bench-") as temporary:
        for name, folder in folders_of(options.sessions, options.corpus).items():
            repo = memory_of(folder, (options.keep or Path(temporary)).absolute() / name)
            with Catalog.open(repo.layout.catalog) as catalog:
                passages = Passages(catalog)
            rarity = Rarity(passages)
            for question in load():
                if question.corpus == name and not question.abstain:
                    share = overlap(question, passages, rarity)
                    values[question.kind].append(share)
                    if options.each:
                        print(f"{share:.2f} {question.id} {question.question}")
    for kind, some in sorted(values.items()):
        print(f"{kind:12} {len(some):4} {mean(some):.3f}")
    whole = mean([share for some in values.values() for share in some])
    print(f"{'all':12} {sum(map(len, values.values())):4} {whole:.3f} (at most {MOST})")
    sys.exit(whole > MOST)


if __name__ == "__main__":
    main()
