"""`log --ran`: which commands agents ran, how they ended and at which commit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agents import START, ClaudeSession, Clock, CodexSession
from cli.running import funes
from helpers import GitRepo
from memory import Memory

from funes_git.commands.log import listed
from funes_git.render import runs
from funes_git.render.page import Page
from funes_git.runs import Run


class Deploys:
    """A repository in which two agents deployed: `apply` is what stands for a deployment."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.home = home
        self.repo = GitRepo(folder / "shop")
        self.repo.write("infra/main.tf", "count = 1\n")
        self.repo.write("apply", "#!/bin/sh\n[ -e infra/ok ]\n")
        self.repo.git("add", "--chmod=+x", "apply", "infra")
        (self.repo.path / "apply").chmod(0o755)
        self.first = self.repo.commit("Start the infrastructure", date=START - 100_000)
        self.clock = Clock()
        self.claude = ClaudeSession(self.repo, home, self.clock)
        self.claude.prompt("Two of them, and deploy it")
        self.claude.bash("./apply --auto")
        self.claude.edit("infra/main.tf", "1", "2")
        self.claude.bash("touch infra/ok; git commit -qam 'Two of them' && git rev-parse HEAD")
        self.second = self.repo.git("rev-parse", "HEAD")
        self.clock.tick(60)
        self.claude.bash("cd infra && cd .. && TOKEN=1 ./apply --auto | cat")
        self.clock.tick(86_400)
        self.codex = CodexSession(self.repo, home, self.clock)
        self.codex.prompt("Note it down")
        self.codex.add("notes.md", "Deployed.\n")
        self.codex.bash("git add notes.md && git commit -qm 'Notes' && git rev-parse HEAD")
        self.third = self.repo.git("rev-parse", "HEAD")
        self.codex.bash("./apply --again; exit 3")
        self.memory = Memory(self.repo)
        self.memory.sync()

    def runs(self, glob: str, *args: str, path: tuple[str, ...] = (), **when: str) -> list[Run]:
        with self.memory.catalog() as catalog:
            return listed(self.memory.repo, catalog, (glob,), args, path, **when)


@pytest.fixture
def deploys(tmp_path: Path, hermetic: Path) -> Deploys:
    return Deploys(tmp_path, hermetic)


def test_a_run_has_its_exit_status_and_the_commit_that_was_checked_out(deploys: Deploys) -> None:
    found = deploys.runs("./apply*")
    assert [(run.exit_code, run.failed, run.commit, run.known) for run in found] == [
        (3, True, deploys.third, "reflog"),
        (0, False, deploys.second, "reflog"),
        (1, True, deploys.first, "reflog"),
    ]
    assert found[1].command == "cd infra && cd .. && TOKEN=1 ./apply --auto | cat"
    assert found[2].prompt == "Two of them, and deploy it"
    assert found[1].info is not None
    assert found[1].info.subject == "Two of them"

    (notes, two) = deploys.runs("git commit*")  # those that made it themselves
    assert [(run.commit, run.known) for run in (notes, two)] == [
        (deploys.third, "printed"),
        (deploys.second, "printed"),
    ]


def test_runs_are_those_of_a_range_of_paths_and_of_a_time(deploys: Deploys) -> None:
    def commits(*args: str, path: tuple[str, ...] = (), **when: str) -> list[str | None]:
        return [run.commit for run in deploys.runs("./apply*", *args, path=path, **when)]

    assert commits("HEAD~2..HEAD~1") == [deploys.second, deploys.first]  # its exchange made it
    assert commits("HEAD~1..HEAD") == [deploys.third]
    assert commits(path=(":/notes.md",)) == [deploys.third]
    day = f"@{int(START + 3600)}"
    assert commits(since=day) == [deploys.third]
    assert commits(until=day) == [deploys.second, deploys.first]
    assert commits("--author=nobody") == []
    deploys.repo.git("commit", "--amend", "-qm", "Notes, better")
    deploys.memory.sync()
    assert commits("HEAD~1..HEAD") == [deploys.third]  # as what it was amended to


def test_a_resumed_session_ran_it_once_and_without_reflogs_the_session_tells(
    deploys: Deploys,
) -> None:
    copy = deploys.claude.file.with_name("11111111-2222-4333-8444-555555555555.jsonl")
    copy.write_text(deploys.claude.file.read_text().replace(deploys.claude.id, copy.stem))
    deploys.memory.sync()
    (deploys.repo.path / ".git/logs/HEAD").unlink()
    assert [(run.commit, run.known) for run in deploys.runs("./apply*")] == [
        (deploys.third, "session"),
        (deploys.second, "session"),
        (deploys.first, "history"),
    ]


def test_log_ran_prints_for_people_agents_and_programs(deploys: Deploys) -> None:
    def said(*args: str) -> str:
        done = funes(
            *("log", "--ran", "./apply*", *args), cwd=deploys.repo.path, HOME=str(deploys.home)
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    human = said("--format", "human", "-2")
    assert human.count("│") == 2
    assert f"exit 3, at {deploys.third[:7]} Notes" in human
    assert "│ ./apply --again; exit 3" in human
    assert "“Note it down”" in human
    assert max(map(len, human.splitlines())) <= 80
    agent = said("--format", "agent")
    assert f"· exit 0 · at {deploys.second[:7]} Two of them ·\n> cd infra" in agent
    assert f"get {deploys.claude.id} " in agent
    row = json.loads(said("--format", "json", "-1"))
    assert (row["exit_code"], row["failed"], row["commit"]) == (3, True, deploys.third)
    assert (row["subject"], row["commit_known"], row["harness"]) == ("Notes", "reflog", "codex")
    assert row["commits"] == [deploys.third]
    asked = ("log", "--ran", "kubectl*", "--exit-code", "--format", "json")
    done = funes(*asked, cwd=deploys.repo.path, HOME=str(deploys.home))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "note: no turn ran such a command\n"


def test_of_a_long_command_the_row_is_shown_that_was_looked_for(deploys: Deploys) -> None:
    steps = "".join(f"echo step {n} of the preparation\n" for n in range(40))
    deploys.claude.bash(f"{steps}./apply --last\n{steps}")
    deploys.claude.bash(f"./apply --first\n{steps}")
    deploys.memory.sync()
    first, last = sorted(deploys.runs("./apply --[fl]*st"), key=lambda run: run.command)
    for shown in ("\n".join(runs.human(Page(80), last)), "\n".join(runs.agent(last))):
        assert "./apply --last" in shown
        assert "…\n" in shown
        assert len(shown) < 1000
    assert "(cut; get returns the whole turn)" in list(runs.agent(last))
    assert next(row for row in runs.agent(first) if row.startswith("> ")) == "> ./apply --first"
    (short,) = (run for run in deploys.runs("./apply*") if "--again" in run.command)
    assert not any("cut;" in row or "…" in row for row in runs.agent(short))


def test_a_filter_of_a_variable_that_is_not_set_is_no_question_about_everything(
    deploys: Deploys,
) -> None:
    for asked in (
        ("log", "--ran", ""),
        *(("recall", "apply", "--lexical", name, "") for name in ("--session", "--branch")),
    ):
        done = funes(*asked, cwd=deploys.repo.path, HOME=str(deploys.home))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: a filter has an empty value\nhint: ")
