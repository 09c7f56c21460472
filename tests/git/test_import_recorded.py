"""What `init` notices of other tools' records: refs and folders that exist."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.running import funes
from helpers import GitRepo

from funes_git.git import Repo
from funes_git.imports.recorded import recorded

REFS = {
    "refs/heads/entire/checkpoints/v1": "entire",
    "refs/remotes/origin/entire/checkpoints/v1": "entire",
    "refs/notes/ai": "git-ai",
    "refs/notes/agentnote": "agentnote",
}


@pytest.fixture
def base(repo: GitRepo) -> GitRepo:
    repo.write("a.py", "one = 1\n")
    repo.commit("start")
    return repo


@pytest.mark.parametrize(("ref", "tool"), REFS.items())
def test_a_ref_of_a_tool_is_noticed(base: GitRepo, ref: str, tool: str) -> None:
    assert recorded(Repo.discover(base.path)) == []
    base.git("update-ref", ref, "HEAD")
    assert recorded(Repo.discover(base.path)) == [tool]


def test_folders_of_tools_are_noticed(base: GitRepo) -> None:
    base.write(".agent-trace/x.jsonl", "")
    base.write(".specstory/history/x.md", "")
    assert recorded(Repo.discover(base.path)) == ["agent-trace", "specstory"]


def test_init_of_a_repository_without_sessions_offers_the_import(
    base: GitRepo, hermetic: Path
) -> None:
    base.git("update-ref", "refs/remotes/origin/entire/checkpoints/v1", "HEAD")
    asked = ("init", "--no-hooks", "--no-embed", "--format")
    done = funes(*asked, "json", cwd=base.path, HOME=str(hermetic))
    assert json.loads(done.stdout)["recorded"] == ["entire"]
    done = funes(*asked, "human", cwd=base.path, HOME=str(hermetic))
    assert "git funes import entire " in done.stdout
    lost = funes("recall", "anything", cwd=base.path, HOME=str(hermetic))
    assert "git funes index --adopt PATH" in lost.stderr
    assert "git funes import TOOL" in lost.stderr
