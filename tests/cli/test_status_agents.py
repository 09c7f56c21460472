"""`git funes status --agents`."""

from __future__ import annotations

import json
from pathlib import Path

from agents import ClaudeSession, CodexSession
from cli.running import funes
from helpers import GitRepo
from inline_snapshot import snapshot

from funes_git.agents import Agent
from funes_git.render.agentlist import lines
from funes_git.render.page import Page
from funes_git.store.records import AgentTotals


def test_each_agent_is_told_with_what_is_stored_of_it(
    repo: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    repo.commit("first")
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("words")
    claude.says("more words")
    with claude.file.open("a") as out:
        out.write("{not a record\n")
    other = GitRepo(tmp_path / "other")
    for _ in range(2):
        CodexSession(other, hermetic).prompt("elsewhere")
    assert funes("index", "--no-embed", cwd=repo.path).returncode == 0
    told = funes("status", "--agents", "--format", "json", cwd=repo.path)
    agents = {agent["harness"]: agent for agent in json.loads(told.stdout)["agents"]}
    assert agents["claude_code"] == {
        "harness": "claude_code",
        "folders": [{"path": str(hermetic / ".claude" / "projects"), "exists": True}],
        "found": 1,
        "sessions": 1,
        "turns": 2,
        "newest": claude.clock.now - 1,
        "skipped_records": 1,
        "versions": ["2.1.332"],
        "error": None,
    }
    codex = agents["codex"]
    assert (codex["found"], codex["sessions"], codex["turns"]) == (2, 0, 0)
    memory = str(repo.path / ".git" / "funes" / "memory")
    elsewhere = GitRepo(tmp_path / "elsewhere")  # of another memory nothing of this machine is told
    elsewhere.commit("first")
    told = funes("status", "--agents", "--memory", memory, "--format", "json", cwd=elsewhere.path)
    held = {"folders": None, "found": None, "skipped_records": 0}
    assert json.loads(told.stdout)["agents"] == [{**agents["claude_code"], **held}]
    told = funes("status", "--agents", "--memory", memory, cwd=elsewhere.path)
    assert "looked" not in told.stdout
    assert "2 turns" in told.stdout
    for name in ("human", "agent"):
        shown = funes("status", "--agents", "--format", name, cwd=repo.path).stdout
        assert shown.startswith("Claude Code")
        assert "2 sessions found, none of this repository" in shown
        assert f"lookedin{hermetic}/.claude/projects" in "".join(shown.split())


def test_the_list_for_people() -> None:
    there = (Path("/home/u/.claude/projects"), True)
    versions = tuple(f"2.1.{number}" for number in range(9))
    agents = [
        Agent("claude_code", (there,), 3, AgentTotals(1, 20, None, 2, versions)),
        Agent("codex", ((Path("/home/u/.codex"), False),), 0, AgentTotals()),
        Agent("amp", (), 0, AgentTotals(1, 1, None, 0, ("1", "2\x1b"))),
        Agent("goose", (there,), 1, AgentTotals(), "disk I/O error"),
    ]
    assert "\n".join(lines(Page(80), agents)) == snapshot("""\
Claude Code  1 session of 3 found, 20 turns
             looked in /home/u/.claude/projects
             versions 2.1.0 to 2.1.8 (9 of them); 2 unreadable records skipped
Codex        no session found
             looked for /home/u/.codex (not there)
Amp          1 session, 1 turn
             comes in files that you name: git funes index PATH
             versions 1 and 2␛
Goose        1 session found, none of this repository
             cannot be searched: disk I/O error\
""")


def test_a_file_of_several_sessions_is_not_counted_as_one() -> None:
    """Aider's history."""
    agents = [Agent("aider", (), 1, AgentTotals(sessions=5, turns=26))]
    assert "\n".join(lines(Page(80), agents)).startswith("Aider  5 sessions, 26 turns")
