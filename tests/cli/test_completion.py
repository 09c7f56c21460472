"""Completion of `git funes`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from cli.running import funes
from helpers import GitRepo

from funes_git.commands import COMMANDS
from funes_git.commands.scripts import SCRIPTS

GITS_OWN = Path("/usr/share/bash-completion/completions/git")
ASK = """\
source "$1"; source "$2"; shift 2
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
if [ "$1" = git ]; then __git_wrap__git_main; else __git_wrap_git_funes; fi
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "git-funes.bash"
    path.write_text(funes("completion", "bash", cwd=tmp_path).stdout)
    return path


def completed(script: Path, cwd: Path, *words: str) -> list[str]:
    """What bash offers for the last of these words."""
    done = subprocess.run(
        ["bash", "-c", ASK, "bash", str(GITS_OWN), str(script), *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return [word.strip() for word in done.stdout.splitlines() if word.strip()]


@pytest.mark.skipif(not GITS_OWN.exists(), reason="needs git's bash completion")
def test_bash_completes_commands_options_choices_and_revisions(script: Path, repo: GitRepo) -> None:
    repo.commit("Start")
    repo.git("branch", "topic")
    assert set(COMMANDS) <= set(completed(script, repo.path, "git", "funes", ""))
    assert completed(script, repo.path, "git", "funes", "bla") == ["blame"]
    assert completed(script, repo.path, "git", "funes", "why", "--a") == ["--at"]
    assert completed(script, repo.path, "git", "funes", "why", "--format", "j") == ["json"]
    assert completed(script, repo.path, "git", "funes", "why", "--at", "to") == ["topic"]
    assert completed(script, repo.path, "git", "funes", "log", "to") == ["topic"]
    assert completed(script, repo.path, "git", "funes", "models", "p") == ["pull"]
    assert completed(script, repo.path, "git", "funes", "why", "src/") == []
    assert completed(script, repo.path, "git", "-C", ".", "funes", "rei") == ["reindex"]


@pytest.mark.skipif(not GITS_OWN.exists(), reason="needs git's bash completion")
def test_bash_completes_the_program_without_git_before_it(script: Path, repo: GitRepo) -> None:
    assert "status" in completed(script, repo.path, "git-funes", "sta")


@pytest.mark.parametrize("shell", SCRIPTS)
def test_every_shell_gets_every_command_and_option(shell: str) -> None:
    text = SCRIPTS[shell]()
    for name in COMMANDS:
        assert name in text
    assert "exit-code" in text
    assert "thinking" in text


@pytest.mark.parametrize("shell", SCRIPTS)
def test_scripts_are_valid(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    path = tmp_path / "script"
    path.write_text(SCRIPTS[shell]())
    done = subprocess.run([program, "-n", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
