"""The hook that agents call: it spools, wakes the worker, and is out of their way."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from helpers import GitRepo

from funes_git import spool
from funes_git.git import Repo
from funes_git.hosts import launchers
from funes_git.hosts.catalogue import command
from funes_git.layout import Layout
from funes_git.spool import Event
from funes_git.worker import drain


def call(
    agent: str, event: str, cwd: Path, stdin: bytes = b"{}", **env: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the hook as agents do: by a shell, with a payload, reading what it prints."""
    return subprocess.run(
        ["/bin/sh", "-c", command(agent, event)],
        cwd=cwd,
        env={**os.environ, **env},
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )


def events(layout: Layout) -> list[Event]:
    found: list[Event] = []
    spool.consume(layout, found.extend)
    return found


@pytest.fixture
def enabled(repo: GitRepo) -> Layout:
    launchers.write()
    layout = Repo.discover(repo.path).layout
    layout.spool.mkdir(parents=True)
    return layout


def quiet(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("event", ["turn-end", "session-end"])
def test_an_event_from_anywhere_in_the_repository(
    repo: GitRepo, enabled: Layout, event: str
) -> None:
    below = repo.path / "a" / "b"
    below.mkdir(parents=True)
    assert quiet(call("claude", event, below, b"x" * 1_000_000))
    (found,) = events(enabled)
    assert (found.kind, found.args, found.worktree) == (event, ("claude",), str(repo.path))


def test_from_a_linked_worktree_and_a_folder_that_the_agent_names(
    repo: GitRepo, enabled: Layout, tmp_path: Path
) -> None:
    repo.commit("first")
    repo.git("worktree", "add", "-q", str(tmp_path / "other"))
    assert quiet(call("codex", "turn-end", tmp_path / "other"))
    assert len(events(enabled)) == 1
    assert quiet(call("claude", "turn-end", tmp_path, CLAUDE_PROJECT_DIR=str(repo.path)))
    assert len(events(enabled)) == 1
    payload = f'{{"hook_event_name":"stop","workspace_roots":["{repo.path}"],"x":["/"]}}'
    assert quiet(call("cursor", "turn-end", tmp_path, payload.encode()))
    assert len(events(enabled)) == 1


def test_elsewhere_it_does_nothing(repo: GitRepo, tmp_path: Path) -> None:
    assert quiet(call("claude", "turn-end", repo.path))  # funes-git is not installed
    launchers.write()
    assert quiet(call("claude", "turn-end", repo.path))  # the repository has no memory
    assert not (repo.path / ".git" / "funes").exists()
    (tmp_path / "outside").mkdir()
    assert quiet(call("claude", "turn-end", tmp_path / "outside"))
    assert quiet(call("claude", "no-such-event", repo.path))


def test_no_program_of_the_repository_is_run(repo: GitRepo, enabled: Layout) -> None:
    """The git hook runs a hook that it replaced; there is none here, whatever lies about."""
    for name in ("turn-end.funes-chained", "funes-hook", ".git/turn-end.funes-chained"):
        repo.write(name, "#!/bin/sh\ntouch /tmp/funes-git-ran-$$ ran\n").chmod(0o755)
    assert quiet(call("claude", "turn-end", repo.path, GIT_DIR="elsewhere"))
    assert len(events(enabled)) == 1
    assert not (repo.path / "ran").exists()


def test_an_agent_that_never_closes_its_end_is_not_kept_waiting(
    repo: GitRepo, enabled: Layout
) -> None:
    process = subprocess.Popen(
        ["/bin/sh", "-c", command("claude", "turn-end")], cwd=repo.path, stdin=subprocess.PIPE
    )
    assert process.wait(120) == 0
    assert process.stdin is not None
    process.stdin.close()
    assert len(events(enabled)) == 1


def test_the_worker_takes_it_as_a_call_to_read_and_nothing_else(
    repo: GitRepo, enabled: Layout
) -> None:
    from funes_git.store.stores import Stores

    call("claude", "turn-end", repo.path)
    found = Repo.discover(repo.path)
    with Stores.open(found.layout, write=True) as stores:
        assert drain(found, stores) == 1
        assert stores.catalog.hook_events() == []
    assert spool.pending(enabled) == []


def test_it_costs_an_agent_less_than_fifty_milliseconds_of_processor_time(
    repo: GitRepo, enabled: Layout
) -> None:
    call("claude", "turn-end", repo.path)
    runs = 10
    before = os.times()
    for _ in range(runs):
        call("claude", "turn-end", repo.path)
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    assert spent / runs < 0.05
