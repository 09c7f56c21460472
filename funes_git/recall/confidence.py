"""How likely a passage is to answer: scores that mean the same for every question.

A logistic function of a few pieces of evidence. The numbers were fitted by tests/bench/calibrate.py
on the questions of tests/bench/questions.jsonl, which also prints how far they can be believed
(docs/concepts/recall.md). Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from funes_git.fusion import Ranked
from funes_git.store.records import ChunkRow


class Evidence(NamedTuple):
    """What speaks for a passage. `share`: of the best candidate's fused score; `coverage`: of the
    question's words, by their rarity; `cosine` and `close` (MaxSim) where they are known."""

    share: float
    coverage: float
    prose: float
    cosine: float | None = None
    close: float | None = None


# constant, share, coverage, prose, and the cosine or, better than it, MaxSim
_WORDS: Final = (-7.425, 2.691, 5.252, 1.430)
_MEANING: Final = (-13.244, 3.457, 4.384, 0.668, 10.132)
_CLOSE: Final = (-10.567, 2.852, 2.023, 1.049, 11.090)

LOOKED_AT: Final = 3
"""Of how many hits the mean says whether anything is relevant."""
_NOTHING: Final = 0.06
"""Below it three of four such answers were right (docs/concepts/recall.md)."""


def probability(evidence: Evidence) -> float:
    """How likely the passage is to be relevant, 0 to 1."""
    share, coverage, prose, cosine, close = evidence
    if close is not None:
        weights, last = _CLOSE, close
    elif cosine is not None:
        weights, last = _MEANING, cosine
    else:
        weights, last = (*_WORDS, 0.0), 0.0
    constant, *rest = weights
    known = (share, coverage, prose, last)
    return 1 / (1 + math.exp(-constant - sum(w * v for w, v in zip(rest, known, strict=True))))


def relevant(candidates: Sequence[Evidence]) -> bool:
    """Whether anything that was found is likely to answer. Only a close reading can tell: words and
    vectors were wrong too often."""
    read = sorted(
        (probability(each) for each in candidates if each.close is not None), reverse=True
    )
    best = read[:LOOKED_AT]
    return not best or sum(best) / len(best) >= _NOTHING


class Scales:
    """Weighs what speaks for each candidate of one question."""

    def __init__(
        self,
        telling: Mapping[str, float],
        cosines: Mapping[str, float],
        close: Mapping[str, float],
        fused: Ranked,
    ) -> None:
        """`telling`: the question's stems with their weights; `cosines` and `close` by candidate,
        as far as they are known; `fused`: all candidates with their scores."""
        self._telling = telling
        self._all = sum(telling.values()) or 1.0
        self._cosines = cosines
        self._floor = min(cosines.values(), default=None)
        self._close = close
        self._best = max((score for _, score in fused), default=0.0) or 1.0

    def evidence(self, row: ChunkRow, score: float) -> Evidence:
        """What speaks for a candidate with this fused score."""
        lowered = row.text.lower()
        held = sum(weight for stem, weight in self._telling.items() if stem in lowered)
        cosine = self._cosines.get(row.id, self._floor)  # it is no nearer than the last that was
        share = score / self._best
        return Evidence(share, held / self._all, row.prose, cosine, self._close.get(row.id))
