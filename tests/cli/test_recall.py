"""`recall`: how many hits are shown."""

from __future__ import annotations

import json
from pathlib import Path

from agents import ClaudeSession
from cli.running import funes
from helpers import GitRepo
from memory import Memory

SAID = (
    "Two writers need a lock, or the cache is torn.",
    "The writers of the manual like coffee, tea, milk and long walks outside.",
)


def test_a_number_shows_also_what_is_far_less_likely(repo: GitRepo, hermetic: Path) -> None:
    repo.commit("start")
    for words in SAID:
        claude = ClaudeSession(repo, hermetic)
        claude.prompt("Go on.")
        claude.says(words)
    Memory(repo).sync()

    def found(*options: str) -> list[str]:
        question = ("recall", "why do two writers need a lock on the cache", "--lexical")
        told = funes(*question, "--format", "json", *options, cwd=repo.path).stdout
        return [hit["text"] for hit in json.loads(told)["hits"]]

    assert found() == [SAID[0]]
    assert found("-n", "8") == list(SAID)
    assert found("-1") == [SAID[0]]


TASK = "Find out who calls the torn cache, and report it."


def test_a_sub_agents_task_is_not_the_words_of_a_person(repo: GitRepo, hermetic: Path) -> None:
    repo.commit("start")
    claude = ClaudeSession(repo, hermetic)
    prompt = claude.prompt("Look after the readers of the manual.")
    helper = claude.subagent(TASK)
    task = helper.last
    assert task
    helper.says("Nobody at all.")
    Memory(repo).sync()

    def said(*command: str) -> str:
        return funes(*command, cwd=repo.path).stdout

    asked = ("recall", "who calls the torn cache", "--lexical", "-1")
    assert " · task text · " in said(*asked)
    assert ", a sub-agent's task, " in said(*asked, "--format", "human")
    (hit,) = json.loads(said(*asked, "--format", "json"))["hits"]
    assert (hit["text"], hit["role"], hit["task"]) == (TASK, "user", True)
    assert "before, task:" in said(
        "recall", "nobody at all", "--lexical", "-1", "--neighbours", "1"
    )
    assert "\ntask · claude_code · " in said("get", claude.id, task)
    told = said("get", claude.id, task, "--format", "human")
    assert told.startswith(f"task {task[:8]} ")
    assert ", given to a sub-agent" in told
    (turn,) = json.loads(said("get", claude.id, prompt, "--format", "json"))["turns"]
    assert (turn["role"], turn["task"]) == ("user", False)
    assert " · user text · " in said("recall", "readers of the manual", "--lexical", "-1")
