"""Which repository a turn belongs to, whatever folder its session was started in."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import notes_agent
import pytest
from agents import ClaudeSession, CodexSession
from helpers import GitRepo

import funes_git_parsers
from funes_git import enabled, ingest
from funes_git.git import Repo
from funes_git.ingest import IndexReport
from funes_git.store.catalog import Catalog
from funes_git.store.stores import Stores

EDIT = {"path": "src/a.py", "old": "one = 1", "new": "one = 7"}


@pytest.fixture
def project(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path / "work" / "widget")
    repo.write("src/a.py", "one = 1\ntwo = 2\n")
    repo.write("src/b.py", "one = 1\n")
    repo.write("README.md", "# widget\n")
    repo.commit("first")
    return repo


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch, hermetic: Path) -> Path:
    """The database of an agent that records the first commit of the repository."""
    monkeypatch.setitem(funes_git_parsers.PARSERS, notes_agent.NAME, notes_agent)  # type: ignore[arg-type]
    return hermetic / ".notes" / "notes.db"


def index(repo: GitRepo) -> IndexReport:
    found = Repo.discover(repo.path)
    with Stores.open(found.layout, write=True) as stores:
        return ingest.index(found, stores)


def edited(repo: GitRepo) -> set[tuple[str, str]]:
    """Session and path of every stored edit."""
    with Catalog.open(Repo.discover(repo.path).layout.catalog) as stored:
        return {(e.session_id, e.path) for e in stored.edits_at(sorted(stored.all_edit_paths()))}


def test_a_session_that_visits_several_repositories_is_split(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    other = GitRepo(tmp_path / "work" / "other")
    claude = ClaudeSession(project, hermetic)
    claude.prompt("first here")
    claude.edit("src/a.py", "one = 1", "one = 7")
    claude.cwd = other.path
    claude.prompt("then there")
    claude.write("there.py", "x\n")
    claude.says("done there")
    assert index(project).turns == 3
    assert index(other).turns == 4
    assert edited(project) == {(claude.id, "src/a.py")}
    assert edited(other) == {(claude.id, "there.py")}


def test_a_session_in_a_folder_above_belongs_by_what_it_wrote(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    other = GitRepo(tmp_path / "work" / "other")
    codex = CodexSession(project, hermetic, cwd=tmp_path / "work")
    codex.prompt("write into one of them")
    codex.add("widget/src/new.py", "n\n")
    shell = ClaudeSession(project, hermetic, cwd=tmp_path)
    shell.prompt("by a command")
    shell.bash("cd work/widget && sed -i 's/two = 2/two = 3/' src/a.py")
    idle = ClaudeSession(project, hermetic, cwd=tmp_path)
    idle.prompt("nothing of it")
    report = index(project)
    assert edited(project) == {(codex.id, "src/new.py"), (shell.id, "src/a.py")}
    assert (report.sources_found, report.sessions) == (3, 2)
    assert index(other).turns == 0
    assert index(project).turns == 0


def test_a_submodule_is_a_repository_of_its_own(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    library = GitRepo(tmp_path / "library")
    library.write("lib.py", "x = 1\n")
    library.commit("one")
    allow = ("-c", "protocol.file.allow=always")
    project.git(*allow, "submodule", "add", "-q", str(library.path), "sub")
    above = ClaudeSession(project, hermetic)
    above.prompt("change both")
    above.edit("sub/lib.py", "x = 1", "x = 2")
    above.edit("src/a.py", "one = 1", "one = 7")
    inside = CodexSession(project, hermetic, cwd=project.path / "sub")
    inside.prompt("in the submodule")
    inside.add("more.py", "m\n")
    submodule = GitRepo.__new__(GitRepo)
    submodule.path = project.path / "sub"
    index(project)
    index(submodule)
    assert edited(project) == {(above.id, "src/a.py")}
    assert edited(submodule) == {(above.id, "lib.py"), (inside.id, "more.py")}


def test_a_checkout_is_found_through_a_link(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(project.path)
    claude = ClaudeSession(project, hermetic, cwd=link)
    claude.prompt("through a link")
    claude.edit("src/a.py", "one = 1", "one = 7")
    index(project)
    assert edited(project) == {(claude.id, "src/a.py")}


def moved(project: GitRepo, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    project.path = project.path.rename(target)


def test_a_checkout_that_was_moved_and_never_indexed_is_known_by_name_and_paths(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("before the move")
    claude.edit("src/a.py", "one = 1", "one = 7")
    claude.write("new.py", "n\n")
    moved(project, tmp_path / "elsewhere" / "deep" / "widget")
    index(project)
    assert edited(project) == {(claude.id, "src/a.py"), (claude.id, "new.py")}
    assert index(project).turns == 0


@pytest.mark.parametrize(
    "where", ["worktrees/widget/berlin", "worktrees/f3a1/widget", ".wt/widget"]
)
def test_a_worktree_of_a_tool_that_is_gone_and_was_never_seen(
    project: GitRepo, hermetic: Path, tmp_path: Path, where: str
) -> None:
    tree = tmp_path / where
    project.git("worktree", "add", "-q", "-b", "x", str(tree))
    claude = ClaudeSession(project, hermetic, cwd=tree)
    claude.prompt("in a worktree")
    claude.edit("src/a.py", "one = 1", "one = 7")
    project.git("worktree", "remove", "--force", str(tree))
    shutil.rmtree(tmp_path / where.split("/")[0])
    index(project)
    assert edited(project) == {(claude.id, "src/a.py")}


@pytest.mark.parametrize(
    "path", ["README.md", "lib/other.py"], ids=["a common name", "unknown paths"]
)
def test_a_namesake_that_is_gone_does_not_belong(
    project: GitRepo, hermetic: Path, tmp_path: Path, path: str
) -> None:
    namesake = GitRepo(tmp_path / "old" / "widget")
    claude = ClaudeSession(namesake, hermetic)
    claude.prompt("of another project")
    claude.write(path, "x\n")
    shutil.rmtree(namesake.path)
    assert index(project).turns == 0


def test_a_gone_folder_belongs_by_the_commit_that_was_recorded(
    project: GitRepo, hermetic: Path, notes: Path
) -> None:
    root = project.git("rev-parse", "HEAD")
    notes_agent.write(notes, "ours", "/gone/sandbox", [("user", "go", 1.0, EDIT)], root)
    notes_agent.write(notes, "theirs", "/gone/sandbox", [("user", "go", 1.0, EDIT)], "0" * 40)
    notes_agent.write(notes, "odd", "/gone/sandbox", [("user", "go", 1.0, EDIT)], "f" * 64)
    notes_agent.write(notes, "none", "/gone/sandbox", [("user", "go", 1.0, EDIT)])
    assert index(project).sessions == 1
    assert edited(project) == {("ours", "src/a.py")}
    assert index(project).turns == 0
    notes_agent.write(notes, "ours", "/gone/sandbox", [("user", "more", 2.0, None)])
    assert index(project).turns == 1


def test_the_commit_that_codex_started_from_is_enough(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    head = project.git("rev-parse", "HEAD")
    tree = tmp_path / "tmp" / "f00"
    project.git("worktree", "add", "-q", "-b", "x", str(tree))
    codex = CodexSession(project, hermetic, cwd=tree)
    text = codex.file.read_text().replace('"git":{', f'"git":{{"commit_hash":"{head}",')
    codex.file.write_text(text)
    codex.prompt("in a worktree with another name")
    codex.patch("src/a.py", "one = 1", "one = 7")
    project.git("worktree", "remove", "--force", str(tree))
    shutil.rmtree(tmp_path / "tmp")
    index(project)
    assert edited(project) == {(codex.id, "src/a.py")}


def test_a_folder_that_is_there_belongs_to_its_own_repository(
    project: GitRepo, hermetic: Path, tmp_path: Path, notes: Path
) -> None:
    """Another clone, or a folder that holds another project now, keeps its sessions."""
    root = project.git("rev-parse", "HEAD")
    project.git("clone", "-q", str(project.path), str(tmp_path / "clone" / "widget"))
    clone = tmp_path / "clone" / "widget"
    notes_agent.write(notes, "clone", clone, [("user", "go", 1.0, EDIT)], root)
    gone = {**EDIT, "path": "gone/x.py"}
    notes_agent.write(notes, "gone", clone, [("user", "go", 1.0, gone)], root)
    assert index(project).turns == 0


def aged(session: ClaudeSession | CodexSession, seconds: float) -> None:
    """The session was written to for the last time so long ago."""
    then = time.time() - seconds
    os.utime(session.file, (then, then))


def test_a_new_repository_where_another_was_moved_away_gets_none_of_its_sessions(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    place = project.path
    session = ClaudeSession(project, hermetic)
    session.prompt("make it seven")
    session.edit("src/a.py", "one = 1", "one = 7")
    aged(session, 3600)
    enabled.add(Repo.discover(place).common_dir)
    assert index(project).sessions == 1
    moved(project, tmp_path / "elsewhere" / "widget")
    enabled.add(Repo.discover(project.path).common_dir)

    young = GitRepo(place)
    young.write("src/a.py", "one = 7\ntwo = 2\n")
    young.commit("copied from the old one", date=time.time())
    assert index(young).sessions == 0
    after = ClaudeSession(young, hermetic)
    after.prompt("and now eight")
    after.edit("src/a.py", "one = 7", "one = 8")
    assert index(young).sessions == 1
    assert edited(young) == {(after.id, "src/a.py")}
    assert edited(project) == {(session.id, "src/a.py")}


def test_a_recorded_commit_that_is_not_here_tells_that_another_repository_was(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    place, head = project.path, project.git("rev-parse", "HEAD")
    codex = CodexSession(project, hermetic)
    text = codex.file.read_text().replace('"git":{', f'"git":{{"commit_hash":"{head}",')
    codex.file.write_text(text)
    codex.prompt("make it seven")
    codex.patch("src/a.py", "one = 1", "one = 7")
    aged(codex, 3600)
    shutil.rmtree(place)
    young = GitRepo(place)
    young.write("src/a.py", "one = 7\n")
    young.commit("another start", date=time.time())
    assert index(young).sessions == 0


def test_sessions_from_before_git_init_belong(project: GitRepo, hermetic: Path) -> None:
    place = project.path
    session = ClaudeSession(project, hermetic)
    session.prompt("start the project")
    session.write("new.py", "a first line of it\n")
    aged(session, 3600)
    shutil.rmtree(place / ".git")
    young = GitRepo(place)
    young.commit("begin", date=time.time())
    copy = place.parent / "copy"
    shutil.copytree(place, copy, symlinks=True)  # enabled, and of the same history
    for each in (place, copy):
        enabled.add(Repo.discover(each).common_dir)
    assert index(young).sessions == 1
    assert edited(young) == {(session.id, "new.py")}
