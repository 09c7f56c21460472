"""Blocks of equal lines: which are believed, and whose they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from funes_git.git.patch import FileChange, Hunk
from funes_git.linehash import exact_hash, loose_hash
from funes_git.link.belief import Heavy, Placed
from funes_git.link.difflines import added_lines
from funes_git.link.match import Block, Candidate, Matching, Pair, match

LONG = "self.entries.popitem(last=False)  # evict the oldest"

RIVAL = Block(99, [])


class Around:
    """Every block has the same surroundings."""

    def __init__(
        self, evidence: float | None, later: float, rival: float, returned: float, alone: bool
    ) -> None:
        self._evidence, self._later, self._rival = evidence, later, rival
        self._returned, self._alone = returned, alone

    def evidence(self, block: Block) -> float | None:
        return self._rival if block is RIVAL else self._evidence

    def later_evidence(self, block: Block) -> float:
        return self._later

    def returned(self, block: Block) -> float:
        return self._returned

    def alone(self, block: Block) -> bool:
        return self._alone


def believe(
    *,
    evidence: float | None = None,
    later: float = 0.0,
    returned: float = 0.0,
    due: int = 1,
    moved: bool = False,
    whole: bool = False,
    replaced: bool = False,
    strict: bool = False,
    rival: float | None = None,
    alone: bool = True,
) -> Placed:
    """Belief where nothing is known of the surroundings, if nothing is said of them; `rival` is the
    evidence for an edit of another session."""
    return Placed(
        Around(evidence, later, rival or 0.0, returned, alone),
        lambda block: [[RIVAL] * (rival is not None)] * len(block.pairs),
        lambda e, p: moved,
        lambda e: due,
        lambda e: whole,
        lambda e: replaced,
        Counter(),
        strict,
    )


def run(
    hunks: list[list[tuple[int, str]]],
    edits: dict[int, list[str]],
    belief: Callable[[Block], bool] | None = None,
    loose: bool = False,
    near: bool = True,
    known: dict[int, list[Pair]] | None = None,
) -> Matching:
    """Match a commit's added lines against whole edits; a higher edit number is newer."""
    change = FileChange("a.py", hunks=[Hunk(added=lines) for lines in hunks])
    candidates: dict[int, list[Candidate]] = {}
    hash_of = loose_hash if loose else exact_hash
    for edit, lines in edits.items():
        for pos, text in enumerate(lines, 1):
            candidates.setdefault(hash_of(text), []).append(Candidate(edit, edit, pos, len(lines)))
    lines = added_lines(change, Counter())
    known = known or {} if near else None
    return match(lines, candidates, belief or believe(), loose=loose, known=known)


def owners(matching: Matching) -> dict[int, int]:
    """Line number → edit."""
    return {line.number: b.edit for b in matching.blocks for line, _ in b.pairs}


def test_one_distinctive_line_is_enough() -> None:
    assert owners(run([[(7, LONG)]], {1: [LONG, "other"]})) == {7: 1}


def test_boilerplate_alone_proves_nothing_and_is_doubtful() -> None:
    found = run([[(7, "    return None")]], {1: ["def a():", "    return None"]})
    assert owners(found) == {}
    assert found.doubtful == {7}


def test_boilerplate_inside_a_block_goes_with_it() -> None:
    lines = ["def evict(self):", f"    {LONG}", "    return None", ""]
    found = run([list(enumerate(lines, 10))], {1: lines})
    assert owners(found) == {10: 1, 11: 1, 12: 1, 13: 1}


def test_a_line_that_a_person_changed_stays_theirs() -> None:
    wrote = [LONG, "two = second_value()", "three = third_value()"]
    committed = [(1, LONG), (2, "two = changed_by_a_person()"), (3, "three = third_value()")]
    assert owners(run([committed], {1: wrote})) == {1: 1, 3: 1}


def test_the_newest_edit_wins_a_line() -> None:
    assert owners(run([[(1, LONG)]], {1: [LONG], 2: [LONG]})) == {1: 2}


def test_a_newer_edit_takes_only_its_own_lines_of_an_older_block() -> None:
    old = ["first = open_the_file(path)", LONG, "last = close_the_file(path)"]
    found = run([list(enumerate(old, 1))], {1: old, 2: [LONG]})
    assert owners(found) == {1: 1, 2: 2, 3: 1}


