"""`recall --stream`: what words find, until the answer is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from agents import ClaudeSession
from cli.running import funes
from cli.test_output import on_terminal
from helpers import GitRepo
from memory import Memory

RUN = "import sys; from funes_git.cli import main; sys.exit(main())"
ASKED = ("recall", "--stream", "why no time to live")


@pytest.fixture
def told(repo: GitRepo, hermetic: Path) -> GitRepo:
    repo.write("cache.py", "entries = {}\n")
    repo.commit("Start the cache")
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("The cache grows without bound.")
    claude.says("A time to live would not help: the import takes " + "longer and " * 40 + "longer.")
    Memory(repo).sync()
    return repo


def test_a_terminal_shows_what_words_find_until_the_answer_takes_its_place(told: GitRepo) -> None:
    text = on_terminal(RUN, *ASKED, cwd=told.path, rows=40, columns=80, GIT_PAGER="cat")
    early, answer = text.split("\x1b[2A\x1b[J")
    heading, row = early.splitlines()
    assert heading == "1 hit by words; looking closer…"
    assert re.fullmatch(r" 1\. Claude Code [0-9a-f]{8} .*time to live.* …", row)
    assert len(row) < 80
    assert re.search(r"^1\. Claude Code", answer, re.MULTILINE)
    assert "\x1b" not in answer
    small = on_terminal(RUN, *ASKED, cwd=told.path, rows=2, columns=80, GIT_PAGER="cat")
    assert "\x1b[1A\x1b[J" in small  # no more than there is room for


def test_a_pipe_and_a_terminal_that_cannot_get_the_answer_alone(told: GitRepo) -> None:
    for format in ("human", "json"):
        shown = funes(*ASKED, "--format", format, cwd=told.path).stdout
        assert shown == funes("recall", ASKED[2], "--format", format, cwd=told.path).stdout
    dumb = "import os; os.environ['TERM'] = 'dumb'; " + RUN
    text = on_terminal(dumb, *ASKED, cwd=told.path, rows=40, GIT_PAGER="cat")
    assert "looking closer" not in text
    assert "time to live" in text
