"""Which commits a session's git commands made, checked against what the real git prints."""

from __future__ import annotations

import os
import subprocess

import pytest
from helpers import GitRepo

from funes_git_parsers.base import PrintedCommit
from funes_git_parsers.shell import printed_commits

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def busy(repo: GitRepo) -> GitRepo:
    """A repository with a commit on main, one on a branch beside it, and a staged change."""
    repo.write("a.txt", "one\n")
    repo.commit("first")
    repo.git("checkout", "-q", "-b", "side")
    repo.write("b.txt", "two\n")
    repo.commit("beside")
    repo.git("checkout", "-q", "main")
    repo.write("a.txt", "one\nmore\n")
    repo.git("add", "-A")
    return repo


def ran(repo: GitRepo, command: str) -> tuple[PrintedCommit, ...]:
    """What is read from `command` and its real output."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=repo.path,
        env={**os.environ, "GIT_EDITOR": "true"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return printed_commits(command, f"Exit code: 0\nWall time: 1.1 seconds\nOutput:\n{done.stdout}")


@pytest.mark.parametrize(
    ("command", "verb", "branch", "subject"),
    [
        ("git commit -m 'more: x'", "commit", "main", "more: x"),
        ("git add -A && git commit -m x 2>&1 | tail -3", "commit", "main", "x"),
        ("git commit --amend -m other", "amend", "main", "other"),
        ("git commit --amend --no-edit", "amend", "main", "first"),
        ("git -c user.name=Bob -C . commit -m x", "commit", "main", "x"),
        ("bash -lc 'git commit -m x'", "commit", "main", "x"),
        ("git stash -q; git cherry-pick side", "cherry-pick", "main", "beside"),
        ("git stash -q; git revert --no-edit HEAD", "revert", "main", 'Revert "first"'),
        ("git checkout -q --detach; git commit -m x", "commit", None, "x"),
        ("git commit -q -m x; git rev-parse HEAD", "rev-parse", None, None),
        ("git commit -q -m x && git rev-parse --short HEAD", "rev-parse", None, None),
        ("git commit -qm x && git log --oneline -1", "rev-parse", None, "x"),
        ("git commit -qm x; git log --oneline -3", "rev-parse", None, "x"),
        ("git commit -qm x; git log --oneline --decorate | head -2", "rev-parse", None, "x"),
        ("git commit -qm x && git log -1 --format=%H", "rev-parse", None, None),
        ("git commit -qm x && git log -1 --format='%h %s'", "rev-parse", None, "x"),
        ("git commit -qm x && git log -1", "rev-parse", None, None),
        ("git commit -qm x && git show --stat HEAD", "rev-parse", None, None),
        ("git log --oneline -1; git commit -qm x; git rev-parse HEAD", "rev-parse", None, None),
        (
            "git commit -qm y; git merge --no-ff -m m side; git log -1",
            "rev-parse",
            None,
            None,
        ),
    ],
)
def test_the_id_is_the_commit_that_was_made(
    busy: GitRepo, command: str, verb: str, branch: str | None, subject: str | None
) -> None:
    (found,) = ran(busy, command)
    assert (found.verb, found.branch, found.subject) == (verb, branch, subject)
    assert busy.git("rev-parse", "HEAD").startswith(found.sha)


def test_the_first_commit_of_a_repository(repo: GitRepo) -> None:
    repo.write("a.txt", "one\n")
    (found,) = ran(repo, "git add . && git commit -m first")
    assert repo.git("rev-parse", "HEAD").startswith(found.sha)
    assert (found.branch, found.subject) == ("main", "first")


def test_two_commits_of_one_command_in_order(busy: GitRepo) -> None:
    command = "git commit -m x && git cherry-pick side && git push; git log --oneline -5"
    found = ran(busy, command)
    assert [(c.verb, c.subject) for c in found] == [("commit", "x"), ("cherry-pick", "beside")]
    assert busy.git("rev-parse", "HEAD~1").startswith(found[0].sha)
    assert busy.git("rev-parse", "HEAD").startswith(found[1].sha)


def test_a_full_id_that_follows_replaces_the_short_one(busy: GitRepo) -> None:
    (found,) = ran(busy, "git commit -m x && git rev-parse HEAD")
    assert found == PrintedCommit(busy.git("rev-parse", "HEAD"), "commit", "main", "x")


def test_a_rebase_that_was_continued(busy: GitRepo) -> None:
    busy.commit("more")
    busy.git("checkout", "-q", "side")
    busy.write("a.txt", "two\n")
    busy.commit("conflict")
    command = "git rebase main; echo both > a.txt; git add a.txt; git rebase --continue"
    found = ran(busy, command)
    assert [(c.verb, c.branch, c.subject) for c in found] == [("rebase", None, "conflict")]
    assert busy.git("rev-parse", "HEAD").startswith(found[0].sha)


@pytest.mark.parametrize(
    "command",
    [
        "git log --oneline -3",
        "git show HEAD",
        "git rev-parse HEAD",
        "git log -1 --format='[main %h] %s'",
        "git reflog; git branch -av; git stash; git stash pop",
        "git merge --ff-only side; git log --graph --all --oneline",
        "git stash -q; git merge side; git rev-parse HEAD",
        "git stash -q; git checkout -q -b new HEAD; git rebase side && git rev-parse HEAD",
        "git commit --dry-run -m x; git log side --oneline",
        "git reset -q --hard; git commit -m x; git rev-parse HEAD",
        "git reset -q --hard; git commit -q -m x; git log --oneline -1",
        "git commit -q -m x; git log --oneline side",
        "git commit -q -m x; git log --all --oneline",
        "git log --oneline -2; git commit -q -m x; git log --oneline -2",
        "echo '[main abc1234] git commit'",
        "echo git commit; git log --oneline",
        "cat <<'EOF'\ngit commit -m x\nEOF\ngit log -1 --oneline",
    ],
)
def test_an_id_that_was_merely_shown_proves_nothing(busy: GitRepo, command: str) -> None:
    assert ran(busy, command) == ()


def test_a_commit_that_a_hook_refused_names_none(busy: GitRepo) -> None:
    hook = busy.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'error: no' >&2\nexit 1\n")
    hook.chmod(0o755)
    assert ran(busy, "git commit -qm x; git rev-parse HEAD") == ()
    assert ran(busy, "git commit -qm x && git rev-parse HEAD") == ()


def test_colours_and_progress_in_the_output() -> None:
    output = "Running…\r\x1b[32m[fix/a-b 1234abc] x\x1b[m\r\n 1 file changed\r\n"
    assert printed_commits("git commit", output) == (
        PrintedCommit("1234abc", "commit", "fix/a-b", "x"),
    )


@pytest.mark.parametrize("line", ["[HEAD détachée 1234abc] x", "[losgelöster HEAD 1234abc] x"])
def test_a_detached_head_in_another_language(line: str) -> None:
    assert printed_commits("git commit", line) == (PrintedCommit("1234abc", "commit", None, "x"),)


def test_a_pull_request_merged_from_the_command_line() -> None:
    command = "gh pr merge 5 --squash && gh pr view 5 --json mergeCommit"
    output = f'✓ Squashed and merged pull request #5 (x)\n{{"mergeCommit":{{"oid":"{SHA}"}}}}\n'
    assert printed_commits(command, output) == (PrintedCommit(SHA, "merge"),)
    assert printed_commits("gh pr view 5 --json mergeCommit", output) == ()
    assert printed_commits("gh pr merge 5", "Updating 1234abc..567def0\nFast-forward\n") == ()


def test_the_short_answer_of_rtk() -> None:
    assert printed_commits("rtk git commit -m x", "ok ✓ 1234abc\n") == (
        PrintedCommit("1234abc", "commit"),
    )
    assert printed_commits("git commit -m x", "ok ✓ 1234abc\n") == ()