def test_a_short_line_is_believed_at_its_place_alone() -> None:
    assert owners(run([[(3, "x = 1")]], {1: ["x = 1"]})) == {}
    assert owners(run([[(3, "x = 1")]], {1: ["x = 1"]}, believe(evidence=1.0))) == {3: 1}


def test_of_two_equal_lines_the_one_at_its_place_is_believed() -> None:
    def at_nine(block: Block) -> bool:
        return block.pairs[0][0].number == 9

    found = run([[(3, "x = 1")], [(9, "x = 1")]], {1: ["x = 1"]}, at_nine)
    assert owners(found) == {9: 1}
    assert found.doubtful == {3}


def test_blank_lines_alone_are_never_believed() -> None:
    assert owners(run([[(3, "")]], {1: [""]}, believe(evidence=2.0))) == {}


def test_a_distinctive_line_away_from_its_place_is_not_believed() -> None:
    assert owners(run([[(1, LONG)]], {1: [LONG]}, believe(evidence=0.0))) == {}


def test_a_distinctive_line_is_believed_anywhere_with_all_of_its_edit() -> None:
    assert owners(run([[(1, LONG)]], {1: [LONG]}, believe(evidence=0.0, whole=True))) == {1: 1}


def test_a_later_edit_tells_where_a_line_came_to_stand() -> None:
    assert owners(run([[(1, LONG)]], {1: [LONG]}, believe(evidence=0.0, later=1.0))) == {1: 1}


def test_a_light_line_that_another_session_has_too_needs_both_neighbours_in_later_edits() -> None:
    cases = (
        ("x = first", believe(evidence=0.0, later=1.0), {1: 1}),
        ("x = first", believe(evidence=0.0, later=1.0, rival=0.0), {}),
        ("x = first", believe(evidence=0.0, later=1.5, rival=0.0), {1: 1}),
        (LONG, believe(evidence=0.0, later=1.0, rival=0.0), {1: 1}),
    )
    for text, belief, found in cases:
        assert owners(run([[(1, text)]], {1: [text]}, belief)) == found


def test_all_of_an_edit_proves_no_light_line_that_stands_twice() -> None:
    cases = (
        ("x = first", True, {1: 1}),
        ("x = first", False, {}),
        (LONG, False, {1: 1}),
    )
    for text, alone, found in cases:
        belief = believe(evidence=0.0, whole=True, alone=alone)
        assert owners(run([[(1, text)]], {1: [text]}, belief)) == found


def test_a_line_that_comes_back_is_believed_where_it_stood() -> None:
    cases = (
        (LONG, 0.5, {1: 1}),
        (LONG, 0.4, {}),
        ("x = first", 2.0, {1: 1}),
        ("x = first", 1.0, {}),
        ("import os", 2.0, {}),
    )
    for text, returned, found in cases:
        belief = believe(evidence=0.0, returned=returned)
        assert owners(run([[(1, text)]], {1: [text]}, belief)) == found


def test_a_line_is_believed_with_the_one_that_it_replaced() -> None:
    cases = (
        (believe(evidence=0.0, replaced=True), {1: 1}),
        (believe(evidence=0.0, replaced=True, rival=0.0), {}),
        (believe(evidence=0.0, replaced=True, due=3), {}),
        (believe(evidence=0.0, replaced=True, strict=True), {}),
    )
    for belief, found in cases:
        assert owners(run([[(1, "x = first")]], {1: ["x = first"]}, belief)) == found
    belief = believe(evidence=0.0, replaced=True)
    assert owners(run([[(1, "import os")]], {1: ["import os"]}, belief)) == {}


def test_a_distinctive_line_is_not_believed_where_most_of_the_edit_is_missing() -> None:
    assert owners(run([[(1, LONG)]], {1: [LONG]}, believe(due=9))) == {}


def test_what_two_sessions_may_have_put_beside_a_line_is_given_to_none() -> None:
    for evidence, rival, found in ((1.0, 1.0, {}), (1.0, 0.4, {1: 1}), (1.5, 1.0, {1: 1})):
        belief = believe(evidence=evidence, rival=rival)
        assert owners(run([[(1, LONG)]], {1: [LONG]}, belief)) == found


