"""What every parser must hold, for agents in editors and for the forms of exchange."""

from __future__ import annotations

import json
from pathlib import Path

from funes_git_parsers import PARSERS, aider, amp, cline, funes_jsonl, hub_traces, specstory
from funes_git_parsers.conformance import ParserTests
from funes_git_parsers.conformance.home import HEAD

DATA = Path(__file__).parents[1] / "data"


class TestCline(ParserTests):
    parser = cline.CLINE
    home = DATA / "cline" / "home"

    def make_home(self, home: Path) -> None:
        """Less of the sample's session: it is read again for every byte."""
        super().make_home(home)
        (path,) = home.glob(".cline/data/sessions/*/1796*.messages.json")
        session = json.loads(path.read_text())
        rows = session["messages"]
        session["messages"] = [rows[0], *rows[4:6], *rows[11:]]
        path.write_text(json.dumps(session))


class TestRoo(ParserTests):
    parser = cline.ROO
    home = DATA / "roo" / "home"


class TestAmp(ParserTests):
    parser = amp
    home = DATA / "amp" / "home"


class TestAider(ParserTests):
    parser = aider

    def make_home(self, home: Path) -> None:
        """Some chats of the sample: they are read again for every byte."""
        history = ".aider.chat.history.md"
        start = "# aider chat started"
        text = (DATA / "aider" / "home" / history).read_text()
        before, first, fenced, *_ = text.split(start)
        (home / history).write_text(start.join((before, first, fenced)))


class TestHubTraces(ParserTests):
    parser = hub_traces
    home = DATA / "interchange" / "simple"
    is_discovered = False


class TestTurnsFiles(ParserTests):
    parser = funes_jsonl
    home = DATA / "interchange" / "turns"
    is_discovered = False


class TestSpecStory(ParserTests):
    parser = specstory
    home = DATA / "interchange" / "specstory"
    is_discovered = False


def test_one_parser_alone_claims_a_file() -> None:
    """Of all that lies in the tests' samples."""
    claimed = 0
    for path in sorted(DATA.rglob("*")):
        if path.is_file():
            with path.open("rb") as stream:
                head = stream.read(HEAD)
            owners = [name for name, parser in PARSERS.items() if parser.claim(path, head)]
            assert len(owners) < 2, f"{path} is claimed by {owners}"
            claimed += len(owners)
    assert claimed > 20
