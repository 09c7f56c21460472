"""`why FILE:SYMBOL`: git's own rules say where a function begins and ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory

from funes_git.errors import UnknownTarget

CODE = """\
import os
from shelf import put

class Cache:
    def put_all(self, items):
        for key, value in items:
            self.put(key, value)

    def put(self, key, value):
        self.entries[key] = value

    def get(self, key):
        return self.entries.get(key)
"""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def base(repo: GitRepo, clock: Clock) -> GitRepo:
    repo.write("cache.py", CODE)
    repo.commit("start", date=clock.now)
    clock.tick(60)
    return repo


@pytest.fixture
def turn(base: GitRepo, hermetic: Path, clock: Clock, memory: Memory) -> str:
    """A turn that changed one line of `put`."""
    claude = ClaudeSession(base, hermetic, clock)
    claude.prompt("Make put move the key to the end, please, so that the oldest goes first")
    turn = claude.edit(
        "cache.py", "        self.entries[key] = value", "        self.entries.move_to_end(key)"
    )
    base.commit("move to end", date=clock.tick(30))
    memory.sync()
    return turn


@pytest.fixture
def memory(base: GitRepo) -> Memory:
    return Memory(base)


def test_a_method_is_found_by_the_rules_of_its_language(memory: Memory, turn: str) -> None:
    found = memory.why("cache.py:put")
    assert found.lines == (9, 11), "not `import put`, not `put_all`"
    assert [a.link.turn_uuid for a in found.answers] == [turn]
    assert [a.asked for a in found.answers] == [((10, 10),)]
    assert [gap.lines for gap in found.unexplained] == [((9, 9),)], "blank lines say nothing"


def test_a_symbol_in_an_earlier_version(base: GitRepo, memory: Memory, turn: str) -> None:
    base.write("cache.py", "# nothing is left of it\n")
    assert memory.why("cache.py:put", at="HEAD").lines == (9, 11)
    with pytest.raises(UnknownTarget, match="nothing called 'put'"):
        memory.why("cache.py:put")


def test_the_repositorys_own_rules_win(base: GitRepo, memory: Memory, turn: str) -> None:
    base.write(".gitattributes", "*.py diff=mine\n")
    base.git("config", "diff.mine.xfuncname", "^class .*$")
    assert memory.why("cache.py:Cache").lines == (4, 13)
    with pytest.raises(UnknownTarget, match="nothing called 'get'"):
        memory.why("cache.py:get")


def test_gits_patterns_are_taken_too(memory: Memory, turn: str) -> None:
    assert memory.why("cache.py:def ge.").lines == (12, 13)


@pytest.mark.parametrize("name", ["nothing", "Cache.put", "[", "[a", "*", "a\\", "put:", "é"])
def test_an_unknown_name_says_so(memory: Memory, turn: str, name: str) -> None:
    with pytest.raises(UnknownTarget, match="nothing called") as caught:
        memory.why(f"cache.py:{name}")
    assert "git funes why cache.py:10-20" in (caught.value.hint or "")


def test_a_name_in_a_file_that_git_does_not_know(base: GitRepo, memory: Memory, turn: str) -> None:
    base.write("new.py", "def put():\n    pass\n")
    with pytest.raises(UnknownTarget, match=r"git does not know new\.py yet") as caught:
        memory.why("new.py:put")
    assert (caught.value.hint or "").startswith("git add new.py")


def test_what_else_a_colon_may_mean(base: GitRepo, memory: Memory, turn: str) -> None:
    base.write("a:put", "a file with a colon\n")
    base.write("a", "a file without\n")
    base.commit("odd names")
    memory.sync()
    assert (memory.why("a:put").path, memory.why("a:put").lines) == ("a:put", None)
    assert memory.why("a:put:1").lines == (1, 1)
    assert memory.why("a:1").path == "a"
    with pytest.raises(UnknownTarget, match="git's name for a file"):
        memory.why("HEAD:cache.py")
    for tail in ("", "1-"):
        with pytest.raises(UnknownTarget, match="comes a line, lines or the name"):
            memory.why(f"cache.py:{tail}")


def test_cpp_names_with_colons(base: GitRepo, memory: Memory, turn: str) -> None:
    base.write("cache.cpp", "#include <map>\n\nvoid Cache::put(int key)\n{\n  keys.push(key);\n}\n")
    base.commit("c++")
    memory.sync()
    assert memory.why("cache.cpp:Cache::put").lines == (3, 6)


def test_an_import_is_nothing_that_is_called_so(base: GitRepo, memory: Memory) -> None:
    text = "import { CreateDto } from './create-dto';\n\nexport function create(dto) {\n}\n"
    base.write("shares.ts", text)
    base.write("notes.txt", "import create from shelf\n")
    base.commit("shares", date=1_700_000_000)
    memory.sync()
    assert memory.why("shares.ts:create").lines == (3, 4)
    for target in ("shares.ts:CreateDto", "notes.txt:create"):
        with pytest.raises(UnknownTarget, match="git finds nothing called"):
            memory.why(target)
