"""The built-in parsers hold what base.py asks of every parser."""

from __future__ import annotations

import shutil
from pathlib import Path

from funes_git_parsers import claude, codex
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
