"""How likely a passage is to answer: scores that mean the same for every question.

A logistic function of a few pieces of evidence. The numbers were fitted by tests/bench/calibrate.py
on the questions of tests/bench/questions.jsonl, which also prints how far they can be believed
(docs/concepts/recall.md). Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from funes_git.fusion import Ranked
from funes_git.model import Hit
from funes_git.store.records import ChunkRow


class Evidence(NamedTuple):
    """What speaks for a passage. `share`: of the best candidate's fused score; `coverage`: of the
    question's words, by their rarity; `kind` of block; `cosine` and `close` (MaxSim) where they are
    known; `named`: the share of the question's proper names that it holds, 1 if there are none."""

    share: float
    coverage: float
    kind: str
    cosine: float | None = None
    close: float | None = None
    named: float = 1.0


class Weights(NamedTuple):
    """Of a logistic function: a constant for each kind of block (others are as output), and the
    weights of share, coverage and the cosine or, better than it, MaxSim."""

    constants: Mapping[str, float]
    share: float
    coverage: float
    last: float = 0.0

    def of(self, kind: str, share: float, coverage: float, last: float) -> float:
        """The chance of a passage."""
        constant = self.constants.get(kind, self.constants["tool_result"])
        told = constant + self.share * share + self.coverage * coverage + self.last * last
        return 1 / (1 + math.exp(-told))


_WORDS: Final = Weights(
    {"text": -6.013, "thinking": -6.722, "tool_use": -8.035, "tool_result": -7.571}, 2.992, 4.637
)
_MEANING: Final = Weights(
    {"text": -10.704, "thinking": -11.275, "tool_use": -11.894, "tool_result": -11.397},
    3.374,
    3.486,
    8.104,
)
_CLOSE: Final = Weights(
    {"text": -8.756, "thinking": -9.257, "tool_use": -10.095, "tool_result": -9.894},
    2.345,
    1.228,
    11.251,
)

LOOKED_AT: Final = 3
"""Of how many hits the mean says whether anything is relevant."""
_UNNAMED: Final = 2.676
"""What is taken from the logarithm of their mean if none of them holds any of the names."""
_NOTHING: Final = 0.0703
"""The mean below which it is said that nothing relevant is there: of four fifths rightly, by
questions that had no part in choosing it (docs/concepts/recall.md)."""


_FAR: Final = 0.1
"""A hit that has less than this share of the best one's chance is noise …"""
_LEAST: Final = 0.03
"""… as is one with less than this."""


def likely(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits without those that are noise beside the best."""
    best = max((hit.score for hit in hits), default=0.0)
    floor = min(best, max(_FAR * best, _LEAST))
    return tuple(hit for hit in hits if hit.score >= floor)


def probability(evidence: Evidence) -> float:
    """How likely the passage is to be relevant, 0 to 1."""
    share, coverage, kind, cosine, close, _ = evidence
    if close is not None:
        return _CLOSE.of(kind, share, coverage, close)
    if cosine is not None:
        return _MEANING.of(kind, share, coverage, cosine)
    return _WORDS.of(kind, share, coverage, 0.0)


def best_read(candidates: Iterable[tuple[float, Evidence]]) -> tuple[float, float] | None:
    """Of the likeliest that were read closely, given with their chances: the logarithm of their
    mean chance, and the share of the question's names that none of them holds. None if nothing was
    read: words and vectors alone were wrong too often to say that nothing is there."""
    read = [(chance, each.named) for chance, each in candidates if each.close is not None]
    best = sorted(read, reverse=True)[:LOOKED_AT]
    if not best:
        return None
    mean = sum(chance for chance, _ in best) / len(best)
    return math.log(mean), 1.0 - max(named for _, named in best)


def relevant(candidates: Iterable[Evidence]) -> bool:
    """Whether anything that was found is likely to answer."""
    best = best_read((probability(each), each) for each in candidates)
    return best is None or best[0] - _UNNAMED * best[1] >= math.log(_NOTHING)


class Scales:
    """Weighs what speaks for each candidate of one question."""

    def __init__(
        self,
        telling: Mapping[str, float],
        names: Sequence[str],
        cosines: Mapping[str, float],
        close: Mapping[str, float],
        fused: Ranked,
    ) -> None:
        """`telling`: the question's stems with their weights; `names`: its proper names, in lower
        case; `cosines` and `close` by candidate, as far as they are known; `fused`: all candidates
        with their scores."""
        self._telling = telling
        self._all = sum(telling.values()) or 1.0
        self._names = names
        self._cosines = cosines
        self._floor = min(cosines.values(), default=None)
        self._close = close
        self._best = max((score for _, score in fused), default=0.0) or 1.0

    def evidence(self, row: ChunkRow, score: float) -> Evidence:
        """What speaks for a candidate with this fused score."""
        lowered = row.text.lower()
        held = sum(weight for stem, weight in self._telling.items() if stem in lowered)
        cosine = self._cosines.get(row.id, self._floor)  # it is no nearer than the last that was
        named = sum(name in lowered for name in self._names)
        return Evidence(
            score / self._best,
            held / self._all,
            row.block_type,
            cosine,
            self._close.get(row.id),
            named / len(self._names) if self._names else 1.0,
        )
