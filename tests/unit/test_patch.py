"""Patches in the apply_patch envelope, and unified diffs."""

from __future__ import annotations

from codex_records import patch
from hypothesis import given
from hypothesis import strategies as st

from funes_git_parsers.base import Hunk
from funes_git_parsers.patch import APART, PatchFile, hunks_of_unified, parse, spans


def test_an_added_file_has_its_whole_text() -> None:
    text = patch("*** Add File: a.py", "+one", "+", "+  two")
    assert parse(text) == [PatchFile("a.py", "create", content="one\n\n  two\n")]


def test_an_added_file_may_be_empty() -> None:
    assert parse(patch("*** Add File: a.py")) == [PatchFile("a.py", "create", content="")]


def test_every_chunk_of_an_update_is_a_hunk_without_line_numbers() -> None:
    text = patch(
        "*** Update File: a.py",
        "@@ class A:",
        " x",
        "-old",
        "+new",
        "@@",
        "+end",
        "*** End of File",
    )
    (file,) = parse(text)
    assert file.hunks == (
        Hunk(1, 1, (" x", "-old", "+new")),
        Hunk(3 + APART, 3 + APART, ("+end",)),
    )


def test_an_update_needs_no_marker_before_its_first_chunk() -> None:
    (file,) = parse(patch("*** Update File: a.py", "-old", "+new"))
    assert file.hunks == (Hunk(1, 1, ("-old", "+new")),)


def test_an_empty_line_inside_a_chunk_is_context() -> None:
    (file,) = parse(patch("*** Update File: a.py", "@@", " x", "", "+y", "", "@@", "-z"))
    assert file.hunks == (
        Hunk(1, 1, (" x", " ", "+y")),
        Hunk(3 + APART, 4 + APART, ("-z",)),
    )


def test_a_chunk_that_changes_nothing_is_left_out() -> None:
    (file,) = parse(patch("*** Update File: a.py", "@@", " same"))
    assert file.hunks == ()


def test_a_moved_file_keeps_both_paths_and_its_changes() -> None:
    (file,) = parse(patch("*** Update File: a.py", "*** Move to: b/c.py", "@@", "-1", "+2"))
    assert file == PatchFile("a.py", "modify", hunks=(Hunk(1, 1, ("-1", "+2")),), move_to="b/c.py")


def test_a_file_may_only_be_moved() -> None:
    (file,) = parse(patch("*** Update File: a.py", "*** Move to: b.py"))
    assert (file.move_to, file.hunks) == ("b.py", ())


def test_files_come_in_the_order_of_the_patch() -> None:
    text = patch("*** Delete File: a", "*** Add File: b", "+x", "*** Update File: c", "-1", "+2")
    assert [(file.path, file.kind) for file in parse(text)] == [
        ("a", "delete"),
        ("b", "create"),
        ("c", "modify"),
    ]


def test_a_patch_is_found_in_a_here_document_with_padded_markers_and_crlf() -> None:
    text = (
        "<<'EOF'\r\n*** Begin Patch \r\n *** Add File: a b.txt \r\n+x\r\n*** End Patch\r\nEOF\r\n"
    )
    assert parse(text) == [PatchFile("a b.txt", "create", content="x\n")]


def test_markers_inside_changed_lines_are_text() -> None:
    (file,) = parse(patch("*** Update File: a.md", "@@", "+*** Add File: b", " *** x"))
    assert file.hunks == (Hunk(1, 1, ("+*** Add File: b", " *** x")),)


def test_text_without_a_patch_has_no_files() -> None:
    assert parse("*** Add File: a\n+x") == []


def test_spans_find_every_patch_in_a_script() -> None:
    script = f"cd a\n{patch('*** Delete File: x')}\nEOF\necho\n{patch('*** Delete File: y')}\nEOF"
    assert [script[start:end] for start, end in spans(script)] == [
        patch("*** Delete File: x"),
        patch("*** Delete File: y"),
    ]


def test_a_unified_diff_gives_exact_lines_and_places() -> None:
    diff = "--- a\n+++ b\n@@ -3,2 +3,3 @@ def f\n x\n-y\n+z\n+w\n@@ -9 +10 @@\n-p\n+q\n"
    assert hunks_of_unified(diff) == (
        Hunk(3, 3, (" x", "-y", "+z", "+w")),
        Hunk(9, 10, ("-p", "+q")),
    )


def test_changed_lines_that_look_like_headers_are_counted() -> None:
    diff = "@@ -1,2 +1,2 @@\n--- sql comment\n-@@ -1 +1 @@\n+++ x\n+y\n"
    assert hunks_of_unified(diff) == (
        Hunk(1, 1, ("--- sql comment", "-@@ -1 +1 @@", "+++ x", "+y")),
    )


def test_a_note_about_the_last_newline_is_no_line() -> None:
    diff = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file"
    assert hunks_of_unified(diff) == (Hunk(1, 1, ("-a", "+b")),)


def test_an_empty_line_of_a_diff_is_empty_context() -> None:
    assert hunks_of_unified("@@ -1,2 +1,2 @@\n\n-a\n+b\n") == (Hunk(1, 1, (" ", "-a", "+b")),)


def test_a_cut_diff_keeps_the_lines_it_has() -> None:
    assert hunks_of_unified("@@ -1,9 +1,9 @@\n-a\n+b") == (Hunk(1, 1, ("-a", "+b")),)


@given(st.text(alphabet="*+-@ \n\\0123,AddFileUpdateBeginEndPatch:"))
def test_no_text_raises(text: str) -> None:
    parse("*** Begin Patch\n" + text)
    hunks_of_unified(text)
    list(spans(text))
