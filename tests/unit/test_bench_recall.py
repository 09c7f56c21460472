"""The question set of recall is what it says, and the benchmark counts as it should."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from bench.measures import (
    abstaining,
    best_abstaining,
    hit,
    mean,
    ndcg,
    paired_bootstrap,
    reciprocal_rank,
)
from bench.questions import FILE, KINDS, Question, load

QUESTIONS = load()
ANSWERED = [question for question in QUESTIONS if not question.abstain]


def share(*kinds: str) -> float:
    return sum(question.kind in kinds for question in ANSWERED) / len(ANSWERED)


def test_every_record_has_the_fields_of_a_question_and_no_other() -> None:
    wanted = {"id", "corpus", "question", "kind", "gold", "quote", "judge", "abstain"}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert set(record) == wanted, record["id"]
        for entry in record["gold"]:
            assert set(entry) <= {"session", "turns", "grade", "judge"}, record["id"]
            assert entry["turns"], record["id"]


def test_there_are_enough_questions_of_every_kind() -> None:
    assert len(ANSWERED) >= 150
    assert len(QUESTIONS) - len(ANSWERED) >= 30
    assert share("decision", "dead-end") >= 1 / 3
    for kind in set(KINDS) - {"none"}:
        assert share(kind) >= 0.03, kind


def test_the_questions_are_spread_over_sessions_and_corpora() -> None:
    assert len({gold.session for question in ANSWERED for gold in question.gold}) >= 60
    assert len({question.corpus for question in ANSWERED}) >= 3


def test_ids_and_questions_are_there_once() -> None:
    assert [n for n, count in Counter(q.id for q in QUESTIONS).items() if count > 1] == []
    asked = Counter(q.question.casefold() for q in QUESTIONS)
    assert [text for text, count in asked.items() if count > 1] == []


def test_a_question_is_answered_and_quoted_or_has_no_answer() -> None:
    def whole(question: Question) -> bool:
        if question.abstain:
            return question.kind == "none" and not question.gold and not question.quote
        graded = {gold.grade for gold in question.gold}
        return 2 in graded <= {1, 2} and question.kind != "none" and bool(question.quote)

    assert [q.id for q in QUESTIONS if not whole(q) or q.kind not in KINDS or not q.judge] == []


def test_quotes_are_short_since_sessions_are_not_ours_to_copy() -> None:
    assert [q.id for q in QUESTIONS if len(q.quote) > 120] == []


def test_hit_looks_at_the_first_k_alone() -> None:
    assert hit([0, 0, 1], 2) == 0.0
    assert hit([0, 0, 1], 3) == 1.0
    assert hit([], 8) == 0.0


def test_reciprocal_rank_is_of_the_first_relevant_result() -> None:
    assert reciprocal_rank([0, 0, 1, 2]) == pytest.approx(1 / 3)
    assert reciprocal_rank([0] * 10 + [2]) == 0.0


def test_ndcg_by_hand() -> None:
    # gains 0, 3 at place 2, 1 at place 3; the best order has 3, 1
    by_hand = (3 / 1.5849625 + 1 / 2) / (3 / 1 + 1 / 1.5849625)
    assert ndcg([0, 2, 1], [1, 2]) == pytest.approx(by_hand)
    assert ndcg([2, 1], [1, 2]) == pytest.approx(1.0)
    assert ndcg([0, 0], [2]) == 0.0
    assert ndcg([2], []) == 0.0


def test_the_best_order_has_no_more_places_than_are_counted() -> None:
    assert ndcg([1] * 10, [1] * 40) == pytest.approx(1.0)


def test_a_paired_difference_that_is_always_the_same_is_certain() -> None:
    found = paired_bootstrap([1.0, 0.5, 0.75], [0.5, 0.0, 0.25])
    assert (found.difference, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))


def test_a_paired_difference_carried_by_one_question_is_uncertain() -> None:
    found = paired_bootstrap([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0])
    assert found.difference == pytest.approx(0.25)
    assert found.low == 0.0
    assert found.high > 0.5


def test_systems_are_compared_on_the_same_questions_only() -> None:
    with pytest.raises(ValueError, match="argument 2 is"):
        paired_bootstrap([1.0], [1.0, 0.0])


def test_abstaining_by_hand() -> None:
    points = abstaining(answered=[0.9, 0.8, 0.3], unanswerable=[0.2, 0.4])
    assert [point.below for point in points] == [0.2, 0.3, 0.4, 0.8, 0.9]
    assert [point.precision for point in points] == pytest.approx([1, 1 / 2, 2 / 3, 2 / 4, 2 / 5])
    assert [point.recall for point in points] == [0.5, 0.5, 1.0, 1.0, 1.0]
    best = best_abstaining(points)
    assert best is not None
    assert (best.below, best.recall) == (0.2, 0.5)
    assert best_abstaining(points[1:]) is None


def test_the_mean_of_nothing_is_nothing() -> None:
    assert mean([]) == 0.0
