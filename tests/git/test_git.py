"""What is asked of git, on real repositories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers import GitRepo

from funes_git.errors import NotARepository, UnknownTarget
from funes_git.git import GitError, Repo, process
from funes_git.git.blame import blame
from funes_git.git.diffs import changes
from funes_git.git.patch import CommitChange
from funes_git.remotes.cached import is_same


def diff(repo: GitRepo, *revs: str) -> list[CommitChange]:
    found = Repo.discover(repo.path)
    return list(changes(found, found.rev_list(*(revs or ("HEAD",)))))


def added(commit: CommitChange) -> dict[str, list[tuple[int, str]]]:
    return {f.path: [line for h in f.hunks for line in h.added] for f in commit.files}


def test_the_repository_is_found_from_a_subfolder(repo: GitRepo) -> None:
    repo.write("src/deep/a.py", "")
    found = Repo.discover(repo.path / "src" / "deep")
    assert found.worktree == repo.path
    assert found.common_dir == repo.path / ".git"
    assert found.layout.root == repo.path / ".git" / "funes"


def test_a_linked_worktree_shares_the_common_directory(repo: GitRepo, tmp_path: Path) -> None:
    repo.commit("start")
    repo.git("worktree", "add", "-q", str(tmp_path / "tree"))
    found = Repo.discover(tmp_path / "tree")
    assert found.worktree == tmp_path / "tree"
    assert found.common_dir == repo.path / ".git"
    assert found.worktrees() == [repo.path, tmp_path / "tree"]


def test_a_submodule_is_a_repository_of_its_own(repo: GitRepo, tmp_path: Path) -> None:
    inner = GitRepo(tmp_path / "inner")
    inner.write("i.py", "inner\n")
    inner.commit("inner")
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", str(inner.path), "sub")
    found = Repo.discover(repo.path / "sub")
    assert found.worktree == repo.path / "sub"
    assert found.common_dir == repo.path / ".git" / "modules" / "sub"


def test_a_bare_repository_has_no_working_tree(tmp_path: Path) -> None:
    bare = GitRepo(tmp_path / "bare.git", "--bare")
    found = Repo.discover(bare.path)
    assert found.worktree is None
    assert found.common_dir == bare.path


def test_git_dir_is_honoured(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert Repo.discover(elsewhere).common_dir == repo.path / ".git"


def test_standing_inside_the_git_directory_finds_the_working_tree(repo: GitRepo) -> None:
    assert Repo.discover(repo.path / ".git").worktree == repo.path


def test_no_repository_is_an_error_with_a_next_step(tmp_path: Path) -> None:
    with pytest.raises(NotARepository) as caught:
        Repo.discover(tmp_path)
    assert "git init" in (caught.value.hint or "")


def test_a_sha256_repository_is_read(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "long", "--object-format=sha256")
    repo.write("a.py", "one\n")
    sha = repo.commit("start")
    assert len(sha) == 64
    assert [c.info.sha for c in diff(repo)] == [sha]
    assert [line.sha for line in blame(Repo.discover(repo.path), "a.py")] == [sha]


@pytest.mark.parametrize(
    "name", ["with space.py", "täglich.py", 'quo"te.py', "new\nline.py", "tab\there.py", "b/b.py"]
)
def test_odd_names_come_back_as_they_are(repo: GitRepo, name: str) -> None:
    repo.write(name, "one\n")
    repo.commit("start")
    repo.write(name, "one\ntwo\n")
    repo.commit("more")
    assert [added(c) for c in diff(repo)] == [{name: [(1, "one")]}, {name: [(2, "two")]}]
    assert [line.original_path for line in blame(Repo.discover(repo.path), name)] == [name, name]


def test_a_rename_names_both_paths_and_its_changed_lines(repo: GitRepo) -> None:
    repo.write("old.py", "".join(f"line number {n}\n" for n in range(20)))
    repo.commit("start")
    repo.git("mv", "old.py", "new.py")
    text = (repo.path / "new.py").read_text()
    repo.write("new.py", text.replace("line number 7\n", "line seven\n"))
    repo.commit("rename")
    (change,) = diff(repo)[1].files
    assert (change.status, change.old_path, change.path) == ("renamed", "old.py", "new.py")
    assert [(h.removed, h.added) for h in change.hunks] == [
        ([(8, "line number 7")], [(8, "line seven")])
    ]


def test_added_deleted_binary_and_mode_changes_are_told_apart(repo: GitRepo) -> None:
    (repo.path / "blob.bin").write_bytes(bytes(range(256)))
    repo.write("run.sh", "echo\n")
    repo.write("empty.txt", "")
    repo.commit("start")
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "empty.txt").unlink()
    repo.commit("change")
    first, second = diff(repo)
    assert {f.path: (f.status, f.binary) for f in first.files} == {
        "blob.bin": ("added", True),
        "run.sh": ("added", False),
        "empty.txt": ("added", False),
    }
    assert {f.path: f.status for f in second.files} == {
        "run.sh": "modified",
        "empty.txt": "deleted",
    }


def test_a_merge_shows_only_lines_that_differ_from_all_parents(repo: GitRepo) -> None:
    repo.write("a.py", "one\ntwo\nthree\n")
    repo.commit("start")
    repo.git("checkout", "-q", "-b", "topic")
    repo.write("a.py", "one\ntopic\nthree\n")
    repo.commit("topic")
    repo.git("checkout", "-q", "main")
    repo.write("a.py", "one\nmain\nthree\n")
    repo.commit("main")
    repo.git("merge", "-q", "--no-commit", "-s", "ours", "topic")
    repo.write("a.py", "one\nresolved by hand\nthree\n")
    repo.commit("merge")
    assert added(diff(repo)[-1]) == {"a.py": [(2, "resolved by hand")]}


def test_parents_come_first(repo: GitRepo) -> None:
    # a child with an earlier date than its parent
    shas = [repo.commit(f"{n}", date=1_700_000_000 - n) for n in range(5)]
    assert [c.info.sha for c in diff(repo)] == shas


def test_no_commits_have_no_changes(repo: GitRepo) -> None:
    repo.commit("one")
    assert list(changes(Repo.discover(repo.path), [])) == []


def test_settings_of_the_user_do_not_change_the_diff(repo: GitRepo) -> None:
    for key, value in {
        "diff.noprefix": "true",
        "diff.orderFile": "/nowhere",
        "diff.mnemonicPrefix": "true",
        "color.ui": "always",
        "log.showSignature": "true",
        "diff.context": "7",
        "log.diffMerges": "off",
        "diff.external": "false",
    }.items():
        repo.git("config", key, value)
    repo.write("a.py", "one\n")
    repo.commit("start")
    assert [added(c) for c in diff(repo)] == [{"a.py": [(1, "one")]}]


def test_a_commit_with_missing_objects_is_named_and_the_others_are_read(repo: GitRepo) -> None:
    shas = []
    for n in range(4):
        repo.write("a.py", f"version {n}\n")
        shas.append(repo.commit(f"{n}"))
    blob = repo.git("rev-parse", f"{shas[2]}:a.py")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    found = diff(repo)
    assert [c.info.sha for c in found] == shas
    assert [c.unreadable for c in found] == [False, False, True, True]


@pytest.mark.parametrize("name", ["a.py", "odd/* [x]é.py", ":(top)b"])
def test_of_a_commit_only_the_file_with_missing_content_is_lost(repo: GitRepo, name: str) -> None:
    for n in range(2):
        for path in (name, "b.py", "odd/c.py"):
            repo.write(path, f"version {n} of {path}\n")
        repo.commit(f"{n}")
    blob = repo.git("rev-parse", f"HEAD:{name}")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    found = diff(repo)
    assert [c.unreadable for c in found] == [False, True]
    assert added(found[1]) == {path: [(1, f"version 1 of {path}")] for path in ("b.py", "odd/c.py")}
    assert [f.status for f in found[1].files] == ["modified", "modified"]


def test_lines_of_unwanted_files_are_counted_but_not_kept(repo: GitRepo) -> None:
    repo.write("a.py", "one\ntwo\n")
    repo.commit("start")
    found = Repo.discover(repo.path)
    (commit,) = changes(found, found.rev_list("HEAD"), wanted=lambda change: False)
    assert [(f.path, f.added, f.hunks) for f in commit.files] == [("a.py", 2, [])]


def test_text_that_looks_like_a_diff_is_text(repo: GitRepo) -> None:
    tricky = "diff --git a/x b/x\n@@ -1 +1 @@\n--- a/x\n+++ b/x\n-- a\n++ b\n"
    repo.write("a.patch", tricky)
    repo.commit("start")
    assert [text for _, text in added(diff(repo)[0])["a.patch"]] == tricky.splitlines()


def test_an_unknown_revision_names_itself(repo: GitRepo) -> None:
    repo.commit("start")
    with pytest.raises(UnknownTarget, match="v9"):
        Repo.discover(repo.path).resolve("v9")
    with pytest.raises(UnknownTarget):
        Repo.discover(repo.path).rev_list("v8..v9")


def test_aliases_are_root_commits_and_remotes(repo: GitRepo) -> None:
    root = repo.commit("start")
    repo.git("remote", "add", "origin", "git@GitHub.com:Acme/Widget.git")
    repo.git("remote", "add", "web", "https://user@github.com:443/acme/widget")
    repo.git("remote", "add", "local", "/srv/git/widget.git")
    found = Repo.discover(repo.path)
    assert found.aliases() == sorted([root, "github.com/acme/widget"])
    assert found.identity() == found.known_by() == ("acme/widget", root)


def test_a_repository_is_named_by_the_root_of_head_and_known_by_all(repo: GitRepo) -> None:
    root = repo.commit("start")
    tree = repo.git("rev-parse", "HEAD^{tree}").strip()
    others = [repo.git("commit-tree", tree, "-m", f"orphan {n}").strip() for n in range(4)]
    for number, other in enumerate(others):
        repo.git("branch", f"orphan{number}", other)
    found = Repo.discover(repo.path)
    assert found.identity() == ("", root)
    assert found.known_by() == ("", " ".join(sorted([root, *others])))
    for each in (root, *others):
        assert is_same(found.known_by(), ("", each))
    assert not is_same(found.known_by(), ("", "0" * 40))
    assert not is_same(("", ""), ("", ""))


def test_paths_are_relative_to_the_top_wherever_they_are_typed(repo: GitRepo) -> None:
    repo.write("src/a.py", "one\n")
    found = Repo.discover(repo.path)
    assert found.relative("a.py", repo.path / "src") == "src/a.py"
    assert found.relative("../src/a.py", repo.path / "src") == "src/a.py"
    assert found.relative(str(repo.path / "src" / "a.py"), Path("/")) == "src/a.py"
    with pytest.raises(UnknownTarget):
        found.relative("../outside.py", repo.path)


def test_blame_follows_a_line_to_its_first_file(repo: GitRepo) -> None:
    repo.write("old.py", "".join(f"line number {n}\n" for n in range(9)))
    first = repo.commit("start")
    repo.git("mv", "old.py", "new.py")
    repo.commit("rename")
    repo.write("new.py", "head\n" + (repo.path / "new.py").read_text())
    (line,) = blame(Repo.discover(repo.path), "new.py", lines=(4, 4))
    assert (line.sha, line.original_path, line.original, line.text) == (
        first,
        "old.py",
        3,
        "line number 2",
    )
    (line,) = blame(Repo.discover(repo.path), "new.py", lines=(1, 1))
    assert not line.committed


def test_log_of_an_unknown_revision_says_which(repo: GitRepo) -> None:
    repo.commit("start")
    with pytest.raises(UnknownTarget, match="no-rev"):
        list(Repo.discover(repo.path).commits("no-rev"))


def test_a_file_may_be_named_like_a_revision(repo: GitRepo) -> None:
    repo.write("HEAD", "not the tip\n")
    repo.write("main", "not the branch\n")
    sha = repo.commit("start")
    found = Repo.discover(repo.path)
    assert found.rev_list("HEAD") == found.rev_list("main") == [sha]
    assert found.tips("--all", "HEAD") == [sha]


def test_the_path_of_a_repository_may_hold_a_line_feed(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "two\nlines")
    repo.commit("start")
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "tree\nof it"))
    found = Repo.discover(repo.path)
    assert (found.common_dir, found.worktree) == (repo.path / ".git", repo.path)
    assert found.worktrees() == [repo.path, tmp_path / "tree\nof it"]
    assert Repo.discover(repo.path / ".git").worktree == repo.path


def test_the_working_tree_may_be_elsewhere(repo: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    repo.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    found = Repo.discover(repo.path / ".git")
    assert found.worktree == tmp_path / "elsewhere"
    assert tmp_path / "elsewhere" in found.worktrees()


def test_without_a_folder_for_hooks_there_is_none(repo: GitRepo) -> None:
    repo.git("config", "core.hooksPath", "")
    assert Repo.discover(repo.path).hooks_dir() == Path("/dev/null")


def test_a_missing_folder_is_not_a_missing_git(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="there is no folder"):
        process.run(("status",), tmp_path / "nowhere")


def test_a_name_that_is_not_utf_8_can_be_stored(repo: GitRepo) -> None:
    old, new = (os.fsdecode(name) for name in (b"caf\xe9.py", b"th\xe9.py"))
    repo.write(old, "one line of text\n")
    repo.commit("start")
    repo.git("mv", old, new)
    repo.commit("rename")
    renamed = diff(repo)[1].files[0]
    assert (renamed.old_path, renamed.path) == (r"caf\xe9.py", r"th\xe9.py")
    assert [line.original_path for line in blame(Repo.discover(repo.path), new)] == [r"caf\xe9.py"]
