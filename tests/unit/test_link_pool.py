"""Which edit's line a commit may show: claims, releases and removals."""

from __future__ import annotations

from dataclasses import dataclass

from funes_git.git.patch import FileChange, Hunk
from funes_git.linehash import exact_hash, loose_hash
from funes_git.link.difflines import removed_lines
from funes_git.link.editrows import ADDED, RELEASED, REMOVED, Claim, Claims
from funes_git.link.edittext import EditText
from funes_git.link.graph import Graph
from funes_git.link.place import Places
from funes_git.link.pool import Pool
from funes_git.link.release import released
from funes_git.model import LineKey, Operation

LINE = "entries.move_to_end(key)"


@dataclass(frozen=True)
class Row:
    """An edit as the catalog gives it."""

    id: int
    ts: float | None
    added: tuple[LineKey, ...] = ()
    removed: tuple[LineKey, ...] = ()
    path: str = "cache.py"
    old_path: str | None = None
    operation: Operation = "modify"
    edit_id: str = "e"
    session_id: str = "s"
    turn_uuid: str = "t"
    harness: str = "claude_code"


def keys(*lines: str) -> tuple[LineKey, ...]:
    return tuple(LineKey(n, exact_hash(t), loose_hash(t)) for n, t in enumerate(lines, 1))


def graph(*shas: str) -> Graph:
    """A straight history."""
    found = Graph()
    for before, sha in zip([None, *shas], shas, strict=False):
        found.add(sha, [before] if before else [])
    return found


def open_edits(pool: Pool, commit: str, bound: float = 100.0) -> list[int]:
    found = pool.added([exact_hash(LINE)], commit, bound)
    return [c.edit for c in found.get(exact_hash(LINE), [])]


def test_an_edit_made_after_the_commit_is_no_candidate() -> None:
    pool = Pool([Row(1, ts=50.0, added=keys(LINE))], {}, graph("a"))
    assert open_edits(pool, "a", bound=49.0) == []
    assert open_edits(pool, "a", bound=50.0) == [1]


def test_an_edit_without_a_time_is_no_candidate() -> None:
    assert open_edits(Pool([Row(1, ts=None, added=keys(LINE))], {}, graph("a")), "a") == []


def test_a_claimed_line_is_closed_for_later_commits_but_not_for_other_branches() -> None:
    history = graph("a", "b")
    history.add("side", [])
    claims: Claims = {(1, 1): [Claim(1, 1, ADDED, "a")]}
    pool = Pool([Row(1, ts=1.0, added=keys(LINE))], claims, history)
    assert open_edits(pool, "b") == []
    assert open_edits(pool, "side") == [1]


def test_a_commit_that_removes_the_line_opens_it_again() -> None:
    claims: Claims = {(1, 1): [Claim(1, 1, ADDED, "a")]}
    change = FileChange("cache.py", hunks=[Hunk(removed=[(1, LINE)])])
    pool = Pool([Row(1, ts=1.0, added=keys(LINE))], claims, graph("a", "revert", "again"))
    places = Places(lambda: [LINE], lambda edit: EditText())
    gone = released(
        pool, removed_lines(change), "revert", lambda: [LINE], places, lambda edit, key: False
    )
    assert gone == [Claim(1, 1, RELEASED, "revert")]
    claims[1, 1] += gone
    assert open_edits(pool, "again") == [1]


def test_a_line_that_a_later_edit_took_back_before_the_commit_is_closed() -> None:
    rows = [Row(1, ts=1.0, added=keys(LINE)), Row(2, ts=2.0, removed=keys(LINE))]
    pool = Pool(rows, {}, graph("a"))
    assert open_edits(pool, "a") == []
    assert open_edits(pool, "a", bound=1.5) == [1], "before it was taken back"


def test_a_committed_removal_takes_nothing_back_from_a_restoring_commit() -> None:
    rows = [Row(1, ts=1.0, added=keys(LINE)), Row(2, ts=2.0, removed=keys(LINE))]
    claims: Claims = {
        (1, 1): [Claim(1, 1, ADDED, "a"), Claim(1, 1, RELEASED, "deletes")],
        (2, 1): [Claim(2, 1, REMOVED, "deletes")],
    }
    assert open_edits(Pool(rows, claims, graph("a", "deletes", "restores")), "restores") == [1]


def test_an_edit_that_moves_a_line_keeps_it() -> None:
    row = Row(1, ts=1.0, added=keys("x", LINE), removed=keys(LINE))
    assert open_edits(Pool([row], {}, graph("a")), "a") == [1]
