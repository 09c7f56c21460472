"""The hook that the pre-commit framework takes from this repository, run by the real pre-commit."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from agents import ClaudeSession
from cli.running import ROOT, environment
from git.test_hooks_managers import pre_commit, run  # noqa: F401
from helpers import GitRepo
from memory import Memory

pytestmark = pytest.mark.slow


def test_a_commit_is_linked_by_pre_commit(
    repo: GitRepo,
    hermetic: Path,
    tmp_path: Path,
    pre_commit: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = GitRepo(tmp_path / "funes-git")
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", ours.path)
    rev = ours.commit("hooks")
    program = tmp_path / "bin" / "git-funes"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m funes_git "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)

    repo.write("a.py", "one = 1\n")
    hook = f"repos:\n- repo: {ours.path}\n  rev: {rev}\n  hooks:\n  - id: funes-git-link\n"
    repo.write(".pre-commit-config.yaml", hook)
    repo.commit("first")
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Count the visitors of each page.")
    claude.edit("a.py", "one = 1\n", "visitors_of_page = collections.Counter()\n")
    Memory(repo).sync()
    done = run(pre_commit, "install", "-t", "post-commit", cwd=repo.path)
    assert done.returncode == 0, done.stderr
    done = run("git", "commit", "-qam", "Count visitors", cwd=repo.path)
    assert done.returncode == 0, done.stderr
    assert "Failed" not in done.stderr + done.stdout
    with Memory(repo).catalog() as catalog:
        links = catalog.links_of([repo.git("rev-parse", "HEAD")])
    assert [link.session_id for each in links.values() for link in each] == [claude.id]
