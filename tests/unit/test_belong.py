"""Which folders and paths belong to a repository, and what they are called inside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import GitRepo

from funes_git.adopt import Adopted, gone_neighbours, recorded_roots, was_ours
from funes_git.belong import Checkouts, Roots
from funes_git.git import Repo
from funes_git.layout import Layout


def checkouts(repo: GitRepo, roots: Roots | None = None) -> Checkouts:
    found = Repo.discover(repo.path)
    return Checkouts(found.common_dir, found.worktrees(), roots)


@pytest.fixture
def committed(repo: GitRepo) -> GitRepo:
    repo.write("src/a.py", "x = 1\n")
    repo.commit("first")
    return repo


def test_paths_are_relative_to_the_top(committed: GitRepo) -> None:
    places = checkouts(committed)
    assert places.relative(str(committed.path / "src/a.py")) == "src/a.py"
    assert places.relative(str(committed.path / "new/deep/b.py")) == "new/deep/b.py"
    assert places.relative(f"{committed.path}/src/../README.md") == "README.md"
    assert places.contains(str(committed.path))
    assert places.contains(str(committed.path / "gone" / "folder"))


def test_case_is_kept(committed: GitRepo) -> None:
    assert checkouts(committed).relative(f"{committed.path}/Docs/ReadMe.MD") == "Docs/ReadMe.MD"


def test_what_is_outside_or_gits_own_is_none_of_it(committed: GitRepo, tmp_path: Path) -> None:
    places = checkouts(committed)
    assert places.relative(str(tmp_path / "other.py")) is None
    assert places.relative(str(committed.path / ".git" / "config")) is None
    assert places.relative("src/a.py") is None
    assert places.relative(f"{committed.path}-other/a.py") is None
    assert not places.contains(str(tmp_path))
    assert not places.contains("src")
    assert not places.contains("/")


def test_a_repository_inside_is_its_own(committed: GitRepo) -> None:
    nested = GitRepo(committed.path / "vendor" / "lib")
    places = checkouts(committed)
    assert places.relative(str(nested.path / "a.py")) is None
    assert not places.contains(str(nested.path))
    assert places.relative(str(committed.path / "vendor" / "b.py")) == "vendor/b.py"
    assert checkouts(nested).relative(str(nested.path / "a.py")) == "a.py"


def test_a_submodule_is_its_own(committed: GitRepo, tmp_path: Path) -> None:
    library = GitRepo(tmp_path / "library")
    library.commit("one")
    committed.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "sub"
    )
    path = str(committed.path / "sub" / "a.py")
    assert checkouts(committed).relative(path) is None
    inside = Repo.discover(committed.path / "sub")
    assert Checkouts(inside.common_dir, inside.worktrees()).relative(path) == "a.py"


@pytest.mark.parametrize("where", [".worktrees/x", ".claude/worktrees/x", "../x"])
def test_a_worktree_is_the_repository_while_it_lasts_and_after(
    committed: GitRepo, where: str
) -> None:
    top = (committed.path / where).resolve()
    committed.git("worktree", "add", "-q", str(top))
    places = checkouts(committed)
    assert places.contains(str(top / "src"))
    assert places.relative(str(top / "src/a.py")) == "src/a.py"
    seen = Roots().adding(map(str, Repo.discover(committed.path).worktrees()))
    committed.git("worktree", "remove", str(top))
    places = checkouts(committed, seen)
    assert places.contains(str(top / "src"))
    assert places.relative(str(top / "src/a.py")) == "src/a.py"


def test_a_worktree_inside_that_was_never_seen_is_told_by_its_folder(committed: GitRepo) -> None:
    places = checkouts(committed)
    for folder in (".worktrees", ".claude/worktrees", ".codex/worktrees"):
        assert places.relative(f"{committed.path}/{folder}/x/src/a.py") == "src/a.py"


def test_a_renamed_checkout_keeps_its_old_name(committed: GitRepo) -> None:
    old = committed.path
    seen = Roots().adding(map(str, Repo.discover(old).worktrees()))
    committed.path = old.rename(old.with_name("renamed"))
    assert checkouts(committed).relative(f"{old}/src/a.py") is None
    places = checkouts(committed, seen)
    assert places.relative(f"{old}/src/a.py") == "src/a.py"
    # another repository that takes the old place takes its paths, too
    GitRepo(old)
    assert checkouts(committed, seen).relative(f"{old}/src/a.py") is None


def test_links_lead_to_the_same_paths(committed: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(committed.path)
    (committed.path / "CLAUDE.md").symlink_to("AGENTS.md")
    (committed.path / "AGENTS.md").write_text("x")
    (committed.path / "out").symlink_to(tmp_path)
    places = checkouts(committed)
    assert places.relative(str(tmp_path / "link/src/a.py")) == "src/a.py"
    assert places.relative(str(committed.path / "CLAUDE.md")) == "AGENTS.md"
    assert places.relative(str(committed.path / "out/b.py")) is None


def test_a_git_directory_elsewhere_works(tmp_path: Path) -> None:
    separate = GitRepo(tmp_path / "work", f"--separate-git-dir={tmp_path}/data.git")
    places = checkouts(separate)
    assert places.relative(str(separate.path / "a.py")) == "a.py"


def test_places_are_kept_in_the_memory(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "funes")
    roots = Roots().adding(["/a"], ["/b", "/a"]).adding(["/a", "/c"])
    assert roots == Roots(("/a", "/c"), ("/b",))
    roots.save(layout)
    assert Roots.load(layout) == roots
    (layout.root / "roots.json").write_text("{")
    assert Roots.load(layout) == Roots()
    (layout.root / "roots.json").write_text(json.dumps([]))
    assert Roots.load(layout) == Roots()


KNOWN = {"src/a.py", "src/deep/b.py", "README.md", "web/app.ts"}


def test_the_recorded_root_is_where_most_edited_paths_are_known() -> None:
    recorded = [
        "/home/u/w/src/a.py",
        "/home/u/w/src/deep/b.py",
        "/home/u/w/new.py",
        "/tmp/README.md",
    ]
    places = Adopted(recorded, KNOWN)
    assert places.roots == ["/home/u/w"]
    assert places.relative("/home/u/w/new.py") == "new.py"
    assert places.relative("/tmp/README.md") is None
    assert places.relative("/home/u/w/.git/config") is None
    assert places.contains("/anywhere")


def test_of_two_roots_the_one_that_explains_more_of_the_path_wins() -> None:
    known = {"src/a.py", "a.py"}
    assert recorded_roots(["/w/src/a.py"], known) == ["/w"]


def test_a_worktree_of_the_recorded_checkout_is_the_checkout() -> None:
    recorded = ["/w/.worktrees/x/src/a.py", "/w/.claude/worktrees/y/src/deep/b.py"]
    places = Adopted(recorded, KNOWN)
    assert places.roots == ["/w"]
    assert places.relative("/w/.worktrees/x/src/a.py") == "src/a.py"


def test_a_second_checkout_in_one_session_counts_too() -> None:
    recorded = [f"/{top}/{path}" for top in ("w", "w-two") for path in sorted(KNOWN)]
    places = Adopted(recorded, KNOWN)
    assert places.relative("/w/x.py") == "x.py"
    assert places.relative("/w-two/x.py") == "x.py"


def test_windows_paths_are_understood() -> None:
    places = Adopted([r"C:\Users\u\w\src\a.py"], KNOWN)
    assert places.relative(r"C:\Users\u\w\src\New.py") == "src/New.py"


def test_with_nothing_known_the_first_folder_is_the_root() -> None:
    places = Adopted(["/w/x.py"], set())
    assert places.relative("/w/x.py") is None
    assert places.contains("/w/")
    assert places.relative("/w/x.py") == "x.py"
    assert places.relative("y.py") == "y.py"


def test_a_gone_neighbour_with_our_files_was_ours(tmp_path: Path) -> None:
    top = tmp_path / "now"
    top.mkdir()
    (tmp_path / "there").mkdir()
    recorded = {str(tmp_path / "before"), f"{tmp_path}/before/src/a.py", f"{tmp_path}/there/x"}
    assert gone_neighbours(recorded, [top]) == {str(tmp_path / "before")}
    assert was_ours(f"{tmp_path}/before", recorded, KNOWN)
    assert not was_ours(f"{tmp_path}/before", {f"{tmp_path}/before/lib/z.py"}, KNOWN)
