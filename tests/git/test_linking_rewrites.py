"""Scenarios of LINKING.md §4 in which history is rewritten, with git's hooks and without."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock, CodexSession
from helpers import GitRepo
from memory import Memory
from scenario import CACHE, EVICT, GET, OLDEST, commit, forget, git

from funes_git.hosts import githooks
from funes_git.ingest import index
from funes_git.model import Link
from funes_git.store.stores import Stores

BY_HAND = CACHE.replace(GET, "        return self.entries.get(key, None)  # by hand\n")
LEVELS = {"exact", "lines", "derived"}


@pytest.fixture(params=["hooks", "no hooks"])
def hooks(request: pytest.FixtureRequest, memory: Memory) -> str:
    """What was told: by git's hooks, or by nobody."""
    if request.param == "hooks":
        assert githooks.install(memory.repo).state == "installed"
    return str(request.param)


def wrote(memory: Memory, rev: str) -> dict[str, str]:
    """Path → the turn behind it, of a commit."""
    return {k.path or "": k.turn_uuid for k in memory.links(rev) if k.relation == "wrote"}


def chained(links: list[Link]) -> set[str]:
    return {step.old for link in links for step in link.chain}


@pytest.mark.parametrize("how", [["--no-edit"], ["-m", "other words"]])
def test_case_10_an_amended_commit_names_the_one_before(
    base: GitRepo,
    clock: Clock,
    claude: ClaudeSession,
    memory: Memory,
    hooks: str,
    how: list[str],
) -> None:
    turn = claude.edit("cache.py", GET, EVICT)
    old = commit(base, clock, "evict")
    memory.sync()
    new = git(base, clock, "commit", "-q", "-a", "--amend", *how)
    memory.sync()
    assert wrote(memory, new) == {"cache.py": turn}
    (link,) = memory.links(new)
    (step,) = link.chain
    assert (link.level, step.old, step.how) == ("derived", old, "amend")
    assert step.by == ("hook" if hooks == "hooks" else "reflog")


