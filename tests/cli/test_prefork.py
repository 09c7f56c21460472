"""A command that is forked (tests/prefork.py) does what one does that a user starts."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import prefork
import pytest
from cli.running import environment, funes, started
from helpers import GitRepo


@pytest.mark.parametrize("args", [("status",), ("status", "--format", "no"), ("-C", "no", "why")])
def test_output_and_exit_code_are_the_same(args: tuple[str, ...], repo: GitRepo) -> None:
    forked, whole = funes(*args, cwd=repo.path), started(*args, cwd=repo.path)
    assert (forked.returncode, forked.stdout, forked.stderr) == (
        whole.returncode,
        whole.stdout,
        whole.stderr,
    )


def test_each_has_its_own_folder_and_environment(repo: GitRepo, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor() as pool:
        said = list(pool.map(lambda folder: funes("status", cwd=folder).stderr, folders))
    for folder, words in zip(folders, said, strict=True):
        assert f"{folder} is in no git repository" in words
    git_dir = str(repo.path / ".git")
    assert "no git repository" not in funes("status", cwd=tmp_path, GIT_DIR=git_dir).stderr


@pytest.mark.skipif(sys.platform == "darwin", reason="nothing is forked there")
def test_a_setting_of_the_interpreter_takes_a_new_one() -> None:
    env = environment()
    assert prefork.forks(env)
    assert not prefork.forks({**env, "PYTHONHASHSEED": "0"})
