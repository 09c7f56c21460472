"""`git funes index --explain`: why a session belongs to a repository or does not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import notes_agent
import pytest
from agents import ClaudeSession, CodexSession
from cli.running import funes
from helpers import GitRepo

import funes_git_parsers
from funes_git import ingest
from funes_git.errors import NoSessions
from funes_git.explain import Explanation, explain
from funes_git.git import Repo
from funes_git.render.explained import lines
from funes_git.store.stores import Stores

EDIT = {"path": "src/a.py", "old": "one = 1", "new": "one = 7"}


@pytest.fixture
def project(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path / "work" / "widget")
    repo.write("src/a.py", "one = 1\n")
    repo.commit("first")
    return repo


def ask(repo: GitRepo, wanted: str) -> Explanation:
    (one,) = explain(Repo.discover(repo.path), wanted)
    return one


def said(one: Explanation) -> str:
    return "\n".join(lines([one]))


def test_each_folder_of_a_session_is_told(project: GitRepo, hermetic: Path, tmp_path: Path) -> None:
    other = GitRepo(tmp_path / "work" / "other")
    claude = ClaudeSession(project, hermetic)
    claude.prompt("first here")
    claude.edit("src/a.py", "one = 1", "one = 7")
    for folder in (other.path, tmp_path / "work", tmp_path):
        claude.cwd = folder
        claude.says(f"in {folder}")
    one = ask(project, claude.id[:8])
    assert {
        Path(f.folder).name: (f.standing, f.turns, f.belonging, f.edits) for f in one.folders
    } == {
        "widget": ("ours", 3, 3, 1),
        "other": ("other", 1, 0, 0),
        "work": ("above", 1, 0, 0),
        tmp_path.name: ("above", 1, 0, 0),
    }
    assert said(one).splitlines()[1] == "belongs: 3 of 6 turns"
    assert "3 of 3 turns, 1 of 1 edit  (in a checkout of this repository)" in said(one)


def test_an_indexed_session_is_found_by_its_id_wherever_its_file_is(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("first here")
    claude.edit("src/a.py", "one = 1", "one = 7")
    other = ClaudeSession(project, hermetic)
    other.prompt("another")
    elsewhere = tmp_path / "copies" / "monday.jsonl"
    elsewhere.parent.mkdir()
    claude.file.rename(elsewhere)
    repo = Repo.discover(project.path)
    with pytest.raises(NoSessions):
        explain(repo, claude.id[:8])
    with Stores.open(repo.layout, write=True) as stores:
        ingest.index(repo, stores)
        ingest.index(repo, stores, paths=[elsewhere], adopt=True)
    one = ask(project, claude.id[:8])
    assert (one.source.path, one.sessions, one.adopted) == (elsewhere, [claude.id], True)
    assert ask(project, other.id).source.path == other.file, "told once, though it is in both"
    with pytest.raises(NoSessions):
        explain(repo, claude.id[:8], agents=["codex"])
    elsewhere.unlink()
    assert ask(project, claude.id[:8]).error == "No such file or directory"


def test_a_session_that_does_not_belong_says_what_to_do(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    gone = GitRepo(tmp_path / "gone")
    codex = CodexSession(gone, hermetic)
    codex.prompt("somewhere else")
    shutil.rmtree(gone.path)
    one = ask(project, codex.id)
    assert (one.found, one.belonging, one.folders[0].standing) == (False, 0, "gone")
    text = said(one)
    assert "does not belong: none of its turns ran in this repository or wrote to it" in text
    assert "git funes index --adopt PATH" in text
    with Stores.open(Repo.discover(project.path).layout, write=True) as stores:
        ingest.index(Repo.discover(project.path), stores, paths=[codex.file], adopt=True)
    text = said(ask(project, codex.id))
    assert "belongs: it was indexed with --adopt" in text
    assert "(gone; it belongs because it was adopted)" in text


def test_a_file_that_is_not_there_is_no_session_id(project: GitRepo, tmp_path: Path) -> None:
    with pytest.raises(NoSessions, match="there is no file or folder"):
        explain(Repo.discover(project.path), f"{tmp_path}/nosuch.jsonl")


def test_a_commit_that_was_recorded_is_named(
    project: GitRepo, hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(funes_git_parsers.PARSERS, notes_agent.NAME, notes_agent)  # type: ignore[arg-type]
    root = project.git("rev-parse", "HEAD")
    database = hermetic / ".notes" / "notes.db"
    notes_agent.write(database, "ours", "/gone/sandbox", [("user", "go", 1.0, EDIT)], root)
    notes_agent.write(database, "other", "/gone/sandbox", [("user", "go", 1.0, EDIT)])
    one = ask(project, "ours")
    assert (one.found, one.belonging, one.commits) == (True, 1, [root])
    assert one.folders[0].standing == "ours-gone"
    assert f"it recorded 1 commit of this repository: {root[:10]}" in said(one)
    assert ask(project, "other").belonging == 0


def test_a_file_that_cannot_be_read_is_named(project: GitRepo, hermetic: Path) -> None:
    codex = CodexSession(project, hermetic)
    broken = codex.file.with_name(codex.file.name + ".zst")
    codex.file.rename(broken)
    assert "cannot be read: damaged compressed file" in said(ask(project, codex.id))


def test_nothing_found_says_where_it_looked(project: GitRepo, hermetic: Path) -> None:
    (hermetic / ".claude" / "projects").mkdir(parents=True)
    with pytest.raises(NoSessions, match=str(hermetic / ".claude")):
        explain(Repo.discover(project.path), "nothing-like-it")


def test_nothing_is_stored_and_all_formats_tell_the_same(
    project: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    claude = ClaudeSession(project, hermetic)
    claude.prompt("words")
    asked = ("index", "--explain", str(claude.file), "--format")
    told = {name: funes(*asked, name, cwd=project.path) for name in ("human", "agent", "json")}
    assert [done.returncode for done in told.values()] == [0, 0, 0], told
    assert told["human"].stdout == told["agent"].stdout
    assert "belongs: 1 of 1 turn\n" in told["agent"].stdout
    (session,) = json.loads(told["json"].stdout)["sessions"]
    assert session["session_ids"] == [claude.id]
    assert session["folders"][0]["standing"] == "ours"
    assert not Repo.discover(project.path).layout.catalog.exists()
    both = funes("index", "--explain", "x", "--adopt", "y", cwd=project.path)
    assert (both.returncode, "--explain indexes nothing" in both.stderr) == (2, True)
