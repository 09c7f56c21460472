"""`git funes status --agents`."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

from agents import ClaudeSession, CodexSession
from cli.running import funes
from helpers import GitRepo
from inline_snapshot import snapshot

from funes_git.agents import Agent, Fate
from funes_git.render.agentlist import EXPLAIN, READ_NEW, lines
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
        "of_this_repository": 1,
        "waiting": 0,
        "elsewhere": 0,
        "before_first_commit": 0,
        "forgotten": 0,
        "not_looked_at": 0,
        "sessions": 1,
        "turns": 2,
        "newest": claude.clock.now - 1,
        "skipped_records": 1,
        "versions": ["2.1.332"],
        "error": None,
    }
    codex = agents["codex"]
    assert (codex["found"], codex["sessions"], codex["turns"]) == (2, 0, 0)
    assert (codex["of_this_repository"], codex["elsewhere"]) == (0, 2)
    memory = str(repo.path / ".git" / "funes" / "memory")
    elsewhere = GitRepo(tmp_path / "elsewhere")  # of another memory nothing of this machine is told
    elsewhere.commit("first")
    told = funes("status", "--agents", "--memory", memory, "--format", "json", cwd=elsewhere.path)
    asked = ("folders", "found", "of_this_repository", "waiting", "elsewhere")
    asked += ("before_first_commit", "forgotten", "not_looked_at")
    held = {**dict.fromkeys(asked), "skipped_records": 0}
    assert json.loads(told.stdout)["agents"] == [{**agents["claude_code"], **held}]
    told = funes("status", "--agents", "--memory", memory, cwd=elsewhere.path)
    assert "looked" not in told.stdout
    assert "2 turns" in told.stdout
    for name in ("human", "agent"):
        shown = funes("status", "--agents", "--format", name, cwd=repo.path).stdout
        assert shown.startswith("Claude Code")
        assert f"lookedin{hermetic}/.claude/projects" in "".join(shown.split())
        assert "  2 found, 0 of this repository, 2 elsewhere\n" in shown
        assert shown.endswith(f"{EXPLAIN}\n")
        assert READ_NEW not in shown


def test_what_became_of_each_session_that_was_found(repo: GitRepo, hermetic: Path) -> None:
    """Read, grown since, new, forgotten, elsewhere, from before the repository."""
    old = ClaudeSession(GitRepo(repo.path.with_name("old")), hermetic)
    old.prompt("long ago")
    os.utime(old.file, (1_000, 1_000))
    repo.commit("first")
    read, grown, gone = (ClaudeSession(repo, hermetic) for _ in range(3))
    for session in (read, grown, gone):
        session.prompt("words")
    assert funes("index", "--no-embed", cwd=repo.path).returncode == 0
    grown.says("more words")
    assert funes("forget", gone.id, "--yes", cwd=repo.path).returncode == 0
    ClaudeSession(repo, hermetic).prompt("new")
    told = json.loads(funes("status", "--agents", "--format", "json", cwd=repo.path).stdout)
    claude = told["agents"][0]
    fates = ("of_this_repository", "waiting", "elsewhere", "before_first_commit", "forgotten")
    assert [claude[fate] for fate in ("found", *fates, "not_looked_at")] == [5, 2, 1, 1, 0, 1, 1]
    shown = funes("status", "--agents", cwd=repo.path).stdout
    assert shown.endswith(f"{READ_NEW}\n{EXPLAIN}\n")


FOUND: Counter[Fate] = Counter(
    {"read": 1, "waiting": 1, "elsewhere": 1_200, "before": 3, "forgotten": 2, "unseen": 4}
)


def test_the_list_for_people() -> None:
    there = (Path("/home/u/.claude/projects"), True)
    versions = tuple(f"2.1.{number}" for number in range(9))
    one: Counter[Fate] = Counter({"elsewhere": 1})
    agents = [
        Agent("claude_code", (there,), FOUND, AgentTotals(1, 20, None, 2, versions)),
        Agent("codex", ((Path("/home/u/.codex"), False),), Counter(), AgentTotals()),
        Agent("amp", (), Counter(), AgentTotals(1, 1, None, 0, ("1", "2\x1b"))),
        Agent("goose", (there,), one, AgentTotals(), "disk I/O error"),
    ]
    assert "\n".join(lines(Page(80), agents)) == snapshot("""\
Claude Code  1 session, 20 turns
             looked in /home/u/.claude/projects
             1,211 found, 2 of this repository (1 to be read), 1,200 elsewhere,
             3 from before its first commit, 2 forgotten, 4 not looked at yet
             versions 2.1.0 to 2.1.8 (9 of them); 2 unreadable records skipped
Codex        no session found
             looked for /home/u/.codex (not there)
Amp          1 session, 1 turn
             comes in files that you name: git funes index PATH
             versions 1 and 2␛
Goose        no session of this repository
             cannot be searched: disk I/O error
             1 found, 0 of this repository, 1 elsewhere
to read what is new: git funes index
why a session is here or not: git funes index --explain SESSION\
""")


def test_a_file_of_several_sessions_is_not_counted_as_one() -> None:
    """Aider's history."""
    found: Counter[Fate] = Counter({"read": 1})
    agents = [Agent("aider", (), found, AgentTotals(sessions=5, turns=26))]
    assert "\n".join(lines(Page(80), agents)).startswith("Aider  5 sessions, 26 turns")