def test_case_11_the_id_from_before_a_rebase_still_leads_to_the_commit(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, hooks: str
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    claude.edit("cache.py", GET, EVICT)
    old = commit(base, clock, "evict")
    memory.sync()
    base.git("checkout", "-q", "main")
    base.write("cache.py", '"""A cache."""\n\nimport abc\n\n' + CACHE)
    commit(base, clock, "head by hand")
    new = git(base, clock, "rebase", "-q", "main", "topic")
    memory.sync()
    forget(base)
    memory.relink()
    (line,) = [row for row in memory.blame("cache.py") if row.text.strip() == OLDEST]
    assert (line.session_id, line.level, line.number) == (claude.id, "derived", 13)
    with memory.catalog() as catalog:
        assert [(s.old, s.new, s.how) for s in catalog.rewritten(old[:10])] == [
            (old, new, "rebase")
        ]
    (answer,) = memory.why(old[:10]).answers
    assert (answer.commit and answer.commit.sha, answer.link.session_id) == (new, claude.id)


def test_case_11_what_another_session_rebased_stays_the_writers(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    claude.edit("cache.py", GET, EVICT)
    claude.bash("git commit -q -a -m evict; git rev-parse HEAD")
    base.git("checkout", "-q", "main")
    base.write("README.md", "by hand\n")
    commit(base, clock, "readme by hand")
    rebaser = CodexSession(base, home, clock)
    rebaser.prompt("Bring topic up to date with main")
    rebaser.bash("git rebase -q main topic; git rev-parse HEAD")
    memory.sync()
    assert memory.who("cache.py")[OLDEST] == claude.id


@pytest.mark.parametrize("kept", ["ours", "theirs", "both", "turned", "by hand", "by an agent"])
def test_case_12_a_conflict_in_a_rebase_goes_to_who_wrote_what_stands(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory, kept: str
) -> None:
    new, old = "    return cache_by_the_agent[name]\n", "    return cache_by_a_person(name)\n"
    start = "def lookup(name):\n    return None\n\n\ndone = True\n"
    base.write("lookup.py", start)
    commit(base, clock, "lookup")
    base.git("checkout", "-q", "-b", "topic")
    claude.edit("lookup.py", "    return None\n", new)
    commit(base, clock, "by the agent")
    base.git("checkout", "-q", "main")
    base.write("lookup.py", start.replace("    return None\n", old))
    commit(base, clock, "by hand")
    with pytest.raises(AssertionError, match="could not apply"):
        git(base, clock, "rebase", "main", "topic")
    text = {"ours": old, "theirs": new, "both": old + new, "turned": new + old}.get(kept, "")
    resolver = CodexSession(base, home, clock)
    if kept == "by hand":
        text = "    return resolved_by_a_person[name]\n"
    if kept == "by an agent":
        base.write("lookup.py", start)
        resolver.prompt("Resolve the conflict")
        text = "    return resolved_by_another_agent[name]\n"
        resolver.patch("lookup.py", "    return None\n", text)
    base.write("lookup.py", start.replace("    return None\n", text))
    base.git("add", "-A")
    git(base, clock, "-c", "core.editor=true", "rebase", "--continue")
    memory.sync()
    who = memory.who("lookup.py")
    authors = {
        new.strip(): {claude.id},
        old.strip(): {"human", "unknown"},
        "return resolved_by_a_person[name]": {"human", "unknown"},
        "return resolved_by_another_agent[name]": {resolver.id},
    }
    told = {line: who[line] for line in authors if line in who}
    assert set(told) == {line.strip() for line in text.splitlines()}
    assert {line for line, author in told.items() if author not in authors[line]} == set()


TODO = {
    "reorder": "1{h;d};2{G}",
    "drop": "2d",
    "fixup": "2s/^pick/fixup/",
    "squash": "2s/^pick/squash/",
    "reword": "2s/^pick/reword/",
}


@pytest.mark.parametrize("what", [*TODO, "split"])
def test_case_13_an_interactive_rebase_keeps_each_turn_with_its_lines(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, hooks: str, what: str
) -> None:
    one = claude.edit("cache.py", GET, EVICT)
    first = commit(base, clock, "evict")
    two = claude.write("metrics.py", "hits_and_misses = {'hits': 0, 'misses': 0}\n")
    three = claude.write("limits.py", "limit_of_the_cache = 4096\n")
    second = commit(base, clock, "metrics and limits")
    memory.sync()
    if what == "split":
        git(base, clock, "rebase", "-qi", "HEAD~1", GIT_SEQUENCE_EDITOR="sed -i 1s/^pick/edit/")
        base.git("reset", "-q", "HEAD~1")
        base.git("add", "metrics.py")
        commit(base, clock, "metrics", add=False)
        base.git("add", "limits.py")
        commit(base, clock, "limits", add=False)
        git(base, clock, "rebase", "--continue")
    else:
        editor = f"sed -i '{TODO[what]}'"
        words = "sed -i '1s/^/again: /'" if what == "reword" else "true"
        env = {"GIT_SEQUENCE_EDITOR": editor, "GIT_EDITOR": words}
        git(base, clock, "rebase", "-qi", "HEAD~2", **env)
    memory.sync()
    both = {"metrics.py": two, "limits.py": three}
    commits = [wrote(memory, sha) for sha in base.git("rev-list", "--reverse", "main").split()][1:]
    assert (
        commits
        == {
            "reorder": [both, {"cache.py": one}],
            "drop": [{"cache.py": one}],
            "fixup": [{"cache.py": one, **both}],
            "squash": [{"cache.py": one, **both}],
            "reword": [{"cache.py": one}, both],
            "split": [{"cache.py": one}, {"metrics.py": two}, {"limits.py": three}],
        }[what]
    )
    assert (
        chained(memory.links("HEAD"))
        == {
            "reorder": {first},
            "drop": set(),
            "fixup": {first, second},
            "squash": {first, second},
            "reword": {second},
            "split": {second},
        }[what]
    )
    daily = [memory.links(sha) for sha in base.git("rev-list", "main").split()]
    memory.relink()
    assert [memory.links(sha) for sha in base.git("rev-list", "main").split()] == daily


def test_case_14_an_aborted_rebase_changes_nothing(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, hooks: str
) -> None:
    base.git("checkout", "-q", "-b", "topic")
    claude.edit("cache.py", GET, EVICT.replace("get(key)", "get(key, self)"))
    sha = commit(base, clock, "evict")
    base.git("checkout", "-q", "main")
    base.write("cache.py", BY_HAND)
    commit(base, clock, "by hand")
    memory.sync()
    before = memory.log("--all")
    with pytest.raises(AssertionError, match="could not apply"):
        git(base, clock, "rebase", "main", "topic")
    memory.sync()
    base.git("rebase", "--abort")
    memory.sync()
    assert memory.log("--all") == before
    assert [(k.session_id, k.level) for k in memory.links(sha)] == [(claude.id, "lines")]


def test_case_14_a_rebase_with_all_hooks_disabled_is_repaired_by_the_next_run(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    githooks.install(memory.repo)
    base.git("checkout", "-q", "-b", "topic")
    turn = claude.edit("cache.py", GET, EVICT)
    old = commit(base, clock, "evict")
    memory.sync()
    base.git("checkout", "-q", "main")
    base.write("docs.md", "# Docs\n\nBy hand.\n")
    commit(base, clock, "docs")
    git(base, clock, "-c", f"core.hooksPath={os.devnull}", "rebase", "-q", "main", "topic")
    memory.sync()
    assert wrote(memory, "topic") == {"cache.py": turn}
    assert chained(memory.links("topic")) == {old}


def server(base: GitRepo, clock: Clock, moved: bool) -> str:
    """What a server makes of branch `topic`: one commit on main with a title of its own; the branch
    is deleted. With `moved`, main changed the same file before. The new commit's id."""
    base.git("checkout", "-q", "main")
    if moved:
        head = '"""A cache, described by hand."""\n\nLIMIT_BY_HAND = 9\nreturn_code = 0\n\n\n'
        base.write("cache.py", head + CACHE)
        commit(base, clock, "head by hand")
    base.git("merge", "-q", "--squash", "topic")
    new = commit(base, clock, "Evict (#7)")
    base.git("branch", "-q", "-D", "topic")
    return new


@pytest.mark.parametrize("case", ["16", "17"])
def test_case_16_and_17_a_squash_on_a_server_is_found_by_content_in_a_fresh_clone(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, tmp_path: Path, case: str
) -> None:
    """The clone adopts the session; test_push_pull.py has the pulled memory."""
    base.git("checkout", "-q", "-b", "topic")
    turn = claude.edit("cache.py", GET, EVICT)
    commit(base, clock, "evict")
    new = server(base, clock, moved=case == "17")
    base.git("clone", "-q", f"file://{base.path}", str(tmp_path / "clone"))
    memory = Memory(GitRepo.at(tmp_path / "clone"))
    with Stores.open(memory.repo.layout, write=True) as stores:
        index(memory.repo, stores, paths=[home / ".claude"], adopt=True)
    memory.sync()
    (link,) = memory.links(new)
    assert (link.turn_uuid, link.level, link.content, link.chain) == (turn, "lines", "lines", ())
    who = memory.who("cache.py")
    assert who[OLDEST] == claude.id
    assert {who[line] for line in who if "by hand" in line or "HAND" in line} <= {"human"}


def test_case_17_a_line_that_anyone_could_have_written_names_nobody(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """main has the same short line in that file, by hand; the squash adds it again elsewhere."""
    base.write("loop.py", "for a in b:\n    x = 1\n\nfirst_loop_by_hand(a, b)\n")
    commit(base, clock, "loop")
    base.git("checkout", "-q", "-b", "topic")
    claude.edit("loop.py", "first_loop_by_hand(a, b)\n", "first_loop_by_hand(a, b)\nx = 1\n")
    commit(base, clock, "again")
    base.git("checkout", "-q", "main")
    base.write("loop.py", "y = 2\n\nwhile a:\n    x = 1\n\nz = 3\n\nx = 1\n")
    new = commit(base, clock, "rewritten by hand (#8)")
    memory.sync()
    assert [k for k in memory.links(new) if k.relation == "wrote"] == []
    assert memory.blame("loop.py")[7].kind in ("unknown", "human")
    assert memory.blame("loop.py")[7].session_id is None


@pytest.mark.parametrize("how", ["pick", "pick -n", "to a release"])
def test_case_18_a_picked_commit_names_the_one_that_it_was_picked_from(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, how: str
) -> None:
    base.git("branch", "release/1.2")
    turn = claude.edit("cache.py", GET, EVICT)
    old = commit(base, clock, "evict")
    base.git("checkout", "-q", "release/1.2")
    if how == "to a release":
        base.write("docs.md", "# Docs of the release\n")
        commit(base, clock, "docs")
    if how == "pick -n":
        base.git("cherry-pick", "-n", old)
        new = commit(base, clock, "evict here too")
    else:
        new = git(base, clock, "cherry-pick", old)
    memory.sync()
    assert [wrote(memory, sha) for sha in (old, new)] == [{"cache.py": turn}] * 2
    assert {k.level for k in memory.links(old)} == {"lines"}
    (link,) = memory.links(new)
    assert (link.level, chained([link])) == ("derived", {old})


def test_case_19_a_revert_says_whose_lines_it_removed(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory
) -> None:
    """No turn is behind a person's revert, so no link is; the restored lines are the turn's."""
    turn = claude.edit("cache.py", GET, EVICT)
    commit(base, clock, "evict")
    reverted = git(base, clock, "revert", "--no-edit", "HEAD")
    restored = git(base, clock, "revert", "--no-edit", "HEAD")
    memory.sync()
    assert memory.links(reverted) == []
    assert wrote(memory, restored) == {"cache.py": turn}


def test_case_20_what_is_popped_on_another_branch_goes_with_it(
    base: GitRepo, home: Path, clock: Clock, claude: ClaudeSession, memory: Memory, hooks: str
) -> None:
    turn = claude.edit("cache.py", GET, EVICT)
    base.git("stash", "-q")
    base.git("checkout", "-q", "-b", "other")
    codex = CodexSession(base, home, clock)
    codex.prompt("Document the cache")
    codex.patch("docs.md", "# Docs\n", "# Docs\n\nThe cache evicts its oldest entry.\n")
    between = commit(base, clock, "docs")
    base.git("stash", "pop", "-q")
    sha = commit(base, clock, "evict")
    memory.sync()
    assert {k.session_id for k in memory.links(between)} == {codex.id}
    assert wrote(memory, sha) == {"cache.py": turn}
    assert {k.level for k in memory.links(sha)} == {"lines"}


def test_case_21_a_commit_that_was_made_again_names_the_one_that_was_undone(
    base: GitRepo, clock: Clock, claude: ClaudeSession, memory: Memory, hooks: str
) -> None:
    turn = claude.edit("cache.py", GET, EVICT)
    old = commit(base, clock, "wip")
    base.git("reset", "-q", "--soft", "HEAD~1")
    new = commit(base, clock, "done")
    memory.sync()
    assert wrote(memory, new) == {"cache.py": turn}
    assert chained(memory.links(new)) == {old}
