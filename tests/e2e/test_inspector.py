"""The inspector of the Model Context Protocol lists and calls our tools from its command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from agents import START, ClaudeSession
from cli.running import environment
from e2e.agents import install
from helpers import GitRepo
from memory import Memory

VERSION = "0.15.0"
SERVER = (sys.executable, "-m", "funes_git", "mcp")

pytestmark = [pytest.mark.agents, pytest.mark.slow]


@pytest.fixture(scope="module")
def inspector() -> Path:
    """The program, from npm."""
    place = install.folder() / f"inspector-{VERSION}"
    if not place.exists():
        if not install.reachable(npm=True):
            pytest.skip("the inspector is not installed and npm cannot be reached")
        install.npm(place, f"@modelcontextprotocol/inspector@{VERSION}")
    return place / "node_modules" / ".bin" / "mcp-inspector"


def inspect(inspector: Path, repo: GitRepo, *args: str) -> dict[str, Any]:
    """What the inspector prints, as JSON."""
    done = subprocess.run(
        [str(inspector), "--cli", *SERVER, *args],
        cwd=repo.path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_inspector_lists_and_calls_the_tools(
    inspector: Path, repo: GitRepo, hermetic: Path
) -> None:
    repo.write("cache.py", "entries = {}\n")
    repo.commit("Start", date=START - 100)
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Bound the cache, please.")
    claude.edit("cache.py", "entries = {}\n", "entries = {}\nLIMIT = 1024\n")
    Memory(repo).sync()
    tools = inspect(inspector, repo, "--method", "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["recall", "why", "get", "log", "status"]
    call = ("--method", "tools/call", "--tool-name")
    reply = inspect(inspector, repo, *call, "why", "--tool-arg", "target=cache.py:2")
    assert "> Bound the cache, please." in reply["content"][0]["text"]
    reply = inspect(inspector, repo, *call, "recall", "--tool-arg", "query=bound", "k=1")
    assert not reply["isError"]
    reply = inspect(inspector, repo, *call, "why", "--tool-arg", "target=nothing.py:2")
    assert reply["isError"]
