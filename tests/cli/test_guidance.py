"""What a newcomer is told: what was done, what is missing, and what to run next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agents import START, ClaudeSession
from cli.running import funes, on_terminal
from helpers import GitRepo

from funes_git.git import Repo
from funes_git.store.catalog_writer import CatalogWriter


@pytest.fixture
def worked(repo: GitRepo, hermetic: Path) -> tuple[GitRepo, ClaudeSession]:
    """A repository with a memory of one commit by an agent."""
    repo.write("src/cache.py", "entries = {}\n")
    repo.commit("Start", date=START - 100_000)
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Bound the cache, please.")
    claude.edit("src/cache.py", "entries = {}\n", "entries = {}\nLIMIT = 4096\n")
    claude.bash("git commit -qam 'Bound the cache' && git rev-parse HEAD")
    done = funes("init", "--no-embed", cwd=repo.path)
    assert done.returncode == 0, done.stderr
    return repo, claude


def test_deinit_says_what_it_did(repo: GitRepo) -> None:
    nothing = funes("deinit", cwd=repo.path).stdout
    assert nothing == "there was nothing to remove: this repository has no hooks and no memory\n"


def test_deinit_of_a_memory(worked: tuple[GitRepo, ClaudeSession]) -> None:
    repo, _ = worked
    layout = repo.path / ".git" / "funes"
    stays = f"the memory stays in {layout}; --purge deletes it\n"
    assert funes("deinit", cwd=repo.path).stdout == "the hooks are removed\n" + stays
    assert funes("deinit", cwd=repo.path).stdout == stays
    code, said = on_terminal("deinit", "--purge", cwd=repo.path, typed="n\n")
    assert (code, "imported and adopted sessions too? [y/n]" in said) == (1, True), said
    assert layout.is_dir()
    code, said = on_terminal("deinit", "--purge", "--yes", cwd=repo.path, typed="")
    assert (code, "[y/n]" in said, layout.exists()) == (0, False, False), said


def test_a_script_is_not_asked_whether_purge_is_meant(
    worked: tuple[GitRepo, ClaudeSession],
) -> None:
    repo, _ = worked
    done = funes("deinit", "--purge", cwd=repo.path)
    assert done.stdout == "the hooks are removed\nthe memory is deleted\n"


def test_publish_to_a_folder_is_told_who_takes_folders(
    worked: tuple[GitRepo, ClaudeSession], tmp_path: Path
) -> None:
    repo, _ = worked
    for folder in (str(tmp_path / "share"), "./share"):
        done = funes("publish", "HEAD", folder, cwd=repo.path)
        assert (done.returncode, f"not the name of a dataset: {folder}" in done.stderr) == (2, True)
        assert "git funes push takes folders" in done.stderr


def test_status_after_forget_knows_when_it_was_indexed(
    worked: tuple[GitRepo, ClaudeSession],
) -> None:
    repo, claude = worked
    before = json.loads(funes("status", "--format", "json", cwd=repo.path).stdout)["indexed_at"]
    funes("forget", claude.id, "--yes", cwd=repo.path)
    after = json.loads(funes("status", "--format", "json", cwd=repo.path).stdout)["indexed_at"]
    assert before == after is not None


def test_status_of_a_catalog_that_was_made_again_says_no_time(
    worked: tuple[GitRepo, ClaudeSession],
) -> None:
    repo, _ = worked
    CatalogWriter.remove(Repo.discover(repo.path).layout.catalog)
    funes("reindex", "--no-embed", cwd=repo.path)
    shown = funes("status", "--format", "human", cwd=repo.path).stdout
    assert "from 1 session file" in shown
    assert "never" not in shown


def test_a_session_alone_lists_its_prompts(worked: tuple[GitRepo, ClaudeSession]) -> None:
    repo, claude = worked
    text = funes("get", claude.id[:8], "--format", "human", cwd=repo.path).stdout
    assert "Bound the cache, please." in text
    found = json.loads(funes("get", claude.id, "--format", "json", cwd=repo.path).stdout)
    assert found["turn_uuid"] is None
    assert [turn["is_prompt"] for turn in found["turns"]] == [True]
    compact = funes("get", claude.id, cwd=repo.path).stdout
    assert f"\nget {claude.id} {found['turns'][0]['turn_uuid']}\n" in compact


def test_words_alone_are_explained(worked: tuple[GitRepo, ClaudeSession]) -> None:
    repo, _ = worked
    here = funes("recall", "cache", cwd=repo.path).stderr
    repo.git("config", "funes.model", "BAAI/bge-base-en-v1.5")
    missing = funes("recall", "cache", cwd=repo.path).stderr
    assert "nothing is embedded yet (`git funes index --wait` does it)" in here
    assert "is not on this machine (`git funes models pull`)" in missing


def test_blame_of_some_lines(worked: tuple[GitRepo, ClaudeSession]) -> None:
    repo, claude = worked
    done = funes("blame", "-L", "2,+1", "src/cache.py", "--format", "json", cwd=repo.path)
    [row] = json.loads(done.stdout)["lines"]
    assert (row["line"], row["author"]["session_id"]) == (2, claude.id)
    beyond = funes("blame", "-L9", "src/cache.py", cwd=repo.path).stderr
    assert beyond == "error: src/cache.py has only 2 lines\nhint: git funes blame src/cache.py\n"


def test_models_are_shown_outside_a_repository(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("[funes]\n\tmodel = BAAI/bge-base-en-v1.5\n")
    done = funes("models", "--format", "json", cwd=tmp_path, GIT_CONFIG_GLOBAL=str(config))
    used = [row["name"] for row in json.loads(done.stdout)["models"] if row["used"]]
    assert used == ["BAAI/bge-base-en-v1.5"]


def test_a_branch_without_commits_says_so(repo: GitRepo) -> None:
    assert funes("index", "--no-embed", cwd=repo.path).returncode == 1  # makes the memory
    for command in ("log", "review"):
        done = funes(command, cwd=repo.path)
        assert done.stderr == "error: this branch has no commit yet\nhint: git commit\n"
