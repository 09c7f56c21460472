"""How words, meaning and names become one order. Pure arithmetic; knows no store.

A passage's score is

    (BM25 / best BM25 + 0.8 × cosine, scaled to 0…1 over the candidates
     + 0.6 × share of the question's identifiers that the passage holds) × prior of its kind

Scores, not ranks, are added up, since how far the best is ahead says something. For a question with
identifiers the prior counts half as much: what is looked up may be output. The weights, and what
each term is worth, are in docs/concepts/recall.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_MEANING = 0.8
_NAMES = 0.6
_PRIOR = {"text": 1.0, "thinking": 0.9, "tool_use": 0.8, "tool_result": 0.7}

Ranked = Sequence[tuple[str, float]]
"""Chunk ids with scores, best first."""


def fuse(
    words: Ranked,
    meaning: Ranked,
    passages: Mapping[str, tuple[str, str]],
    identifiers: Sequence[str],
    *,
    kinds: bool = True,
) -> list[tuple[str, float]]:
    """The candidates of both lists in one order, best first.

    `passages` gives each candidate's kind of block and text; candidates that it lacks are left
    out. `identifiers` are those of the question, in lower case. Without `kinds`, prose is no
    better than output.
    """
    lexical, dense = _by_best(words), _by_range(meaning)
    scores = {
        chunk: (lexical.get(chunk, 0.0) + _MEANING * dense.get(chunk, 0.0))
        for chunk in dict.fromkeys((*lexical, *dense))
        if chunk in passages
    }
    for chunk, score in scores.items():
        kind, text = passages[chunk]
        prior = _PRIOR.get(kind, _PRIOR["tool_result"]) if kinds else 1.0
        if identifiers:
            score += _NAMES * _coverage(identifiers, text)
            prior **= 0.5
        scores[chunk] = score * prior
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))


def _by_best(ranked: Ranked) -> dict[str, float]:
    best = max((score for _, score in ranked), default=0.0)
    return {chunk: score / best if best > 0 else 0.0 for chunk, score in ranked}


def _by_range(ranked: Ranked) -> dict[str, float]:
    if not ranked:
        return {}
    values = [score for _, score in ranked]
    low, high = min(values), max(values)
    width = high - low
    return {chunk: (score - low) / width if width > 0 else 1.0 for chunk, score in ranked}


def _coverage(identifiers: Sequence[str], text: str) -> float:
    lowered = text.lower()
    return sum(name in lowered for name in identifiers) / len(identifiers)
