"""`git funes add` and `remove`: what people, agents and programs are told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from agents import START, ClaudeSession
from cli.running import environment, funes, on_terminal
from helpers import GitRepo, share_caches
from hub import serving
from machines import Machine


def test_add_says_what_went_where_and_what_is_left_to_do(repo: GitRepo, hermetic: Path) -> None:
    done = funes("add", "codex", cwd=repo.path)
    assert done.returncode == 0, done.stderr
    assert "Codex: added" in done.stdout
    assert "~/.codex/config.toml" in done.stdout
    assert "/hooks" in done.stdout
    assert "has no memory yet; `git funes init` makes one" in done.stderr
    done = funes("remove", "codex", cwd=repo.path)
    assert done.stdout == "Codex: funes-git is out of your settings\n"
    assert not (hermetic / ".codex").exists()
    done = funes("remove", "codex", cwd=repo.path)
    assert done.stdout == "Codex had nothing of funes-git\n"


AGENTS = ("claude", "codex", "pi", "hermes", "gemini", "opencode", "cursor", "copilot")


@pytest.mark.parametrize("agent", AGENTS)
def test_adding_again_says_that_it_was_there(agent: str, repo: GitRepo, hermetic: Path) -> None:
    def added(*flags: str) -> str:
        return funes("add", agent, *flags, cwd=repo.path).stdout.splitlines()[0].split(": ")[1]

    def already() -> bool:
        (one,) = json.loads(funes("add", agent, "--format", "json", cwd=repo.path).stdout)["agents"]
        return bool(one["already"])

    assert not already()
    assert already()
    assert added() == "already added"
    if agent == "claude":
        assert added("--hints") == "added, with hints"
        assert added("--hints") == "already added, with hints"


def test_remove_takes_it_out_of_both_places(repo: GitRepo, hermetic: Path) -> None:
    for scope in ("--user", "--project"):
        assert funes("add", "gemini", scope, cwd=repo.path).returncode == 0
    done = funes("remove", "gemini", "--format", "json", cwd=repo.path)
    assert json.loads(done.stdout)["removed"] == ["user", "project"]
    assert repo.git("status", "--porcelain") == ""


def test_add_alone_in_a_pipe_lists_what_is_installed_with_the_command(
    repo: GitRepo, hermetic: Path
) -> None:
    done = funes("add", cwd=repo.path, PATH=os.environ["PATH"])
    (hermetic / ".pi" / "agent").mkdir(parents=True)
    done = funes("add", cwd=repo.path)
    assert "pi: not added" in done.stdout
    assert "next: git funes add pi" in done.stdout
    assert not list((hermetic / ".pi" / "agent").iterdir())
    found = json.loads(funes("add", "--format", "json", cwd=repo.path).stdout)["agents"]
    (pi,) = [each for each in found if each["agent"] == "pi"]
    assert (pi["state"], pi["next"]) == ("absent", "next: git funes add pi")


def test_add_alone_on_a_terminal_asks_for_each(repo: GitRepo, hermetic: Path) -> None:
    for name in (".gemini", ".cursor"):
        (hermetic / name).mkdir()
    code, said = on_terminal("add", cwd=repo.path, typed="y\nn\n", PATH="/usr/bin:/bin")
    assert code == 0
    assert "Add funes-git to Gemini CLI? [y/N]" in said
    assert "Add funes-git to Cursor? [y/N]" in said
    assert (hermetic / ".gemini" / "settings.json").exists()
    assert not list((hermetic / ".cursor").iterdir())


def test_wrong_uses_say_what_to_run(repo: GitRepo, tmp_path: Path) -> None:
    for args, said in (
        (("add", "emacs"), "no agent is called 'emacs'"),
        (("add", "hermes", "--project"), "settings of the user alone"),
        (("add", "pi", "--user", "--project"), "are two places"),
        (("add", "gemini", "--hints"), "Gemini CLI takes no hints"),
    ):
        done = funes(*args, cwd=repo.path)
        assert done.returncode == 2, args
        assert said in done.stderr
        assert "hint: " in done.stderr
    (tmp_path / "outside").mkdir()
    done = funes("add", "pi", "--project", cwd=tmp_path / "outside")
    assert "--project needs a working tree" in done.stderr
    assert funes("add", "pi", cwd=tmp_path / "outside").returncode == 0


def test_malformed_settings_are_named_and_left_alone(repo: GitRepo, hermetic: Path) -> None:
    (hermetic / ".cursor").mkdir()
    path = hermetic / ".cursor" / "mcp.json"
    path.write_text("{\n  oops\n}\n")
    done = funes("add", "cursor", cwd=repo.path)
    assert done.returncode == 1
    assert f"error: {path}: line 2 is no JSON; nothing was changed" in done.stderr
    assert [p.name for p in (hermetic / ".cursor").iterdir()] == ["mcp.json"]


def test_init_offers_it_and_status_and_deinit_tell_of_it(repo: GitRepo, hermetic: Path) -> None:
    (hermetic / ".gemini").mkdir()
    repo.write("a.py", "one = 1\n")
    repo.commit("first")
    world = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    done = funes("init", "--no-embed", "--format", "human", cwd=repo.path, **world)
    assert done.returncode == 0, done.stderr
    assert "git funes add" in done.stdout
    assert "let Gemini CLI ask by itself" in done.stdout
    assert funes("add", "gemini", cwd=repo.path, **world).returncode == 0
    done = funes("init", "--no-embed", "--format", "human", cwd=repo.path, **world)
    assert "git funes add" not in done.stdout
    done = funes("status", "--format", "json", cwd=repo.path, **world)
    (added,) = json.loads(done.stdout)["added"]
    assert (added["agent"], added["scope"], added["state"]) == ("gemini", "user", "wired")
    done = funes("deinit", "--purge", cwd=repo.path, **world)
    assert "Gemini CLI still asks it; `git funes remove gemini` ends that" in done.stderr
    assert (hermetic / ".config" / "funes-git" / "bin" / "funes-git").exists()
    assert funes("remove", "gemini", cwd=repo.path, **world).returncode == 0
    assert not (hermetic / ".config" / "funes-git").exists()


def test_with_a_memory_one_command_does_all_on_each_machine(
    repo: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    repo.write("a.py", "one = 1\n")
    repo.commit("first", date=START - 100)
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Count the visitors of each page.")
    claude.edit("a.py", "one = 1\n", "visitors_of_page = collections.Counter()\n")
    claude.bash("git commit -qam 'Count visitors' && git rev-parse HEAD")
    shared = tmp_path / "shared"
    done = funes("add", "claude", str(shared), cwd=repo.path)
    assert done.returncode == 0, done.stderr
    assert repo.git("config", "funes.memory") == str(shared)

    other, home = tmp_path / "other" / "repo", tmp_path / "home"
    home.mkdir()
    share_caches(home)
    repo.git("clone", "-q", str(repo.path), str(other))
    done = funes("add", "claude", str(shared), cwd=other, HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert f"push to {shared} when they end" in done.stderr
    done = funes("why", "a.py:1", cwd=other, HOME=str(home))
    assert "Count the visitors of each page." in done.stdout


def test_what_cannot_be_shared_is_said_before_anything_is_done(
    repo: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    for cwd, memory, said in (
        (tmp_path, "acme/widget", "a memory is a repository's"),
        (repo.path, "no such", "no memory can be called 'no such'"),
        (repo.path, "acme/widget@v1", "names a revision"),
    ):
        done = funes("add", "claude", memory, cwd=cwd)
        assert done.returncode == 2, done.stderr
        assert said in done.stderr
    assert not (hermetic / ".claude.json").exists()


@pytest.mark.slow
def test_a_memory_of_other_repositories_is_asked_about(tmp_path: Path) -> None:
    shared = str(tmp_path / "shared")
    first, other = Machine(tmp_path / "first"), Machine(tmp_path / "other")
    first.session("one.py", "count_visitors = 1")
    first.run("add", "pi", shared)
    other.session("two.py", "quite_another_thing = 2")
    said = other.run("add", "pi", shared, code=1).stderr
    assert f"{shared} holds sessions, and none of this repository" in said
    assert "hint: check the name, or add --yes" in said
    ways = {"typed": "n\n", "cwd": other.repo.path, **other.env}
    code, said = on_terminal("add", "pi", shared, **ways)
    assert (code, "none of this repository. Go on? [y/N]" in said) == (1, True), said
    assert "memory" not in other.repo.git("config", "--local", "--list")
    code, said = on_terminal("add", "pi", shared, **{**ways, "typed": "y\n"})
    assert code == 0, said
    assert other.repo.git("config", "funes.memory") == shared
    third = Machine(tmp_path / "third")
    third.session("three.py", "a_third_thing = 3")
    third.run("add", "pi", shared, "--yes")


@pytest.mark.slow
def test_one_command_on_each_machine_and_the_hub_between_them(tmp_path: Path) -> None:
    with serving() as hub:
        one = Machine(tmp_path / "one", hub)
        one.session("one.py", "count_visitors = 1", prompt="Count the visitors")
        done = one.run("add", "claude", "ada/widget")
        assert "made ada/widget, private\npushed 4 turns to ada/widget\n" in done.stdout
        assert "note: from now on sessions of agents that are added here push" in done.stderr
        assert hub.repositories["ada/widget"].private

        two = Machine(tmp_path / "two", hub, one.repo)
        done = two.run("add", "claude", "ada/widget")
        assert "no agent's session on this machine yet\n" in done.stdout
        assert "took 1 session, 4 turns" in done.stdout
        assert "Count the visitors" in two.run("why", "one.py:1").stdout

        two.clock.tick(5_000)
        two.session("two.py", "count_pages = 2", prompt="Count the pages")
        _session_ends(two)
        until = time.monotonic() + 120
        while not any("two.py" in str(body) for body in hub.received):
            assert time.monotonic() < until, hub.asked
            time.sleep(0.2)
        one.repo.git("pull", "-q", str(two.repo.path), "main")
        assert "took 1 session, 4 turns" in one.run("add", "claude", "ada/widget").stdout
        assert "Count the pages" in one.run("why", "two.py:1").stdout


def _session_ends(machine: Machine) -> None:
    """What Claude Code runs then."""
    settings = json.loads((machine.home / ".claude/settings.json").read_text())
    command = ["/bin/sh", "-c", settings["hooks"]["SessionEnd"][0]["hooks"][0]["command"]]
    env = environment(**machine.env, FUNES_GIT_WORKER_DELAY="0")
    subprocess.run(command, cwd=machine.repo.path, env=env, input=b"{}", check=True)
