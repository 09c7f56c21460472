"""Line hashes, and the lines that an edit added and removed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from funes_git import lines
from funes_git.linehash import exact_hash, loose_hash
from funes_git.lines import changes
from funes_git_parsers.base import Edit, Hunk, Operation


def edit(
    operation: Operation = "modify",
    old: str | None = None,
    new: str | None = None,
    hunks: tuple[Hunk, ...] = (),
) -> Edit:
    return Edit("s", "t", "u", 0, None, "/r/a.py", operation, "Edit", old, new, None, hunks)


def test_exact_hash_ignores_trailing_white_space_and_the_kind_of_line_end() -> None:
    assert exact_hash("  x = 1\r") == exact_hash("  x = 1") == exact_hash("  x = 1 \t")
    assert exact_hash("  x = 1") != exact_hash("x = 1")


def test_loose_hash_ignores_all_white_space() -> None:
    assert loose_hash("\tif (x)  {") == loose_hash("if(x){")
    assert loose_hash("if(x){") != loose_hash("if(y){")


def test_hashes_are_signed_64_bit_and_never_change() -> None:
    # stored in memories: another value would unlink everything recorded before
    assert exact_hash("return cache[key]") == 351152477021187252
    assert loose_hash("return cache[key]") == 1931379199975601101
    assert all(-(2**63) <= exact_hash(str(n)) < 2**63 for n in range(100))


def test_undecodable_bytes_of_a_git_object_can_be_hashed() -> None:
    assert exact_hash(b"caf\xe9".decode("utf-8", "surrogateescape")) != exact_hash("caf")


def test_a_created_file_adds_all_its_lines() -> None:
    added, removed, diff = changes(edit("create", new="a\nb\n"))
    assert added == [(1, "a"), (2, "b")]
    assert removed == []
    assert diff == "@@ -1,0 +1,2 @@\n+a\n+b"


def test_a_deleted_file_removes_all_its_lines() -> None:
    added, removed, diff = changes(edit("delete", old="a\nb"))
    assert (added, removed) == ([], [(1, "a"), (2, "b")])
    assert diff == "@@ -1,2 +1,0 @@\n-a\n-b"


def test_lines_kept_by_a_replacement_are_neither_added_nor_removed() -> None:
    added, removed, diff = changes(edit(old="def f():\n    x\n    z", new="def f():\n    y\n    z"))
    assert added == [(2, "    y")]
    assert removed == [(2, "    x")]
    assert diff == "@@ -1,3 +1,3 @@\n def f():\n-    x\n+    y\n     z"


def test_hunks_win_over_a_text_cut_in_the_middle_of_a_line() -> None:
    hunk = Hunk(10, 10, (" before", "-x = old(1)", "+x = new(1)", " after"))
    added, removed, diff = changes(edit(old="old", new="new", hunks=(hunk,)))
    assert added == [(11, "x = new(1)")]
    assert removed == [(11, "x = old(1)")]
    assert diff == "@@ -10,3 +10,3 @@\n before\n-x = old(1)\n+x = new(1)\n after"


def test_a_replacement_that_drops_the_last_newline_does_not_own_the_joined_line() -> None:
    added, _, _ = changes(edit(old="a\n", new="b\nc"))
    assert added == [(1, "b")]


def test_a_text_that_the_call_does_not_hold_gives_nothing() -> None:
    assert changes(edit(old="a")) == ([], [], "")
    assert changes(edit("rename")) == ([], [], "")


def test_only_a_newline_ends_a_line_as_in_git() -> None:
    added, _, _ = changes(edit("create", new="a\x0cb\u2028c\n"))
    assert added == [(1, "a\x0cb\u2028c")]


def test_distant_changes_come_as_two_hunks_with_three_lines_of_context() -> None:
    old = [str(n) for n in range(20)]
    new = [*old[:2], "X", *old[3:17], "Y", *old[18:]]
    _, _, diff = changes(edit(old="\n".join(old), new="\n".join(new)))
    assert [line for line in diff.split("\n") if line.startswith("@@")] == [
        "@@ -1,6 +1,6 @@",
        "@@ -15,6 +15,6 @@",
    ]


def test_a_huge_repetitive_rewrite_is_compared_in_bounded_time() -> None:
    old = "head\n" + "same\n" * 20_000 + "x\n" + "same\n" * 20_000 + "tail\n"
    new = "head\n" + "y\n" + "same\n" * 20_000 + "z\n" + "same\n" * 19_000 + "w\ntail\n"
    added, removed, _ = changes(edit(old=old, new=new))
    assert (len(added), len(removed)) == (39_003, 40_001)  # difflib would need minutes for less


texts = st.lists(st.sampled_from(["a", "b", "", "  c", "}"]), max_size=12).map("\n".join)


@given(texts, texts)
def test_taking_the_removed_away_and_putting_the_added_in_gives_the_new_text(
    old: str, new: str
) -> None:
    added, removed, _ = changes(edit(old=old + "\n", new=new + "\n"))
    gone = {pos for pos, _ in removed}
    kept = iter([t for n, t in enumerate(lines.split(old + "\n"), 1) if n not in gone])
    put = dict(added)
    length = len(lines.split(new + "\n"))
    assert [put[n] if n in put else next(kept) for n in range(1, length + 1)] == lines.split(
        new + "\n"
    )


@given(texts, texts)
def test_the_diff_holds_exactly_the_added_and_removed_lines(old: str, new: str) -> None:
    added, removed, diff = changes(edit(old=old + "\n", new=new + "\n"))
    rows = diff.split("\n")
    assert [row[1:] for row in rows if row.startswith("+")] == [text for _, text in added]
    assert [row[1:] for row in rows if row.startswith("-")] == [text for _, text in removed]
