"""Fits the scores of recall (funes_git/recall/confidence.py) to what was judged, and prints how far
they can be believed.

    python tests/bench/calibrate.py SESSIONS [--corpus NAME=FOLDER]... [--keep FOLDER]

Every candidate of every question counts: 1 if a relevant turn or its very words, else 0. What is
said of a fit was asked of questions that it had not seen (five folds). Needs the extra `offline`.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from corpora import folders_of, memory_of
from numpy.typing import NDArray
from passages import Judged, Passages
from questions import load

from funes_git.models import Models
from funes_git.recall import Recall, Stages
from funes_git.recall.confidence import LOOKED_AT
from funes_git.recall.stages import ALL, LEXICAL
from funes_git.store.catalog import Catalog

Numbers = NDArray[np.float64]

MODES = {
    "_WORDS": LEXICAL,
    "_MEANING": replace(ALL, reading=0.0),
    "_CLOSE": replace(ALL, reading=60.0),  # all that may be read, however slow the machine is
}
FIRST, FOLDS, PENALTY = 20, 5, 1.0


@dataclass
class Asked:
    """One question's candidates: what speaks for each, and whether it is relevant."""

    evidence: Numbers
    relevant: Numbers
    answerable: bool


def asked(recall: Recall, passages: Passages, corpus: str, stages: Stages) -> Iterator[Asked]:
    for question in load():
        if question.corpus == corpus:
            worth = Judged(question, passages)
            found = recall.weighed(question.question, stages)[:FIRST]
            rows = [
                [*evidence[:3], *([last] if last is not None else [])]
                for _, evidence in found
                for last in [evidence.cosine if evidence.close is None else evidence.close]
                if evidence.close is not None or stages is not MODES["_CLOSE"]
            ]
            judged = [
                float(any(worth.grades([((row.session_id, row.turn_uuid), row.text)])))
                for row, _ in found[: len(rows)]
            ]
            yield Asked(np.array(rows, float), np.array(judged), not question.abstain)


def fitted(some: Sequence[Asked]) -> Numbers:
    """Constant and weights of a logistic function, by Newton's method."""
    x = np.vstack([each.evidence for each in some if len(each.evidence)])
    y = np.concatenate([each.relevant for each in some if len(each.evidence)])
    middle, width = x.mean(0), x.std(0) + 1e-9
    z = np.c_[np.ones(len(x)), (x - middle) / width]
    weights = np.zeros(z.shape[1])
    for _ in range(50):
        said = 1 / (1 + np.exp(-z @ weights))
        pull = np.r_[0.0, weights[1:]] * PENALTY
        slope = z.T @ (said - y) + pull
        bend = (z.T * (said * (1 - said))) @ z + np.diag(np.r_[0.0, np.full(len(width), PENALTY)])
        weights -= np.linalg.solve(bend, slope)
    scaled = weights[1:] / width
    return np.r_[weights[0] - scaled @ middle, scaled]


def chances(weights: Numbers, evidence: Numbers) -> Numbers:
    made: Numbers = 1 / (1 + np.exp(-(weights[0] + evidence @ weights[1:])))
    return made


def unseen(some: Sequence[Asked]) -> list[Numbers]:
    """The chances of each question's candidates by a fit to the other folds."""
    order = list(range(len(some)))
    random.Random(1).shuffle(order)
    found: list[Numbers] = [np.zeros(0)] * len(some)
    for fold in range(FOLDS):
        held = set(order[fold::FOLDS])
        weights = fitted([each for n, each in enumerate(some) if n not in held])
        for n in held:
            found[n] = chances(weights, some[n].evidence) if len(some[n].evidence) else np.zeros(0)
    return found


def reliability(some: Sequence[Asked], said: Sequence[Numbers]) -> None:
    every, was = np.concatenate(said), np.concatenate([each.relevant for each in some])
    print("  said        n   mean   relevant")
    for low in np.arange(0, 1, 0.1):
        inside = (every >= low) & (every < low + 0.1)
        if inside.any():
            mean, true = every[inside].mean(), was[inside].mean()
            print(f"  {low:.1f}-{low + 0.1:.1f} {inside.sum():6}  {mean:5.2f}   {true:5.2f}")


def abstention(some: Sequence[Asked], said: Sequence[Numbers]) -> None:
    best = [float(np.sort(each)[-LOOKED_AT:].mean()) if len(each) else 0.0 for each in said]
    print("  below   abstains   rightly   of those without an answer")
    without = sum(not each.answerable for each in some)
    for below in (0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2, 0.25, 0.3):
        silent = [each for each, value in zip(some, best, strict=True) if value < below]
        rightly = sum(not each.answerable for each in silent)
        if silent and without:
            print(
                f"  {below:5.3f}   {len(silent):8}   {rightly / len(silent):7.2f}   "
                f"{rightly / without:.2f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--corpus", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    found: dict[str, list[Asked]] = {name: [] for name in MODES}
    with tempfile.TemporaryDirectory(prefix="funes-bench-") as temporary:
        for name, folder in folders_of(options.sessions, options.corpus).items():
            repo = memory_of(folder, (options.keep or Path(temporary)).absolute() / name)
            with Catalog.open(repo.layout.catalog) as catalog:
                recall, passages = Recall(repo, catalog, Models({})), Passages(catalog)
                for mode, stages in MODES.items():
                    found[mode] += asked(recall, passages, name, stages)
                recall.close()
    for mode, some in found.items():
        print(f"\n{mode} = ({', '.join(f'{value:.3f}' for value in fitted(some))})")
        said = unseen(some)
        reliability(some, said)
        abstention(some, said)


if __name__ == "__main__":
    main()
