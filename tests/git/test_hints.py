"""Hints: one line when a session starts, the decision behind lines before they are edited."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from agents import ClaudeSession
from cli.running import environment
from helpers import GitRepo
from memory import Memory

from funes_git.commands import hints

DECISION = "I'll evict the oldest entry, because readers come back within minutes. "
LINES = "    if len(entries) > LIMIT:\n        entries.pop(next(iter(entries)))\n"


@pytest.fixture
def memory(repo: GitRepo, hermetic: Path) -> Memory:
    """A cache that an agent bounded, saying why."""
    repo.write(
        "src/cache.py",
        "LIMIT = 9\nentries = {}\n\n\ndef put(key, value):\n    entries[key] = value\n",
    )
    repo.commit("Start the cache", date=1_700_000_000)
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("The cache grows without bound.")
    claude.says(DECISION * 9)
    claude.edit("src/cache.py", "    entries[key] = value\n", "    entries[key] = value\n" + LINES)
    claude.bash("git commit -qam 'Bound the cache' && git rev-parse HEAD")
    found = Memory(repo)
    found.sync()
    return found


def edit(path: str = "src/cache.py", old: str = LINES) -> dict[str, Any]:
    return {
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": {"file_path": path, "old_string": old, "new_string": "x"},
    }


def patch(old: str) -> dict[str, Any]:
    body = "".join(f"-{line}\n" for line in old.splitlines())
    text = f"*** Begin Patch\n*** Update File: src/cache.py\n@@\n{body}+x\n*** End Patch"
    return {
        "hook_event_name": "PreToolUse",
        "tool_name": "apply_patch",
        "tool_input": {"command": text},
    }


def test_a_session_starts_with_one_line(memory: Memory) -> None:
    said = hints.hint({"hook_event_name": "SessionStart"}, memory.path)
    assert said.startswith("The memory of this repository holds 1 earlier agent session. ")
    assert "git funes why FILE:LINE" in said
    assert "\n" not in said


@pytest.mark.parametrize("event", [edit(), patch(LINES)], ids=["claude", "codex"])
def test_before_an_edit_comes_the_decision(memory: Memory, event: dict[str, Any]) -> None:
    said = hints.hint(event, memory.path)
    sha = memory.repo.resolve("HEAD")[:7]
    assert said.startswith("src/cache.py:7-8 is by Claude Code session ")
    assert f" in {sha}; recorded then: “I'll evict the oldest entry, because readers" in said
    assert said.endswith("…” (funes `why` tells more)")
    assert len(said) <= hints.LONGEST


def test_a_path_is_taken_as_the_agent_gives_it(memory: Memory) -> None:
    below = memory.path / "src"
    for path in (str(memory.path / "src/cache.py"), "cache.py"):
        assert hints.hint({**edit(path), "cwd": str(below)}, Path("/")).startswith("src/cache.py:7")


@pytest.mark.parametrize(
    "event",
    [
        edit(old="entries = {}\n"),  # a person's
        edit(old="not there"),
        edit("no/such/file"),
        edit("../outside.py"),
        {"hook_event_name": "PreToolUse", "tool_input": {"file_path": "src/cache.py"}},
        {"hook_event_name": "PreToolUse", "tool_input": {"command": "rm -r src"}},
        {"hook_event_name": "Stop"},
        {},
    ],
)
def test_without_a_decision_nothing_is_said(memory: Memory, event: dict[str, Any]) -> None:
    assert hints.hint(event, memory.path) == ""


def run(payload: bytes, cwd: Path, agent: str = "claude") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "funes_git", "hint", agent],
        cwd=cwd,
        env=environment(),
        input=payload,
        capture_output=True,
        check=False,
    )


def test_agents_get_it_in_the_form_that_they_take(memory: Memory) -> None:
    payload = json.dumps({"hook_event_name": "SessionStart"}).encode()
    found = json.loads(run(payload, memory.path).stdout)["hookSpecificOutput"]
    assert found["hookEventName"] == "SessionStart"
    assert found["additionalContext"].startswith("The memory of this repository")
    assert run(payload, memory.path, "pi").stdout.decode() == found["additionalContext"]


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b'{"hook_event_name": "SessionStart"}'])
def test_nothing_that_goes_wrong_is_shown(tmp_path: Path, payload: bytes) -> None:
    done = run(payload, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_what_fails_leaves_no_alarm_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json, "loads", lambda _: {"hook_event_name": "SessionStart"})
    monkeypatch.setattr(hints, "hint", lambda *_: 1 / 0)
    with (tmp_path / "event").open("w+") as event:
        monkeypatch.setattr(sys, "stdin", event)
        assert hints.main(["claude"]) == 0
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_look_up_that_takes_too_long_says_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = os.fork()
    if pid == 0:
        monkeypatch.setattr(hints, "hint", lambda *_: time.sleep(120))
        monkeypatch.setattr(sys, "stdin", open(os.devnull))  # noqa: SIM115, PTH123
        monkeypatch.setattr(json, "loads", lambda _: {})
        os._exit(hints.main(["claude"]) + 7)
    started = time.monotonic()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0  # ended by the alarm, not by us
    assert time.monotonic() - started < 60
