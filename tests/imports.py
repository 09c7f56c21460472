"""What other tools leave in a repository, made by real git, and importing it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from helpers import GitRepo
from memory import Memory

from funes_git.imports.run import ImportReport, run
from funes_git.link.engine import catch_up
from funes_git.store.stores import Stores


def imported(memory: Memory, source: str, where: str | None = None) -> ImportReport:
    """`git funes import SOURCE`."""
    with Stores.open(memory.repo.layout, write=True) as stores:
        report = run(memory.repo, stores, source, where)
        catch_up(memory.repo, stores.writer)
    return report


def orphan(repo: GitRepo, ref: str, files: dict[str, bytes]) -> str:
    """A commit without parents that holds `files`, at the full ref name `ref`; its id."""
    index = repo.path / ".git" / "orphan-index"
    index.unlink(missing_ok=True)
    env = {"GIT_INDEX_FILE": str(index)}
    for path, content in files.items():
        blob = blob_of(repo, content)
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", env=env)
    tree = repo.git("write-tree", env=env)
    index.unlink()
    commit = repo.git("commit-tree", "-m", "transcripts", tree)
    repo.git("update-ref", ref, commit)
    return commit


def blob_of(repo: GitRepo, content: bytes) -> str:
    """The id of a new blob."""
    done = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"],
        cwd=repo.path,
        env=dict(os.environ),
        input=content,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def note(repo: GitRepo, ref: str, commit: str, text: str) -> None:
    """A note on a commit."""
    message = Path(repo.path, ".git", "note-text")
    message.write_text(text)
    repo.git("notes", "--ref", ref, "add", "-f", "-F", str(message), commit)
    message.unlink()
