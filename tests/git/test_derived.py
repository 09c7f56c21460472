"""Links in commits that came of others: by what git tells of rewrites, and by the lines alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory
from scenario import commit, forget, git

from funes_git.model import Link
from funes_git.store.records import HookEvent
from funes_git.store.stores import Stores

START = "".join(f"line number {n} of the file\n" for n in range(1, 8))
ONE = "the third line, as the agent put it\n"
TWO = "the sixth line, as the agent put it\n"


@pytest.fixture
def base(repo: GitRepo, clock: Clock) -> GitRepo:
    repo.write("notes.py", START)
    repo.commit("start", date=clock.now)
    clock.tick(60)
    return repo


@pytest.fixture
def claude(base: GitRepo, hermetic: Path, clock: Clock) -> ClaudeSession:
    session = ClaudeSession(base, hermetic, clock)
    session.prompt("Put some lines of the notes file into other words, please")
    return session


def third(claude: ClaudeSession) -> str:
    return claude.edit("notes.py", "line number 3 of the file\n", ONE)


def sixth(claude: ClaudeSession) -> str:
    return claude.edit("notes.py", "line number 6 of the file\n", TWO)


def told(memory: Memory, how: str, *pairs: tuple[str, str]) -> None:
    """git's post-rewrite hook ran."""
    detail = json.dumps({"args": [how]})
    event = HookEvent(f"event {pairs}", "post-rewrite", 1.0, rewrites=pairs, detail=detail)
    with Stores.open(memory.repo.layout, write=True) as stores:
        stores.add_events([event])


def steps(link: Link) -> list[tuple[str, str, str]]:
    return [(step.old, step.how, step.by) for step in link.chain]


