"""Beside real hook managers, as their registries give them: husky, lefthook, pre-commit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e.agents import install as install_agents
from helpers import GitRepo

from funes_git import spool
from funes_git.git import Repo
from funes_git.hosts import githooks

pytestmark = pytest.mark.slow

NPM = ("husky@9.1.7", "lefthook@2.2.2")
PYPI = "pre-commit==4.7.0"

LEFTHOOK = """
post-commit:
  jobs:
    - run: echo lefthook >>ran
post-rewrite:
  jobs:
    - run: cat >>ran
      use_stdin: true
"""
PRE_COMMIT = """
repos:
- repo: local
  hooks:
  - id: note
    name: note
    entry: sh -c 'echo pre-commit >>ran'
    language: system
    always_run: true
    pass_filenames: false
    stages: [post-commit, post-rewrite]
"""


def run(*args: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(args, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """husky and lefthook from the npm registry, with a node that runs them."""
    if not install_agents.reachable(npm=True):
        pytest.skip("npm's registry cannot be reached")
    folder = tmp_path_factory.mktemp("npm") / "managers"
    install_agents.npm(folder, *NPM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{install_agents.node()}")
        yield folder / "node_modules"


@pytest.fixture(scope="module")
def pre_commit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pre-commit framework from PyPI, in an environment of its own."""
    folder = tmp_path_factory.mktemp("pre-commit")
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    done = run(folder / "bin" / "pip", "install", "-q", PYPI, cwd=folder)
    if done.returncode != 0:
        pytest.skip(f"pip install pre-commit: {done.stderr.strip()[-200:]}")
    return folder / "bin" / "pre-commit"


@pytest.fixture
def project(repo: GitRepo) -> GitRepo:
    repo.write(".gitignore", "node_modules\nran\n")
    repo.commit("first")
    return repo


def install(repo: GitRepo) -> githooks.HookState:
    return githooks.install(Repo.discover(repo.path))


def state(repo: GitRepo) -> githooks.HookState:
    return githooks.state(Repo.discover(repo.path))


def remove(repo: GitRepo) -> None:
    githooks.remove(Repo.discover(repo.path))


def ran(repo: GitRepo) -> str:
    """What the manager's hooks have written since the last call."""
    path = repo.path / "ran"
    text = path.read_text() if path.exists() else ""
    path.unlink(missing_ok=True)
    return text


def told(repo: GitRepo) -> list[str]:
    """The kinds of our events since the last call."""
    found: list[str] = []
    spool.consume(
        Repo.discover(repo.path).layout, lambda events: found.extend(e.kind for e in events)
    )
    return found


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode) for path in files
    }


def test_husky_runs_its_hook_and_ours_and_is_repaired_after_it_reinstalls(
    project: GitRepo, node_modules: Path
) -> None:
    """LINKING.md case 29."""
    husky = node_modules / ".bin" / "husky"
    run(husky, cwd=project.path)
    hook = project.write(".husky/post-commit", "echo husky >>ran\nexit 5\n")
    project.commit("husky")
    ran(project)
    before = snapshot(project.path / ".husky")
    found = install(project)
    assert (found.state, found.folder) == ("installed", project.path / ".husky" / "_")
    assert project.git("status", "--porcelain") == ""
    done = run("git", "commit", "-q", "--allow-empty", "-m", "x", cwd=project.path)
    assert "post-commit script failed (code 5)" in done.stderr + done.stdout
    assert (ran(project), told(project)) == ("husky\n", ["post-commit"])

    run(husky, cwd=project.path)  # npm's `prepare` script does this at every installation
    assert state(project).state == "stale"
    assert install(project).state == "installed"
    hook.write_text("echo husky >>ran\n")
    project.commit("y")
    assert (ran(project), told(project)) == ("husky\n", ["post-commit"])
    hook.write_text("echo husky >>ran\nexit 5\n")
    remove(project)
    assert snapshot(project.path / ".husky") == before


def test_husky_after_us_is_seen(project: GitRepo, node_modules: Path) -> None:
    """LINKING.md case 29."""
    install(project)
    run(node_modules / ".bin" / "husky", cwd=project.path)
    assert state(project).state == "stale"
    assert install(project).state == "installed"
    project.commit("x")
    assert told(project) == ["post-commit"]


