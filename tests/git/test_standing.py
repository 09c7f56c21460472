"""What became of the lines of a hit, up to HEAD."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory
from scenario import commit, forget, git

from funes_git.errors import UsageError
from funes_git.filters import Filters
from funes_git.git import process
from funes_git.model import Hit, Standing
from funes_git.models import Models
from funes_git.recall import Recall, Stages
from funes_git.recall.stages import LEXICAL
from funes_git.render import hits as compact
from funes_git.render import json
from funes_git.render import reading as human
from funes_git.render.page import Page

CODE = """\
def evict_oldest(entries):
    oldest = next(iter(entries))
    entries.pop(oldest)

    return None
"""

EVERY = replace(LEXICAL, cut=False)


class Story:
    """A repository in which an agent wrote CODE, and what is asked of it."""

    def __init__(self, repo: GitRepo, home: Path) -> None:
        self.repo, self.home, self.clock = repo, home, Clock()
        repo.write("readme.md", "Widget\n\n    return None\n")
        commit(repo, self.clock, "first")

    def agent_writes(self, path: str, text: str, words: str) -> None:
        agent = ClaudeSession(self.repo, self.home, self.clock)
        agent.prompt(f"Please: {words}")
        agent.says(f"I do it now: {words}")
        agent.write(path, text)

    def ask(self, question: str, *standings: str, stages: Stages = EVERY) -> tuple[Hit, ...]:
        Memory(self.repo).sync()
        return self.ask_again(question, *standings, stages=stages)

    def ask_again(self, question: str, *standings: str, stages: Stages = EVERY) -> tuple[Hit, ...]:
        memory = Memory(self.repo)
        with memory.catalog() as catalog:
            recall = Recall(memory.repo, catalog, Models({}))
            return recall.search(question, Filters(standings=standings), stages=stages).hits

    def standing(self, question: str = "eviction") -> Standing | None:
        (hit,) = self.ask(question)
        return hit.standing


@pytest.fixture
def story(repo: GitRepo, home: Path) -> Story:
    return Story(repo, home)


def test_lines_stand_at_head_until_they_are_changed_and_gone(story: Story) -> None:
    story.agent_writes("cache.py", CODE, "eviction of the oldest entry")
    assert story.standing() is None  # nothing is committed
    commit(story.repo, story.clock, "evict")
    assert story.standing() == Standing("current", 3, 3)  # of `return None` nobody can tell
    story.repo.write("cache.py", CODE.replace("iter(entries)", "reversed(entries)"))
    assert story.standing() == Standing("current", 3, 3)  # HEAD counts, not the working tree
    commit(story.repo, story.clock, "newest")
    assert story.standing() == Standing("changed", 2, 3)
    story.repo.write("cache.py", "    return None\n")
    commit(story.repo, story.clock, "empty")
    assert story.standing() == Standing("gone", 0, 3)


def test_a_file_that_is_moved_and_indented_still_has_its_lines(story: Story) -> None:
    story.agent_writes("cache.py", CODE, "eviction of the oldest entry")
    commit(story.repo, story.clock, "evict")
    for old, new in (("cache.py", "my store.py"), ("my store.py", "src.py")):
        git(story.repo, story.clock, "mv", old, new)
        commit(story.repo, story.clock, f"to {new}")
    assert story.standing() == Standing("current", 3, 3)
    text = "class Cache:\n" + "".join(f"    {row}\n" for row in CODE.splitlines())
    story.repo.write("src.py", text)
    commit(story.repo, story.clock, "indent")
    assert story.standing() == Standing("current", 3, 3)


def test_a_reverted_commit_is_told_from_lines_that_went_otherwise(story: Story) -> None:
    story.agent_writes("cache.py", CODE, "eviction of the oldest entry")
    commit(story.repo, story.clock, "evict")
    git(story.repo, story.clock, "revert", "--no-edit", "HEAD")
    assert story.standing() == Standing("reverted", 0, 3)
    git(story.repo, story.clock, "revert", "--no-edit", "HEAD")
    assert story.standing() == Standing("current", 3, 3)


def test_commits_that_were_reverted_one_after_the_other_are_all_told(story: Story) -> None:
    for n in range(2):  # the first is taken back before the second is made
        story.agent_writes(f"cache{n}.py", CODE.replace("oldest", f"oldest_{n}"), f"eviction {n}")
        commit(story.repo, story.clock, f"evict {n}")
        git(story.repo, story.clock, "revert", "--no-edit", "HEAD")
    assert [hit.standing for hit in story.ask("eviction")] == [Standing("reverted", 0, 3)] * 2
    before = process.started
    assert len(story.ask_again("eviction")) == 2
    assert process.started - before == 4  # one reads what all say that revert


def test_work_on_another_branch_is_unmerged_until_it_is_merged(story: Story) -> None:
    git(story.repo, story.clock, "switch", "-qc", "topic")
    story.agent_writes("cache.py", CODE, "eviction of the oldest entry")
    sha = commit(story.repo, story.clock, "evict")
    git(story.repo, story.clock, "switch", "-q", "main")
    assert story.standing() == Standing("unmerged", 0, 3, "topic")
    git(story.repo, story.clock, "branch", "-D", "topic")
    assert story.standing() == Standing("unmerged", 0, 3)  # on no branch
    git(story.repo, story.clock, "cherry-pick", sha)
    assert story.standing() == Standing("current", 3, 3)


def test_history_is_read_only_where_linking_has_not_seen_it(story: Story) -> None:
    for n in range(3):
        git(story.repo, story.clock, "switch", "-qc", f"topic{n}", "main")
        story.agent_writes(f"cache{n}.py", CODE.replace("oldest", f"oldest_{n}"), f"eviction {n}")
        commit(story.repo, story.clock, f"evict {n}")
    git(story.repo, story.clock, "switch", "-q", "main")
    git(story.repo, story.clock, "merge", "-q", "topic0")
    expected = {"eviction 0": "current", "eviction 1": "unmerged", "eviction 2": "unmerged"}

    def states(hits: tuple[Hit, ...]) -> dict[str, str]:
        return {str(h.prompt)[8:]: h.standing.state for h in hits if h.standing}

    assert states(story.ask("eviction")) == expected
    before = process.started
    assert states(story.ask_again("eviction")) == expected
    # what repository it is, HEAD, the branches, and what is read of them
    assert process.started - before == 4
    story.repo.write("readme.md", "Gadget\n")
    commit(story.repo, story.clock, "not linked")
    assert states(story.ask_again("eviction")) == expected
    git(story.repo, story.clock, "merge", "-q", "--no-edit", "topic1")
    assert states(story.ask_again("eviction")) == {**expected, "eviction 1": "current"}
    hits = {hit.prompt: hit for hit in story.ask_again("eviction 2")}
    assert hits["Please: eviction 2"].standing == Standing("unmerged", 0, 3, "topic2")


@pytest.mark.parametrize("name", ["ü/->", "a\u2028b", "a\x85b", "HEAD"])
def test_branches_of_any_name_are_told(story: Story, name: str) -> None:
    git(story.repo, story.clock, "switch", "-qc", "topic")
    story.agent_writes("cache.py", CODE, "eviction of the oldest entry")
    sha = commit(story.repo, story.clock, "evict")
    git(story.repo, story.clock, "switch", "-q", "main")
    git(story.repo, story.clock, "update-ref", f"refs/heads/{name}", sha)
    git(story.repo, story.clock, "branch", "-D", "topic")
    found = story.standing()
    assert found is not None
    assert (found.state, (found.branch or "").removeprefix("heads/")) == ("unmerged", name)


def test_of_many_branches_that_linking_has_not_seen_one_is_told(story: Story) -> None:
    git(story.repo, story.clock, "switch", "-qc", "topic")
    story.agent_writes("cache.py", CODE, "eviction of the oldest entry")
    commit(story.repo, story.clock, "evict")
    assert story.standing() == Standing("current", 3, 3)
    story.repo.write("other.py", "x = 1\n")
    tip = commit(story.repo, story.clock, "not linked")
    git(story.repo, story.clock, "switch", "-q", "main")
    git(story.repo, story.clock, "branch", "-D", "topic")
    refs = "".join(f"create refs/remotes/origin/{'y' * 200}{n} {tip}\n" for n in range(700))
    command = ["git", "update-ref", "--stdin"]
    subprocess.run(command, cwd=story.repo.path, input=refs, text=True, check=True)
    (hit,) = story.ask_again("eviction")
    assert hit.standing == Standing("unmerged", 0, 3, f"origin/{'y' * 200}0")


def test_what_was_kept_of_another_history_is_not_believed(story: Story, tmp_path: Path) -> None:
    git(story.repo, story.clock, "switch", "-qc", "topic")
    story.agent_writes("cache.py", CODE, "eviction of the oldest entry")
    commit(story.repo, story.clock, "evict")
    git(story.repo, story.clock, "switch", "-q", "main")
    git(story.repo, story.clock, "merge", "--no-ff", "-q", "--no-edit", "topic")
    story.repo.write("cache.py", "    return None\n")
    commit(story.repo, story.clock, "drop")
    origin = story.repo.path.rename(tmp_path / "origin")
    cut = ("--depth", "2", "--no-single-branch", f"file://{origin}", str(story.repo.path))
    subprocess.run(["git", "clone", "-q", *cut], check=True)
    story.ask("eviction")
    story.repo.git("fetch", "-q", "--unshallow")
    (hit,) = story.ask_again("eviction")
    assert hit.standing == Standing("gone", 0, 3)


def test_commits_that_git_has_forgotten_count_no_more(story: Story) -> None:
    git(story.repo, story.clock, "switch", "-qc", "topic")
    story.agent_writes("cache.py", CODE, "eviction of the oldest entry")
    sha = commit(story.repo, story.clock, "evict")
    git(story.repo, story.clock, "switch", "-q", "main")
    story.repo.write("other.py", "x = 'a line between'\n")
    commit(story.repo, story.clock, "other")
    git(story.repo, story.clock, "cherry-pick", sha)
    assert story.standing() == Standing("current", 3, 3)
    (hit,) = story.ask("eviction")
    assert sha in hit.commits
    git(story.repo, story.clock, "branch", "-D", "topic")
    forget(story.repo)
    assert story.standing() == Standing("current", 3, 3)
    git(story.repo, story.clock, "rm", "-q", "cache.py")
    commit(story.repo, story.clock, "drop")
    assert story.standing() == Standing("gone", 0, 3)


def test_what_is_gone_comes_last_and_can_be_left_out(story: Story) -> None:
    story.agent_writes("old.py", CODE, "eviction eviction eviction of entries")
    commit(story.repo, story.clock, "old")
    other = "def evict_by_size(sizes):\n    largest = max(sizes, key=sizes.get)\n"
    story.agent_writes("new.py", other, "a way of eviction by size among several others")
    commit(story.repo, story.clock, "new")
    before = {hit.prompt: hit.score for hit in story.ask("eviction entries")}
    first = next(iter(before))
    assert first is not None
    assert "eviction eviction" in first
    git(story.repo, story.clock, "rm", "-q", "old.py")
    commit(story.repo, story.clock, "drop")
    found = story.ask("eviction entries")
    assert [hit.standing and hit.standing.state for hit in found] == ["current", "gone"]
    assert found[1].prompt == first
    assert found[1].score == before[first]
    assert [hit.prompt for hit in story.ask("eviction", "current")] == [found[0].prompt]
    assert [hit.prompt for hit in story.ask("eviction", "gone", "reverted")] == [first]
    assert story.ask("eviction", "unmerged") == ()
    with pytest.raises(UsageError, match="no standing is called 'lost'"):
        story.ask("eviction", "lost")


def test_each_format_says_how_a_hit_stands(story: Story) -> None:
    story.agent_writes("cache.py", CODE, "eviction of the oldest entry")
    commit(story.repo, story.clock, "evict")
    (hit,) = story.ask("eviction")
    assert " · current" in "\n".join(compact.recall("eviction", [hit]))
    assert "at HEAD: current" in "\n".join(human.recall(Page(), "eviction", [hit]))
    for standing, words in (
        (Standing("changed", 1, 3), "changed 2 of 3 lines"),
        (Standing("unmerged", 0, 3, "topic"), "unmerged (topic)"),
        (Standing("reverted", 0, 3), "reverted"),
    ):
        told = replace(hit, standing=standing)
        assert words in "\n".join(compact.recall("eviction", [told]))
        assert words in "\n".join(human.recall(Page(), "eviction", [told]))
    (document,) = json.recall("eviction", [hit])["hits"]
    assert document["standing"] == {"state": "current", "kept": 3, "lines": 3, "branch": None}
    (document,) = json.recall("eviction", [replace(hit, standing=None)])["hits"]
    assert document["standing"] is None
