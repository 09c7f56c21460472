"""Reviewing on a terminal: a session is read, then cut to its exchanges."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

from cli.running import environment
from helpers import GitRepo
from hub import Hub
from publishing import Project


def converse(repo: GitRepo, answers: str, *args: str) -> str:
    """`git funes ARGS` on a terminal of its own, with what is typed; what it shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "funes_git", "--no-pager", *args],
        cwd=repo.path,
        env=environment(COLUMNS="100", LINES="50"),
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
    assert process.wait() == 0, shown.decode("utf-8", "replace")
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
