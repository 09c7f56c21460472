"""Hooks that an agent does not run yet are told of, and never approved by us."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.running import funes
from helpers import GitRepo

from funes_git import doctor
from funes_git.git import Repo
from funes_git.hosts import launchers, trust, wiring
from funes_git.hosts.catalogue import command

REVIEW = "start `codex`, open /hooks and trust the ones of funes-git"


def codex_says(folder: Path, *states: str) -> None:
    """A `codex app-server` that lists our hooks in these states, and another one."""
    hooks = [
        {"command": command("codex", "turn-end"), "eventName": f"e{n}", "trustStatus": state}
        for n, state in enumerate(states)
    ]
    theirs = {"command": "theirs", "eventName": "stop", "trustStatus": "untrusted"}
    answer = {"id": 2, "result": {"data": [{"cwd": "/", "hooks": [*hooks, theirs]}]}}
    program = folder / "codex"
    body = f"""read a; echo '{{"id": 1}}'; read b; read c; cat <<'E'\n{json.dumps(answer)}\nE\n"""
    program.write_text(f"#!/bin/sh\n{body}sleep 60\n")
    program.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def test_codex_tells_the_state_of_our_hooks(tmp_path: Path, programs: Path) -> None:
    assert trust.codex_hooks(tmp_path) == {}
    codex_says(programs, "trusted", "modified")
    assert trust.codex_hooks(tmp_path) == {"e0": "trusted", "e1": "modified"}
    (programs / "codex").write_text("#!/bin/sh\necho no json\n")
    assert trust.codex_hooks(tmp_path) == {}


def test_a_codex_that_does_not_answer_is_not_waited_for(
    tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "PATIENCE", 0.3)
    (programs / "codex").write_text("#!/bin/sh\nexec sleep 60\n")
    (programs / "codex").chmod(0o755)
    assert trust.codex_hooks(tmp_path) == {}


def checks(repo: GitRepo) -> list[tuple[str, str, str | None]]:
    found = doctor._added(Repo.discover(repo.path))
    return [(check.state, check.detail, check.hint) for check in found]


def test_doctor_tells_what_a_user_has_to_do(repo: GitRepo, hermetic: Path, programs: Path) -> None:
    agent = wiring.named("codex")
    where = wiring.where(agent, "user", None)
    assert checks(repo) == []
    wiring.add(agent, where)
    codex_says(programs, "untrusted", "trusted")
    ((state, detail, hint),) = checks(repo)
    assert (state, detail) == ("warning", "Codex: its hooks do not run yet")
    assert hint is not None
    assert REVIEW in hint
    codex_says(programs, "trusted", "trusted")
    assert checks(repo) == [("ok", "Codex: tools, hooks and skill are there", None)]
    (hermetic / ".codex" / "skills" / "funes-git" / "SKILL.md").unlink()
    ((state, _, hint),) = checks(repo)
    assert (state, hint) == ("warning", "git funes add codex")
    wiring.add(agent, where)
    launchers.launcher().unlink()
    ((state, _, hint),) = checks(repo)
    assert (state, hint) == ("failed", "git funes add codex")
    (hermetic / ".codex" / "hooks.json").write_text("{")
    ((state, detail, _),) = checks(repo)
    assert state == "failed"
    assert "hooks.json" in detail


@pytest.mark.parametrize("name", ["codex", "hermes"])
def test_add_tells_until_it_is_done(repo: GitRepo, hermetic: Path, name: str) -> None:
    agent = wiring.named(name)
    found = wiring.add(agent, wiring.where(agent, "user", None))
    assert found.review == agent.review != ""
    if name == "codex":
        path = hermetic / ".codex" / "config.toml"
        state = f'[hooks.state."{hermetic}/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "x"\n'
        path.write_text(f"{path.read_text()}\n{state}")
    else:
        allowed = hermetic / ".hermes" / "shell-hooks-allowlist.json"
        allowed.write_text(json.dumps({"approvals": [command("hermes", "turn-end")]}))
    assert wiring.state(agent, wiring.where(agent, "user", None)).review == ""
    assert "next:" not in funes("add", name, cwd=repo.path).stdout
