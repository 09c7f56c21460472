"""Blocks of equal lines: which are believed, and whose they are."""

from __future__ import annotations

from collections import Counter

from funes_git.git.diffs import FileChange, Hunk
from funes_git.linehash import exact_hash, loose_hash
from funes_git.link.evidence import added_lines
from funes_git.link.match import Candidate, Matching, match

LONG = "self.entries.popitem(last=False)  # evict the oldest"


def run(
    hunks: list[list[tuple[int, str]]], edits: dict[int, list[str]], **options: object
) -> Matching:
    """Match a commit's added lines against whole edits; a higher edit number is newer."""
    change = FileChange("a.py", hunks=[Hunk(added=lines) for lines in hunks])
    candidates: dict[int, list[Candidate]] = {}
    hash_of = loose_hash if options.get("loose") else exact_hash
    for edit, lines in edits.items():
        for pos, text in enumerate(lines, 1):
            candidates.setdefault(hash_of(text), []).append(Candidate(edit, edit, pos, len(lines)))
    return match(added_lines(change, Counter()), candidates, **options)  # type: ignore[arg-type]


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


def test_all_of_an_edit_is_believed_however_short() -> None:
    assert owners(run([[(3, "x = 1")]], {1: ["x = 1"]})) == {3: 1}


def test_a_short_line_that_stands_twice_is_nobodys() -> None:
    found = run([[(3, "x = 1")], [(9, "x = 1")]], {1: ["x = 1"]})
    assert owners(found) == {}


def test_blank_lines_alone_are_never_believed() -> None:
    assert owners(run([[(3, "")]], {1: [""]})) == {}


def test_a_session_that_made_the_commit_needs_no_weight() -> None:
    found = run([[(7, "return None")]], {1: ["a", "return None"]}, trusted=frozenset({1}))
    assert owners(found) == {7: 1}


def test_strict_matching_asks_for_the_full_weight() -> None:
    assert owners(run([[(1, LONG)]], {1: [LONG]}, enough=3.0, strict=True)) == {}


def test_white_space_may_differ_when_asked_loosely() -> None:
    edit = ["cache = Cache(size=128,ttl=60)"]
    assert owners(run([[(1, "cache = Cache(size=128, ttl=60)")]], {1: edit})) == {}
    loose = run([[(1, "cache = Cache(size=128, ttl=60)")]], {1: edit}, loose=True)
    assert owners(loose) == {1: 1}
