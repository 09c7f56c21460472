"""What every parser must hold, for agents in editors and for the forms of exchange."""

from __future__ import annotations

from pathlib import Path

from funes_git_parsers import aider, amp, cline, funes_jsonl, hub_traces, specstory
from funes_git_parsers.conformance import ParserTests

DATA = Path(__file__).parents[1] / "data"


class TestCline(ParserTests):
    parser = cline.CLINE
    home = DATA / "cline" / "home"


class TestRoo(ParserTests):
    parser = cline.ROO
    home = DATA / "roo" / "home"


class TestAmp(ParserTests):
    parser = amp
    home = DATA / "amp" / "home"


class TestAider(ParserTests):
    parser = aider
    home = DATA / "aider" / "home"


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
