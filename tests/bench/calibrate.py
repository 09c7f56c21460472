"""Fits the scores of recall (funes_git/recall/confidence.py) to what was judged, and prints how far
they can be believed.

    python tests/bench/calibrate.py SESSIONS [--corpus NAME=FOLDER]... [--keep FOLDER]

Every candidate of every question counts: 1 if a relevant turn or its very words, else 0. What is
said of a fit was asked of questions that it had not seen: of the corpora given by name by a fit to
the others, of SESSIONS in five folds. Needs the extra `offline`.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from corpora import folders_of, memory_of
from measures import Abstaining, abstaining
from numpy.typing import NDArray
from passages import Judged, Passages
from questions import load

from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.recall.confidence import Evidence, Weights, best_read
from funes_git.recall.stages import ALL, LEXICAL
from funes_git.store.catalog import Catalog

Numbers = NDArray[np.float64]

MODES = {
    "_WORDS": LEXICAL,
    "_MEANING": replace(ALL, reading=0.0),
    "_CLOSE": replace(ALL, reading=60.0),  # all that may be read, however slow the machine is
}
KINDS = ("text", "thinking", "tool_use", "tool_result")
FIRST, FOLDS, PENALTY = 40, 5, 1.0
PRECISE = 0.8
"""How often a silence is to be right."""


@dataclass
class Asked:
    """One question's candidates: what speaks for each, and whether it is relevant."""

    corpus: str
    evidence: list[Evidence]
    relevant: Numbers
    answerable: bool

    def table(self) -> Numbers:
        """A row a candidate: its kind, share, coverage and what is known best of its meaning."""
        return np.array([_row(each) for each in self.evidence], float).reshape(-1, len(KINDS) + 3)


def _row(each: Evidence) -> list[float]:
    last = each.close if each.close is not None else each.cosine or 0.0
    return [*(float(each.kind == kind) for kind in KINDS), each.share, each.coverage, last]


def asked(recall: Recall, passages: Passages, corpus: str, mode: str) -> Iterator[Asked]:
    for question in load():
        if question.corpus == corpus:
            worth = Judged(question, passages)
            found = [
                (row, evidence)
                for row, evidence in recall.weighed(question.question, MODES[mode])[:FIRST]
                if evidence.close is not None or mode != "_CLOSE"
            ]
            judged = [
                float(any(worth.grades([((row.session_id, row.turn_uuid), row.text)])))
                for row, _ in found
            ]
            evidence = [each for _, each in found]
            yield Asked(corpus, evidence, np.array(judged), not question.abstain)


