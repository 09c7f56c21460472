"""How well recall answers the questions of questions.jsonl. Prints tables.

    python tests/bench/recall.py SESSIONS [--corpus NAME=FOLDER]... [--keep FOLDER]
                                 [--stages] [--kinds]

SESSIONS is the folder of the corpus `traces`; other corpora are given by name. Each is indexed into
a temporary repository, or one kept under `--keep` for the next run. Only the questions of the
corpora given are asked. Needs the extra `offline`.

hit@k counts questions whose first k results have a relevant best passage, `seen@8` also those where
it is a further passage of a result; nDCG is graded; `answer` says that the gold quote stands in the
agent-format reply of 8 hits, `tokens` is that reply's mean length. Baselines give no reply.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from corpora import folders_of, memory_of
from measures import (
    abstaining,
    best_abstaining,
    hit,
    mean,
    ndcg,
    paired_bootstrap,
    reciprocal_rank,
)
from passages import Judged, Passages, PlainWords, by_ranks, plain
from questions import Question, load
from tokenizers import Tokenizer

from funes_git.embed import open_embedder
from funes_git.git import Repo
from funes_git.model import Hit
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.recall.stages import ALL, Stages
from funes_git.render.agent import recall as agent_format
from funes_git.store.catalog import Catalog
from funes_git.store.vectors import VectorIndex

SHOWN, RANKED, CANDIDATES = 8, 10, 100
WHOLE = "recall"
UNHURRIED = replace(ALL, reading=60.0)
"""So that figures are the same on a busy machine."""

Result = tuple[tuple[str, str], str]
"""((session id, turn), passage)."""


@dataclass
class Reply:
    """What a system says to a question: results as (turn, passage), best first; `also` holds the
    further passages of each; it is `silent` where it says that nothing relevant is there."""

    results: list[Result]
    best: float
    text: str | None = None
    also: list[list[Result]] = field(default_factory=list)
    silent: bool = False


Ask = Callable[[str], Reply]


@dataclass
class Outcome:
    """What a reply was worth."""

    question: Question
    grades: list[int]
    ideal: list[int]
    best: float
    seen: bool
    silent: bool
    answered: bool = False
    tokens: int = 0


@dataclass
class Corpus:
    """One memory."""

    repo: Repo
    catalog: Catalog
    passages: Passages = field(init=False)

    def __post_init__(self) -> None:
        self.passages = Passages(self.catalog)


def engine(recall: Recall, stages: Stages) -> Ask:
    """funes-git's own recall, with some of its stages."""

    def ask(question: str) -> Reply:
        found = recall.search(question, None, RANKED, stages=stages)
        hits = found.hits
        text = "\n".join(agent_format(question, hits[:SHOWN], relevant=found.relevant))
        return Reply(
            [_result(hit) for hit in hits],
            hits[0].score if hits else 0.0,
            text,
            [_also(hit) for hit in hits],
            silent=not found.relevant,
        )

    return ask


def _result(found: Hit) -> Result:
    return (found.session_id, found.turn_uuid), found.text


def _also(found: Hit) -> list[Result]:
    return [((found.session_id, other.turn_uuid), other.text) for other in found.also]


def ranking(corpus: Corpus, search: Callable[[str], list[tuple[str, float]]]) -> Ask:
    """A baseline that ranks passages: the best passage of each turn is a result."""

    def ask(question: str) -> Reply:
        ranked = search(question)
        results: dict[tuple[str, str], str] = {}
        for passage, _ in ranked:
            row = corpus.passages.rows[passage]
            results.setdefault((row.session_id, row.turn_uuid), row.text)
        return Reply(list(results.items())[:RANKED], ranked[0][1] if ranked else 0.0)

    return ask


def systems(corpus: Corpus, *, stages: bool) -> dict[str, Ask]:
    """Everything that is compared, baselines first; with `stages`, recall without each of its
    stages too."""
    models = Models({})
    embedder = open_embedder(models.require())
    vectors = VectorIndex.open(corpus.repo.layout.vectors)
    assert vectors is not None
    words = PlainWords(corpus.passages)

    def by_words(question: str) -> list[tuple[str, float]]:
        return words.search(question, CANDIDATES)

    def by_meaning(question: str) -> list[tuple[str, float]]:
        return vectors.search(embedder.query(question), CANDIDATES, None)

    recall = Recall(corpus.repo, corpus.catalog, models)
    found = {
        "BM25, plain words": ranking(corpus, by_words),
        "vectors": ranking(corpus, by_meaning),
        "BM25 + vectors by ranks": ranking(corpus, lambda q: by_ranks(by_words(q), by_meaning(q))),
        "recall, words alone": engine(recall, Stages(meaning=False)),
        "recall, as fast as it is": engine(recall, ALL),
        WHOLE: engine(recall, UNHURRIED),
    }
    for stage in fields(Stages) if stages else ():
        found[f"recall without {stage.name}"] = engine(
            recall, replace(UNHURRIED, **{stage.name: False})
        )
    return found


def judged(
    corpus: Corpus, question: Question, reply: Reply, tokens: Callable[[str], int]
) -> Outcome:
    """What a system's reply to a question is worth."""
    worth = Judged(question, corpus.passages)
    grades = worth.grades(reply.results)
    further = [result for some in reply.also[:SHOWN] for result in some]
    seen = any(grades[:SHOWN]) or any(worth.grades(further))
    outcome = Outcome(question, grades, worth.ideal, reply.best, seen, reply.silent)
    if reply.text is not None:
        said = plain("\n".join(row.removeprefix("> ") for row in reply.text.split("\n")))
        outcome.answered = bool(question.quote) and plain(question.quote) in said
        outcome.tokens = tokens(reply.text)
    return outcome


