"""A command line or a target that is wrong: what is said names what was meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import GitRepo

from funes_git.cli import _parsed, _spelled_out
from funes_git.commands import COMMANDS, mistakes
from funes_git.errors import UnknownTarget, UsageError
from funes_git.git import Repo
from funes_git.targets import find_path, missing_path, parse_range, parse_target


@pytest.mark.parametrize(
    ("command_line", "message", "hint"),
    [
        ("why", "why needs FILE:LINE, FILE or a commit", "git funes why FILE:LINE "),
        ("blame", "blame needs a file", "git funes blame FILE "),
        ("get", "get needs a session", "git funes log -5 "),
        ("completion", "completion needs a shell", "git funes completion bash "),
        ("ask", "ask needs AGENT", "git funes ask -h"),
        ("remove", "remove needs AGENT", "git funes remove -h"),
        ("import", "import needs SOURCE", "git funes import -h"),
        ("withdraw", "withdraw needs RELEASE", "git funes withdraw -h"),
        ("why a -n", "-n needs a value", "git funes why -h"),
        ("why a 3", "why takes one argument; too much: 3", "git funes why FILE:3"),
        ("get a b c", "get takes two arguments; too much: c", "git funes get -h"),
        ("init foo", "init takes no arguments; too much: foo", "git funes init -h"),
        ("status -C x", "unknown option: -C", "git funes -C PATH status "),
        ("status --json", "unknown option: --json", "git funes status --format json"),
        ("recall -n abc x", "-n needs a number, not 'abc'", "git funes recall -h"),
        ("demo --speed abc", "--speed needs a number, not 'abc'", "git funes demo -h"),
        ("demo --speed=-1", 'Invalid value "-1" for --speed', "git funes demo -h"),
        ("log --oneline", "unknown option: --oneline", "git funes log -h"),
        ("log -1 --agent x", "unknown option: --agent", "git funes log -h"),
        ("log --sinec=x", "unknown option: --sinec", "git funes log -h   (do you mean --since?)"),
    ],
)
def test_what_was_expected_is_said(command_line: str, message: str, hint: str) -> None:
    name, *rest = command_line.split()
    command = COMMANDS[name]
    with pytest.raises(UsageError) as caught:
        _parsed([name, *_spelled_out(command, rest)], command)
    assert caught.value.message.startswith(message)
    assert (caught.value.hint or "").startswith(hint)
    if not hint.endswith((" ", "?)")):
        assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("wyh", "git funes why"),
        ("Why", "git funes why"),
        ("search", "git funes recall WORDS"),
        ("version", "git funes --version"),
        ("zzz", "git funes -h"),
    ],
)
def test_another_programs_name_leads_to_ours(name: str, hint: str) -> None:
    assert mistakes.unknown_command(name).hint == hint


@pytest.mark.parametrize(
    ("text", "at", "message", "hint"),
    [
        ("src/a.py:3", "nope", "no commit is called 'nope'", "git log --oneline --all"),
        ("src/a.py:3", "v9.9.9", "no commit is called 'v9.9.9'", "git tag"),
        (".git/config:1", None, ".git/config is git's own", "git ls-files"),
        ("src", None, "src is a folder", "git funes log -- src"),
        ("src/a.py:1-", None, "after src/a.py: comes a line", "git funes why src/a.py:10-20"),
        ("HEAD:src/a.py", None, "'HEAD:src/a.py' is git's", "git funes why --at HEAD src/a.py"),
        ("HEAD:src/a.py:1", None, "'HEAD:src/a.py:1' is", "git funes why --at HEAD src/a.py:1"),
        ("src/b.py:1", None, "there is no file src/b.py", "git ls-files, or --at REV "),
        ("a" * 5000, None, "'aaa", "git funes why FILE:LINE"),
        ("nothing", None, "'nothing' is no file and no commit", "git funes why FILE:LINE"),
    ],
)
def test_a_target_that_is_none(
    repo: GitRepo, text: str, at: str | None, message: str, hint: str
) -> None:
    repo.write("src/a.py", "a = 1\n")
    repo.commit("a")
    with pytest.raises(UnknownTarget) as caught:
        parse_target(Repo.discover(repo.path), text, at, repo.path)
    assert caught.value.message.startswith(message)
    assert (caught.value.hint or "").startswith(hint)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("30,50", (30, 50)),
        ("50,30", (30, 50)),
        ("30", (30, None)),
        ("30,", (30, None)),
        (",50", (1, 50)),
        ("30,+5", (30, 34)),
        ("30,-5", (26, 30)),
    ],
)
def test_ranges_are_those_of_git_blame(text: str, lines: tuple[int, int | None]) -> None:
    assert parse_range(text) == lines


@pytest.mark.parametrize("text", ["", "x", "3-5", "/put/,50", "1,2,3", "-3"])
def test_what_is_no_range_says_how_one_looks(text: str) -> None:
    with pytest.raises(UsageError, match="30,50"):
        parse_range(text)


def test_a_file_elsewhere_is_not_called_missing(repo: GitRepo, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("x\n")
    with pytest.raises(UnknownTarget, match="outside the working tree"):
        parse_target(Repo.discover(repo.path), f"{other}:1", None, repo.path)
    assert find_path(Repo.discover(repo.path), str(tmp_path / "none.py"), None, repo.path) is None


def test_blame_of_a_line_or_a_folder(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("src/a.py", "a = 1\n")
    monkeypatch.chdir(repo.path)
    assert missing_path("src/a.py:1", None).hint == "git funes why src/a.py:1"
    assert missing_path("src", None).message == "src is a folder"
