"""Forms that hold sessions of other agents hold what base.py asks of every parser."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from funes_git_parsers import PARSERS, funes_jsonl, hub_traces, specstory
from funes_git_parsers.conformance import ParserTests
from funes_git_parsers.conformance.home import HEAD

DATA = Path(__file__).parents[1] / "data" / "interchange"


class InTransit(ParserTests):
    is_discovered: ClassVar[bool] = False
    names: ClassVar[tuple[str, ...]]

    def make_home(self, home: Path) -> None:
        for name in self.names:
            target = home / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((DATA / name).read_bytes())


class TestHubTraces(InTransit):
    parser = hub_traces
    names = ("simple.jsonl",)


class TestFunesTurns(InTransit):
    parser = funes_jsonl
    names = ("turns.funes.jsonl",)

    def make_home(self, home: Path) -> None:
        super().make_home(home)
        lines = (home / self.names[0]).read_bytes().splitlines(keepends=True)
        (home / self.names[0]).write_bytes(b"".join(lines[:-1]))  # the last is there to be skipped


class TestSpecStory(InTransit):
    parser = specstory
    names = (".specstory/history/2026-01-01_09-41Z-cap.md",)


def test_one_parser_alone_claims_a_file() -> None:
    """Of all that lies in the tests' samples."""
    claimed = 0
    for path in sorted(DATA.parent.rglob("*")):
        if path.is_file():
            with path.open("rb") as stream:
                head = stream.read(HEAD)
            owners = [name for name, parser in PARSERS.items() if parser.claim(path, head)]
            assert len(owners) < 2, f"{path} is claimed by {owners}"
            claimed += len(owners)
    assert claimed > 5
