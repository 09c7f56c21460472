"""Reviewing on a terminal: a session is read, then cut to its exchanges."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from cli.running import environment
from helpers import GitRepo
from hub import Hub
from publishing import NAME, Project


def converse(repo: GitRepo, answers: str, *args: str, code: int = 0, columns: int = 100) -> str:
    """`git funes ARGS` on a terminal of its own, with what is typed; what it shows. It must end
    with the exit code `code`."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "funes_git", "--no-pager", *args],
        cwd=repo.path,
        env=environment(COLUMNS=str(columns), LINES="50"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, answers.encode())
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # Linux says so at the end
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert process.wait() == code, shown.decode("utf-8", "replace")
    return shown.decode("utf-8", "replace")


def test_a_session_is_read_and_cut_to_exchanges(repo: GitRepo, hermetic: Path) -> None:
    project = Project(repo, hermetic, Hub())
    claude = project.claude
    claude.prompt("And say what limit is")
    claude.edit("src/cache.py", "def cap(", "# limit: entries\ndef cap(")
    claude.bash("git commit -qam 'Say what limit is' && git rev-parse HEAD")
    project.memory.sync()
    shown = converse(repo, "r\nc\ni\nx\n", "review", "v0.9.0..HEAD")
    assert "An LRU bound keeps the hot keys" in shown
    assert "include, exclude, read, cut to single exchanges, skip or quit?" in shown
    again = project.funes("review", "v0.9.0..HEAD", "--format", "json")
    (session,) = json.loads(again.stdout)["sessions"]
    assert session["verdict"] == "partly"
    assert list(session["exchanges"].values()) == ["included", "excluded"]


def test_who_quits_publishes_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.grow("src/limit.py", "def limit():\n    return 1024 * 64\n", "v1.1.0")
    for key, value in project.environment().items():
        monkeypatch.setenv(key, value)
    args = ("publish", "v0.9.0..v1.1.0", NAME, "--public")
    shown = converse(project.git, "i\nq\n", *args, code=1)
    assert "nothing was published; what you decided is kept" in shown
    assert NAME not in project.hub.repositories
    state = json.loads(project.funes("review", "v0.9.0..v1.1.0", "--format", "json").stdout)
    assert [each["verdict"] for each in state["sessions"]] == ["included", "pending"]


def test_the_table_fits_a_terminal(project: Project) -> None:
    project.git.git("switch", "-qc", "feature/bound-the-cache-by-count-and-not-by-age")
    project.grow("src/limit.py", "def limit():\n    return 1024 * 64\n", "v1.1.0")
    shown = converse(project.git, "s\ns\n", "review", "v0.9.0..v1.1.0", columns=80)
    table = shown.partition("session 1 of")[0]
    assert "feature/bound-the-cache-by-count-and-not-by-age" in table
    assert "explains 1 commit" in table
    assert max(len(row.rstrip()) for row in table.splitlines()) <= 80
