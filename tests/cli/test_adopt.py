"""`index --adopt` asks before it takes the sessions of several projects."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from agents import ClaudeSession, CodexSession
from cli.running import funes, on_terminal
from helpers import GitRepo
from memory import Memory

from funes_git import foreign
from funes_git.cli import main
from funes_git.commands import index
from funes_git.git import Repo


@pytest.fixture
def widget(tmp_path: Path) -> GitRepo:
    """A repository that no session ran in."""
    repo = GitRepo(tmp_path / "widget")
    repo.write("a.py", "one = 1\n")
    repo.commit("Start")
    return repo


def ran(folder: Path, home: Path, what: str = "Count the visitors.") -> None:
    """A session runs in a folder."""
    session = ClaudeSession(GitRepo(folder), home)
    session.prompt(what)
    session.write("a.py", "visitors_of_page = 1\n")


@pytest.fixture
def home(hermetic: Path, tmp_path: Path) -> Path:
    """Three sessions of two projects, one of them in a worktree."""
    ran(tmp_path / "shop", hermetic)
    ran(tmp_path / "shop/.claude/worktrees/x", hermetic)
    codex = CodexSession(GitRepo(tmp_path / "bank"), hermetic)
    codex.prompt("What is owed?")
    return hermetic


def sessions(repo: GitRepo) -> int:
    with Memory(repo).catalog() as catalog:
        return catalog.totals().sessions


def test_a_script_must_say_that_it_means_all_of_them(
    widget: GitRepo, home: Path, tmp_path: Path
) -> None:
    done = funes("index", "--no-embed", "--adopt", str(home), cwd=widget.path)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"{home} holds 3 sessions that ran elsewhere:",
        f"  2 sessions in {tmp_path}/shop",
        f"  1 session in {tmp_path}/bank",
        "error: nothing was adopted: these sessions are of several projects",
        f"hint: git funes index --adopt {home} --yes   (or name the folder of one project)",
    ]
    assert not Repo.discover(widget.path).layout.catalog.exists()
    done = funes("index", "--no-embed", "--adopt", str(home), "--yes", cwd=widget.path)
    assert done.returncode == 0, done.stderr
    assert sessions(widget) == 3
    done = funes("index", "--no-embed", "--adopt", str(home), cwd=widget.path)
    assert done.returncode == 0, "they are its own now"


def test_on_a_terminal_it_asks(widget: GitRepo, home: Path) -> None:
    adopt = ("index", "--no-embed", "--adopt", str(home))
    code, said = on_terminal(*adopt, cwd=widget.path, typed="n\n")
    assert code == 1
    assert "Take them all into the memory of widget? [y/N]" in said
    assert "nothing was adopted" in said
    code, said = on_terminal(*adopt, cwd=widget.path, typed="y\n")
    assert code == 0, said
    assert sessions(widget) == 3


def test_sessions_of_one_project_are_taken_without_a_question(
    widget: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    ran(tmp_path / "laptop/widget", hermetic)
    ran(tmp_path / "desktop/widget", hermetic)
    ran(tmp_path / "desktop/widget/api", hermetic)
    found = foreign.folders(Repo.discover(widget.path), [hermetic])
    assert found == {f"{tmp_path}/laptop/widget": 1, f"{tmp_path}/desktop/widget": 2}
    done = funes("index", "--no-embed", "--adopt", str(hermetic), cwd=widget.path)
    assert done.returncode == 0, done.stderr


def test_it_ends_with_the_commits_and_what_is_next(
    widget: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    laptop = GitRepo(tmp_path / "laptop" / "widget")
    session = ClaudeSession(laptop, hermetic)
    session.prompt("Count the visitors.")
    session.write("a.py", "visitors_of_page = 1\n")
    adopt = ("index", "--no-embed", "--adopt", str(hermetic))
    told = funes(*adopt, cwd=widget.path).stdout
    assert "these sessions are tied to no commit" in told
    assert told.endswith("git funes index --explain SESSION\n")
    widget.write("a.py", "visitors_of_page = 1\n")
    commit = widget.commit("Count visitors", date=session.clock.tick())
    told = funes(*adopt, cwd=widget.path).stdout
    newest = f"the newest: git funes why {commit[:7]}\n"
    assert told.endswith(f"these sessions are tied to 1 commit; {newest}")
    answer = json.loads(funes(*adopt, "--format", "json", cwd=widget.path).stdout)
    assert answer["commits"] == [commit]
    assert "tied" not in funes("index", "--no-embed", cwd=widget.path).stdout


def test_its_own_sessions_count_for_none(widget: GitRepo, home: Path) -> None:
    ran(widget.path, home, "Mine.")
    ran(widget.path, home, "Mine too.")
    assert foreign.folders(Repo.discover(widget.path), [home]).total() == 3


def test_a_home_folder_is_no_project(widget: GitRepo, tmp_path: Path, hermetic: Path) -> None:
    ran(hermetic, hermetic)
    ran(hermetic / "shop", hermetic)
    ran(hermetic / "bank", hermetic)
    assert len(foreign.folders(Repo.discover(widget.path), [hermetic / ".claude"])) == 3


def test_the_time_is_that_of_the_whole_run(
    widget: GitRepo,
    hermetic: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ClaudeSession(widget, hermetic).prompt("hello")
    monkeypatch.chdir(widget.path)
    monkeypatch.setattr(index, "link_new", lambda *_: time.sleep(0.2))
    assert main(["index", "--no-embed", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["seconds"] >= 0.2
