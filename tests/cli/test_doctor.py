"""`doctor` tries things, says what is wrong, and what to run next."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers import GitRepo

from funes_git import cli, doctor, proof
from funes_git.git import Repo
from funes_git.hosts import githooks


@pytest.fixture
def enabled(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with hooks and shim."""
    monkeypatch.chdir(repo.path)
    repo.commit("one")
    found = Repo.discover(repo.path)
    githooks.write_shim()
    assert githooks.install(found).state == "installed"
    return found


def results(repo: Repo) -> dict[str, doctor.Check]:
    return {check.name: check for check in doctor.checks(repo, lambda *_: None)}


def test_a_commit_in_a_scratch_repository_proves_the_hooks(enabled: Repo) -> None:
    assert proof.prove(enabled.common_dir / "hooks").missing is None
    assert not (enabled.layout.catalog).exists()


def test_where_there_is_no_memory_yet_nothing_has_failed(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo.path)
    found = results(Repo.discover(repo.path))
    assert found["catalog"].state == "warning"
    assert [check for check in found.values() if check.state == "failed"] == []


def test_other_people_s_hooks_are_not_run_for_the_proof(
    enabled: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deploy = enabled.common_dir / "hooks" / "post-commit.funes-chained"
    deploy.write_text(f"#!/bin/sh\n: >'{tmp_path}/deployed'\n")
    deploy.chmod(0o755)
    monkeypatch.setattr(proof, "SECONDS", 0.0)
    proof.prove(enabled.common_dir / "hooks")
    assert not (tmp_path / "deployed").exists()


@pytest.mark.parametrize(
    ("harm", "missing"), [("hook does nothing", "event"), ("shim does nothing", "worker")]
)
def test_the_step_that_fails_is_named(
    enabled: Repo, hermetic: Path, monkeypatch: pytest.MonkeyPatch, harm: str, missing: str
) -> None:
    monkeypatch.setattr(proof, "SECONDS", 0.5)
    if harm == "hook does nothing":
        (enabled.common_dir / "hooks" / "post-commit").write_text("#!/bin/sh\n# funes-git hook 1\n")
    else:
        shim = hermetic / ".config" / "funes-git" / "bin" / "funes-git-hook"
        shim.write_text("#!/bin/sh\n")
    assert proof.prove(enabled.common_dir / "hooks").missing == missing


def test_a_shim_whose_python_is_gone_fails_and_another_one_warns(
    enabled: Repo, hermetic: Path
) -> None:
    shim = hermetic / ".config" / "funes-git" / "bin" / "funes-git-hook"
    assert [c.state for c in doctor._shim()] == ["ok"]
    shim.write_text(githooks.shim_text("/gone/bin/python"))
    assert [(c.state, c.hint) for c in doctor._shim()] == [("failed", "git funes init")]
    shim.write_text(githooks.shim_text(str(shutil.which("sh"))))
    assert [c.state for c in doctor._shim()] == ["warning"]
    shim.unlink()
    assert [c.state for c in doctor._shim()] == ["failed"]


def test_hooks_that_are_missing_or_refused_warn(repo: GitRepo, hermetic: Path) -> None:
    found = Repo.discover(repo.path)
    assert [(c.state, c.hint) for c in doctor._hooks(found)] == [("warning", "git funes init")]
    (hermetic / "hooks").mkdir()
    repo.git("config", "core.hooksPath", str(hermetic / "hooks"))
    (check,) = doctor._hooks(found)
    assert (check.state, "outside this repository" in check.detail) == ("warning", True)


def test_an_agent_s_folder_that_cannot_be_read_fails(repo: GitRepo, hermetic: Path) -> None:
    found = Repo.discover(repo.path)
    assert [c.state for c in doctor._agents(found)] == ["warning"]
    (hermetic / ".claude" / "projects").mkdir(parents=True)
    assert [c.state for c in doctor._agents(found)] == ["ok"]
    if os.geteuid() != 0:
        (hermetic / ".claude" / "projects").chmod(0)
        assert [c.state for c in doctor._agents(found)] == ["failed"]
        (hermetic / ".claude" / "projects").chmod(0o755)


def test_the_scanner_finds_what_it_has_never_seen(repo: GitRepo) -> None:
    assert [c.state for c in doctor._scanner(Repo.discover(repo.path))] == ["ok"]


def test_a_check_that_breaks_is_a_result(enabled: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    enabled.layout.catalog.write_bytes(b"no database at all, but long enough to be one" * 100)
    githooks.remove(enabled)  # without the proof it is quick
    assert cli.main(["doctor", "--format", "json"]) == 1
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["ok"] is False
    failed = {check["name"]: check for check in told["checks"] if check["state"] == "failed"}
    assert "memory" in failed
    assert all(check["hint"] for check in failed.values())


def test_each_part_is_announced_before_it_is_tried(repo: GitRepo) -> None:
    told: list[str] = []
    for check in doctor.checks(Repo.discover(repo.path), lambda n, all, what: told.append(what)):
        assert told[-1] in (check.name, "hooks", "memory", "worker")
    assert told == [
        "git",
        "hooks",
        "memory",
        "locks",
        "worker",
        "model",
        "scanner",
        "agents",
        "added",
        "disk",
    ]