def logistic(x: Numbers, y: Numbers, penalised: Numbers) -> Numbers:
    """The weights of a logistic function without a constant, by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(50):
        said = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (said - y) + penalised * weights
        bend = (x.T * (said * (1 - said))) @ x + np.diag(penalised)
        weights -= np.linalg.solve(bend, slope)
    return weights


def fitted(some: Sequence[Asked]) -> Weights:
    """The chances of candidates. Kinds are held together: of some there are few examples."""
    x = np.vstack([each.table() for each in some])
    y = np.concatenate([each.relevant for each in some])
    x = np.c_[np.ones(len(x)), x]
    made = logistic(x, y, np.r_[0.0, np.full(x.shape[1] - 1, PENALTY / 10)])
    constants = dict(zip(KINDS, (made[0] + made[1 : 1 + len(KINDS)]).tolist(), strict=True))
    return Weights(constants, *made[1 + len(KINDS) :].tolist())


def chances(weights: Weights, some: Asked) -> Numbers:
    return np.array(
        [weights.of(each.kind, each.share, each.coverage, _row(each)[-1]) for each in some.evidence]
    )


def fold_of(some: Sequence[Asked], first: str) -> list[str]:
    """The fold of each question; no fit to others has seen it."""
    order = list(range(len(some)))
    random.Random(1).shuffle(order)
    folds = [each.corpus for each in some]
    for place, n in enumerate(order):
        if some[n].corpus == first:
            folds[n] = str(place % FOLDS)
    return folds


def reliability(some: Sequence[Asked], said: Sequence[Numbers]) -> None:
    every, was = np.concatenate(said), np.concatenate([each.relevant for each in some])
    print("  said        n   mean   relevant")
    for low in np.arange(0, 1, 0.1):
        inside = (every >= low) & (every < low + 0.1)
        if inside.any():
            mean, true = every[inside].mean(), was[inside].mean()
            print(f"  {low:.1f}-{low + 0.1:.1f} {inside.sum():6}  {mean:5.2f}   {true:5.2f}")


Read = tuple[float, float]
"""What `best_read` says of a question."""


def _read(said: Numbers, some: Asked) -> Read:
    found = best_read(zip(said.tolist(), some.evidence, strict=True))
    return found or (0.0, 0.0)  # where nothing was read, nothing is said


def silence(read: Sequence[Read], answerable: Sequence[bool]) -> tuple[float, float]:
    """How much a name that nothing found holds takes from the logarithm of the mean chance, and
    below which mean chance nothing is relevant."""
    x = np.array([[1.0, mean, missing] for mean, missing in read])
    y = np.array(answerable, float)
    weights = logistic(x, y, np.array([0.0, 0.1, 0.1]))
    unnamed = float(-weights[2] / weights[1])
    return unnamed, threshold(read, answerable, unnamed)


def _values(read: Sequence[Read], unnamed: float) -> list[float]:
    return [mean - unnamed * missing for mean, missing in read]


def threshold(read: Sequence[Read], answerable: Sequence[bool], unnamed: float) -> float:
    values = list(zip(_values(read, unnamed), answerable, strict=True))
    points = abstaining([v for v, has in values if has], [v for v, has in values if not has])
    precise = [point for point in points if point.precision >= PRECISE]
    best: Abstaining = max(precise, key=lambda point: point.recall, default=points[0])
    above = min((v for v, _ in values if v > best.below), default=best.below)
    return float(np.exp((best.below + above) / 2))


def abstention(read: Sequence[Read], some: Sequence[Asked], folds: Sequence[str]) -> None:
    """What silences would have been worth whose weight and threshold were chosen by other folds."""
    silent: defaultdict[str, list[bool]] = defaultdict(list)
    without: defaultdict[str, int] = defaultdict(int)
    answerable = [each.answerable for each in some]
    for fold in sorted(set(folds)):
        others = [n for n, held in enumerate(folds) if held != fold]
        unnamed, below = silence([read[n] for n in others], [answerable[n] for n in others])
        for n in (n for n, held in enumerate(folds) if held == fold):
            without[some[n].corpus] += not answerable[n]
            if _values([read[n]], unnamed)[0] < np.log(below):
                silent[some[n].corpus].append(not answerable[n])
    print("  nothing relevant        times   rightly   of those without an answer")
    every = [right for rights in silent.values() for right in rights]
    for name, rights in [*silent.items(), ("all", every)]:
        lacking = sum(without.values()) if name == "all" else without[name]
        right, said = sum(rights), len(rights)
        print(f"  {name:20} {said:8}  {right / said:8.2f}   {right / lacking:.2f} of {lacking}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--corpus", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    found: dict[str, list[Asked]] = {name: [] for name in MODES}
    with tempfile.TemporaryDirectory(prefix="funes-bench-") as temporary:
        corpora = folders_of(options.sessions, options.corpus)
        for name, folder in corpora.items():
            repo = memory_of(folder, (options.keep or Path(temporary)).absolute() / name)
            with Catalog.open(repo.layout.catalog) as catalog:
                recall, passages = Recall(repo, catalog, Models({})), Passages(catalog)
                for mode in MODES:
                    found[mode] += asked(recall, passages, name, mode)
                recall.close()
    for mode, some in found.items():
        told(mode, some, fold_of(some, next(iter(corpora))))


def told(mode: str, some: Sequence[Asked], folds: Sequence[str]) -> None:
    weights = fitted(some)
    constants = ", ".join(f'"{kind}": {value:.3f}' for kind, value in weights.constants.items())
    print(f"\n{mode} = ({{{constants}}}, " + ", ".join(f"{each:.3f}" for each in weights[1:]) + ")")
    fits = {
        fold: fitted([each for each, held in zip(some, folds, strict=True) if held != fold])
        for fold in set(folds)
    }
    said = [chances(fits[fold], each) for each, fold in zip(some, folds, strict=True)]
    reliability(some, said)
    if mode != "_CLOSE":
        return
    answerable = [each.answerable for each in some]
    abstention([_read(c, each) for c, each in zip(said, some, strict=True)], some, folds)
    unnamed, below = silence([_read(chances(weights, each), each) for each in some], answerable)
    print(f"  _UNNAMED = {unnamed:.3f}, _NOTHING = {below:.4f}")


if __name__ == "__main__":
    main()
