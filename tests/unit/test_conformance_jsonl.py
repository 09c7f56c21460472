"""What every parser must hold, for the agents that write JSON and JSON Lines."""

from __future__ import annotations

from pathlib import Path

from funes_git_parsers import copilot, droid, gemini, qwen
from funes_git_parsers.conformance import ParserTests
from funes_git_parsers.pi import PI

DATA = Path(__file__).parents[1] / "data"


class TestPi(ParserTests):
    parser = PI
    home = DATA / "pi" / "home"


class TestGemini(ParserTests):
    parser = gemini
    home = DATA / "gemini" / "home"


class TestQwen(ParserTests):
    parser = qwen
    home = DATA / "qwen" / "home"


class TestCopilot(ParserTests):
    parser = copilot
    home = DATA / "copilot" / "home"


class TestDroid(ParserTests):
    parser = droid
    home = DATA / "droid" / "home"
