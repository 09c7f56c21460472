"""Every error becomes a message with the next command and a fixed exit code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli.running import environment, funes
from cli.sample_commands import SECRET
from helpers import GitRepo

SAMPLE = [sys.executable, "-m", "cli.sample_commands"]


def sample(*args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SAMPLE, *args],
        cwd=cwd,
        env=environment(**env),
        capture_output=True,
        text=True,
        check=False,
    )


def test_outside_a_repository_it_says_so(tmp_path: Path) -> None:
    done = funes("status", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {tmp_path} is in no git repository\nhint: ")
    assert done.stdout == ""


@pytest.mark.parametrize(
    "command", ["status", "why a.py:1", "blame a.py", "log", "recall x", "get a b"]
)
def test_without_a_memory_init_is_what_comes_next(repo: GitRepo, command: str) -> None:
    done = funes(*command.split(), cwd=repo.path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: this repository has no memory yet\nhint: git funes init\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["bogus"], "error: git funes has no command 'bogus'\nhint: git funes -h"),
        (["wyh"], "hint: git funes why\n"),
        (["--bogus"], "error: unknown option: --bogus\nhint: git funes -h"),
        (["why", "--bogus", "x"], "error: unknown option: --bogus\nhint: git funes why -h"),
        (["why"], "hint: git funes why FILE:LINE   (more: git funes why -h)"),
        (["why", "x", "--format", "xml"], "hint: git funes why -h"),
        (["get", "a", "b", "c"], "hint: git funes get -h"),
        (["-C"], "error: -C needs a path"),
        (["recall"], "error: recall needs words to look for\nhint: git funes recall"),
        (["index", "--adopt"], "error: --adopt needs a path"),
        (["link", "--all", "HEAD"], "error: --all and a range exclude each other"),
    ],
)
def test_a_wrong_command_line_exits_2(repo: GitRepo, args: list[str], said: str) -> None:
    done = funes(*args, cwd=repo.path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_an_error_names_the_next_command_and_is_harmless(tmp_path: Path) -> None:
    done = sample("trouble", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "error: the disk is ␛[2Jodd\nhint: git funes doctor\n"


def test_a_busy_memory_exits_75(tmp_path: Path) -> None:
    assert sample("busy", cwd=tmp_path).returncode == 75


def test_an_interrupt_exits_130_without_a_traceback(tmp_path: Path) -> None:
    done = sample("interrupted", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, "stopped\n")


def test_an_interrupt_that_comes_twice_breaks_into_nothing(tmp_path: Path) -> None:
    done = sample("twice", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "tidied up\n", "stopped\n")


def test_an_interrupted_command_says_what_is_kept(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from funes_git import cli
    from funes_git.commands import COMMANDS, KEEP, index

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(index, "read_new", interrupted)
    monkeypatch.chdir(repo.path)
    assert cli.main(["index"]) == 130
    said = "stopped; what was read is kept: the same command goes on from there\n"
    assert capsys.readouterr() == ("", said)
    changing = {command.name for command in COMMANDS.values() if command.group == KEEP}
    for name in changing - {"status", "doctor"} | {"init", "publish", "withdraw"}:
        assert COMMANDS[name].stopped, name


def test_a_full_disk_is_no_bug(tmp_path: Path) -> None:
    done = sample("full", cwd=tmp_path)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    out = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m funes_git -h >/dev/full"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.returncode == 1
    assert out.stderr.startswith("error: No space left on device")
    assert "Traceback" not in out.stderr


def test_a_file_that_may_not_grow_is_no_bug(tmp_path: Path) -> None:
    written = f"{sys.executable} -m funes_git --version"
    done = subprocess.run(
        ["bash", "-c", f"trap '' XFSZ; ulimit -f 0; {written} > out"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: File too large")


def test_what_the_machine_refuses_is_no_bug(tmp_path: Path) -> None:
    done = sample("refused", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "error: Not a directory: /dev/null/x\nhint: git funes doctor\n"


def test_a_bug_exits_3_and_is_logged_without_what_it_read(tmp_path: Path, hermetic: Path) -> None:
    done = sample("bug", cwd=tmp_path)
    log = hermetic / ".cache" / "funes-git" / "log" / "crash.log"
    assert done.returncode == 3
    assert done.stderr == f"error: this is a bug in funes-git (ValueError); details: {log}\n"
    text = log.read_text()
    assert "sample_commands.py" in text
    assert "in bug" in text
    assert "- git version" in text
    assert SECRET not in text


def test_the_crash_log_stays_small(tmp_path: Path, hermetic: Path) -> None:
    log = hermetic / ".cache" / "funes-git" / "log" / "crash.log"
    log.parent.mkdir(parents=True)
    log.write_text("x" * 1_000_000)
    sample("bug", cwd=tmp_path)
    assert log.stat().st_size < 250_000


@pytest.mark.parametrize("lines", ["3", "200000"])
def test_a_closed_pipe_is_quiet(tmp_path: Path, lines: str) -> None:
    script = f"{sys.executable} -m cli.sample_commands lines {lines}; echo $? >&2"
    done = subprocess.run(
        ["sh", "-c", f"({script}) | true"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "0\n"


def test_a_closed_standard_output_is_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m cli.sample_commands lines 3 >&-"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr


def test_dash_c_runs_elsewhere_as_often_as_given(repo: GitRepo, tmp_path: Path) -> None:
    (repo.path / "sub").mkdir()
    done = funes("-C", "repo", "-C", "sub", "status", cwd=tmp_path)
    assert "no memory yet" in done.stderr
    gone = funes("-C", "nowhere", "status", cwd=tmp_path)
    assert gone.returncode == 1
    assert gone.stderr.startswith("error: cannot change to nowhere: No such file or directory\n")


def test_git_dir_is_honoured(repo: GitRepo, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    done = funes("status", cwd=other, GIT_DIR=str(repo.path / ".git"))
    assert "no memory yet" in done.stderr


def test_help_and_version() -> None:
    here = Path(__file__).parent
    assert funes("--version", cwd=here).stdout.startswith("git-funes ")
    overview = funes("-h", cwd=here).stdout
    assert funes(cwd=here).stdout == overview
    assert "usage: git funes COMMAND" in overview
    explained = funes("why", "-h", cwd=here).stdout
    assert funes("help", "why", cwd=here).stdout == explained
    assert funes("why", "--help", cwd=here).stdout == explained
    assert "Example: git funes why src/cache.py:88" in explained


def test_in_a_folder_that_is_gone_it_says_so(tmp_path: Path) -> None:
    command = f"mkdir gone && cd gone && rmdir ../gone && {sys.executable} -m funes_git status"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: the current folder is gone")


def test_an_interrupt_while_it_starts_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    from funes_git import __main__, cli

    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    assert __main__.main() == 130
