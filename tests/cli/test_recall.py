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
