"""The program under each of its names, and as git's own subcommand."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from cli.running import ROOT, environment
from helpers import GitRepo

SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with the scripts that an installation makes."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, target in SCRIPTS.items():
        module, _, function = target.partition(":")
        script = folder / name
        script.write_text(
            f"#!{sys.executable}\nimport sys\nfrom {module} import {function}\n"
            f"sys.exit({function}())\n"
        )
        script.chmod(0o755)
    return folder


def run(programs: Path, cwd: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(programs), os.environ["PATH"]))
    return subprocess.run(
        command, cwd=cwd, env=environment(PATH=path), capture_output=True, text=True, check=False
    )


def test_both_scripts_name_a_function_that_exists() -> None:
    assert set(SCRIPTS) == {"git-funes", "funes-git"}
    for target in SCRIPTS.values():
        module, _, function = target.partition(":")
        assert callable(getattr(import_module(module), function))


@pytest.mark.parametrize("name", ["git funes", "git-funes", "funes-git"])
def test_every_name_runs_the_same_program(name: str, programs: Path, repo: GitRepo) -> None:
    done = run(programs, repo.path, *name.split(), "status")
    assert done.returncode == 1
    assert done.stderr == "error: this repository has no memory yet\nhint: git funes init\n"
    assert run(programs, repo.path, *name.split(), "-h").stdout.startswith("usage: git funes")


@pytest.mark.parametrize(
    "before",
    [["-C", "repo"], ["--git-dir", "repo/.git"], ["--git-dir", "repo/.git", "--work-tree", "repo"]],
)
def test_gits_own_options_choose_the_repository(
    before: list[str], programs: Path, repo: GitRepo, tmp_path: Path
) -> None:
    done = run(programs, tmp_path, "git", *before, "funes", "status")
    assert "no memory yet" in done.stderr


def test_an_alias_works_from_a_subfolder(programs: Path, repo: GitRepo) -> None:
    (repo.path / "sub").mkdir()
    repo.git("config", "alias.fs", "funes status")
    repo.git("config", "alias.fx", "!git funes status")
    for alias in ("fs", "fx"):
        assert "no memory yet" in run(programs, repo.path / "sub", "git", alias).stderr


def test_an_exit_code_reaches_the_shell_through_git(programs: Path, repo: GitRepo) -> None:
    assert run(programs, repo.path, "git", "funes", "bogus").returncode == 2
