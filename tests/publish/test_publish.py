"""`git funes publish`: from a repository's sessions to a dataset on the Hub, through the real
client over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import GitRepo
from hub import Hub, serving
from publishing import LRU, NAME, Project

from funes_git.publish import manifest
from funes_git.store.lance import LanceMemory
from funes_git.store.shared import SharedMemory


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving() as found:
        yield found


@pytest.fixture
def project(repo: GitRepo, hermetic: Path, hub: Hub) -> Project:
    return Project(repo, hermetic, hub)


def checkout(files: dict[str, bytes], folder: Path) -> LanceMemory:
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return SharedMemory.open(folder)


def test_a_release_is_published_in_one_commit_and_tagged(project: Project, tmp_path: Path) -> None:
    found = project.publish("--public")
    repository = project.hub.repositories[NAME]
    assert not repository.private
    assert len(repository.commits) == 2  # made, published
    assert repository.tags == {"v1.0.0": found["commit"]}
    files = project.files()
    assert {path.split("/")[0] for path in files} == {
        *(".gitattributes", "README.md", "format.json", "data", "releases", "traces"),
        *(f"{t}.lance" for t in ("blocks", "chunks", "edits", "links", "sessions", "spawns")),
    }
    memory = checkout(files, tmp_path / "read")
    texts = [row["text"] for row in memory.rows("blocks", "session_id", [project.claude.id])]
    assert "Bound the cache, please: it grows without end" in texts
    assert "An LRU bound keeps the hot keys; a timer would drop them too." in texts
    (edit,) = memory.rows("edits", "session_id", [project.claude.id])
    assert (edit["path"], edit["recorded_path"], edit["new"]) == ("src/cache.py",) * 2 + (LRU,)
    assert len(edit["added_exact"]) == 3
    (link,) = memory.rows("links", "session_id", [project.claude.id])
    assert (link["path"], link["level"]) == ("src/cache.py", "exact")
    everything = b"".join(project.hub.received)
    assert str(project.git.path).encode() not in everything
    release = manifest.load(files["releases/v1.0.0.json"])
    assert release.commits == (project.git.git("rev-parse", "v1.0.0"),)
    assert release.range == "v0.9.0..v1.0.0"


def test_the_same_again_changes_nothing(project: Project) -> None:
    first = project.publish("--public")
    project.hub.asked.clear()
    again = project.publish("--public")
    assert again["unchanged"]
    assert len(project.hub.asked) <= 5, project.hub.asked
    assert project.hub.repositories[NAME].head.oid == first["commit"]