COLUMNS = ("hit@1", "hit@5", "hit@8", "seen@8", "MRR@10", "nDCG@10", "answer", "tokens")


def figures(outcomes: Sequence[Outcome]) -> list[float]:
    """The values of COLUMNS over questions that have an answer."""
    return [
        *(mean([hit(each.grades, k) for each in outcomes]) for k in (1, 5, 8)),
        mean([float(each.seen) for each in outcomes]),
        mean([reciprocal_rank(each.grades) for each in outcomes]),
        mean([ndcg(each.grades, each.ideal) for each in outcomes]),
        mean([float(each.answered) for each in outcomes]),
        mean([float(each.tokens) for each in outcomes]),
    ]


def row(name: str, outcomes: Sequence[Outcome]) -> None:
    values = figures(outcomes)
    shown = [f"{value:8.3f}" for value in values[:-1]] + [f"{values[-1]:8.0f}"]
    print(f"{name:28} {len(outcomes):4} " + " ".join(shown))


def heading(title: str) -> None:
    print(f"\n{title:28} {'n':>4} " + " ".join(f"{name:>8}" for name in COLUMNS))


def answerable(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return [each for each in outcomes if not each.question.abstain]


def compare(name: str, one: Sequence[Outcome], other: Sequence[Outcome]) -> None:
    """How much better `one` is than `other`, with the 95 % interval of each difference."""
    told = []
    for measure, value in (
        ("nDCG@10", lambda each: ndcg(each.grades, each.ideal)),
        ("hit@8", lambda each: hit(each.grades, 8)),
        ("answer", lambda each: float(each.answered)),
    ):
        found = paired_bootstrap([value(e) for e in one], [value(e) for e in other])
        told.append(f"{measure} {found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]")
    print(f"{name:28} {'  '.join(told)}")


def abstention(name: str, outcomes: Sequence[Outcome]) -> None:
    """How often a system was right to say that nothing relevant is there; else how well its best
    score would have told it."""
    without = [each for each in outcomes if each.question.abstain]
    if not without:
        return
    silent = [each for each in outcomes if each.silent]
    if silent:
        rightly = sum(each.question.abstain for each in silent)
        precision, recall = rightly / len(silent), rightly / len(without)
        print(f"{name:28} says so {len(silent)} times: {precision:.2f}, {recall:.2f}")
        return
    scores = [each.best for each in answerable(outcomes)]
    point = best_abstaining(abstaining(scores, [each.best for each in without]))
    if point is None:
        print(f"{name:28} no best score reaches precision 0.8")
        return
    told = f"{point.precision:.2f}, {point.recall:.2f}"
    print(f"{name:28} at best scores up to {point.below:.3f}: {told}")


def report(done: dict[str, list[Outcome]], *, kinds: bool) -> None:
    heading("system")
    for name, outcomes in done.items():
        row(name, answerable(outcomes))
    print(f"\n{WHOLE} against each of the others, paired bootstrap, 95 %")
    for name in done:
        if name != WHOLE:
            compare(name, answerable(done[WHOLE]), answerable(done[name]))
    print("\nsaying that nothing relevant is there: precision, recall")
    for name, outcomes in done.items():
        abstention(name, outcomes)
    if not kinds:
        return
    for name, outcomes in done.items():
        heading(name)
        by_kind: defaultdict[str, list[Outcome]] = defaultdict(list)
        for each in answerable(outcomes):
            by_kind[each.question.kind].append(each)
        for kind, some in sorted(by_kind.items()):
            row("  " + kind, some)


def main() -> None:
    asked = argparse.ArgumentParser(
        description="How well recall answers the questions of questions.jsonl. Prints tables."
    )
    asked.add_argument("sessions", type=Path)
    asked.add_argument("--corpus", action="append", default=[], metavar="NAME=FOLDER")
    asked.add_argument("--keep", type=Path, metavar="FOLDER")
    asked.add_argument("--stages", action="store_true", help="recall with each stage switched")
    asked.add_argument("--kinds", action="store_true", help="figures by kind of question too")
    options = asked.parse_args()
    questions = load()
    print("questions:", dict(Counter(each.corpus for each in questions)))
    done: defaultdict[str, list[Outcome]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="funes-bench-") as temporary:
        weights = Models({}).require()
        tokenizer = Tokenizer.from_file(str(weights.folder / "tokenizer.json"))
        tokenizer.no_truncation()

        def tokens(text: str) -> int:
            return len(tokenizer.encode(text))

        for name, folder in folders_of(options.sessions, options.corpus).items():
            repo = memory_of(folder, (options.keep or Path(temporary)).absolute() / name)
            with Catalog.open(repo.layout.catalog) as catalog:
                corpus = Corpus(repo, catalog)
                asks = systems(corpus, stages=options.stages)
                for question in (each for each in questions if each.corpus == name):
                    for system, ask in asks.items():
                        reply = ask(question.question)
                        done[system].append(judged(corpus, question, reply, tokens))
    report(done, kinds=options.kinds)


if __name__ == "__main__":
    main()
