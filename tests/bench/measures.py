"""The arithmetic of a retrieval benchmark: what a list of grades is worth. Pure.

A list holds the grade of each result, best first: 2 answers the question, 1 helps, 0 is neither.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass


def hit(grades: Sequence[int], k: int) -> float:
    """1.0 if any of the first `k` results is relevant."""
    return float(any(grades[:k]))


def reciprocal_rank(grades: Sequence[int], k: int = 10) -> float:
    """One over the place of the first relevant result among the first `k`."""
    return next((1 / place for place, grade in enumerate(grades[:k], 1) if grade), 0.0)


def ndcg(grades: Sequence[int], ideal: Sequence[int], k: int = 10) -> float:
    """Discounted gain of the first `k` results over that of the best order of `ideal`, the grades
    of everything relevant; a grade g gains 2^g - 1."""
    best = _gain(sorted(ideal, reverse=True)[:k])
    return _gain(grades[:k]) / best if best else 0.0


def _gain(grades: Sequence[int]) -> float:
    return sum((2**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades, 1))


def mean(values: Sequence[float]) -> float:
    """The mean, 0.0 of nothing."""
    return sum(values) / len(values) if values else 0.0


@dataclass(frozen=True)
class Interval:
    """A difference of means with the interval that holds 95 % of the resampled differences."""

    difference: float
    low: float
    high: float


def paired_bootstrap(
    one: Sequence[float], other: Sequence[float], rounds: int = 4000, seed: int = 1
) -> Interval:
    """How much better `one` is than `other`, question by question. Raises ValueError where they
    were not measured on as many questions."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    draw = random.Random(seed)
    means = sorted(mean(draw.choices(differences, k=len(differences))) for _ in range(rounds))
    return Interval(mean(differences), means[int(rounds * 0.025)], means[int(rounds * 0.975)])


@dataclass(frozen=True)
class Abstaining:
    """Saying that nothing is there below a score: of those times, how often rightly (precision);
    of the questions without an answer, how many (recall)."""

    below: float
    precision: float
    recall: float


def abstaining(answered: Sequence[float], unanswerable: Sequence[float]) -> list[Abstaining]:
    """Precision and recall of abstaining below each best score that occurred: of questions that
    have an answer, and of those that have none."""
    found = []
    for below in sorted({*answered, *unanswerable}):
        rightly = sum(score <= below for score in unanswerable)
        wrongly = sum(score <= below for score in answered)
        found.append(Abstaining(below, rightly / (rightly + wrongly), rightly / len(unanswerable)))
    return found


def best_abstaining(points: Sequence[Abstaining], precision: float = 0.8) -> Abstaining | None:
    """The point of most recall among those precise enough, None if there is none."""
    enough = [point for point in points if point.precision >= precision]
    return max(enough, key=lambda point: (point.recall, point.precision), default=None)