def test_an_amended_commit_is_derived_from_the_one_that_git_amended(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    turn = third(claude)
    old = commit(base, clock, "third")
    new = git(base, clock, "commit", "-q", "--amend", "-m", "the third line")
    memory.sync()
    (link,) = memory.links(new)
    assert (link.turn_uuid, link.level, link.proof) == (turn, "derived", "rewrite")
    assert steps(link) == [(old, "amend", "reflog")]


def test_the_hook_is_believed_before_the_reflog(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    third(claude)
    old = commit(base, clock, "third")
    new = git(base, clock, "commit", "-q", "--amend", "-m", "the third line")
    memory.sync()
    told(memory, "amend", (old, new))
    memory.sync()
    (link,) = memory.links(new)
    assert steps(link) == [(old, "amend", "hook")]


def test_a_rebase_without_hooks_is_found_and_named(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    third(claude)
    first = commit(base, clock, "third")
    sixth(claude)
    second = commit(base, clock, "sixth")
    base.git("checkout", "-q", "main")
    base.write("notes.py", "a head by hand\n" + START)
    commit(base, clock, "head")
    git(base, clock, "rebase", "-q", "main", "topic")
    memory.sync()
    (one,), (two,) = memory.links("topic~1"), memory.links("topic")
    assert [(k.level, k.proof, k.lines) for k in (one, two)] == [
        ("derived", "rewrite", ((4, 4),)),
        ("derived", "rewrite", ((7, 7),)),
    ]
    assert (steps(one), steps(two)) == (
        [(first, "rebase", "reflog")],
        [(second, "rebase", "reflog")],
    )


def test_a_commit_rewritten_twice_has_the_whole_chain(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    third(claude)
    first = commit(base, clock, "third")
    second = git(base, clock, "commit", "-q", "--amend", "-m", "the third line")
    base.git("checkout", "-q", "main")
    base.write("other.py", "something_else_by_hand = 1\n")
    commit(base, clock, "other")
    git(base, clock, "rebase", "-q", "main", "topic")
    memory.sync()
    (link,) = memory.links("topic")
    assert steps(link) == [(second, "rebase", "reflog"), (first, "amend", "reflog")]
    assert link.chain[0].new == base.git("rev-parse", "topic")


def test_a_squash_names_for_each_turn_the_commit_that_its_lines_were_in(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    one = third(claude)
    first = commit(base, clock, "third")
    two = sixth(claude)
    second = commit(base, clock, "sixth")
    base.git("checkout", "-q", "main")
    base.git("merge", "-q", "--squash", "topic")
    new = commit(base, clock, "squashed")
    memory.sync()
    assert {k.turn_uuid: (k.level, k.proof, steps(k)) for k in memory.links(new)} == {
        one: ("derived", "patch-id", [(first, "squash", "content")]),
        two: ("derived", "patch-id", [(second, "squash", "content")]),
    }
    assert {k.level for k in memory.links(first) + memory.links(second)} == {"lines"}


def test_what_a_squash_adds_of_its_own_is_not_derived(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    third(claude)
    commit(base, clock, "third")
    base.git("checkout", "-q", "main")
    base.git("merge", "-q", "--squash", "topic")
    own = claude.write("more.py", "written_while_squashing = True\n")
    new = commit(base, clock, "squashed, and more")
    memory.sync()
    found = {k.turn_uuid: k for k in memory.links(new)}
    assert (found.pop(own).level, {k.level for k in found.values()}) == ("lines", {"derived"})


def test_a_cherry_pick_is_derived_and_the_picked_commit_is_not(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("branch", "release")
    third(claude)
    old = commit(base, clock, "third")
    base.git("checkout", "-q", "release")
    new = git(base, clock, "cherry-pick", old)
    memory.sync()
    assert [steps(k) for k in memory.links(new)] == [[(old, "cherry-pick", "reflog")]]
    assert [(k.level, k.chain) for k in memory.links(old)] == [("lines", ())]


def test_without_any_word_of_git_the_lines_tell(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """As where a server rebased, or picked."""
    base.git("branch", "release")
    third(claude)
    old = commit(base, clock, "third")
    base.git("checkout", "-q", "release")
    new = git(base, clock, "cherry-pick", old)
    base.git("reflog", "expire", "--expire=all", "--all")
    memory.sync()
    assert [(k.proof, steps(k)) for k in memory.links(new)] == [
        ("patch-id", [(old, "copy", "content")])
    ]


def test_a_commit_that_was_undone_and_made_again_is_derived(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    third(claude)
    old = commit(base, clock, "wip")
    base.git("reset", "-q", "--soft", "HEAD~1")
    new = commit(base, clock, "done")
    memory.sync()
    assert [steps(k) for k in memory.links(new)] == [[(old, "copy", "content")]]


def test_stashes_and_other_tools_branches_are_no_history(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    third(claude)
    base.git("stash", "-q")
    base.git("stash", "pop", "-q")
    base.git("stash", "-q")
    base.git("branch", "entire/checkpoints")
    base.git("branch", "-f", "entire/checkpoints", "stash@{0}")
    base.git("branch", "-f", "entire/checkpoints", "main")
    base.git("stash", "pop", "-q")
    new = commit(base, clock, "third")
    memory.sync()
    assert [(k.level, k.chain) for k in memory.links(new)] == [("lines", ())]
    with memory.catalog() as catalog:
        assert len(catalog.known_commits()) == 2


@pytest.mark.parametrize("name", ["topic", "topic/notes/stash", "stash"])
def test_a_commit_that_only_its_branchs_reflog_names_is_compared_with(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, name: str
) -> None:
    """Made in a working tree that is gone, and with it the reflog of its HEAD."""
    third(claude)
    base.git("checkout", "-q", "-b", name)
    old = commit(base, clock, "third")
    base.git("checkout", "-q", "main")
    base.git("branch", "-f", name, "main")
    base.git("reflog", "expire", "--expire=all", "HEAD", "main")
    base.write("notes.py", START.replace("line number 3 of the file\n", ONE))
    new = commit(base, clock, "third, again")
    memory.sync()
    assert [steps(k) for k in memory.links(new)] == [[(old, "copy", "content")]]


def test_a_line_that_was_reverted_and_restored_is_not_derived(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    third(claude)
    commit(base, clock, "third")
    git(base, clock, "revert", "--no-edit", "HEAD")
    new = git(base, clock, "revert", "--no-edit", "HEAD")
    memory.sync()
    assert [(k.level, k.chain) for k in memory.links(new)] == [("lines", ())]


def test_what_git_told_is_known_when_git_has_forgotten_it(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    third(claude)
    old = commit(base, clock, "third")
    memory.sync()
    new = git(base, clock, "commit", "-q", "--amend", "-m", "the third line")
    memory.sync()
    forget(base)
    memory.relink()
    memory.repo.layout.catalog.unlink()
    memory.sync()
    (link,) = memory.links(new)
    assert (link.level, steps(link)) == ("derived", [(old, "amend", "reflog")])
    with memory.catalog() as catalog:
        assert [(s.old, s.new) for s in catalog.rewritten(old[:9])] == [(old, new)]
        assert catalog.rewritten(new[:9]) == catalog.rewritten("") == catalog.rewritten("%") == []


def test_what_the_lines_told_stays_known_when_git_has_lost_the_older_commits(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    third(claude)
    first = commit(base, clock, "third")
    sixth(claude)
    second = commit(base, clock, "sixth")
    base.git("checkout", "-q", "main")
    base.git("merge", "-q", "--squash", "topic")
    new = commit(base, clock, "squashed")
    memory.sync()
    daily = memory.links(new)
    base.git("branch", "-q", "-D", "topic")
    forget(base)
    memory.relink()
    assert memory.links(new) == daily
    assert {step.old for k in daily for step in k.chain} == {first, second}


@pytest.mark.parametrize("when", ["each step", "at the end"])
def test_the_order_of_arrival_changes_nothing(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, when: str
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    third(claude)
    old = commit(base, clock, "third")
    if when == "each step":
        memory.sync()
    base.git("checkout", "-q", "main")
    base.write("notes.py", "a head by hand\n" + START)
    commit(base, clock, "head")
    if when == "each step":
        memory.sync()
    new = git(base, clock, "rebase", "-q", "main", "topic")
    memory.sync()
    base.git("reflog", "expire", "--expire=all", "--all")
    told(memory, "rebase", (old, new))
    memory.sync()
    found = [(k.level, k.lines, steps(k)) for k in memory.links(new)]
    assert found == [("derived", ((4, 4),), [(old, "rebase", "hook")])]
    memory.relink()
    assert [(k.level, k.lines, steps(k)) for k in memory.links(new)] == found


def test_the_agents_own_amend_is_exact_and_has_its_chain(
    base: GitRepo, claude: ClaudeSession, memory: Memory
) -> None:
    third(claude)
    claude.bash("git commit -qam third")
    old = base.git("rev-parse", "HEAD")
    claude.bash("git commit --amend -m 'the third line'")
    memory.sync()
    (link,) = memory.links("HEAD")
    assert (link.level, steps(link)) == ("exact", [(old, "amend", "reflog")])


def test_the_report_counts_what_came_of_others_and_no_lost_commit(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    third(claude)
    commit(base, clock, "third")
    git(base, clock, "commit", "-q", "--amend", "-m", "the third line")
    memory.sync()
    report = memory.relink()
    assert (report.commits, report.linked["derived"], report.linked["lines"]) == (2, 1, 0)


def test_linking_a_range_anew_keeps_what_comes_after_it(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """The rows of a range that was linked anew come after those of its children."""
    from funes_git.link.engine import link

    third(claude)
    old = commit(base, clock, "third")
    git(base, clock, "revert", "--no-edit", "HEAD")
    memory.sync()
    with Stores.open(memory.repo.layout, write=True) as stores:
        link(memory.repo, stores.writer, [f"{old}~1..{old}"])
    base.write("notes.py", START.replace("line number 3 of the file\n", ONE))
    new = commit(base, clock, "typed again, by hand")
    memory.sync()
    daily = memory.links(new)
    memory.relink()
    assert memory.links(new) == daily


def test_what_git_tells_counts_the_same_day_by_day_and_anew(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    third(claude)
    old = commit(base, clock, "third")
    base.git("checkout", "-q", "-b", "other", "main")
    picked = git(base, clock, "cherry-pick", old)
    memory.sync()
    base.git("checkout", "-q", "topic")
    new = git(base, clock, "commit", "-q", "--amend", "-m", "the third line")
    memory.sync()
    daily = [memory.links(sha) for sha in (new, picked)]
    assert [steps(link) for links in daily for link in links] == [
        [(old, "amend", "reflog")],
        [(old, "cherry-pick", "reflog")],
    ]
    memory.relink()
    assert [memory.links(sha) for sha in (new, picked)] == daily
    told(memory, "rebase", (old, picked))
    memory.sync()
    assert [steps(link) for link in memory.links(picked)] == [[(old, "rebase", "hook")]]