def test_lefthook_before_us_is_chained_with_its_standard_input(
    project: GitRepo, node_modules: Path
) -> None:
    """LINKING.md case 29."""
    shutil.copytree(node_modules, project.path / "node_modules", symlinks=True)
    lefthook = project.path / "node_modules" / ".bin" / "lefthook"
    project.write("lefthook.yml", LEFTHOOK)
    run(lefthook, "install", cwd=project.path)
    folder = project.path / ".git" / "hooks"
    before = snapshot(folder)
    assert install(project).state == "installed"
    old = project.commit("x")
    assert (ran(project), told(project)) == ("lefthook\n", ["post-commit"])
    project.git("commit", "-q", "--amend", "--allow-empty", "-m", "z")
    said = ran(project)
    assert f"{old} {project.git('rev-parse', 'HEAD')}" in said
    assert sorted(told(project)) == ["post-commit", "post-rewrite"]
    assert run(lefthook, "install", "--force", cwd=project.path).returncode == 0
    assert state(project).state == "stale"
    assert install(project).state == "installed"
    project.commit("y")
    assert (ran(project), told(project)) == ("lefthook\n", ["post-commit"])
    remove(project)
    assert snapshot(folder) == before


def test_lefthook_after_us_is_seen_and_repaired(project: GitRepo, node_modules: Path) -> None:
    """LINKING.md case 29."""
    shutil.copytree(node_modules, project.path / "node_modules", symlinks=True)
    folder = project.path / ".git" / "hooks"
    (folder / "post-commit").write_text("#!/bin/sh\necho mine >>ran\n")
    (folder / "post-commit").chmod(0o755)
    install(project)
    project.write("lefthook.yml", LEFTHOOK)
    run(project.path / "node_modules" / ".bin" / "lefthook", "install", cwd=project.path)
    found = state(project)
    assert (found.state, found.hooks["post-commit"]) == ("stale", "stale")
    assert install(project).state == "installed"
    project.commit("y")
    assert (ran(project), told(project)) == ("lefthook\n", ["post-commit"])
    remove(project)
    assert (folder / "post-commit.old").read_text() == "#!/bin/sh\necho mine >>ran\n"
    assert not list(folder.glob("*funes*"))


@pytest.mark.parametrize("first", ["pre-commit", "ours"])
def test_pre_commit_before_and_after_us(project: GitRepo, pre_commit: Path, first: str) -> None:
    """LINKING.md case 29."""
    folder = project.path / ".git" / "hooks"
    project.write(".pre-commit-config.yaml", PRE_COMMIT)
    project.commit("config")

    def install_theirs(*options: str) -> None:
        types = ("-t", "post-commit", "-t", "post-rewrite")
        done = run(pre_commit, "install", *types, *options, cwd=project.path)
        assert done.returncode == 0, done.stderr

    if first == "pre-commit":
        install_theirs()
    before = snapshot(folder)
    assert install(project).state == "installed"
    install_theirs()
    install_theirs()
    assert state(project).hooks["post-commit"] == "installed"
    done = run("git", "commit", "-q", "--allow-empty", "-m", "x", cwd=project.path)
    assert "bug" not in done.stderr
    assert (ran(project), told(project)) == ("pre-commit\n", ["post-commit"])

    assert install(project).state == "installed"
    project.git("commit", "-q", "--amend", "--allow-empty", "-m", "z")
    assert sorted(told(project)) == ["post-commit", "post-rewrite"]
    assert ran(project) == "pre-commit\npre-commit\n"

    install_theirs("-f")
    assert state(project).state == "stale"
    assert install(project).state == "installed"
    project.commit("y")
    assert (ran(project), told(project)) == ("pre-commit\n", ["post-commit"])
    remove(project)
    if first == "pre-commit":
        assert snapshot(folder) == before
    assert not list(folder.glob("*funes*"))
    project.commit("z")
    assert (ran(project), told(project)) == ("pre-commit\n", [])


def test_git_lfs_goes_on_working_behind_us(project: GitRepo) -> None:
    if shutil.which("git-lfs") is None:
        pytest.skip("needs git-lfs")
    project.git("lfs", "install", "--local")
    folder = project.path / ".git" / "hooks"
    before = snapshot(folder)
    assert install(project).chained == ("post-commit", "post-merge", "post-checkout")
    project.git("lfs", "track", "--lockable", "*.bin")
    project.write("a.bin", "x")
    project.commit("x")
    # its post-commit hook makes lockable files read-only
    assert not (project.path / "a.bin").stat().st_mode & 0o200
    assert told(project) == ["post-commit"]
    remove(project)
    assert snapshot(folder) == before
