"""Amp's threads and Aider's chat histories."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import GitRepo
from memory import Memory

from funes_git.sessionfile import open_session
from funes_git_parsers import aider, amp
from funes_git_parsers.base import Edit, Item, Parser, Places, Session, Turn

DATA = Path(__file__).parents[1] / "data"
AIDER = DATA / "aider" / "home" / ".aider.chat.history.md"


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


def test_each_chat_of_aider_is_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    items = read(aider, DATA / "aider" / "home")
    named = [item.session_id for item in items if isinstance(item, Session)]
    assert named == ["aider-20251229092000", "aider-20251229100000"]
    first = [t for t in turns(items) if t.session_id == named[0]]
    assert [t.role for t in first] == ["tool", "user", "assistant", "tool"]
    assert first[1].blocks[0].text == "Cap the cache  \nat 128, please"
    assert first[1].is_prompt
    assert (first[2].exchange, first[2].model) == (first[1].turn_uuid, "m-1")
    (commit,) = first[3].blocks[0].commits
    assert (commit.sha, commit.subject) == ("1234abc", "feat: cap the cache")


def test_aider_edits_count_once_they_were_applied() -> None:
    found = edits(read(aider, DATA / "aider" / "home"))
    home = DATA / "aider" / "home"
    assert [(e.path, e.operation) for e in found] == [
        (str(home / "cache.py"), "modify"),
        (str(home / "notes.md"), "create"),
        (str(home / "cache.py"), "modify"),
    ]
    assert (found[0].old, found[0].new) == ("SIZE = None\n", "SIZE = 128\n")
    assert found[1].new == "# Notes\n> quoted\n"
    assert [hunk.lines for hunk in found[2].hunks] == [(" KEYS = {}", "-SIZE = 128", "+SIZE = 256")]


def test_the_history_in_a_working_tree_is_found_and_linked(repo: GitRepo) -> None:
    at = 1_767_000_000.0  # 2025-12-29 09:20:00, and the tests' zone is UTC
    new = "def evict_the_oldest(cache):\n    return cache.popitem(last=False)\n"
    repo.write("cache.py", f"SIZE = 128\n{new}")
    sha = repo.commit("feat: cap the cache", date=at + 60)
    text = AIDER.read_text().replace("SIZE = 128\n>>>", f"SIZE = 128\n{new}>>>")
    repo.write(".aider.chat.history.md", text.replace("1234abc", sha[:7]))
    memory = Memory(repo)
    assert memory.sync().sessions == 2
    (answer,) = memory.why("cache.py:2").answers
    assert (answer.link.harness, answer.link.level) == ("aider", "exact")
    assert answer.prompt is not None
    assert answer.prompt.startswith("Cap the cache")
