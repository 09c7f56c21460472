"""The hook itself: what it writes, and that it never gets in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from helpers import GitRepo

from funes_git import spool
from funes_git.git import Repo
from funes_git.hosts import githooks
from funes_git.spool import Event


def enable(repo: GitRepo) -> Repo:
    found = Repo.discover(repo.path)
    assert githooks.install(found).state == "installed"
    return found


def events(repo: Repo) -> list[Event]:
    return [spool.read(path) for path in spool.pending(repo.layout)]


def commit(repo: GitRepo, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """A commit with everything that git and its hooks say."""
    return subprocess.run(
        ["git", "commit", "-q", "--allow-empty", "-m", "x"],
        cwd=cwd or repo.path,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_commit_leaves_one_event_with_its_id_branch_and_session(repo: GitRepo) -> None:
    found = enable(repo)
    done = commit(repo, CLAUDE_CODE_SESSION_ID="abc\ndef", ANTHROPIC_API_KEY="never")
    assert (done.returncode, done.stderr) == (0, "")
    (event,) = events(found)
    assert event.kind == "post-commit"
    assert event.commit == repo.git("rev-parse", "HEAD")
    assert event.ref == "refs/heads/main"
    assert event.env == {"CLAUDE_CODE_SESSION_ID": "abc\ndef"}
    assert event.worktree == str(repo.path)


def test_a_detached_head_is_known_by_its_own_id(repo: GitRepo) -> None:
    found = enable(repo)
    repo.commit("one")
    repo.git("checkout", "-q", "--detach")
    sha = repo.commit("two")
    assert [(e.commit, e.ref) for e in events(found)][-1] == (sha, None)


def test_a_linked_worktree_writes_to_the_shared_spool(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit("one")
    found = enable(repo)
    tree = tmp_path / "tree with\nnewline"
    repo.git("worktree", "add", "-q", "-b", "side", str(tree))
    assert commit(repo, cwd=tree).returncode == 0
    (event,) = [e for e in events(found) if e.kind == "post-commit"]
    assert event.commit == repo.git("rev-parse", "side")
    assert (event.ref, event.worktree) == ("refs/heads/side", str(tree))


def test_a_submodule_has_hooks_and_a_spool_of_its_own(repo: GitRepo, tmp_path: Path) -> None:
    inner = GitRepo(tmp_path / "inner")
    inner.commit("one")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    repo.commit("add sub")
    outer, sub = enable(repo), Repo.discover(repo.path / "sub")
    assert githooks.state(sub).state == "absent"
    assert githooks.install(sub).state == "installed"
    assert commit(repo, cwd=repo.path / "sub").returncode == 0
    assert (len(events(sub)), len(events(outer))) == (1, 0)


def test_git_dir_from_the_environment(repo: GitRepo, tmp_path: Path) -> None:
    found = enable(repo)
    place = {"GIT_DIR": str(repo.path / ".git"), "GIT_WORK_TREE": str(repo.path)}
    assert commit(repo, cwd=tmp_path, **place).returncode == 0
    assert [e.commit for e in events(found)] == [repo.git("rev-parse", "HEAD")]


def test_a_bare_repository_with_a_worktree(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit("one")
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.path), str(bare))
    subprocess.run(["git", "worktree", "add", "-q", "-b", "side", "../tree"], cwd=bare, check=True)
    found = Repo.discover(bare)
    assert githooks.install(found).state == "installed"
    assert commit(repo, cwd=tmp_path / "tree").returncode == 0
    assert [e.ref for e in events(found)] == ["refs/heads/side"]


def test_amend_tells_the_old_and_the_new_id(repo: GitRepo) -> None:
    found = enable(repo)
    old = repo.commit("one")
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "two")
    (event,) = [e for e in events(found) if e.kind == "post-rewrite"]
    assert event.args == ("amend",)
    assert event.rewrites == ((old, repo.git("rev-parse", "HEAD")),)


def test_rebase_tells_every_pair(repo: GitRepo) -> None:
    repo.commit("base")
    repo.git("checkout", "-q", "-b", "side")
    old = []
    for n in range(5):
        repo.write(f"f{n}", "x")
        old.append(repo.commit(f"c{n}"))
    repo.git("checkout", "-q", "main")
    repo.write("m", "x")
    repo.commit("m")
    found = enable(repo)
    repo.git("checkout", "-q", "side")
    repo.git("rebase", "-q", "main")
    (event,) = [e for e in events(found) if e.kind == "post-rewrite"]
    new = repo.git("rev-list", "--reverse", "main..side").split()
    assert event.args == ("rebase",)
    assert event.rewrites == tuple(zip(old, new, strict=True))


def test_a_merge_and_a_switch_are_told_but_not_the_checkout_of_a_file(repo: GitRepo) -> None:
    repo.write("a", "1")
    first = repo.commit("one")
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a", "2")
    second = repo.commit("two")
    found = enable(repo)
    repo.git("checkout", "-q", "HEAD~1", "--", "a")
    repo.git("reset", "-q", "--hard")
    repo.git("checkout", "-q", "-b", "same")
    assert events(found) == []
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--ff-only", "side")
    told = {e.kind: e for e in events(found)}
    assert told["post-checkout"].args == (second, first, "1")
    assert told["post-merge"].commit == second


@pytest.mark.parametrize("harm", ["no memory", "no spool", "spool is a file", "no home"])
def test_nothing_is_said_and_the_commit_stands_when_it_cannot_write(
    repo: GitRepo, harm: str
) -> None:
    """LINKING.md case 38."""
    found = enable(repo)
    env = {}
    if harm == "no home":
        env = {"HOME": "/nowhere", "PATH": os.environ["PATH"]}
    else:
        shutil.rmtree(found.layout.root if harm == "no memory" else found.layout.spool)
    if harm == "spool is a file":
        found.layout.spool.write_text("")
    done = commit(repo, **env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert found.layout.root.exists() == (harm != "no memory")


def test_a_full_disk_harms_nothing(repo: GitRepo) -> None:
    """A file system of 64 KiB that is full, where the kernel lets us mount one. LINKING.md case
    38."""
    found = enable(repo)
    script = (
        f"mount -t tmpfs -o size=64k none '{found.layout.spool}' || exit 77\n"
        f"cat /dev/zero > '{found.layout.spool}/fill' 2>/dev/null\n"
        "git commit -q --allow-empty -m x\n"
    )
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], cwd=repo.path, capture_output=True, check=False
    )
    if done.returncode in (1, 77) and b"mount" in done.stderr + b"unshare":
        pytest.skip("may not mount here")
    assert (done.returncode, done.stderr) == (0, b"")
    assert repo.git("log", "--format=%s") == "x"


@pytest.mark.parametrize(
    "shell", ["dash", "bash --posix", "busybox sh", "mksh", "zsh --emulate sh"]
)
def test_every_shell_writes_the_same_event(repo: GitRepo, shell: str) -> None:
    program, *options = shell.split()
    if shutil.which(program) is None:
        pytest.skip(f"no {program}")
    sha = repo.commit("one")
    found = enable(repo)
    foreign = repo.path / ".git" / "hooks" / "post-rewrite.funes-chained"
    foreign.write_text('#!/usr/bin/env sh\ncat >ran\nprintf %s "$0 $1" >>ran\nexit 4\n')
    foreign.chmod(0o755)
    hook = repo.path / ".git" / "hooks" / "post-rewrite"
    pairs = "".join(f"{n:040x} {sha}\n" for n in range(3))
    done = subprocess.run(
        [program, *options, hook, "rebase"],
        cwd=repo.path,
        input=pairs.encode(),
        env={**os.environ, "CODEX_THREAD_ID": "a\nb"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (4, b"")
    assert (repo.path / "ran").read_text() == f"{pairs}{hook} rebase"
    (event,) = events(found)
    assert (event.kind, event.commit, event.args) == ("post-rewrite", sha, ("rebase",))
    assert event.env == {"CODEX_THREAD_ID": "a\nb"}
    assert event.rewrites == tuple((f"{n:040x}", sha) for n in range(3))


def test_the_hook_needs_no_program_on_the_path(repo: GitRepo, tmp_path: Path) -> None:
    found = enable(repo)
    only = tmp_path / "bin"
    only.mkdir()
    (only / "git").symlink_to(str(shutil.which("git")))
    done = commit(repo, PATH=str(only))
    assert (done.returncode, done.stderr) == (0, "")
    assert len(events(found)) == 1


def test_the_shim_is_called_with_the_repository_and_a_clean_environment(
    repo: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    found = enable(repo)
    shim = hermetic / ".config" / "funes-git" / "bin" / "funes-git-hook"
    shim.parent.mkdir(parents=True)
    told, done = tmp_path / "told", tmp_path / "done"
    shim.write_text(f"#!/bin/sh\n{{ pwd; echo $1; env; }} >'{told}'; echo >'{done}'\n")
    shim.chmod(0o755)
    commit(repo, PATH=os.environ["PATH"], GIT_DIR=str(repo.path / ".git"))
    _wait_for(done)
    lines = told.read_text().splitlines()
    assert lines[:2] == [str(found.common_dir)] * 2
    assert not [line for line in lines if line.startswith(("GIT_DIR=", "GIT_INDEX_FILE="))]


def test_a_waiting_worker_is_not_started_twice(
    repo: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    found = enable(repo)
    shim = hermetic / ".config" / "funes-git" / "bin" / "funes-git-hook"
    shim.parent.mkdir(parents=True)
    called = tmp_path / "called"
    shim.write_text(f"#!/bin/sh\necho called >>'{called}'\n")
    shim.chmod(0o755)
    started = Path("/proc/self/stat").read_text().rpartition(") ")[2].split()[19]
    note = found.layout.root / "worker.pid"
    note.write_text(f"{os.getpid()} {started}\n")
    commit(repo)
    note.write_text(f"{os.getpid()} {int(started) - 1}\n")  # a reused id
    commit(repo)
    _wait_for(called)
    assert called.read_text() == "called\n"
    assert len(events(found)) == 2


def test_commits_at_the_same_time_lose_no_event(repo: GitRepo) -> None:
    repo.commit("root")
    found = enable(repo)
    running = []
    for n in range(3):
        tree = repo.path.parent / f"t{n}"
        repo.git("worktree", "add", "-q", "-b", f"b{n}", str(tree))
        script = f"for i in 1 2 3 4 5 6; do git commit -q --allow-empty -m {n}.$i; done"
        running.append(subprocess.Popen(["sh", "-c", script], cwd=tree))
    assert [process.wait() for process in running] == [0, 0, 0]
    told = [e.commit for e in events(found) if e.kind == "post-commit"]
    assert sorted(filter(None, told)) == sorted(repo.git("rev-list", "--all", "^main").split())


def _wait_for(path: Path) -> None:
    """Until something is in the file: it is there a moment before."""
    until = time.monotonic() + 120
    while not (path.exists() and path.stat().st_size) and time.monotonic() < until:
        time.sleep(0.02)
    assert path.exists(), f"{path} never came"
