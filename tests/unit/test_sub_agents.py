"""What every agent's sub-agents must tell of `why`: who started them, and what they were asked."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path

from funes_git import discovery
from funes_git.prompts import words_of
from funes_git.sessionfile import open_session
from funes_git_parsers.base import Spawn, Turn

DATA = Path(__file__).parents[1] / "data"


def test_every_sub_agent_of_the_samples_has_a_task(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as database:
        database.executescript((DATA / "goose" / "sessions.sql").read_text())
    every = discovery.parsers()
    asked: dict[str, list[Turn]] = defaultdict(list)
    starts: list[tuple[str, Spawn]] = []
    for source in discovery.at_paths([DATA, tmp_path], every).sources:
        for item in every[source.harness].read(source, None, open_session):
            if isinstance(item, Turn) and item.role == "user":
                asked[item.thread or item.session_id].append(item)
            elif isinstance(item, Spawn):
                starts.append((source.harness, item))
    agents = {"claude_code", "cline", "copilot", "droid", "gemini", "goose", "qwen"}
    assert {harness for harness, _ in starts} >= agents
    for harness, start in starts:
        task = asked[start.thread][0]
        assert words_of(task), harness
        assert not task.is_prompt, harness
