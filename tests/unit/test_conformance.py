"""The built-in parsers hold what base.py asks of every parser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import notes_agent
import pytest

from funes_git_parsers import claude, codex
from funes_git_parsers.base import Cursor, Item, Opener, Places, Session, Source, Turn
from funes_git_parsers.conformance import ParserTests

DATA = Path(__file__).parents[1] / "data"


class TestClaude(ParserTests):
    parser = claude

    def make_home(self, home: Path) -> None:
        projects = home / ".claude" / "projects"
        shutil.copytree(DATA / "claude" / "2.1.197", projects / "-home-dev-agents-repo-claude")
        for name in ("auth-go.jsonl", "context-evaluator.jsonl"):
            (projects / "-work").mkdir(exist_ok=True)
            shutil.copy(DATA / "claude" / name, projects / "-work" / name)


class TestCodex(ParserTests):
    parser = codex

    def make_home(self, home: Path) -> None:
        folder = home / ".codex" / "sessions" / "2026" / "11" / "30"
        folder.mkdir(parents=True)
        for path in (DATA / "codex").glob("*.jsonl"):
            shutil.copy(path, folder / f"rollout-{path.name}")


class TestADatabase(ParserTests):
    parser = notes_agent

    def make_home(self, home: Path) -> None:
        change = {"path": "a.py", "old": "a", "new": "b"}
        messages = [("user", "go", 1.5, None), ("agent", "done", 2.5, change)]
        for name in ("one", "two"):
            notes_agent.write(home / ".notes" / "notes.db", name, "/work", messages, "4ead9dc")


def altered(**changes: Any) -> Any:
    """Codex's parser with something else in it."""
    names = ("NAME", "LABEL", "GLOBAL_UUIDS", "READS", "discover", "folders", "claim", "sessions")
    parts = {name: getattr(codex, name) for name in (*names, "roots", "read")}
    return SimpleNamespace(**{**parts, **changes})


def reading(change: Any) -> Any:
    """Codex's parser with every item changed, or left out."""

    def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
        for item in codex.read(source, cursor, open_file):
            if (other := change(item)) is not None:
                yield other

    return altered(read=read)


def of_turns(**fields: Any) -> Any:
    return reading(lambda item: replace(item, **fields) if isinstance(item, Turn) else item)


def opening(places: Places) -> Iterator[Source]:
    for source in codex.discover(places):
        source.path.read_bytes()
        yield source


def unkind(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    with open_file(source.path) as stream:
        stream.read().decode()
    yield from codex.read(source, cursor, open_file)


def impatient(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """Takes half a line for a record."""
    yield from codex.read(source, None, open_file)
    with open_file(source.path) as stream:
        lines = stream.read().splitlines()
    yield Turn("s", lines[-1].hex() if lines else "", 0, None, "user", "codex", ())
    yield Cursor("")


FAULTS: dict[str, tuple[str, Any]] = {
    "a name of two words": ("has_the_attributes", altered(NAME="Two Words")),
    "a capability that is none": ("has_the_attributes", altered(READS={"mind"})),
    "files are opened to find them": ("opens_none", altered(discover=opening)),
    "nothing is found": ("opens_none", altered(discover=lambda places: iter(()))),
    "it looks nowhere": ("looks_where", altered(folders=lambda places: [])),
    "it claims too little": ("claims_what", altered(claim=lambda path, head: False)),
    "it claims too much": ("claims_nothing", altered(claim=lambda path, head: True)),
    "no cursor": ("holds_together", reading(lambda i: None if isinstance(i, Cursor) else i)),
    "no turns": ("holds_together", reading(lambda i: None if isinstance(i, Turn) else i)),
    "no sessions": ("holds_together", reading(lambda i: None if isinstance(i, Session) else i)),
    "one id for all": ("holds_together", of_turns(turn_uuid="1", parent_uuid=None, exchange=None)),
    "a parent that is not there": ("holds_together", of_turns(parent_uuid="nobody")),
    "a string that is no UTF-8": ("holds_together", of_turns(branch="\ud83d")),
    "folders are not told": ("quick_scan", altered(roots=lambda source, open_file: set())),
    "more declared than read": ("declares", of_turns(branch=None, head=None, blocks=())),
    "less declared than read": ("declares", altered(READS=frozenset(("text",)))),
    "everything again": ("nothing_new", altered(read=lambda s, c, o: codex.read(s, None, o))),
    "half a line is a record": ("in_two_parts", altered(read=impatient)),
    "only UTF-8": ("any_damage", altered(read=unkind)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(fault: str, tmp_path: Path) -> None:
    part, faulty = FAULTS[fault]

    class Faulty(TestCodex):
        parser = faulty

    test = next(getattr(Faulty(), name) for name in dir(Faulty) if part in name)
    with pytest.raises((AssertionError, UnicodeDecodeError)):
        test(tmp_path)
