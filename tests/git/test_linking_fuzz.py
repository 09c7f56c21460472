"""LINKING.md case 39: random work of people and agents, against the fuzzer's own record of it.

FUNES_FUZZ_SEEDS and FUNES_FUZZ_STEPS run it longer; FUNES_FUZZ_FIRST is the first seed. A failure
prints the seed and everything that was done.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fuzz_model import HUMAN, File, Line, Tree
from fuzz_ops import PAUSES, Story
from helpers import GitRepo

from funes_git.git import Repo
from funes_git.ingest import index
from funes_git.link.engine import catch_up, link
from funes_git.model import BlameLine
from funes_git.store.catalog import Catalog
from funes_git.store.stores import Stores
from funes_git.why.blame import blame
from funes_git.why.log import log

FIRST = int(os.environ.get("FUNES_FUZZ_FIRST", "1"))
SEEDS = int(os.environ.get("FUNES_FUZZ_SEEDS", "2"))
STEPS = int(os.environ.get("FUNES_FUZZ_STEPS", "40"))
CHECK_EVERY = 4

WEIGHTS = {
    "op_agent_edits": 14,
    "op_human_edits": 9,
    "op_human_retypes": 2,
    "op_discard": 1,
    "op_restore": 1,
    "op_git_mv": 1,
    "op_commit": 9,
    "op_stage": 3,
    "op_commit_staged": 3,
    "op_commit_some_hunks": 3,
    "op_amend": 2,
    "op_reset_soft": 1,
    "op_reset_hard": 1,
    "op_branch": 4,
    "op_merge": 3,
    "op_squash": 1,
    "op_rebase": 2,
    "op_cherry_pick": 2,
    "op_revert": 2,
    "op_stash": 3,
}


@dataclass(slots=True)
class Score:
    """What the product said, against the record."""

    false: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    found: int = 0
    claimed: int = 0
    """Lines of any kind for which an agent was named."""


class Trial:
    """One story and the product's memory of it."""

    def __init__(self, repo: GitRepo, home: Path, seed: int) -> None:
        self.seed = seed
        self.story = Story(repo, home, seed)
        self.repo = Repo.discover(repo.path)
        self.score = Score()

    def run(self, steps: int) -> None:
        """Work on, and compare every few steps and at the end."""
        story = self.story
        names = list(WEIGHTS)
        with Stores.open(self.repo.layout, write=True) as stores:
            for step in range(steps):
                done = None
                while done is None:
                    story.clock.tick(story.rng.choice(PAUSES))
                    name = story.rng.choices(names, list(WEIGHTS.values()))[0]
                    done = getattr(story, name)()
                story.log.append(f"{step}: {done}")
                if step % CHECK_EVERY == CHECK_EVERY - 1:
                    self.sync(stores)
                    self.compare("HEAD", story.tree())
            story.clean()
            self.sync(stores)
            heads = story.git("rev-parse", "--branches").split()
            for sha in dict.fromkeys(heads):
                self.compare(sha, story.record.commits[sha])
            daily = self.links()
            link(self.repo, stores.writer, everything=True)
            anew = self.links()
            differ = [f"{a} != {b}" for a, b in zip(daily, anew, strict=True) if a != b]
            assert not differ, self.report("linking anew differs: " + "; ".join(differ))

    def sync(self, stores: Stores) -> None:
        index(self.repo, stores)
        catch_up(self.repo, stores.writer)

    def links(self) -> list[object]:
        """What is linked, and how that is known."""
        with Catalog.open(self.repo.layout.catalog) as catalog:
            entries = log(self.repo, catalog, ["--branches"])
            return [(e.commit.subject, set(e.links), e.reason) for e in entries]

    def compare(self, rev: str, tree: Tree) -> None:
        """Blame every file of `tree` at `rev`."""
        with Catalog.open(self.repo.layout.catalog) as catalog:
            for path, lines in tree.items():
                said = blame(self.repo, catalog, path, at=rev, cwd=self.repo.worktree)
                assert [row.text for row in said] == [line.text for line in lines], self.report(
                    f"the record of {path} is wrong"
                )
                for row, line in zip(said, lines, strict=True):
                    self.judge(path, lines, row, line)

    def judge(self, path: str, lines: File, row: BlameLine, line: Line) -> None:
        """Compare what was said of one line with the record."""
        where = f"{path}:{row.number} {line.text!r}"
        at = f"after {len(self.story.log) - 1}: {where} is {[b[:5] for b in sorted(line.by)]}"
        commit = row.commit.subject if row.commit else None
        at += f", said {(row.session_id or row.kind)[:7]} ({commit}, {row.level})"
        if row.session_id:
            self.score.claimed += 1
            if row.session_id not in self.story.record.may_be(path, lines, row.number - 1):
                self.score.false.append(at)
        if HUMAN not in line.by and len(line.by) == 1 and self.story.record.is_unique(line):
            if row.session_id in line.by:
                self.score.found += 1
            else:
                self.score.missed.append(at)

    def report(self, what: str) -> str:
        """Everything needed to see it again."""
        return "\n".join([f"seed {self.seed}: {what}", *self.story.log])


def fuzz(tmp_path: Path, home: Path, seeds: range, steps: int) -> None:
    total = Score()
    for seed in seeds:
        trial = Trial(GitRepo(tmp_path / f"repo{seed}"), home, seed)
        trial.run(steps)
        assert not trial.score.false, trial.report("\n".join(trial.score.false))
        total.found += trial.score.found
        total.missed += [f"seed {seed} {text}" for text in trial.score.missed]
    assert total.found >= 0.99 * (total.found + len(total.missed)), "\n".join(total.missed)


def test_random_work_is_given_to_those_who_did_it(tmp_path: Path, hermetic: Path) -> None:
    fuzz(tmp_path, hermetic, range(FIRST, FIRST + SEEDS), STEPS)


@pytest.mark.slow
def test_long_random_work_is_given_to_those_who_did_it(tmp_path: Path, hermetic: Path) -> None:
    fuzz(tmp_path, hermetic, range(100, 110), 150)