def test_a_line_that_another_session_wrote_too_is_not_believed_for_being_moved_or_complete() -> (
    None
):
    for rival, found in ((None, {1: 1}), (0.0, {})):
        for moved, whole in ((True, False), (False, True)):
            belief = believe(evidence=0.0, moved=moved, whole=whole, rival=rival)
            assert owners(run([[(1, LONG)]], {1: [LONG]}, belief)) == found


def test_a_line_that_differs_in_white_space_is_believed_between_both_neighbours() -> None:
    for evidence, later, found in ((1.0, 1.0, {}), (1.5, 0.0, {1: 1}), (0.0, 1.5, {1: 1})):
        belief = believe(evidence=evidence, later=later)
        assert owners(run([[(1, f"    {LONG}")]], {1: [LONG]}, belief, loose=True)) == found


def test_two_distinctive_lines_are_believed_anywhere() -> None:
    lines = [LONG, "two = second_value()  # of the cache"]
    found = run([list(enumerate(lines, 5))], {1: lines}, believe(due=9, evidence=0.0))
    assert owners(found) == {5: 1, 6: 1}


def test_what_the_same_commit_moves_keeps_its_author_unless_everyone_writes_it() -> None:
    moved = believe(moved=True, evidence=0.0)
    assert owners(run([[(1, "limit = 12")]], {1: ["limit = 12"]}, moved)) == {1: 1}
    assert owners(run([[(1, "import os")]], {1: ["import os"]}, moved)) == {}


def test_what_was_taken_back_is_believed_at_its_place_alone() -> None:
    for evidence, found in ((None, {}), (0.0, {}), (1.0, {1: 1})):
        belief = believe(evidence=evidence, strict=True)
        assert owners(run([[(1, LONG)]], {1: [LONG]}, belief)) == found


def test_weight_alone_counts_where_there_is_nothing_else() -> None:
    assert owners(run([[(1, LONG)]], {1: [LONG]}, Heavy(3.0), near=False)) == {}


def test_a_line_beside_one_that_is_believed_already_goes_with_it() -> None:
    wrote = ["x = 1", LONG]
    committed = added_lines(FileChange("a.py", hunks=[Hunk(added=[(8, LONG)])]), Counter())
    known = {1: [(committed[0], 2)]}
    assert owners(run([[(7, "x = 1")]], {1: wrote}, believe(evidence=0.0), known=known)) == {7: 1}
    assert owners(run([[(9, "x = 1")]], {1: wrote}, believe(evidence=0.0), known=known)) == {}


def test_white_space_may_differ_when_asked_loosely() -> None:
    edit = ["cache = Cache(size=128,ttl=60)"]
    assert owners(run([[(1, "cache = Cache(size=128, ttl=60)")]], {1: edit})) == {}
    loose = run([[(1, "cache = Cache(size=128, ttl=60)")]], {1: edit}, loose=True)
    assert owners(loose) == {1: 1}


def test_blank_lines_and_braces_go_with_lines_that_they_touch() -> None:
    wrote = [LONG, "", "}", "two = second_value()", "}", ""]
    for changed, kept in ((4, {1: 1, 2: 1, 3: 1}), (2, {1: 1, 3: 1, 4: 1, 5: 1, 6: 1})):
        lines = [*wrote]
        lines[changed - 1] = "a person's"
        assert owners(run([list(enumerate(lines, 1))], {1: wrote})) == kept


def test_a_blank_line_does_not_go_with_lines_beyond_one_of_a_person() -> None:
    wrote = [LONG, "three = third_value()", ""]
    assert owners(run([[(1, LONG), (2, "mine"), (3, "")]], {1: wrote})) == {1: 1}
    known = {
        1: [(added_lines(FileChange("a.py", hunks=[Hunk(added=[(1, LONG)])]), Counter())[0], 1)]
    }
    for number, kept in ((2, {2: 1}), (3, {})):
        assert owners(run([[(number, "")]], {1: wrote}, known=known)) == kept


def test_blank_lines_are_not_counted_among_what_an_edit_has_to_show() -> None:
    wrote = ["## Unreleased", "", "### Changed", "", "- one", "- two"]
    committed = ["## Unreleased", "", "### Added", "", "- three", "- four"]
    for due, kept in ((4, {}), (2, {1: 1, 2: 1})):
        belief = believe(evidence=1.0, due=due)
        assert owners(run([list(enumerate(committed, 1))], {1: wrote}, belief)) == kept
