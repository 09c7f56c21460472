"""What every parser must hold, for the agents that write JSON and JSON Lines."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from funes_git_parsers import copilot, droid, gemini, qwen
from funes_git_parsers.conformance import ParserTests
from funes_git_parsers.pi import OPENCLAW, PI

DATA = Path(__file__).parents[1] / "data"


class TestPi(ParserTests):
    parser = PI
    home = DATA / "pi" / "home"


class TestOpenClaw(ParserTests):
    """pi's records as rows of OpenClaw's database."""

    parser = OPENCLAW

    def make_home(self, home: Path) -> None:
        path = home / ".openclaw/agents/main/agent/openclaw-agent.sqlite"
        path.parent.mkdir(parents=True)
        with closing(sqlite3.connect(path)) as db:
            db.execute(
                "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT,"
                " created_at INTEGER)"
            )
            (sample,) = (DATA / "pi" / "home").rglob("*000000000001.jsonl")
            for seq, line in enumerate(sample.read_text().splitlines()):
                row = ("s1", seq, line, 1_796_074_488_223 + seq)
                db.execute("INSERT INTO transcript_events VALUES (?, ?, ?, ?)", row)
            db.commit()


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
