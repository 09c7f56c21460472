"""`git funes publish`: from a repository's sessions to a dataset on the Hub, through the real
client over HTTP."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers import GitRepo
from publishing import LRU, NAME, Project

from funes_git.publish import manifest
from funes_git.store.lance import LanceMemory
from funes_git.store.shared import SharedMemory


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
    assert f"git funes why --memory {NAME} src/cache.py" in files["README.md"].decode()
    asked = f"git funes recall --memory {NAME} 'Bound the cache'"
    assert asked in files["README.md"].decode()
    assert project.hub.repositories[NAME].head.title == "Publish v1.0.0: 1 exchange of 1 session"
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


def test_a_range_that_no_session_is_behind_is_told(project: Project) -> None:
    project.git.write("notes.md", "by hand\n")
    project.git.commit("Notes")
    done = project.funes("publish", "v1.0.0..HEAD", NAME, "--public", "--yes")
    assert done.returncode == 1
    assert "no indexed session is behind v1.0.0..HEAD" in done.stderr
    assert "git funes log v1.0.0..HEAD" in done.stderr


def test_what_has_not_changed_is_not_searched_again(project: Project, tmp_path: Path) -> None:
    (tmp_path / "betterleaks.py").write_text("raise ImportError\n")
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    first = project.publish("--public")
    again = project.publish("--public", PYTHONPATH=paths)  # without the second scanner
    assert (again["unchanged"], again["digest"]) == (True, first["digest"])
    args = ("publish", "v1.0.0", NAME, "--yes")
    other = project.funes(*args, "--keep-emails", PYTHONPATH=paths)
    assert "nothing leaves without a second secret scanner" in other.stderr
    excluded = project.funes("review", "v1.0.0", "--exclude", project.claude.id)
    assert excluded.returncode == 0, excluded.stderr
    changed = project.funes(*args, PYTHONPATH=paths)
    assert "nothing leaves without a second secret scanner" in changed.stderr


def test_a_second_release_is_added_and_each_can_be_withdrawn(
    project: Project, tmp_path: Path
) -> None:
    project.publish("--public")
    other = project.grow("src/limit.py", "def limit():\n    return 1024 * 64\n", "v1.1.0")
    found = project.publish(release="v1.1.0")
    repository = project.hub.repositories[NAME]
    assert repository.tags["v1.1.0"] == found["commit"] != repository.tags["v1.0.0"]
    memory = checkout(project.files(), tmp_path / "both")
    assert set(memory.ids("sessions")) == {project.claude.id, other.id}
    assert manifest.load(project.files()["releases/v1.1.0.json"]).range == "v1.0.0..v1.1.0"
    fragments = [path for path in project.files() if path.startswith("chunks.lance/data/")]
    assert len(fragments) == 1

    gone = project.funes("withdraw", "v1.0.0", NAME, "--purge", "--yes", "--format", "json")
    assert gone.returncode == 0, gone.stderr
    files = project.files()
    assert {path for path in files if path.startswith(("releases/", "traces/"))} == {
        "releases/v1.1.0.json",
        f"traces/{other.id}.jsonl",
    }
    memory = checkout(files, tmp_path / "one")
    assert set(memory.ids("sessions")) == {other.id}
    assert set(memory.columns("links", ["session_id"])) == {(other.id,)}
    assert "`v1.0.0` |" not in files["README.md"].decode()
    assert repository.tags == {"v1.1.0": repository.head.oid}
    assert len(repository.history("main")) == 1
    everything = b"".join([*project.hub.files.values(), *files.values()])
    assert b"it grows without end" not in everything
    assert project.claude.id.encode() not in everything


def test_what_was_withdrawn_can_still_be_purged(project: Project) -> None:
    project.publish("--public")
    repository = project.hub.repositories[NAME]
    unknown = project.funes("withdraw", "v3", NAME, "--purge", "--yes")
    assert "has no release v3; it has v1.0.0" in unknown.stderr
    assert project.funes("withdraw", "v1.0.0", NAME, "--yes").returncode == 0
    again = project.funes("withdraw", "v1.0.0", NAME, "--yes")
    assert again.returncode == 1
    assert f"hint: git funes withdraw v1.0.0 {NAME} --purge" in again.stderr
    assert len(repository.history("main")) > 1
    done = project.funes("withdraw", "v1.0.0", NAME, "--purge", "--yes")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("the history is one commit now; ")
    assert len(repository.history("main")) == 1
    assert b"it grows without end" not in b"".join(project.hub.files.values())


@pytest.mark.slow
def test_a_publish_that_was_cut_off_goes_on_with_the_same_files(project: Project) -> None:
    project.hub.fail("POST", r"/commit/", 500, times=9)
    stopped = project.funes("publish", "v1.0.0", NAME, "--yes", "--public")
    assert stopped.returncode == 1
    sent = dict(project.hub.files)
    assert sent
    project.hub.faults.clear()
    project.publish()
    assert sent.keys() == project.hub.files.keys()  # nothing was made or sent anew
    project.hub.repositories[NAME].tags.clear()  # as if it had been cut off before its tag
    assert project.publish()["unchanged"]
    assert list(project.hub.repositories[NAME].tags) == ["v1.0.0"]


@pytest.mark.slow
def test_two_publishers_at_once_lose_nothing(project: Project, tmp_path: Path) -> None:
    project.publish("--public")
    second = project.grow("src/limit.py", "def limit():\n    return 1024 * 64\n", "v1.1.0")
    third = project.grow("src/more.py", "def more(a):\n    return a * 4096\n", "v1.2.0")
    copy = tmp_path / "copy"
    shutil.copytree(project.git.path, copy, symlinks=True)
    there = Project.at(GitRepo.at(copy), project)
    with ThreadPoolExecutor(2) as both:
        done = [
            both.submit(project.publish, release="v1.1.0"),
            both.submit(there.publish, release="v1.2.0"),
        ]
        assert all(each.result()["commit"] for each in done)
    memory = checkout(project.files(), tmp_path / "both")
    assert set(memory.ids("sessions")) == {project.claude.id, second.id, third.id}
    assert set(project.hub.repositories[NAME].tags) == {"v1.0.0", "v1.1.0", "v1.2.0"}


def test_a_commit_of_somebody_else_is_built_upon(project: Project) -> None:
    project.publish("--public")
    project.grow("src/limit.py", "def limit():\n    return 1024 * 64\n", "v1.1.0")
    project.hub.fail("POST", r"/commit/", 412)
    assert project.publish(release="v1.1.0")["commit"]
    assert project.hub.faults == []


def test_who_may_read_a_new_dataset_must_be_said(project: Project) -> None:
    asked = project.funes("publish", "v1.0.0", NAME, "--yes")
    assert asked.returncode == 2
    assert "--public or --private" in asked.stderr
    assert NAME not in project.hub.repositories
    project.publish("--private")
    assert project.hub.repositories[NAME].private
    project.grow("src/limit.py", "def limit():\n    return 1024 * 64\n", "v1.1.0")
    wrong = project.funes("publish", "v1.1.0", NAME, "--yes", "--public")
    assert wrong.returncode == 1
    assert "is there already, and is private" in wrong.stderr


def test_a_memory_that_shares_nothing_is_not_written_unasked(project: Project) -> None:
    project.hub.put(NAME, {"data.csv": b"1,2\n"})
    asked = project.funes("publish", "v1.0.0", NAME, "--include", "all")
    assert asked.returncode == 1
    assert f"{NAME} holds data.csv, and nothing of repo yet" in asked.stderr
    assert "name a dataset of its own; or --yes" in asked.stderr
    project.publish()
    assert project.files()["data.csv"] == b"1,2\n"


def test_a_dry_run_shows_all_and_sends_nothing(project: Project) -> None:
    found = project.publish("--dry-run")
    assert project.hub.asked == []
    assert found["counts"]["exchanges"] == 1
    assert found["files"].keys() >= {"README.md", "data/passages.parquet", "releases/v1.0.0.json"}
    assert found["bytes"] == sum(found["files"].values())
    asked = ("publish", "v1.0.0", NAME, "--dry-run", "--format", "human")
    rows = project.funes(*asked).stdout.splitlines()
    files = sum(path.startswith("chunks.lance/") for path in found["files"])
    assert files > 1
    tables = [row for row in rows if ".lance" in row]
    assert sum(row.endswith(f"  chunks.lance/  ({files} files)") for row in tables) == 1
    assert len(tables) == len(
        {path.partition("/")[0] for path in found["files"] if ".lance/" in path}
    )


@pytest.mark.parametrize("format", ["human", "agent"])
def test_a_review_ends_with_what_is_next(project: Project, format: str) -> None:
    asked = ("review", "v1.0.0", "--format", format)
    span = "v0.9.0..v1.0.0"
    publish = f"next: git funes publish {span} ORG/NAME   (with --dry-run it sends nothing)"
    decide = f"  git funes review {span} --include SESSION   (or `all`), or --exclude SESSION"
    assert project.funes(*asked).stdout.splitlines()[-2:] == [decide, publish]
    told = project.funes(*asked, "--exclude", project.claude.id).stdout
    assert told.splitlines()[-1].startswith("all are excluded; to take one back: git funes review")
    told = project.funes(*asked, "--include", project.claude.id).stdout
    assert told.splitlines()[-1] == publish
    assert "--include SESSION" not in told
    none = project.funes("review", "HEAD~0..HEAD", "--format", format).stdout
    assert none.splitlines()[-1].startswith("next: git funes log HEAD~0..HEAD   (says of each")


def test_a_dry_run_decides_nothing(project: Project) -> None:
    tried = project.funes("publish", "v1.0.0", NAME, "--public", "--dry-run", "--include", "all")
    assert tried.returncode == 0, tried.stderr
    meant = project.funes("publish", "v1.0.0", NAME, "--public")
    assert meant.returncode == 1
    assert "nobody has decided" in meant.stderr


def test_decisions_are_kept_until_the_session_goes_on(project: Project) -> None:
    undecided = project.funes("publish", "v1.0.0", NAME, "--public")
    assert undecided.returncode == 1
    assert "1 session behind v0.9.0..v1.0.0" in undecided.stderr
    project.funes("review", "v1.0.0", "--include", project.claude.id[:8])
    assert project.funes("publish", "v1.0.0", NAME, "--public").returncode == 0
    project.claude.says("One more thought about it.")
    project.memory.sync()
    again = project.funes("publish", "v1.0.0", NAME)
    assert again.returncode == 1
    assert "nobody has decided" in again.stderr
    project.funes("review", "v1.0.0", "--exclude", project.claude.id)
    none = project.funes("publish", "v1.0.0", NAME, "--yes")
    assert "nothing of v0.9.0..v1.0.0 is to be published" in none.stderr


def test_what_is_excluded_later_is_gone_from_the_release(project: Project, tmp_path: Path) -> None:
    other = project.grow("src/limit.py", "def limit():\n    return 1024 * 64\n", "v1.1.0")
    project.publish("--public", release="v0.9.0..v1.1.0")
    assert f"traces/{other.id}.jsonl" in project.files()
    project.publish("--exclude", other.id, release="v0.9.0..v1.1.0")
    files = project.files()
    assert f"traces/{other.id}.jsonl" not in files
    memory = checkout(files, tmp_path / "read")
    for name in ("blocks", "chunks", "edits", "links"):
        assert set(memory.columns(name, ["session_id"])) == {(project.claude.id,)}
    assert list(manifest.load(files["releases/v1.1.0.json"]).sessions) == [project.claude.id]


def test_without_a_token_nothing_is_made_and_one_is_asked_for(project: Project) -> None:
    done = project.funes("publish", "v1.0.0", NAME, "--public", "--yes", HF_TOKEN="")
    assert done.returncode == 1
    assert f"writing to {NAME} needs a token, and there is none" in done.stderr
    assert "hint: hf auth login" in done.stderr


def test_a_dataset_can_be_named_as_its_page(project: Project) -> None:
    page = f"https://huggingface.co/datasets/{NAME}"
    made = project.funes("publish", "v1.0.0", page, "--public", "--yes")
    assert made.returncode == 0, made.stderr
    assert f"published v1.0.0 to {NAME}: " in made.stdout
    gone = project.funes("withdraw", "v1.0.0", f"hf://datasets/{NAME}", "--yes")
    assert gone.returncode == 0, gone.stderr
