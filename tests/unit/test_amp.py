"""Amp's threads."""

from __future__ import annotations

from pathlib import Path

from funes_git.sessionfile import open_session
from funes_git_parsers import amp
from funes_git_parsers.base import Edit, Item, Parser, Places, Session, Turn

DATA = Path(__file__).parents[1] / "data"


def read(parser: Parser, home: Path) -> list[Item]:
    (source,) = parser.discover(Places(home, {}, checkouts=(home,)))
    return list(parser.read(source, None, open_session))


def turns(items: list[Item]) -> list[Turn]:
    return [item for item in items if isinstance(item, Turn)]


def edits(items: list[Item]) -> list[Edit]:
    return [item for item in items if isinstance(item, Edit)]


def test_a_thread_of_amp_knows_its_repository_and_commit() -> None:
    items = read(amp, DATA / "amp" / "home")
    url = "https://example.org/acme/app"
    assert items[0] == Session("T-0b6dc504", "amp", title="Cap the cache", repository_url=url)
    found = turns(items)
    assert (found[0].head, found[0].branch, found[0].workdir) == ("1" * 40, "main", "/w/app")
    assert [t.head for t in found[1:]] == [None] * 5
    assert [t.turn_uuid for t in found] == [f"T-0b6dc504-{n}" for n in range(6)]
    assert (found[1].model, found[1].ts) == ("m-1", 1767000001.0)
    (source,) = amp.sessions(DATA / "amp/home/.local/share/amp/threads/T-0b6dc504.json")
    assert f"commit:{'1' * 40}" in amp.roots(source, open_session)


def test_an_address_that_is_none_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "T-1.json"
    text = (DATA / "amp/home/.local/share/amp/threads/T-0b6dc504.json").read_text()
    path.write_text(text.replace("file:///w/app", "file://[/w/my%20app", 1))
    (source,) = amp.sessions(path)
    assert amp.roots(source, open_session)
    found = turns(list(amp.read(source, None, open_session)))
    assert {turn.workdir for turn in found} == {"[/w/my app"}


def test_amp_edits_count_where_the_run_was_done() -> None:
    items = read(amp, DATA / "amp" / "home")
    (edit,) = edits(items)
    assert (edit.path, edit.old, edit.new) == (
        "/w/app/src/cache.py",
        "SIZE = None\n",
        "SIZE = 128\n",
    )
    results = turns(items)[2].blocks
    assert [(b.tool, b.is_error) for b in results] == [("edit_file", False), ("create_file", True)]
    last = turns(items)[4].blocks[0]
    assert (last.exit_code, last.commits[0].sha) == (0, "1234abc")


def test_what_amp_wrote() -> None:
    """A real thread: edits, one of which failed, a commit, a command that failed."""
    (source,) = amp.sessions(DATA / "amp" / "T-01a22e66.json")
    items = list(amp.read(source, None, open_session))
    name = "T-01a22e66-e0d4-7574-b015-ed5fec34a6e5"
    assert items[0] == Session(name, "amp", version="0.0.1767830505-ga62310")
    found = turns(items)
    assert [t.ts for t in found[:4]] == [
        1796074823.913,  # as the prompt says
        1796074825.033,  # as the ledger does
        1796074825.033,
        1796074825.361,
    ]
    assert {t.model for t in found if t.role == "assistant"} == {"claude-opus-4-5-20251101"}
    assert [(e.path, e.operation, e.new) for e in edits(items)] == [
        ("/w/app/app.py", "modify", '    return "hello"'),
        ("/w/app/new.txt", "create", "one line of mine\n"),
    ]
    ended = [b for t in found for b in t.blocks if b.type == "tool_result" and b.tool == "Bash"]
    assert [(b.exit_code, b.is_error) for b in ended] == [(0, False), (1, True)]
    assert [c.sha[:7] for b in ended for c in b.commits] == ["c839cc7"]
