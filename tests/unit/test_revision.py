"""Sessions whose records change in place: only what is new or different is yielded."""

from __future__ import annotations

from dataclasses import replace

from funes_git_parsers.base import (
    Block,
    Cursor,
    Edit,
    Hunk,
    Item,
    Restart,
    Retraction,
    Session,
    Turn,
)
from funes_git_parsers.revision import Entry, about, changes, roots


def turn(uuid: str, text: str = "hello", workdir: str | None = None) -> Turn:
    blocks = (Block("text", text),)
    return Turn("s", uuid, 0, None, "user", "test", blocks, workdir=workdir)


def entry(uuid: str, text: str = "hello") -> Entry:
    return Entry(uuid, (turn(uuid, text),))


def read(entries: list[Entry], cursor: str | None = None) -> tuple[list[Item], str]:
    *items, last = changes("s", entries, cursor)
    assert isinstance(last, Cursor)
    return items, last.text


def test_only_what_is_new_or_different_is_yielded() -> None:
    first = [about(Session("s", "test")), entry("1"), entry("2")]
    items, cursor = read(first)
    assert items == [Session("s", "test"), turn("1"), turn("2")]
    assert read(first, cursor) == ([], cursor)
    items, cursor = read([first[0], entry("1"), entry("2", "changed"), entry("3")], cursor)
    assert items == [turn("2", "changed"), turn("3")]
    items, _ = read([about(Session("s", "test", title="t")), entry("1"), entry("3")], cursor)
    assert items == [Session("s", "test", title="t"), Retraction("s", "2")]


def test_a_session_that_its_agent_deleted_is_not_taken_back() -> None:
    _, cursor = read([entry("1")])
    assert read([about(Session("s", "test"))], cursor) == ([Session("s", "test")], cursor)


def test_a_cursor_that_is_not_ours_reads_from_the_start() -> None:
    for cursor in ("{", "[]", '{"turns":7,"rest":{}}', "[" * 100_000):
        assert read([entry("1")], cursor)[0] == [Restart(), turn("1")]
        assert read([], cursor)[0] == []
    assert read([entry("1")], "")[0] == [turn("1")]


def test_roots_are_folders_and_absolute_paths() -> None:
    edit = Edit("s", "1", "c", 0, None, "/w/new.py", "rename", "mv", old_path="C:\\w\\old.py")
    items = (turn("1", workdir="/w/repo"), edit)
    assert roots([Entry("1", items)]) == {"/w/repo", "/w/new.py", "C:\\w\\old.py"}


def test_the_same_values_are_known_whatever_objects_hold_them() -> None:
    """Also halves of characters, which a document may name."""
    text = "caf\u00e9 \ud83d"
    apart = "".join(list(text))
    assert text is not apart
    _, cursor = read([Entry("1", (turn("1", text, text), turn("1", text)))])
    again = Entry("1", (turn("1", apart, "".join(list(text))), turn("1", "".join(list(text)))))
    assert read([again], cursor)[0] == []


def test_every_value_of_a_record_tells_it_from_another() -> None:
    block = Block("tool_result", "a", "Bash", "c", is_error=False, exit_code=0)
    hunk = Hunk(1, 1, ("+a",))
    edit = Edit("s", "1", "c", 0, 1.5, "/w/a", "modify", "Edit", "a", "b", hunks=(hunk,))
    first = Entry("1", (turn("1"), edit, replace(turn("2"), blocks=(block,))))
    _, cursor = read([first])
    for other in (
        replace(edit, hunks=(replace(hunk, lines=("-a",)),)),
        replace(edit, old=None),
        replace(edit, old="", new="ab"),
        replace(edit, ts=2.5),
        replace(turn("2"), blocks=(replace(block, is_error=None),)),
        replace(turn("2"), blocks=(replace(block, text="b"),)),
        replace(turn("2"), blocks=(block, block)),
        Retraction("s", "2"),
    ):
        changed = Entry("1", (first.items[0], other, first.items[2]))
        assert read([changed], cursor)[0] == list(changed.items)
